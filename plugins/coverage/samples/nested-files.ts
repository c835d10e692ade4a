/**
 * Whether the file of one registered sample was made from that of another: by leaving out reads, chromosomes or regions. Two
 * things must be so. All that one covers is covered by the other, to the base: this is looked at in the stored runs, first by
 * sizes, then in one window, so that only samples that are left are read as a whole. And the depths scatter as those of a part of
 * the same reads do: of the inner depth b and the outer depth a, with the share p = Σb / Σa, the mean of (b − pa)² / pa is 1 − p
 * if each read was kept with the chance p, and at least 1 + p if both were counted from reads of their own, whatever the assay and
 * however much deeper one of them is. Runs alone do not show it: those of a deep sample hold those of any shallow one of its kit.
 */
import { isFault } from '../../../core/plugin.js';
import type { Chromosome, NestedFigures, RegisteredSample, RunBlock, SampleRepository } from '../contract.js';
import { chromosomeIndex, sizeIn } from '../d4/index.js';
import type { Location } from '../measure/measure.js';
import type { CoverageSources } from '../measure/sources.js';
import type { CheckControl } from './changes.js';
import { coveredIn, runWindow } from './covered-runs.js';
import { samplePages } from './find.js';

export interface FileComparisonTools {
  samples: Pick<SampleRepository, 'list' | 'runs' | 'runsFrom'>;
  sources: Pick<CoverageSources, 'coverageFile' | 'use'>;
  /** Whether a dataset, if it is given, and these files belong to one tenant; true if there are no tenants. */
  areOfOneTenant(dataset: string | undefined, paths: readonly string[]): boolean;
}

/** Runs of the inner sample: fewer may lie in those of another by chance, or by the design of the assay. */
const leastRuns = 200;
/** Samples whose block of one window is read at once. */
const portion = 500;
/** Bytes of stored runs that are read as a whole for one sample, and files that are opened. */
const [mostBytes, mostFiles] = [64 * 2 ** 20, 20];
/** Bases between two places whose depths are compared, so that no read is counted at both, and how many places. */
const spacing = 1000;
const [leastPlaces, mostPlaces] = [300, 8192];
/** Reads that the inner sample is expected to have at a place at least. */
const fewestReads = 10;
/** Share of the places that may have one depth: more do if depths are capped. */
const mostAlike = 0.25;
/** Standard deviations between the scatter that was found and that of two samples. */
const leastDeviations = 6;

interface NestedFile extends NestedFigures {
  other: RegisteredSample;
}

/** Covered bases by window: alternating starts and ends, ascending. */
type CoveredWindows = ReadonlyMap<string, { chromosome: Chromosome; runs: Uint32Array }>;

interface NestCandidate {
  other: RegisteredSample;
  /** Which of the two has no more covered bases at any threshold: the other sample, this one, or either. */
  mayBeInner: { other: boolean; own: boolean };
}

/**
 * The samples whose file was made from that of a ready sample, or the other way round. Copies of one file are left to
 * `sameFilesOf`. Files that cannot be read now are left out.
 */
export async function nestedFilesOf(
  sample: RegisteredSample,
  { samples, sources, areOfOneTenant }: FileComparisonTools,
  { signal, giveWay }: CheckControl,
): Promise<NestedFile[]> {
  const own = windowsOf(sample, await samples.runs(sample.id));
  const richest = [...own.values()].sort((one, other) => other.runs.length - one.runs.length)[0];
  if (richest === undefined || richest.runs.length === 0) return [];
  let left: NestCandidate[] = [];
  for await (const page of samplePages(samples, ['ready'], portion)) {
    signal.throwIfAborted();
    await giveWay?.();
    const own = page.filter(({ file }) => areOfOneTenant(undefined, [sample.file.path, file.path]));
    const bySize = own.flatMap((other) => candidateOf(sample, other) ?? []);
    if (bySize.length > 0) left.push(...(await nestedInWindow(bySize, richest, samples)));
  }
  const ratio = ({ other }: NestCandidate) => Math.abs(Math.log(coveredBases(other) / coveredBases(sample)));
  left = left.sort((one, other) => ratio(one) - ratio(other));
  const found: NestedFile[] = [];
  let [bytes, files] = [0, 0];
  for (const { other, mayBeInner } of left) {
    bytes += other.check?.bytes ?? 0;
    if (bytes > mostBytes || files === mostFiles) break;
    signal.throwIfAborted();
    await giveWay?.();
    const others = windowsOf(other, await samples.runs(other.id));
    // Runs of whole targets are the same in both: depths then tell which is the inner one.
    const ways = [
      ...(mayBeInner.other && areWithin(others, own) ? [[other, sample, others, own] as const] : []),
      ...(mayBeInner.own && areWithin(own, others) ? [[sample, other, own, others] as const] : []),
    ];
    if (ways.length > 0) files++;
    for (const [inner, outer, ...runs] of ways) {
      const figures = await partOf(outer, inner, runs, sources, signal);
      // Copies of one file have one depth everywhere, and none was made from the other.
      if (figures === undefined || (figures.share === 1 && mayBeInner.other && mayBeInner.own)) continue;
      found.push({ other, inner: inner.id, ...figures });
      break;
    }
  }
  return found;
}

function coveredBases({ check }: RegisteredSample): number {
  return check?.covered[0] ?? 0;
}

/** Undefined if neither can have been made from the other, or if both have one file. */
function candidateOf(sample: RegisteredSample, other: RegisteredSample): NestCandidate | undefined {
  const [mine, theirs] = [sample.check, other.check];
  if (mine === undefined || theirs === undefined || other.id === sample.id || other.build !== sample.build) {
    return undefined;
  }
  const isAlike = String(mine.thresholds) === String(theirs.thresholds) && mine.build === theirs.build;
  if (!isAlike || mine.fingerprint === theirs.fingerprint || coveredBases(other) === 0) return undefined;
  const compare = (holds: (one: number, two: number) => boolean) =>
    theirs.covered.every((bases, i) => holds(bases, mine.covered[i] ?? 0));
  const mayBeInner = { other: compare((one, two) => one <= two), own: compare((one, two) => one >= two) };
  return mayBeInner.other || mayBeInner.own ? { other, mayBeInner } : undefined;
}

type WindowKey = `${Chromosome}:${number}`;

function keyOf(chromosome: Chromosome, start: number): WindowKey {
  return `${chromosome}:${Math.floor(start / runWindow) * runWindow}`;
}

function windowsOf({ build, check }: RegisteredSample, blocks: readonly RunBlock[]): CoveredWindows {
  const byWindow = new Map<WindowKey, RunBlock[]>();
  for (const block of blocks) {
    const key = keyOf(block.chromosome, block.start);
    const known = byWindow.get(key);
    if (known === undefined) byWindow.set(key, [block]);
    else known.push(block);
  }
  const thresholds = check?.thresholds.length ?? 0;
  return new Map(
    [...byWindow].map(([key, own]) => {
      const { chromosome, start } = own[0] as RunBlock;
      const end = Math.min(start + runWindow, sizeIn(build, chromosome) ?? 0);
      const [runs = new Uint32Array()] = coveredIn([{ blocks: own, thresholds, least: 1 }], { start, end });
      return [key, { chromosome, runs }];
    }),
  );
}

/** Those of the candidates that are within the sample, or the other way round, in this window. */
async function nestedInWindow(
  candidates: readonly NestCandidate[],
  { chromosome, runs }: { chromosome: Chromosome; runs: Uint32Array },
  samples: Pick<SampleRepository, 'runsFrom'>,
): Promise<NestCandidate[]> {
  const start = Math.floor((runs[0] as number) / runWindow) * runWindow;
  const ids = candidates.map(({ other }) => other.id);
  const stored = await samples.runsFrom(ids, chromosome, { start, end: start + runWindow });
  const blocksOf = new Map(stored.map((one) => [one.sample, one]));
  return candidates.flatMap(({ other, mayBeInner }) => {
    const { revision, blocks = [] } = blocksOf.get(other.id) ?? {};
    if (revision !== other.revision) return [];
    const theirs = windowsOf(other, blocks).get(keyOf(chromosome, start))?.runs ?? new Uint32Array();
    const left = {
      other: mayBeInner.other && isWithin(theirs, runs),
      own: mayBeInner.own && isWithin(runs, theirs),
    };
    return left.other || left.own ? [{ other, mayBeInner: left }] : [];
  });
}

/** Whether each run of `inner` lies in one of `outer`. */
export function isWithin(inner: Uint32Array, outer: Uint32Array): boolean {
  let at = 0;
  for (let i = 0; i < inner.length; i += 2) {
    const [start, end] = [inner[i] as number, inner[i + 1] as number];
    while (at < outer.length && (outer[at + 1] as number) < end) at += 2;
    if (at >= outer.length || (outer[at] as number) > start) return false;
  }
  return true;
}

/** The same of whole samples, if the inner one has enough runs. */
function areWithin(inner: CoveredWindows, outer: CoveredWindows): boolean {
  let runs = 0;
  for (const [key, own] of inner) {
    runs += own.runs.length / 2;
    if (!isWithin(own.runs, outer.get(key)?.runs ?? new Uint32Array())) return false;
  }
  return runs >= leastRuns;
}

interface DepthPlace {
  chromosome: Chromosome;
  at: number;
}

/**
 * How the inner depths are a part of the outer ones; undefined unless they can only be that. Looks into the runs of the inner
 * sample, then, if too few have depth enough, into those of the outer one. A place in a run of the inner sample has no depth
 * below the lowest threshold, so that depths scatter less: only places count at which that is rare anyway.
 */
async function partOf(
  outer: RegisteredSample,
  inner: RegisteredSample,
  [ofInner, ofOuter]: readonly [CoveredWindows, CoveredWindows],
  sources: FileComparisonTools['sources'],
  signal: AbortSignal,
): Promise<Omit<NestedFigures, 'inner'> | undefined> {
  const [lowest = 0] = inner.check?.thresholds ?? [];
  for (const [runs, least] of [
    [ofInner, 2 * Math.max(lowest, fewestReads)],
    [ofOuter, fewestReads],
  ] as const) {
    const places = placesIn(runs);
    const of = await depthsAt(outer, places, sources, signal);
    const by = await depthsAt(inner, places, sources, signal);
    const figures = of && by && scatterOf(of, by, least);
    if (figures !== undefined) return figures;
  }
  return undefined;
}

/** In the middle of short runs, and all along long ones; evenly chosen if they are many. */
function placesIn(windows: CoveredWindows): DepthPlace[] {
  const places: DepthPlace[] = [];
  for (const { chromosome, runs } of windows.values()) {
    let last = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < runs.length; i += 2) {
      const [start, end] = [runs[i] as number, runs[i + 1] as number];
      const middle = start + Math.min((end - start) >> 1, spacing >> 1);
      for (let at = Math.max(middle, last + spacing); at < end; at += spacing) {
        places.push({ chromosome, at });
        last = at;
      }
    }
  }
  const step = Math.max(1, places.length / mostPlaces);
  return Array.from({ length: Math.floor(places.length / step) }, (_, i) => places[Math.floor(i * step)] as DepthPlace);
}

/** Depths of single bases, 0 of those that the file lacks; undefined if the file cannot be read now. */
export async function depthsAt(
  { file }: Pick<RegisteredSample, 'file'>,
  places: readonly DepthPlace[],
  sources: Pick<CoverageSources, 'coverageFile' | 'use'>,
  signal: AbortSignal,
): Promise<Float64Array | undefined> {
  try {
    const location: Location = await sources.coverageFile(file.path, file.track);
    return await sources.use(location, async (open) => {
      const { chromosomes } = open.track();
      const known = places.flatMap(({ chromosome, at }, place) => {
        const own = chromosomes[chromosomeIndex(chromosomes, chromosome, true)];
        return own === undefined || at >= own.size ? [] : [{ place, chromosome: own.name, begin: at, end: at + 1 }];
      });
      const { means } = await open.columns({ intervals: known, signal });
      const depths = new Float64Array(places.length);
      for (const [i, { place }] of known.entries()) depths[place] = means[i] as number;
      return depths;
    });
  } catch (error) {
    if (isFault(error)) return undefined;
    throw error;
  }
}

/**
 * How the inner depths scatter about their share of the outer ones, at places at which the inner one is expected to have
 * `leastExpected` reads; undefined unless they can only be a part of the same reads.
 */
export function scatterOf(
  outer: Float64Array,
  inner: Float64Array,
  leastExpected: number,
): Omit<NestedFigures, 'inner'> | undefined {
  // A file of fewer chromosomes or regions has no depth elsewhere.
  let among = [...inner.keys()].filter((i) => (inner[i] as number) > 0);
  const sumOf = (depths: Float64Array) => among.reduce((sum, i) => sum + (depths[i] as number), 0);
  for (let round = 0; round < 2; round++) {
    const share = sumOf(inner) / sumOf(outer);
    among = among.filter((i) => share * (outer[i] as number) >= leastExpected);
  }
  const places = among.length;
  if (places < leastPlaces || isUniform(among.map((i) => outer[i] as number))) return undefined;
  if (among.some((i) => (inner[i] as number) > (outer[i] as number))) return undefined;
  const share = sumOf(inner) / sumOf(outer);
  const squares = among.map(
    (i) => ((inner[i] as number) - share * (outer[i] as number)) ** 2 / (share * (outer[i] as number)),
  );
  const scatter = squares.reduce((sum, square) => sum + square, 0) / places;
  const ofTwo = (1 + share) * (1 - leastDeviations * Math.sqrt(2 / places));
  return scatter < ofTwo ? { share, places } : undefined;
}

/** Whether one depth is that of too many places. */
export function isUniform(depths: readonly number[]): boolean {
  const counts = new Map<number, number>();
  for (const depth of depths) counts.set(depth, (counts.get(depth) ?? 0) + 1);
  return Math.max(0, ...counts.values()) > mostAlike * depths.length;
}
