/**
 * Loading: intervals are staged in new sets, where rows of one transcript or exon that occur more than once are merged; the
 * sets are then published together in one short transaction.
 */
import { Fault } from '../../../core/storage.js';
import {
  type Batch,
  type Build,
  type Chromosome,
  chromosomes,
  type Exon,
  type IntervalSet,
  type Load,
  type SetKind,
  type SetRecord,
  type StagedSet,
} from '../../../plugins/coverage/contract.js';
import { contradiction, refuseOdd } from '../../../plugins/coverage/intervals/store.js';
import type { Database, Scalar } from '../binding.js';
import {
  among,
  chromosomeOfCode,
  columns,
  type ExonsRow,
  exonsOfRow,
  exonsText,
  exonsValues,
  geneValues,
  intervalSets,
  joinedReferences,
  nameValues,
  publishedSets,
  referencesOfText,
  referencesText,
  rowRange,
  type TranscriptRow,
  tables,
  transcriptValues,
} from './sets.js';

export async function loadIntervals(database: Database, request: Load, now: Date): Promise<IntervalSet[]> {
  const { sets, rows, accept, signal } = request;
  refuseOdd(sets);
  signal?.throwIfAborted();
  const staged: StagedIntervals[] = [];
  let isPublished = false;
  try {
    for (const { kind, build } of sets) staged.push(await StagedIntervals.open(database, kind, build));
    for await (const batch of rows) {
      checkKinds(batch, staged);
      for (const each of staged) await each.add(batch);
      signal?.throwIfAborted();
    }
    for (const each of staged) {
      await each.end();
      if (each.kind === 'transcripts') await joinTranscripts(database, each);
      if (each.kind === 'exons') await joinExons(database, each);
      signal?.throwIfAborted();
    }
    const records = acceptedSets(await summaries(database, staged), accept);
    signal?.throwIfAborted();
    const answer = await publishSets(database, staged, records, now);
    isPublished = true;
    return answer;
  } finally {
    for (const each of staged) each.close();
    if (!isPublished) for (const { id } of staged) await intervalSets.discard(database, id);
  }
}

function checkKinds(batch: Batch, staged: readonly StagedIntervals[]): void {
  for (const kind of Object.keys(batch) as SetKind[]) {
    if ((batch[kind]?.length ?? 0) === 0 || staged.some((each) => each.kind === kind)) continue;
    throw new Fault('invalid', `This load does not replace ${kind}, but received some`);
  }
}

async function summaries(database: Database, staged: readonly StagedIntervals[]): Promise<StagedSet[]> {
  const published = await publishedSets(database);
  return staged.map(({ summary }) => {
    const replaces = among(published, summary.kind, summary.build)?.set;
    return { ...summary, ...(replaces && { replaces }) };
  });
}

function acceptedSets(staged: readonly StagedSet[], accept: Load['accept']): { set: StagedSet; record: SetRecord }[] {
  const answer = accept(staged);
  return staged.map((set, i) => {
    const record = 'source' in answer ? answer : answer[i];
    if (!record) throw new Fault('invalid', 'Each set of a load needs a record');
    return { set, record };
  });
}

async function publishSets(
  database: Database,
  staged: readonly StagedIntervals[],
  records: readonly { set: StagedSet; record: SetRecord }[],
  now: Date,
): Promise<IntervalSet[]> {
  return database.transaction(async (scope) => {
    const { values } = scope.engine;
    const numbers = staged.map(({ id }) => id);
    await intervalSets.lock(scope, numbers);
    const answer: IntervalSet[] = [];
    for (const [i, { set, record }] of records.entries()) {
      const { kind, build, rows, chromosomes } = set;
      await intervalSets.drop(scope, { kind, build: build ?? null });
      const { source, checksum, read, release, skipped } = record;
      await intervalSets.publish(scope, numbers[i] as number, {
        loaded: values.time(now),
        rows,
        chromosomes: values.json(chromosomes),
        release: release ?? null,
        source,
        checksum,
        read,
        skipped: values.json(skipped),
      });
      const made = { kind, ...(build && { build }), loaded: now, rows, chromosomes, source, checksum, read, skipped };
      answer.push({ ...made, ...(release !== undefined && { release }) });
    }
    return answer;
  });
}

// A set being written: its rows are not visible until it is published. Rows of a transcript, or of one of its exons, that occur
// more than once are merged.

/** Rows in one statement and transaction: other writers can write in between. */
const batchRows = 10_000;

class StagedIntervals {
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

  static async open(database: Database, kind: SetKind, build: Build | undefined): Promise<StagedIntervals> {
    return new StagedIntervals(
      database,
      await intervalSets.open(database, { kind, build: build ?? null }),
      kind,
      build,
    );
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

// Merges rows of a transcript, or of one of its exons, that occur more than once.

/** Repeats merged in one transaction. */
const portion = 500;

/** The staged set whose rows are merged. */
interface StagedRow {
  readonly id: number;
  removed(chromosome: Chromosome, rows: number): void;
}

/** Keeps each transcript once, with all its cross-references. */
async function joinTranscripts(database: Database, staged: StagedRow): Promise<void> {
  const repeats = await database.run(({ read }) =>
    read(tables.transcripts)
      .select('ensembl', 'chromosome')
      .where({ set_id: staged.id })
      .groupBy('ensembl', 'chromosome')
      .havingRaw('count(*) > 1'),
  );
  for (let i = 0; i < repeats.length; i += portion) {
    await database.transaction(async ({ write }) => {
      for (const { ensembl, chromosome } of repeats.slice(i, i + portion)) {
        const rows: TranscriptRow[] = await write(tables.transcripts)
          .where({ set_id: staged.id, ensembl, chromosome })
          .orderBy('id');
        const [first, ...others] = rows as [TranscriptRow, ...TranscriptRow[]];
        let references = referencesOfText(first.cross_references);
        for (const row of others) {
          if (['start', 'stop', 'strand', 'gene'].some((column) => differs(row, first, column))) {
            throw contradiction(`Transcript ${ensembl}`);
          }
          references = joinedReferences(references, referencesOfText(row.cross_references));
        }
        await write(tables.transcripts)
          .where({ id: first.id })
          .update({
            cross_references: referencesText(references),
            mane_select: Math.max(...rows.map((row) => row.mane_select)),
            mane_plus: Math.max(...rows.map((row) => row.mane_plus)),
          });
        await write(tables.transcripts)
          .whereIn(
            'id',
            others.map(({ id }) => id),
          )
          .delete();
        staged.removed(chromosomeOfCode(chromosome), others.length);
      }
    });
  }
}

const exonsKey = ['gene', 'transcript', 'chromosome'] as const;

/** Keeps the exons of each transcript in one row, each exon once. */
async function joinExons(database: Database, staged: StagedRow): Promise<void> {
  const repeats: Pick<ExonsRow, (typeof exonsKey)[number]>[] = await database.run(({ read }) =>
    read(tables.exons).select(exonsKey).where({ set_id: staged.id }).groupBy(exonsKey).havingRaw('count(*) > 1'),
  );
  for (let i = 0; i < repeats.length; i += portion) {
    await database.transaction(async ({ write }) => {
      for (const key of repeats.slice(i, i + portion)) {
        const rows: ExonsRow[] = await write(tables.exons)
          .where({ set_id: staged.id, ...key })
          .orderBy('id');
        const [first, ...others] = rows as [ExonsRow, ...ExonsRow[]];
        const all = rows.flatMap(exonsOfRow);
        const once = withoutRepeats(all);
        await write(tables.exons)
          .where({ id: first.id })
          .update({ exons: exonsText(once) });
        await write(tables.exons)
          .whereIn(
            'id',
            others.map(({ id }) => id),
          )
          .delete();
        staged.removed(chromosomeOfCode(key.chromosome), all.length - once.length);
      }
    });
  }
}

function isSameTranscript(left: Exon, right: Exon): boolean {
  return left.transcript === right.transcript && left.gene === right.gene && left.chromosome === right.chromosome;
}

/** Exons of one transcript, each once. Throws an `unprocessable` fault if two of one rank differ. */
function withoutRepeats(exons: readonly Exon[]): Exon[] {
  const byRank = new Map<number, Exon>();
  for (const exon of exons) {
    const known = byRank.get(exon.rank);
    if (known && exonsText([known]) !== exonsText([exon])) {
      throw contradiction(`Exon ${exon.rank} of transcript ${exon.transcript}`);
    }
    if (!known) byRank.set(exon.rank, exon);
  }
  return byRank.size === exons.length ? [...exons] : [...byRank.values()];
}

function differs(left: object, right: object, column: string): boolean {
  return (left as Record<string, unknown>)[column] !== (right as Record<string, unknown>)[column];
}
