/** Known sites as JSON: zero-based half-open positions, and nothing rounded. */
import type { KnownSites } from '../report/known-sites.js';
import type { ReportData } from '../report/report-data.js';
import { notStoredText } from '../report/site-tables.js';
import { holeOf } from '../sites/usual.js';
import type { Texts } from '../texts/texts.js';

export function siteSetsData({ sets }: KnownSites) {
  return sets.map(({ name, release, source, checksum, loaded, sites }) => {
    return { name, release, source, checksum, loaded: loaded.toISOString(), sites };
  });
}

/** Why it is not stated, or only of a part of the samples, whether the assay usually covers the sites; nothing if it is stated of all. */
export function siteAssayData({ notStored }: KnownSites, { request }: ReportData, texts: Texts) {
  if (notStored === undefined) return {};
  const { samples, of, thresholds } = notStored;
  return {
    known_sites_assay: {
      samples: of,
      not_stored: samples,
      stored_thresholds: thresholds,
      message: notStoredText(notStored, request.level, texts),
    },
  };
}

/** How many sites a sample could have shown. */
export function siteCountsData(known: KnownSites | undefined, sample: number) {
  const counts = known?.samples[sample]?.counts;
  return known === undefined || counts === undefined ? {} : { known_sites: { sites: known.sites.length, ...counts } };
}

/** Every site in the genes, with its state in each sample. */
export function* sitesData(known: KnownSites, { samples }: ReportData): Generator<unknown> {
  for (const [at, { site, of }] of known.sites.entries()) {
    yield {
      source: site.set,
      id: site.id ?? null,
      hgvs: site.hgvs ?? null,
      genes: of.map(({ symbol, ensembl }) => symbol ?? ensembl),
      chromosome: site.chromosome,
      start: site.start,
      end: site.end,
      reference: site.reference,
      alternate: site.alternate,
      significance: site.significance ?? null,
      stars: site.stars ?? null,
      samples: Object.fromEntries(
        samples.map(({ sample: { name } }, i) => {
          const depths = known.samples[i];
          const usual = known.usual(name, at);
          return [
            name,
            {
              state: depths?.state(at),
              minimum_depth: depths?.min(at),
              ...(usual === undefined
                ? {}
                : { assay: { samples: usual.n, callable: usual.covered, hole: holeOf(usual) } }),
            },
          ];
        }),
      ),
    };
  }
}
