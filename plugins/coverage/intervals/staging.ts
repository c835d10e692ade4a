/**
 * Loads into coverage@1: intervals are staged in new sets, in which rows of one transcript or exon that occur more than once are
 * merged; the sets are then published together in one short transaction.
 */
import { absent, Fault, type Tables } from '../../../core/storage.js';
import {
  type Batch,
  type Build,
  type Chromosome,
  chromosomes,
  type Exon,
  type IntervalSet,
  type Load,
  type References,
  type SetKind,
  type StagedSet,
  type Transcript,
} from '../contract.js';
import {
  among,
  exons,
  exonsOf,
  exonsRow,
  exonsText,
  geneRow,
  namesRows,
  publishedSets,
  referencesText,
  rowRange,
  sets,
  tablesOfKinds,
  transcriptOf,
  transcriptRow,
  transcripts,
} from './stored.js';

/** Rows in one statement and transaction: other writers can write in between. */
const atOnce = 10_000;
/** Repeats that are merged in one transaction. */
const mergedAtOnce = 500;
/** Rows of a dropped set that are freed at once. */
const freedAtOnce = 20_000;
/** Milliseconds between signs of life. */
const beatMs = 10_000;

export async function replaceIntervals(tables: Tables, request: Load, now: Date): Promise<IntervalSet[]> {
  const { sets: asked, rows, accept, signal } = request;
  refuseOdd(asked);
  signal?.throwIfAborted();
  const staged: StagedIntervals[] = [];
  const beat = setInterval(() => {
    // One that fails is no end: the next write looks for itself whether the set is still staged.
    for (const each of staged) each.change(tables, {}).catch(() => undefined);
  }, beatMs).unref();
  try {
    for (const { kind, build } of asked) staged.push(await StagedIntervals.open(tables, kind, build));
    for await (const batch of rows) {
      refuseOthers(batch, asked);
      for (const each of staged) await each.add(batch);
      signal?.throwIfAborted();
    }
    for (const each of staged) {
      await each.end();
      signal?.throwIfAborted();
    }
    return await tables.transaction(async (inside) => {
      // Of two changes of published sets, the other waits until this transaction ends.
      const held = await inside.table(sets).lock({ state: { among: ['staged', 'published'] } });
      const before = await publishedSets(inside);
      const made = staged.map(({ summary }): StagedSet => {
        const replaces = among(before, summary.kind, summary.build)?.set;
        return { ...summary, ...(replaces && { replaces }) };
      });
      const answer = accept(made);
      signal?.throwIfAborted();
      const records = made.map((_, i) => {
        const record = 'source' in answer ? answer : answer[i];
        if (record === undefined) throw new Fault('invalid', 'Each set of a load needs a record');
        const { source, checksum, read, release, skipped } = record;
        return { source, checksum, read, skipped, ...(release !== undefined && { release }) };
      });
      // Before anything is changed: the caller's own transaction may continue.
      if (staged.some(({ id }) => held.every((set) => set.id !== id))) throw givenUp();
      const published: IntervalSet[] = [];
      for (const [i, each] of staged.entries()) {
        const { kind, build, ...size } = each.summary;
        const record = { ...(records[i] as (typeof records)[number]), ...size, loaded: now };
        await inside
          .table(sets)
          .change({ kind, build: build ?? absent, state: 'published' }, { state: 'dropped', touched: Date.now() });
        await each.change(inside, { state: 'published', ...record });
        published.push({ kind, ...(build && { build }), ...record });
      }
      return published;
    });
  } finally {
    clearInterval(beat);
  }
}

const givenUp = () =>
  new Fault('conflict', 'The load was given up meanwhile: it was idle for too long, or what it is for was removed');

/** Catches errors of the calling program, not of files. */
function refuseOdd(asked: Load['sets']): void {
  const namesHaveNone = asked.every(({ kind, build }) => (kind === 'names') === (build === undefined));
  const oneBuild = new Set(asked.flatMap(({ build }) => build ?? [])).size <= 1;
  const isOnce = new Set(asked.map(({ kind }) => kind)).size === asked.length;
  if (asked.length > 0 && isOnce && namesHaveNone && oneBuild) return;
  throw new Fault('invalid', 'A load replaces each kind once, for one build; names have no build');
}

function refuseOthers(batch: Batch, asked: Load['sets']): void {
  for (const kind of Object.keys(batch) as SetKind[]) {
    if ((batch[kind]?.length ?? 0) === 0 || asked.some((set) => set.kind === kind)) continue;
    throw new Fault('invalid', `This load does not replace ${kind}, but received some`);
  }
}

/** Deletes a dropped set. May be interrupted, or run twice at once. */
async function free(tables: Tables, id: number, kind: SetKind): Promise<void> {
  const table = tables.table(tablesOfKinds[kind as 'genes']);
  for (const { atLeast, atMost } = rowRange(id); ; ) {
    const [next] = await table.find({ where: { id: { atLeast, atMost } }, order: ['id'], limit: 1, latest: true });
    if (next === undefined) break;
    await table.remove({ id: { atLeast, below: next.id + freedAtOnce } });
  }
  await tables.table(sets).remove({ id });
}

/** `sweep` of coverage@1. */
export async function sweepIntervals(tables: Tables, idleSince: Date): Promise<number> {
  const touched = { below: idleSince.getTime() };
  await tables.table(sets).change({ state: 'staged', touched }, { state: 'dropped' });
  const dropped = await tables.table(sets).find({ where: { state: 'dropped', touched }, latest: true });
  for (const { id, kind } of dropped) await free(tables, id, kind as SetKind);
  return dropped.length;
}

/** A set being written: its rows are not visible until it is published. */
class StagedIntervals {
  readonly id: number;
  readonly kind: SetKind;
  readonly build: Build | undefined;
  readonly #tables: Tables;
  readonly #counts = new Map<Chromosome, number>();
  /** Transcripts, or lists of exons, that were stored, and those of them that came again. */
  readonly #known = new Set<string>();
  readonly #repeated = new Map<string, Exon | Transcript>();
  #pending: object[] = [];
  /** Exons of the current transcript. */
  #together: Exon[] = [];
  #next: number;
  #names = 0;

  private constructor(tables: Tables, id: number, kind: SetKind, build: Build | undefined) {
    this.#tables = tables;
    this.id = id;
    this.kind = kind;
    this.build = build;
    this.#next = rowRange(id).atLeast;
  }

  static async open(tables: Tables, kind: SetKind, build: Build | undefined): Promise<StagedIntervals> {
    const added = await tables.table(sets).add({ kind, build, state: 'staged', touched: Date.now() });
    return new StagedIntervals(tables, added?.id as number, kind, build);
  }

  /** Changes the set, with a sign of life. Throws a `conflict` fault if it is not staged any more. */
  async change(on: Tables, columns: object): Promise<void> {
    const changes = { touched: Date.now(), ...columns };
    if ((await on.table(sets).change({ id: this.id, state: 'staged' }, changes)) === 0) throw givenUp();
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
    switch (this.kind) {
      case 'names':
        this.#names += batch.names?.length ?? 0;
        for (const one of batch.names ?? []) await this.#push(...namesRows(this.#next, this.id, one));
        break;
      case 'genes':
        for (const gene of batch.genes ?? []) {
          this.#count(gene.chromosome, 1);
          await this.#push(geneRow(this.#next, this.id, gene));
        }
        break;
      case 'transcripts':
        for (const transcript of batch.transcripts ?? []) {
          this.#count(transcript.chromosome, 1);
          this.#note(`${transcript.ensembl} ${transcript.chromosome}`, transcript);
          await this.#push(transcriptRow(this.#next, this.id, transcript));
        }
        break;
      case 'exons':
        for (const exon of batch.exons ?? []) {
          const [last] = this.#together;
          if (last && !isOfSame(last, exon)) await this.#addExons();
          this.#together.push(exon);
        }
    }
  }

  /** Stores all that was added, and merges what occurred more than once. */
  async end(): Promise<void> {
    await this.#addExons();
    await this.#flush();
    const repeats = [...this.#repeated.values()];
    for (let from = 0; from < repeats.length; from += mergedAtOnce) {
      await this.#tables.transaction(async (inside) => {
        for (const one of repeats.slice(from, from + mergedAtOnce)) {
          const gone = 'rank' in one ? await this.#joinExons(inside, one) : await this.#joinTranscript(inside, one);
          this.#count(one.chromosome, -gone);
        }
      });
    }
  }

  /** Consecutive exons of one transcript become one row. */
  async #addExons(): Promise<void> {
    const [first, ...others] = withoutRepeats(this.#together);
    this.#together = [];
    if (first === undefined) return;
    this.#count(first.chromosome, 1 + others.length);
    this.#note(`${first.gene} ${first.transcript} ${first.chromosome}`, first);
    await this.#push(exonsRow(this.#next, this.id, [first, ...others]));
  }

  #note(key: string, one: Exon | Transcript): void {
    if (this.#known.has(key)) this.#repeated.set(key, one);
    this.#known.add(key);
  }

  #count(chromosome: Chromosome, rows: number): void {
    this.#counts.set(chromosome, (this.#counts.get(chromosome) ?? 0) + rows);
  }

  async #push(...rows: object[]): Promise<void> {
    this.#next += rows.length;
    if (this.#next > rowRange(this.id).atMost) throw new Fault('too-large', 'A set of intervals has too many rows');
    this.#pending.push(...rows);
    if (this.#pending.length >= atOnce) await this.#flush();
  }

  async #flush(): Promise<void> {
    const rows = this.#pending;
    this.#pending = [];
    if (rows.length === 0) return;
    await this.#tables.transaction(async (inside) => {
      await this.change(inside, {});
      await inside.table(tablesOfKinds[this.kind as 'genes']).append(rows as never);
    });
  }

  /** Keeps a transcript once, with all its cross-references; returns how many rows are gone. */
  async #joinTranscript(inside: Tables, { ensembl, chromosome }: Transcript): Promise<number> {
    const where = { setId: this.id, ensembl, chromosome: chromosomes.indexOf(chromosome) };
    const [first, ...others] = await inside.table(transcripts).find({ where, order: ['id'] });
    if (first === undefined) return 0;
    const all = [first, ...others].map(transcriptOf);
    const placed = ({ start, end, strand, gene }: Transcript) => JSON.stringify([start, end, strand, gene]);
    const [one] = all as [Transcript];
    if (all.some((each) => placed(each) !== placed(one))) throw contradiction(`Transcript ${ensembl}`);
    const kinds = Object.keys(one.references) as (keyof References)[];
    const references = kinds.map((kind) => [kind, [...new Set(all.flatMap((each) => each.references[kind]))]]);
    await inside.table(transcripts).change(
      { id: first.id },
      {
        crossReferences: referencesText(Object.fromEntries(references) as References),
        maneSelect: all.some((each) => each.isManeSelect) ? 1 : 0,
        manePlus: all.some((each) => each.isManePlusClinical) ? 1 : 0,
      },
    );
    return inside.table(transcripts).remove({ id: { among: others.map(({ id }) => id) } });
  }

  /** Keeps the exons of a transcript in one row, each exon once; returns how many exons are gone. */
  async #joinExons(inside: Tables, { gene, transcript, chromosome }: Exon): Promise<number> {
    const where = { setId: this.id, gene, transcript, chromosome: chromosomes.indexOf(chromosome) };
    const [first, ...others] = await inside.table(exons).find({ where, order: ['id'] });
    if (first === undefined) return 0;
    const all = [first, ...others].flatMap(exonsOf);
    const once = withoutRepeats(all);
    await inside.table(exons).change({ id: first.id }, { exons: exonsText(once) });
    await inside.table(exons).remove({ id: { among: others.map(({ id }) => id) } });
    return all.length - once.length;
  }
}

function isOfSame(left: Exon, right: Exon): boolean {
  return left.transcript === right.transcript && left.gene === right.gene && left.chromosome === right.chromosome;
}

/** Exons of one transcript, each once. Throws an `unprocessable` fault if two of one rank differ. */
function withoutRepeats(all: readonly Exon[]): Exon[] {
  const byRank = new Map<number, Exon>();
  for (const exon of all) {
    const known = byRank.get(exon.rank);
    if (known && exonsText([known]) !== exonsText([exon])) {
      throw contradiction(`Exon ${exon.rank} of transcript ${exon.transcript}`);
    }
    if (!known) byRank.set(exon.rank, exon);
  }
  return [...byRank.values()];
}

function contradiction(what: string): Fault {
  return new Fault('unprocessable', `${what} occurs more than once with different content`);
}
