/** The known sites in the genes of a report, and which of them its samples could have shown. */
import type { Build, FoundSite, Gene, SiteRepository, SiteSet } from '../contract.js';
import { sizeIn } from '../d4/verify/contigs.js';
import { intervalsIn } from '../domain/intervals-in.js';
import type { Location } from '../domain/location.js';
import type { DepthFiles } from '../domain/measure.js';
import { namesInFile } from '../domain/names.js';
import type { Region } from '../domain/region.js';

export interface GenesSites {
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
export async function sitesOf(
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
type Placed = readonly [place: number, gene: Gene];

function genesBySymbol(genes: readonly Gene[]): Map<string, Placed[]> {
  const bySymbol = new Map<string, Placed[]>();
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
  bySymbol: ReadonlyMap<string, readonly Placed[]>,
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
export type SiteState = (typeof siteStates)[number];

/** The depths of one sample at sites, by their index. */
export interface SiteDepths {
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
