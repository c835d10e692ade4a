/** Writing of a segment: rows that no reader sees until it is published. */
import { step } from '../../../core/storage.js';
import { type Assembly, type CalledAllele, trimmedStart } from '../../../plugins/beacon/contract.js';
import type { Database, Scalar } from '../binding.js';
import { type Carriers, encodeCarriers, isSole, type SegmentSample } from './carriers.js';
import {
  alleleColumns,
  contigCode,
  countColumns,
  encodeRanges,
  firstRow,
  type PlacedRow,
  rowRange,
  spanOf,
} from './layout.js';
import { largestSamples } from './merges.js';
import { type CasesOfSamples, RowCounter } from './row-counts.js';
import { casesOf } from './sample-facts.js';
import { segmentSets } from './sweep.js';

/** Rows in one statement and transaction: other writers get their turn in between. */
const batchRows = 10_000;

export type StoredAllele = PlacedRow & { span: number };

export interface SegmentOptions {
  generation?: number;
  loads?: number;
  cases?: CasesOfSamples;
}

/** A segment being written. Unless the caller publishes it, it is dropped and its rows are swept. */
export class StagedSegment {
  readonly id: number;
  readonly #database: Database;
  readonly #sole: boolean;
  readonly #counter: RowCounter;
  readonly #alive: ReturnType<typeof segmentSets.keepAlive>;
  #rows: Scalar[][] = [];
  /** Rows of samples that were not called. */
  #uncalled: Scalar[][] = [];
  #nextUncalled: number;
  /** Those of the rows that are breakends. */
  #breakends: Scalar[][] = [];
  /** Where the rows lie, by contig: first and last id, and whether any is structural. */
  readonly #extents = new Map<number, { first: number; last: number; structural: number }>();
  /** Contigs of the rows that are not stored yet. */
  #reached = new Set<number>();
  readonly #first: number;
  #next: number;
  #calls = 0;

  private constructor(database: Database, id: number, first: number, sole: boolean, counter: RowCounter) {
    this.#database = database;
    this.id = id;
    this.#sole = sole;
    this.#counter = counter;
    this.#first = first;
    this.#next = first;
    [this.#nextUncalled] = rowRange(id);
    this.#alive = segmentSets.keepAlive(database, id);
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
    const sole = isSole(samples) ? samples[0]?.name : undefined;
    const [id, counter] = await database.transaction(async (scoped) => {
      const { write, engine } = scoped;
      const known = await casesOf(
        scoped,
        dataset,
        samples.map(({ name }) => name),
      );
      const counter = new RowCounter(samples, new Map([...known, ...cases]));
      const segment = await segmentSets.open(scoped, {
        dataset,
        sole_sample: sole ?? null,
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
    return new StagedSegment(database, id, firstRow(id, { fresh }), sole !== undefined, counter);
  }

  /** The additions so far; exact as long as no other writer changes the rows. */
  get added(): { alleles: number; calls: number } {
    return { alleles: this.#next - this.#first, calls: this.#calls };
  }

  /** Whether samples were added that were not called at an allele. */
  get hasUncalled(): boolean {
    return this.#nextUncalled > rowRange(this.id)[0];
  }

  /** Adds an allele that its carriers have so many copies of, and samples that were not called. */
  async addAllele(assembly: Assembly, allele: CalledAllele, calls: number): Promise<void> {
    const { uncalled = [] } = allele;
    if (calls === 0 && uncalled.length === 0) return;
    const row = {
      contig: contigCode(assembly, allele.contig),
      span: spanOf(allele),
      start: allele.start,
      stop: allele.end,
      reference: allele.reference,
      alternate: allele.alternate,
      kind: allele.kind,
      structural: allele.structural ? 1 : 0,
      mate: allele.mate === undefined ? null : contigCode(assembly, allele.mate),
      ranges: encodeRanges(allele),
    };
    if (uncalled.length > 0) await this.addUncalled({ ...row, ranges: null }, uncalled);
    if (calls > 0) await this.#add(row, new Map(allele.carriers), calls);
  }

  /** Adds samples, by their ordinals, that were not called at the allele of a row. */
  async addUncalled(row: StoredAllele, ordinals: readonly number[]): Promise<void> {
    const samples = new Map(ordinals.map((ordinal) => [ordinal, 1]));
    this.#uncalled.push(valuesOf(this.#nextUncalled++, row, encodeCarriers(samples), 0));
    if (this.#uncalled.length >= batchRows) await this.flush();
  }

  /** Adds a copy of a row with other carriers. */
  async addRow(row: StoredAllele, carriers: Carriers, calls: number): Promise<void> {
    await this.#add(row, carriers, calls);
  }

  async #add(row: StoredAllele, carriers: Carriers, calls: number): Promise<void> {
    const id = this.#next++;
    const values = valuesOf(id, row, this.#sole ? null : encodeCarriers(carriers), calls);
    this.#calls += calls;
    this.#rows.push([...values, ...(this.#sole ? [null, null, null] : this.countsOf(carriers))]);
    if (row.mate !== null) this.#breakends.push(values);
    const extent = this.#extents.get(row.contig);
    if (!extent) this.#extents.set(row.contig, { first: id, last: id, structural: row.structural });
    else {
      extent.last = id;
      if (row.structural > extent.structural) extent.structural = row.structural;
    }
    this.#reached.add(row.contig);
    if (this.#rows.length >= batchRows) await this.flush();
  }

  /** The values of `countColumns`. */
  countsOf(carriers: Carriers): [carriers: number, twice: number, cases: number] {
    const counts = this.#counter.count(carriers);
    return [counts.carriers, counts.twice, counts.cases];
  }

  /** Stores what was added so far. */
  async flush(): Promise<void> {
    this.#alive.assertAlive();
    const [rows, breakends, uncalled] = [this.#rows, this.#breakends, this.#uncalled];
    const extents = [...this.#reached].map((contig) => ({ segment: this.id, contig, ...this.#extents.get(contig) }));
    this.#rows = [];
    this.#breakends = [];
    this.#uncalled = [];
    this.#reached = new Set();
    if (rows.length + uncalled.length === 0) return;
    await this.#database.transaction(async (database) => {
      const { engine, write } = database;
      await segmentSets.touch(database, this.id);
      if (uncalled.length > 0) await write('beacon_segments').where({ id: this.id }).update({ uncalled: 1 });
      await engine.append(write, 'beacon_uncalled', alleleColumns, uncalled);
      if (rows.length === 0) return;
      await write('beacon_extents').insert(extents).onConflict(['segment', 'contig']).merge(['last', 'structural']);
      step('beacon.load.placed');
      await engine.append(write, 'beacon_alleles', [...alleleColumns, ...countColumns], rows);
      step('beacon.load.appended');
      await engine.append(write, 'beacon_breakends', alleleColumns, breakends);
    });
    step('beacon.load.stored');
  }

  /** Ends the signs of life: call it once the segment is published or given up. */
  close(): void {
    this.#alive.close();
  }
}

/** The values of `alleleColumns`. */
function valuesOf(id: number, row: StoredAllele, carriers: string | null, calls: number): Scalar[] {
  return [
    ...[id, row.contig, row.span, row.start, row.stop, row.reference, row.alternate, row.kind, row.structural],
    ...[row.mate, calls, carriers, row.ranges],
    trimmedStart({ ...row, structural: row.structural === 1 }) ?? null,
  ];
}
