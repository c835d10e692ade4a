/** Writing of a segment: rows that nobody sees until it is published. */
import { Fault } from '../../../core/storage.js';
import type { Assembly, CalledAllele } from '../../../plugins/beacon/contract.js';
import type { Database, Scalar } from '../binding.js';
import { type Carriers, encodeCarriers } from './carriers.js';
import { type AlleleRow, alleleColumns, contigCode, encodeRanges, rowRange, spanOf } from './layout.js';

/** Rows in one statement and transaction: other writers get their turn in between. */
const batchRows = 10_000;
/** Milliseconds between signs of life. */
const heartbeat = 10_000;

/** A sample of a segment; ordinals are those that its rows' carriers name. */
export interface SegmentSample {
  ordinal: number;
  name: string;
}

/** A segment being written. It is given up, and its rows are swept, unless somebody publishes it. */
export class StagedSegment {
  readonly id: number;
  readonly #database: Database;
  readonly #sole: boolean;
  readonly #beat: NodeJS.Timeout;
  #rows: Scalar[][] = [];
  #next: number;
  #calls = 0;
  #failure: unknown;

  private constructor(database: Database, id: number, sole: boolean) {
    this.#database = database;
    this.id = id;
    this.#sole = sole;
    this.#next = rowRange(id)[0];
    this.#beat = setInterval(() => {
      touch(database, id).catch((error) => {
        this.#failure ??= error;
      });
    }, heartbeat);
    this.#beat.unref();
  }

  static async open(database: Database, dataset: string, samples: readonly SegmentSample[]): Promise<StagedSegment> {
    // Carriers of a sole sample are left out of the rows, which read as ordinal 0: only a first sample can be sole.
    const sole = samples.length === 1 && samples[0]?.ordinal === 0 ? samples[0].name : undefined;
    const id = await database.transaction(async ({ write, engine }) => {
      const [row] = await write('beacon_segments')
        .insert({ dataset, state: 'staged', sole_sample: sole ?? null, touched: Date.now() })
        .returning('id');
      const segment = Number(row?.id);
      const rows = samples.map(({ ordinal, name }) => [segment, ordinal, name]);
      await engine.append(write, 'beacon_samples', ['segment', 'ordinal', 'name'], rows);
      return segment;
    });
    return new StagedSegment(database, id, sole !== undefined);
  }

  /** What was added so far; right as long as nobody else changes the rows. */
  get added(): { alleles: number; calls: number } {
    return { alleles: this.#next - rowRange(this.id)[0], calls: this.#calls };
  }

  async addAllele(assembly: Assembly, allele: CalledAllele): Promise<void> {
    const { carriers } = allele;
    let calls = 0;
    for (const [, copies] of carriers) calls += copies;
    if (calls === 0) return;
    await this.#add(calls, [
      this.#next,
      contigCode(assembly, allele.contig),
      spanOf(allele),
      allele.start,
      allele.end,
      allele.reference,
      allele.alternate,
      allele.kind,
      allele.structural ? 1 : 0,
      allele.mate === undefined ? null : contigCode(assembly, allele.mate),
      calls,
      this.#sole ? null : encodeCarriers(new Map(carriers)),
      encodeRanges(allele),
    ]);
  }

  /** Adds a copy of a row with other carriers. */
  async addRow(row: AlleleRow & { span: number }, carriers: Carriers, calls: number): Promise<void> {
    await this.#add(calls, [
      this.#next,
      row.contig,
      row.span,
      row.start,
      row.stop,
      row.reference,
      row.alternate,
      row.kind,
      row.structural,
      row.mate,
      calls,
      this.#sole ? null : encodeCarriers(carriers),
      row.ranges,
    ]);
  }

  async #add(calls: number, row: Scalar[]): Promise<void> {
    this.#next++;
    this.#calls += calls;
    this.#rows.push(row);
    if (this.#rows.length >= batchRows) await this.flush();
  }

  /** Stores what was added so far. */
  async flush(): Promise<void> {
    if (this.#failure) throw this.#failure;
    const rows = this.#rows;
    this.#rows = [];
    if (rows.length === 0) return;
    await this.#database.transaction(async (database) => {
      await touch(database, this.id);
      await database.engine.append(database.write, 'beacon_alleles', alleleColumns, rows);
    });
  }

  /** Ends the signs of life: call it once the segment is published or given up. */
  close(): void {
    clearInterval(this.#beat);
  }
}

async function touch(database: Database, segment: number): Promise<void> {
  const touched = await database.run(({ write }) =>
    write('beacon_segments').where({ id: segment, state: 'staged' }).update({ touched: Date.now() }),
  );
  if (touched === 0) {
    throw new Fault('conflict', 'The load was given up meanwhile: its dataset was removed, or it was idle too long');
  }
}
