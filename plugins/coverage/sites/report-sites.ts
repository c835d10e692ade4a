/**
 * The known sites in the genes of a report: which of them its samples could have shown, and whether their assay usually covers
 * the others.
 */
import { isFault } from '../../../core/plugin.js';
import type { CoveredPlace, CoveredQuestion } from '../../services/coverage.js';
import type { Comparison } from '../cohorts/compare.js';
import { type Member, membersFor } from '../cohorts/members.js';
import { leastForPercentiles } from '../cohorts/statistics.js';
import type { Build, FoundSite, Gene, SiteRepository, SiteSet } from '../contract.js';
import { sizeIn } from '../d4/index.js';
import { dependsOnSex } from '../measure/copies.js';
import { type DepthFiles, type Location, namesInFile } from '../measure/measure.js';
import { intervalsIn, type Region } from '../measure/region.js';
import type { Callability } from '../samples/callability/callability.js';
import { mostPlaces, mostSamples } from '../samples/callability/question.js';
import type { MeasuringServices } from '../services.js';

export interface KnownSites extends GenesSites {
  /** In the order of the samples. */
  samples: readonly SiteDepths[];
  /** Indexes of the sites that are not callable in every sample. */
  uncallable: readonly number[];
  /** What is known of the other samples of the assay; undefined if nothing is. */
  usual(sample: string, site: number): AssayCoverage | undefined;
  /** Present if some of the other samples do not count because it is not stored what they cover at the coverage threshold. */
  notStored?: UnstoredSamples & {
    /** The depths for which the server stores it (`samples.thresholds`), ascending. */
    thresholds: readonly number[];
  };
}

interface KnownSitesQuestion {
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
  const found = await sitesOfGenes(repository, build, genes, signal);
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

// The known sites in the genes of a report, and which of them its samples could have shown.

interface GenesSites {
  /** The sets of the build. */
  sets: readonly SiteSet[];
  sites: readonly GeneSite[];
}

export interface GeneSite {
  site: FoundSite;
  /** The genes of the report that it is in or that it names; at least one. */
  of: readonly Gene[];
  /** Whose depths decide: the reference bases and one on each side, as far as the chromosome has them. */
  region: Region;
}

/** The sites within the extents of the genes, and those that name one of them; undefined if no set is loaded for the build. */
export async function sitesOfGenes(
  repository: Pick<SiteRepository, 'find'>,
  build: Build,
  genes: readonly Gene[],
  signal: AbortSignal,
): Promise<GenesSites | undefined> {
  const symbols = genes.flatMap(({ symbol }) => (symbol === undefined ? [] : [symbol]));
  const places = genes.map(({ chromosome, start, end }) => ({ chromosome, start, end }));
  const { sets, sites } = await repository.find(build, { places, genes: symbols }, { signal });
  return sets.length === 0 ? undefined : { sets, sites: [...withGenes(sites, genes, build)] };
}

/** `sites` are by chromosome and start. */
function* withGenes(sites: readonly FoundSite[], genes: readonly Gene[], build: Build): Generator<GeneSite> {
  const distinct = [
    ...new Map(genes.map((gene) => [`${gene.ensembl} ${gene.chromosome}:${gene.start}`, gene])).values(),
  ];
  const byStart = distinct.toSorted((one, other) => one.start - other.start);
  const bySymbol = genesBySymbol(distinct);
  let chromosome: FoundSite['chromosome'] | undefined;
  let size: number | undefined;
  let waiting: Gene[] = [];
  let open: readonly Gene[] = [];
  for (const site of sites) {
    if (site.chromosome !== chromosome) {
      chromosome = site.chromosome;
      size = sizeIn(build, chromosome);
      [waiting, open] = [byStart.filter((gene) => gene.chromosome === chromosome).reverse(), []];
    }
    // Sites are by start, so that a gene that ends before one ends before all that follow. Lists are replaced, never changed:
    // all sites within the same genes share one.
    const begun: Gene[] = [];
    while ((waiting.at(-1)?.start ?? Number.POSITIVE_INFINITY) < site.end) begun.push(waiting.pop() as Gene);
    if (begun.length > 0) open = [...open, ...begun];
    if (open.some(({ end }) => end <= site.start)) open = open.filter(({ end }) => end > site.start);
    const within = open.some(({ start }) => start >= site.end) ? open.filter(({ start }) => start < site.end) : open;
    const named = namedBy(site, bySymbol, within);
    const region = {
      chromosome,
      start: Math.max(0, site.start - 1),
      end: Math.max(site.end, Math.min(size ?? site.end, site.end + 1)),
    };
    yield { site, of: named.length === 0 ? within : [...within, ...named], region };
  }
}

/** A gene and its place among the genes of the report. */
type NumberedGene = readonly [place: number, gene: Gene];

function genesBySymbol(genes: readonly Gene[]): Map<string, NumberedGene[]> {
  const bySymbol = new Map<string, NumberedGene[]>();
  for (const [place, gene] of genes.entries()) {
    if (gene.symbol === undefined) continue;
    const same = bySymbol.get(gene.symbol);
    if (same === undefined) bySymbol.set(gene.symbol, [[place, gene]]);
    else same.push([place, gene]);
  }
  return bySymbol;
}

/** The genes that a site names and is not within, in the order of the report. */
function namedBy(
  { genes }: FoundSite,
  bySymbol: ReadonlyMap<string, readonly NumberedGene[]>,
  within: readonly Gene[],
): readonly Gene[] {
  const named = genes.flatMap((symbol) => bySymbol.get(symbol) ?? []);
  if (named.length === 0) return [];
  const inside = new Set(within);
  return named
    .filter(([, gene]) => !inside.has(gene))
    .sort(([one], [other]) => one - other)
    .map(([, gene]) => gene);
}

export const siteStates = ['callable', 'partly', 'not'] as const;
/** Of the bases of a region: all, some or none are at or above the coverage threshold. */
type SiteState = (typeof siteStates)[number];

/** The depths of one sample at sites, by their index. */
interface SiteDepths {
  state(site: number): SiteState;
  /** Least depth of the region; 0 if the file lacks one of its bases. */
  min(site: number): number;
  counts: Readonly<Record<SiteState, number>>;
}

/** Reads the file once, in the order of the genome. */
export async function siteDepths(
  files: DepthFiles,
  location: Location,
  regions: readonly Region[],
  { level, signal }: { level: number; signal: AbortSignal },
): Promise<SiteDepths> {
  const least = new Float64Array(regions.length);
  const reached = new Uint32Array(regions.length);
  await files.use(location, async (file) => {
    const asked = [...new Set(regions.map(({ chromosome }) => chromosome))];
    const { intervals, places } = intervalsIn(regions, namesInFile(file.track().chromosomes, asked));
    const { counts, min, bases } = await file.columns({ intervals, thresholds: [level], range: true, signal });
    for (const [i, place] of places.entries()) {
      const { start, end } = regions[place] as Region;
      reached[place] = counts[i] as number;
      least[place] = bases[i] === end - start ? (min[i] as number) : 0;
    }
  });
  const state = (site: number): SiteState => {
    const { start, end } = regions[site] as Region;
    if (reached[site] === 0) return 'not';
    return reached[site] === end - start ? 'callable' : 'partly';
  };
  const counts = { callable: 0, partly: 0, not: 0 };
  for (let site = 0; site < regions.length; site++) counts[state(site)] += 1;
  return { state, min: (site) => least[site] as number, counts };
}

// Whether the assay of a sample usually covers a site: a hole of the assay, or of this sample.

/** Samples, without the one that is compared, of which it is known whether they cover the site, and those that do. */
interface AssayCoverage {
  n: number;
  covered: number;
}

/** Share of samples below which a site is usually not covered. */
const usualShare = 0.5;

/**
 * - `assay`: fewer than half of the other samples cover the site;
 * - `sample`: half of them or more do;
 * - `few`: there are too few other samples to say.
 */
type HoleKind = 'assay' | 'sample' | 'few';

export function kindOfHole({ n, covered }: AssayCoverage): HoleKind {
  if (n < leastForPercentiles) return 'few';
  return covered < usualShare * n ? 'assay' : 'sample';
}

interface UsualQuestion {
  build: Build;
  /** Reads. */
  threshold: number;
  /** All registered samples of the build. */
  members: readonly Member[];
  /** Ids of the compared samples. */
  samples: readonly string[];
  /** Whether samples of all assays are compared. */
  isPooled: boolean;
  /** At most 10,000; others are not compared. */
  regions: readonly Region[];
}

interface UsualAnswer {
  /** For each compared sample, by id: what is known at each region; undefined where nothing is. */
  at: ReadonlyMap<string, readonly (AssayCoverage | undefined)[]>;
  /** Present if some of the other samples do not count because it is not stored what they cover at the threshold. */
  notStored?: UnstoredSamples;
}

/** Of the samples with which one or more of a report are compared. */
interface UnstoredSamples {
  /** Those without stored coverage at the threshold. */
  samples: number;
  /** All of them. */
  of: number;
}

const nothingKnown: UsualAnswer = { at: new Map() };

/** Members of one assay and sex are counted together. */
interface AssayGroup {
  assay: string;
  sex: Member['sex'];
  ids: string[];
}

export async function usualAt(
  callability: Pick<Callability, 'coveredNow'>,
  { build, threshold, members, samples, isPooled, regions }: UsualQuestion,
  signal: AbortSignal,
): Promise<UsualAnswer> {
  const named = new Set(samples);
  const own = members.filter(({ id }) => named.has(id));
  const cohorts = own.flatMap((member) => {
    const others = membersFor(member, members, isPooled);
    if (others === undefined) return [];
    const assays = new Set([...others, member].flatMap(({ assay }) => assay ?? []));
    return [{ member, assays }];
  });
  const compares = new Set(cohorts.flatMap(({ assays }) => [...assays]));
  const byAssayAndSex = new Map<string, AssayGroup>();
  for (const { id, assay, sex } of members) {
    if (assay === undefined || !compares.has(assay)) continue;
    const key = `${sex} ${assay}`;
    const group = byAssayAndSex.get(key);
    if (group === undefined) byAssayAndSex.set(key, { assay, sex, ids: [id] });
    else group.ids.push(id);
  }
  const groups = [...byAssayAndSex.values()];
  const count = groups.reduce((sum, { ids }) => sum + ids.length, 0);
  if (count === 0 || count > mostSamples) return nothingKnown;
  const counted = new Set(groups.flatMap(({ ids }) => ids));
  const compared = cohorts.flatMap(({ member: { id } }) => (counted.has(id) ? [id] : []));
  const places = regions.slice(0, mostPlaces).map(({ chromosome, start, end }): CoveredPlace => {
    return { chromosome: chromosome as CoveredPlace['chromosome'], intervals: [{ start, end }], named: compared };
  });
  const question: CoveredQuestion = { build, threshold, groups: groups.map(({ ids }) => ids), places };
  const answer = await callability.coveredNow(question, signal).catch((error: unknown) => {
    // The registered samples change at this moment: nothing is said of the assay.
    if (isFault(error) && error.code === 'unavailable') return undefined;
    throw error;
  });
  if (answer === undefined) return nothingKnown;
  const unknown = new Set(answer.unknown.map(({ sample }) => sample));
  const known = groups.map(({ ids }) => ids.filter((id) => !unknown.has(id)).length);
  const at = new Map(
    cohorts.map(({ member, assays }) => {
      const isKnown = counted.has(member.id) && !unknown.has(member.id);
      const found = answer.places.map(({ covered, below }, i): AssayCoverage | undefined => {
        const isOfOneSex = dependsOnSex([regions[i] as Region], build);
        if (isOfOneSex && member.sex === 'unknown') return undefined;
        let [n, others] = isKnown ? [-1, below.includes(member.id) ? 0 : -1] : [0, 0];
        for (const [g, { assay, sex }] of groups.entries()) {
          if (!assays.has(assay) || (isOfOneSex && sex !== member.sex)) continue;
          n += known[g] as number;
          others += covered[g] as number;
        }
        return n === 0 ? undefined : { n, covered: others };
      });
      return [member.id, found] as const;
    }),
  );
  const others = new Set(
    cohorts.flatMap(({ member }) => membersFor(member, members, isPooled) ?? []).map(({ id }) => id),
  );
  const notStored = answer.unknown.filter(({ sample, reason }) => reason === 'other-threshold' && others.has(sample));
  return { at, ...(notStored.length > 0 && { notStored: { samples: notStored.length, of: others.size } }) };
}
