/** Brings the layout of a build up to date with its interval sets. */
import { type Build, type Chromosome, chromosomes, type Exon, type IntervalRepository } from '../contract.js';
import { type Region, union } from '../measure/region.js';
import { codingBases } from '../measure/transcripts.js';
import type { CohortLayout, CohortRepository } from './contract.js';
import { CohortRegions, layoutId } from './layout-regions.js';

export interface LayoutTools {
  intervals: Pick<IntervalRepository, 'sets' | 'each'>;
  cohorts: Pick<CohortRepository, 'layouts' | 'use' | 'regions'>;
  /** Depths, ascending, whose counts are stored. */
  thresholds: readonly number[];
  /** Bases of introns beside coding segments. */
  splice: number;
}

/** Whether the layout is the one of the current interval sets, or there are none. */
export async function isCurrent(
  { intervals, cohorts, thresholds, splice }: LayoutTools,
  build: Build,
): Promise<boolean> {
  const [sets, layout] = await Promise.all([currentSets(intervals, build, splice), layoutOf(cohorts, build)]);
  if (sets === undefined) return layout === undefined;
  return layout?.sets === sets && String(layout.thresholds) === String(thresholds);
}

/** The layout of the current interval sets; undefined if there are none. */
export async function currentLayout(
  tools: LayoutTools,
  build: Build,
  signal: AbortSignal,
): Promise<{ layout: CohortLayout; regions?: CohortRegions } | undefined> {
  const { intervals, cohorts, thresholds, splice } = tools;
  for (;;) {
    const known = await layoutOf(cohorts, build);
    if (known !== undefined && (await isCurrent(tools, build))) return { layout: known };
    const sets = await currentSets(intervals, build, splice);
    if (sets === undefined) return undefined;
    const regions = await currentRegions(intervals, build, splice, signal);
    // Otherwise the regions may be partly of other sets.
    if ((await currentSets(intervals, build, splice)) !== sets) continue;
    const pieces = regions.describe();
    const layout = { id: layoutId(pieces, build, thresholds), build, thresholds, sets };
    await cohorts.use(layout, pieces);
    return { layout, regions };
  }
}

async function layoutOf(cohorts: Pick<CohortRepository, 'layouts'>, build: Build): Promise<CohortLayout | undefined> {
  return (await cohorts.layouts()).find((one) => one.build === build);
}

// The regions of the current interval sets of a build.

type IntervalReads = Pick<IntervalRepository, 'sets' | 'each'>;

/** Identifies what the regions of a build come from: its interval sets, and the splice bases of coding bases; undefined if there are no sets. */
async function currentSets(
  intervals: Pick<IntervalReads, 'sets'>,
  build: Build,
  splice: number,
): Promise<string | undefined> {
  const own = (await intervals.sets()).filter((set) => set.build === build);
  if (own.length === 0) return undefined;
  const names = own.map(({ kind, checksum, loaded, rows }) => `${kind} ${checksum} ${loaded.toISOString()} ${rows}`);
  return [...names, `coding+${splice}`].join('; ');
}

/** Reads all intervals of the build. `signal` stops it. */
async function currentRegions(
  intervals: IntervalReads,
  build: Build,
  splice: number,
  signal: AbortSignal,
): Promise<CohortRegions> {
  const genes = new Places();
  const exons = new Places();
  /** Starts and ends of the exons of each transcript on each chromosome, and those of their coding parts, which are empty if there are none. */
  const transcripts = new Map<string, number[]>();
  const takeGenes = async (rows: readonly Region[]) => {
    for (const row of rows) genes.add(row);
  };
  await intervals.each('genes', build, undefined, takeGenes, { signal });
  const take = async (rows: readonly Exon[]) => {
    for (const row of rows) {
      exons.add(row);
      const key = `${row.chromosome} ${row.transcript}`;
      const own = transcripts.get(key) ?? [];
      transcripts.set(key, own);
      own.push(row.start, row.end, row.cds?.start ?? row.end, row.cds?.end ?? row.end);
    }
  };
  await intervals.each('exons', build, undefined, take, { signal });
  const others = new Places();
  for (const [key, places] of transcripts) for (const region of ofTranscript(key, places, splice)) others.add(region);
  return joinPlaces(genes.distinct(), exons.distinct(), others.distinct());
}

/** Distinct regions of a list, each in its place. */
export function joinPlaces(genes: PlaceColumns, exons: PlaceColumns, others: PlaceColumns): CohortRegions {
  const lists = [genes, exons, others];
  const size = lists.reduce((sum, { start }) => sum + start.length, 0);
  const columns = new Uint32Array(3 * size);
  let at = 0;
  for (const { chromosome, start, end } of lists) {
    columns.set(chromosome, at);
    columns.set(start, size + at);
    columns.set(end, 2 * size + at);
    at += start.length;
  }
  const exonsFrom = genes.start.length;
  return new CohortRegions(columns, exonsFrom, exonsFrom + exons.start.length);
}

/** As reports measure the transcript: what exons that overlap have together, and its coding bases with splice bases. */
function ofTranscript(key: string, places: readonly number[], splice: number): Region[] {
  const chromosome = key.slice(0, key.indexOf(' ')) as Chromosome;
  const own: Pick<Exon, 'chromosome' | 'start' | 'end' | 'cds'>[] = [];
  for (let i = 0; i < places.length; i += 4) {
    const [start, end, from, to] = places.slice(i, i + 4) as [number, number, number, number];
    own.push({ chromosome, start, end, ...(from < to && { cds: { start: from, end: to } }) });
  }
  own.sort((a, b) => a.start - b.start);
  const isOverlap = own.some(({ start }, i) => i > 0 && start < (own[i - 1] as Region).end);
  return [...(isOverlap ? union(own) : []), ...(codingBases({ chromosome, exons: own }, splice)?.counted ?? [])];
}

interface PlaceColumns {
  chromosome: Uint8Array;
  start: Uint32Array;
  end: Uint32Array;
}

/** Collects regions, and returns each once, by chromosome, start and end. */
export class Places {
  readonly #keys: bigint[] = [];

  add({ chromosome, start, end }: Region): void {
    const index = (chromosomes as readonly string[]).indexOf(chromosome);
    this.#keys.push((BigInt(index) << 58n) | (BigInt(start) << 29n) | BigInt(end));
  }

  distinct(): PlaceColumns {
    const sorted = BigUint64Array.from(this.#keys).sort();
    const distinct = sorted.filter((key, i) => i === 0 || key !== sorted[i - 1]);
    const low = 2n ** 29n - 1n;
    return {
      chromosome: Uint8Array.from(distinct, (key) => Number(key >> 58n)),
      start: Uint32Array.from(distinct, (key) => Number((key >> 29n) & low)),
      end: Uint32Array.from(distinct, (key) => Number(key & low)),
    };
  }
}
