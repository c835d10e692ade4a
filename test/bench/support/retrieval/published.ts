/** The published patients of ../shared/data/matchmaker, as submissions, with what is known about their disease. */
import { readTextFile } from '../../../../core/files.js';
import type { GenomicFeature, Patient } from '../../../../plugins/matchmaker/contract.js';
import { shared } from '../../../plugins/matchmaker/resources/support/shared.js';

interface Line {
  yes: string[];
  disease: [string];
  genes: [[hgnc: string, symbol: string]];
  variants: { vcf: { chrom: string; pos: number; ref: string; alt: string } | null; zyg: string | null }[];
  pmid: [string];
}

export interface Published {
  disease: string;
  publication: string;
  gene: string;
  /** Ids of observed terms. */
  terms: string[];
  /** One for each variant of the gene; at least one. */
  genomic: GenomicFeature[];
}

export async function published(): Promise<Published[]> {
  const { text } = await readTextFile(shared('published_cases.jsonl.gz'));
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const { yes, disease, genes, variants, pmid } = JSON.parse(line) as Line;
      const gene = genes[0][1];
      const genomic = variants.map((variant) => featureOf(gene, variant));
      return {
        disease: disease[0],
        publication: pmid[0],
        gene,
        terms: yes,
        genomic: genomic.length === 0 ? [{ gene: { id: gene } }] : genomic,
      };
    });
}

/** Structural variants without coordinates have the gene and the zygosity only. */
function featureOf(gene: string, { vcf, zyg }: Line['variants'][0]): GenomicFeature {
  return {
    gene: { id: gene },
    ...(zyg !== null && { zygosity: zyg === 'homozygous' ? 2 : 1 }),
    ...(vcf && {
      variant: {
        assembly: 'GRCh38',
        referenceName: vcf.chrom.replace(/^chr/, ''),
        start: vcf.pos - 1,
        end: vcf.pos - 1 + vcf.ref.length,
        referenceBases: vcf.ref,
        alternateBases: vcf.alt,
      },
    }),
  };
}

export function submission(id: string, terms: readonly string[], genomicFeatures: GenomicFeature[]): Patient {
  return {
    id,
    contact: { name: 'Bench', href: 'mailto:bench@example.org' },
    features: terms.map((id) => ({ id })),
    genomicFeatures,
  };
}
