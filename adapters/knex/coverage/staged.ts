/** A set being written: its rows are not visible until it is published. */
import { Fault } from '../../../core/storage.js';
import {
  type Batch,
  type Build,
  type Chromosome,
  chromosomes,
  type Exon,
  type SetKind,
  type StagedSet,
} from '../../../plugins/coverage/contract.js';
import type { Database, Scalar } from '../binding.js';
import { columns, exonsValues, geneValues, nameValues, rowRange, tables, transcriptValues } from './layout.js';
import { isSameTranscript, withoutRepeats } from './repeats.js';
import { intervalSets } from './sweep.js';

/** Rows in one statement and transaction: other writers can write in between. */
const batchRows = 10_000;

export class Staging {
  readonly id: number;
  readonly kind: SetKind;
  readonly build: Build | undefined;
  readonly #database: Database;
  readonly #counts = new Map<Chromosome, number>();
  readonly #alive: ReturnType<typeof intervalSets.keepAlive>;
  #pending: Scalar[][] = [];
  /** Exons of the current transcript. */
  #together: Exon[] = [];
  #next: number;
  #names = 0;

  private constructor(database: Database, id: number, kind: SetKind, build: Build | undefined) {
    this.#database = database;
    this.id = id;
    this.kind = kind;
    this.build = build;
    this.#next = rowRange(id)[0];
    this.#alive = intervalSets.keepAlive(database, id);
  }

  static async open(database: Database, kind: SetKind, build: Build | undefined): Promise<Staging> {
    return new Staging(database, await intervalSets.open(database, { kind, build: build ?? null }), kind, build);
  }

  /** What was written so far. */
  get summary(): Pick<StagedSet, 'kind' | 'build' | 'rows' | 'chromosomes'> {
    const counted = chromosomes.flatMap((chromosome) => {
      const rows = this.#counts.get(chromosome) ?? 0;
      return rows > 0 ? [{ chromosome, rows }] : [];
    });
    const rows = this.kind === 'names' ? this.#names : counted.reduce((sum, { rows }) => sum + rows, 0);
    return { kind: this.kind, ...(this.build && { build: this.build }), rows, chromosomes: counted };
  }

  /** Adds rows of the set's kind. */
  async add(batch: Batch): Promise<void> {
    if (this.kind === 'names') {
      for (const names of batch.names ?? []) {
        this.#names++;
        for (const values of nameValues(names)) await this.#push([this.#next++, this.id, ...values]);
      }
    } else if (this.kind === 'genes') {
      for (const gene of batch.genes ?? []) await this.#add(gene.chromosome, geneValues(this.#next, this.id, gene));
    } else if (this.kind === 'transcripts') {
      for (const transcript of batch.transcripts ?? []) {
        await this.#add(transcript.chromosome, transcriptValues(this.#next, this.id, transcript));
      }
    } else {
      for (const exon of batch.exons ?? []) {
        const [last] = this.#together;
        if (last && !isSameTranscript(last, exon)) await this.#addExons();
        this.#together.push(exon);
      }
    }
  }

  /** Stores all that was added. */
  async end(): Promise<void> {
    await this.#addExons();
    await this.#flush();
  }

  /** Consecutive exons of one transcript become one row. */
  async #addExons(): Promise<void> {
    const [first, ...others] = withoutRepeats(this.#together);
    this.#together = [];
    if (!first) return;
    this.#count(first.chromosome, 1 + others.length);
    await this.#push(exonsValues(this.#next++, this.id, [first, ...others]));
  }

  /** Records that rows were removed again. */
  removed(chromosome: Chromosome, rows: number): void {
    this.#count(chromosome, -rows);
  }

  #count(chromosome: Chromosome, rows: number): void {
    this.#counts.set(chromosome, (this.#counts.get(chromosome) ?? 0) + rows);
  }

  async #add(chromosome: Chromosome, values: Scalar[]): Promise<void> {
    this.#next++;
    this.#count(chromosome, 1);
    await this.#push(values);
  }

  async #push(values: Scalar[]): Promise<void> {
    if (this.#next > rowRange(this.id)[1]) throw new Fault('too-large', 'A set of intervals has too many rows');
    this.#pending.push(values);
    if (this.#pending.length >= batchRows) await this.#flush();
  }

  async #flush(): Promise<void> {
    this.#alive.assertAlive();
    const rows = this.#pending;
    this.#pending = [];
    if (rows.length === 0) return;
    await this.#database.transaction(async (database) => {
      await intervalSets.touch(database, this.id);
      await database.engine.append(database.write, tables[this.kind], columns[this.kind], rows);
    });
  }

  /** Stops the heartbeat: call it once the set is published or abandoned. */
  close(): void {
    this.#alive.close();
  }
}
