/** The regions of the current interval sets of a build. */
import { type Build, type Chromosome, chromosomes, type Exon, type IntervalRepository } from '../contract.js';
import { codingBases } from '../domain/coding.js';
import { type Region, union } from '../domain/region.js';
import { CohortRegions } from './regions.js';

type Intervals = Pick<IntervalRepository, 'sets' | 'each'>;

/** Identifies what the regions of a build come from: its interval sets, and the splice bases of coding bases; undefined if there are no sets. */
export async function currentSets(
  intervals: Pick<Intervals, 'sets'>,
  build: Build,
  splice: number,
): Promise<string | undefined> {
  const own = (await intervals.sets()).filter((set) => set.build === build);
  if (own.length === 0) return undefined;
  const names = own.map(({ kind, checksum, loaded, rows }) => `${kind} ${checksum} ${loaded.toISOString()} ${rows}`);
  return [...names, `coding+${splice}`].join('; ');
}

/** Reads all intervals of the build. `signal` stops it. */
export async function currentRegions(
  intervals: Intervals,
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

export interface PlaceColumns {
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
