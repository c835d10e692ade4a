/** VCF files in the form that ClinVar publishes, written by hand. */
import type { Build, Site, SiteLoad, SiteRepository, SiteSet } from '../../../../plugins/coverage/contract.js';
import { loadSites, type SiteLoading } from '../../../../plugins/coverage/sites/loading.js';

export const reviews = {
  0: 'no_assertion_criteria_provided',
  1: 'criteria_provided,_single_submitter',
  2: 'criteria_provided,_multiple_submitters,_no_conflicts',
  3: 'reviewed_by_expert_panel',
  4: 'practice_guideline',
} as const;

export interface VcfOptions {
  build?: Build;
  /** Lines instead of those of ClinVar's header between the format and the columns. */
  header?: readonly string[];
}

export function vcf(records: readonly string[], { build = 'GRCh38', header }: VcfOptions = {}): string {
  const lines = header ?? [
    '##fileDate=2026-11-15',
    '##source=ClinVar',
    `##reference=${build}`,
    '##ID=<Description="ClinVar Variation ID">',
    '##INFO=<ID=CLNHGVS,Number=.,Type=String,Description="Top-level (primary assembly, alt, or patch) HGVS expression.">',
    '##INFO=<ID=CLNSIG,Number=.,Type=String,Description="Aggregate germline classification for this single variant">',
  ];
  const columns = '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO';
  return `${['##fileformat=VCFv4.1', ...lines, columns, ...records].join('\n')}\n`;
}

/** A record with INFO in the order of ClinVar's. */
export function record(place: string, info: Readonly<Record<string, string>> = {}): string {
  const [chromosome, position, id, reference, alternate] = place.split(' ');
  const fields = { ALLELEID: '18560', CLNREVSTAT: reviews[2], CLNSIG: 'Pathogenic', ORIGIN: '1', ...info };
  const text = Object.entries(fields).filter(([, value]) => value !== '');
  return [chromosome, position, id, reference, alternate, '.', '.', text.map((pair) => pair.join('=')).join(';')].join(
    '\t',
  );
}

/** What a load would store. */
export async function read(
  file: string,
  options: Partial<SiteLoading> & { replaces?: SiteSet } = {},
): Promise<{ set: SiteSet; sites: Site[] }> {
  const sites: Site[] = [];
  const repository: Pick<SiteRepository, 'load'> = {
    async load({ name, build, sites: batches, accept }: SiteLoad, now) {
      for await (const batch of batches) sites.push(...batch);
      return { ...accept(sites.length, options.replaces), name, build, loaded: now, sites: sites.length };
    },
  };
  const { signal } = new AbortController();
  const set = await loadSites({
    ...{ repository, file, leastStars: 0, maxShrink: 0.1, now: new Date(0), signal, onProgress() {} },
    ...options,
  });
  return { set, sites };
}
