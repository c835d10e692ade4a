/**
 * Writing of a segment, rows that no reader sees until it is published, and which segments are merged into one, so that queries
 * read few rows of an allele however many loads there were.
 */
import { step } from '../../../core/storage.js';
import { type Assembly, type CalledAllele, trimmedStart } from '../../../plugins/beacon/contract.js';
import type { Database, Scalar } from '../binding.js';
import { grouped, listUnder } from '../lists.js';
import {
  type CarrierCopies,
  type CarrierPercents,
  type CasesOfSamples,
  encodeCarriers,
  isSole,
  RowCounter,
  type SegmentSample,
} from './carriers.js';
import { fractionColumns, fractionRow, ofCarriers } from './fractions.js';
import {
  alleleColumns,
  contigCode,
  countColumns,
  encodeRanges,
  firstRow,
  type PlacedRow,
  rowRange,
  spanOfAllele,
} from './layout.js';
import { casesOfSamples } from './sample-facts.js';
import { keepSegmentAlive, openSegment, touchSegment } from './sweep.js';

/** Rows in one statement and transaction: other writers get their turn in between. */
const batchRows = 10_000;

export type SegmentAllele = PlacedRow & { span: number };

interface SegmentOptions {
  generation?: number;
  loads?: number;
  cases?: CasesOfSamples;
}

/** A segment being written. Unless the caller publishes it, it is dropped and its rows are swept. */
export class StagedSegment {
  readonly id: number;
  readonly samples: readonly SegmentSample[];
  readonly #database: Database;
  readonly #sole: boolean;
  readonly #counter: RowCounter;
  readonly #alive: ReturnType<typeof keepSegmentAlive>;
  #rows: Scalar[][] = [];
  /** Rows of samples that were not called. */
  #uncalled: Scalar[][] = [];
  #nextUncalled: number;
  /** The allele fractions of the carriers of rows. */
  #fractions: Scalar[][] = [];
  /** Those of the rows that are breakends. */
  #breakends: Scalar[][] = [];
  /** The range of the rows, by contig: first and last id, and whether any is structural. */
  readonly #extents = new Map<number, { first: number; last: number; structural: number }>();
  /** Contigs of the rows that are not stored yet. */
  #reached = new Set<number>();
  readonly #first: number;
  #next: number;
  #calls = 0;

  private constructor(
    database: Database,
    id: number,
    samples: readonly SegmentSample[],
    first: number,
    counter: RowCounter,
  ) {
    this.#database = database;
    this.id = id;
    this.samples = samples;
    this.#sole = isSole(samples);
    this.#counter = counter;
    this.#first = first;
    this.#next = first;
    [this.#nextUncalled] = rowRange(id);
    this.#alive = keepSegmentAlive(database, id);
  }

  /**
   * `generation` as of the segments that it replaces, `loads` as many as they were merged from; `cases` as an import states them, in the place of those that are known.
   */
  static async open(
    database: Database,
    dataset: string,
    samples: readonly SegmentSample[],
    { generation = 0, loads = 1, cases = new Map() }: SegmentOptions = {},
  ): Promise<StagedSegment> {
    const [id, counter] = await database.transaction(async (scoped) => {
      const { write, engine } = scoped;
      const known = await casesOfSamples(
        scoped,
        dataset,
        samples.map(({ name }) => name),
      );
      const counter = new RowCounter(samples, new Map([...known, ...cases]));
      const segment = await openSegment(scoped, {
        dataset,
        sole_sample: isSole(samples) ? (samples[0]?.name ?? null) : null,
        generation,
        loads,
        case_groups: counter.grouping,
      });
      const rows = samples.map(({ ordinal, name }) => [segment, ordinal, name]);
      step('beacon.load.registered');
      await engine.append(write, 'beacon_samples', ['segment', 'ordinal', 'name'], rows);
      return [segment, counter] as const;
    });
    step('beacon.load.opened');
    const fresh = loads === 1 && samples.length <= largestSamples;
    return new StagedSegment(database, id, samples, firstRow(id, { fresh }), counter);
  }

  /** The additions so far; exact as long as no other writer changes the rows. */
  get added(): { alleles: number; calls: number } {
    return { alleles: this.#next - this.#first, calls: this.#calls };
  }

  /** Whether samples were added that were not called at an allele. */
  get hasUncalled(): boolean {
    return this.#nextUncalled > rowRange(this.id)[0];
  }

  /**
   * Adds an allele that its carriers have so many copies of, and samples that were not called; to be awaited if it returns a
   * promise, which most of millions of alleles do not need.
   */
  addAllele(assembly: Assembly, allele: CalledAllele, calls: number): Promise<void> | undefined {
    const { uncalled = [] } = allele;
    if (calls === 0 && uncalled.length === 0) return undefined;
    const row = {
      contig: contigCode(assembly, allele.contig),
      span: spanOfAllele(allele),
      start: allele.start,
      stop: allele.end,
      reference: allele.reference,
      alternate: allele.alternate,
      kind: allele.kind,
      structural: allele.structural ? 1 : 0,
      mate: allele.mate === undefined ? null : contigCode(assembly, allele.mate),
      ranges: encodeRanges(allele),
    };
    if (uncalled.length > 0) this.#putUncalled({ ...row, ranges: null }, uncalled);
    if (calls > 0) {
      const carriers: CarrierCopies = new Map(allele.carriers);
      this.#put(row, carriers, calls, allele.fractions && ofCarriers(new Map(allele.fractions), carriers));
    }
    return this.#flushIfFull();
  }

  /** Adds samples, by their ordinals, that were not called at the allele of a row. */
  async addUncalled(row: SegmentAllele, ordinals: readonly number[]): Promise<void> {
    this.#putUncalled(row, ordinals);
    await this.#flushIfFull();
  }

  /** Adds a copy of a row with other carriers, and their allele fractions as far as they are known; returns its id. */
  async addRow(
    row: SegmentAllele,
    carriers: CarrierCopies,
    calls: number,
    percents?: CarrierPercents,
  ): Promise<number> {
    const id = this.#put(row, carriers, calls, percents);
    await this.#flushIfFull();
    return id;
  }

  #putUncalled(row: SegmentAllele, ordinals: readonly number[]): void {
    const samples = new Map(ordinals.map((ordinal) => [ordinal, 1]));
    this.#uncalled.push(valuesOf(this.#nextUncalled++, row, encodeCarriers(samples), 0));
  }

  #put(row: SegmentAllele, carriers: CarrierCopies, calls: number, percents?: CarrierPercents): number {
    const id = this.#next++;
    const values = valuesOf(id, row, this.#sole ? null : encodeCarriers(carriers), calls);
    this.#calls += calls;
    this.#rows.push([...values, ...(this.#sole ? [null, null, null] : this.countsOf(carriers))]);
    if (row.mate !== null) this.#breakends.push(values);
    if (percents?.size) this.#fractions.push(fractionRow(id, percents));
    const extent = this.#extents.get(row.contig);
    if (!extent) this.#extents.set(row.contig, { first: id, last: id, structural: row.structural });
    else {
      extent.last = id;
      if (row.structural > extent.structural) extent.structural = row.structural;
    }
    this.#reached.add(row.contig);
    return id;
  }

  #flushIfFull(): Promise<void> | undefined {
    return this.#rows.length < batchRows && this.#uncalled.length < batchRows ? undefined : this.flush();
  }

  /** The values of `countColumns`. */
  countsOf(carriers: CarrierCopies): [carriers: number, twice: number, cases: number] {
    const counts = this.#counter.count(carriers);
    return [counts.carriers, counts.twice, counts.cases];
  }

  /** Stores what was added so far. */
  async flush(): Promise<void> {
    this.#alive.assertAlive();
    const [rows, breakends, uncalled] = [this.#rows, this.#breakends, this.#uncalled];
    const fractions = this.#fractions;
    const extents = [...this.#reached].map((contig) => ({ segment: this.id, contig, ...this.#extents.get(contig) }));
    this.#rows = [];
    this.#breakends = [];
    this.#uncalled = [];
    this.#fractions = [];
    this.#reached = new Set();
    if (rows.length + uncalled.length === 0) return;
    await this.#database.transaction(async (database) => {
      const { engine, write } = database;
      await touchSegment(database, this.id);
      if (uncalled.length > 0) await write('beacon_segments').where({ id: this.id }).update({ uncalled: 1 });
      await engine.append(write, 'beacon_uncalled', alleleColumns, uncalled);
      if (rows.length === 0) return;
      await write('beacon_extents').insert(extents).onConflict(['segment', 'contig']).merge(['last', 'structural']);
      step('beacon.load.placed');
      await engine.append(write, 'beacon_alleles', [...alleleColumns, ...countColumns], rows);
      step('beacon.load.appended');
      await engine.append(write, 'beacon_breakends', alleleColumns, breakends);
      await engine.append(write, 'beacon_fractions', fractionColumns, fractions);
    });
    step('beacon.load.stored');
  }

  /** Ends the signs of life: call it once the segment is published or given up. */
  close(): void {
    this.#alive.close();
  }
}

/** The values of `alleleColumns`. */
function valuesOf(id: number, row: SegmentAllele, carriers: string | null, calls: number): Scalar[] {
  return [
    ...[id, row.contig, row.span, row.start, row.stop, row.reference, row.alternate, row.kind, row.structural],
    ...[row.mate, calls, carriers, row.ranges],
    trimmedStart({ ...row, structural: row.structural === 1 }) ?? null,
  ];
}

// Which segments are merged into one, so that queries read few rows of an allele however many loads there were. Eight or more
// loads of similar size are merged into one segment, and eight or more of these into another, of at most 64 loads, which is
// not merged again. Removing a sample rewrites the segment that it is in: so at most `mostRewritten` rows for each row
// of its load, and a quarter of that if loads are of equal size.

/** Segments that are merged at a time, unless fewer are as many loads as a merged one may hold. */
const least = 8;
/** Loads in a merged segment, at most. */
const mostLoads = 64;
/** Rows in a merged segment, at most: those of about sixty exomes. A genome has more than its share and stays alone. */
const mostRows = 4_000_000;
/** Samples in a merged segment, at most: they bound the size of a row. */
const mostSamples = 1000;
/** Samples in a segment that is merged with others, at most. */
const largestSamples = mostSamples / least;
/** How many times as large as another the loads of a segment may be on average, to be merged with it. */
const similar = 2;
/** Loads with fewer rows count as if they had these. */
const fewRows = 100;

/** Rows that are rewritten to remove a sample, at most, for each row of its load; a load counts as `fewRows` rows or more. */
export const mostRewritten = mostLoads * similar * similar;

/** A published segment. */
export interface MergeableSegment {
  id: number;
  generation: number;
  /** Loads that it was merged from; 1 if it is as it was loaded. */
  loads: number;
  /** At most. */
  rows: number;
  samples: number;
  /** The cases of its samples. */
  cases: readonly string[];
}

/** A segment of more loads is not merged again. */
export const largestLoads = mostLoads / 2 - 1;

function isMergeable({ loads, rows, samples }: MergeableSegment): boolean {
  return loads <= largestLoads && rows <= mostRows / least && samples <= largestSamples;
}

/** The groups of segments of one dataset that are due to be merged, each into one. */
export function mergesOfSegments<Segment extends MergeableSegment>(segments: readonly Segment[]): Segment[][] {
  const merges: Segment[][] = [];
  for (const kind of alike(segments.filter(isMergeable))) {
    let rest = kind.sort((one, other) => sizeOf(one) - sizeOf(other) || one.id - other.id);
    for (let [smallest] = rest; smallest; [smallest] = rest) {
      const largest = similar * sizeOf(smallest);
      const merge = firstMerge(byCase(rest.filter((segment) => sizeOf(segment) <= largest)));
      if (merge) merges.push(merge);
      const done = new Set(merge ?? [smallest]);
      rest = rest.filter((segment) => !done.has(segment));
    }
  }
  return merges;
}

/** Segments of one generation, merged equally often. */
function alike<Segment extends MergeableSegment>(segments: readonly Segment[]): Segment[][] {
  return [...grouped(segments, ({ generation, loads }) => `${generation} ${loads < least}`).values()];
}

/** Rows of its loads, on average. */
function sizeOf({ rows, loads }: MergeableSegment): number {
  return Math.max(rows / loads, fewRows);
}

/** The oldest first, each followed by those that share a case with it. */
function byCase<Segment extends MergeableSegment>(segments: readonly Segment[]): Segment[] {
  const oldest = [...segments].sort((one, other) => one.id - other.id);
  const byCase = new Map<string, Segment[]>();
  for (const segment of oldest) {
    for (const each of segment.cases) listUnder(byCase, each).push(segment);
  }
  const ordered = new Set<Segment>();
  for (const segment of oldest) {
    ordered.add(segment);
    for (const each of segment.cases) for (const other of byCase.get(each) ?? []) ordered.add(other);
  }
  return [...ordered];
}

/** The first of the segments: as many as are due, and those that complete a case. */
function firstMerge<Segment extends MergeableSegment>(segments: readonly Segment[]): Segment[] | undefined {
  const merge: Segment[] = [];
  const cases = new Set<string>();
  let [loads, rows, samples] = [0, 0, 0];
  for (const segment of segments) {
    if (merge.length >= least && !segment.cases.some((each) => cases.has(each))) return merge;
    [loads, rows, samples] = [loads + segment.loads, rows + segment.rows, samples + segment.samples];
    // What is left of so many loads is not merged again.
    if (loads > mostLoads) return merge.length > 1 ? merge : undefined;
    if (rows > mostRows || samples > mostSamples) break;
    merge.push(segment);
    for (const each of segment.cases) cases.add(each);
  }
  return merge.length >= least ? merge : undefined;
}
