/** The known sites of a report's genes, measured in its samples. */
import type { Comparison } from '../comparison/compare.js';
import type { Build, Gene } from '../contract.js';
import type { Location } from '../domain/location.js';
import type { MeasuringServices } from '../services.js';
import { type GenesSites, type SiteDepths, siteDepths, sitesOf } from '../sites/report-sites.js';
import { type NotStored, type Usual, usualAt } from '../sites/usual.js';

export interface KnownSites extends GenesSites {
  /** In the order of the samples. */
  samples: readonly SiteDepths[];
  /** Indexes of the sites that are not callable in every sample. */
  uncallable: readonly number[];
  /** What is known of the other samples of the assay; undefined if nothing is. */
  usual(sample: string, site: number): Usual | undefined;
  /** Present if some of the other samples do not count because it is not stored what they cover at the coverage threshold. */
  notStored?: NotStored & {
    /** The depths for which the server stores it (`samples.thresholds`), ascending. */
    thresholds: readonly number[];
  };
}

export interface KnownSitesQuestion {
  build: Build;
  /** The coverage threshold. */
  level: number;
  genes: readonly Gene[];
  samples: readonly { name: string; location: Location; registration: string | undefined }[];
  isPooled: boolean;
  comparison: Comparison | undefined;
  /** Uncallable sites that are compared with the assay. */
  compared: number;
}

/** Undefined if no sites are loaded for the build. */
export async function knownSites(
  {
    sites: repository,
    sources,
    callability,
    settings,
  }: Pick<MeasuringServices, 'sites' | 'sources' | 'callability' | 'settings'>,
  { build, level, genes, samples, isPooled, comparison, compared }: KnownSitesQuestion,
  signal: AbortSignal,
): Promise<KnownSites | undefined> {
  const found = await sitesOf(repository, build, genes, signal);
  if (found === undefined) return undefined;
  const regions = found.sites.map(({ region }) => region);
  const measured = await Promise.all(
    samples.map(({ location }) => siteDepths(sources, location, regions, { level, signal })),
  );
  const uncallable: number[] = [];
  for (let site = 0; site < regions.length; site++) {
    if (measured.some((depths) => depths.state(site) !== 'callable')) uncallable.push(site);
  }
  const asked = uncallable.slice(0, compared);
  const ids = samples.flatMap(({ registration }) => registration ?? []);
  const usual =
    comparison === undefined || ids.length === 0 || asked.length === 0
      ? undefined
      : await usualAt(
          callability,
          {
            ...{ build, threshold: level, members: comparison.members, samples: ids, isPooled },
            regions: asked.map((site) => regions[site] as (typeof regions)[number]),
          },
          signal,
        );
  const placeOf = new Map(asked.map((site, i) => [site, i]));
  const idOf = new Map(samples.map(({ name, registration }) => [name, registration]));
  return {
    ...found,
    samples: measured,
    uncallable,
    usual: (sample, site) => usual?.at.get(idOf.get(sample) ?? '')?.[placeOf.get(site) ?? -1],
    ...(usual?.notStored && { notStored: { ...usual.notStored, thresholds: settings.samples.thresholds } }),
  };
}
