/**
 * Answers to queries, from the rows of any number of segments that may match: `matches` has the last word on each. A few large
 * reads run at a time; so many others wait, in order, and more are refused.
 */
import { classedWork, Fault, gather } from '../../../core/storage.js';
import {
  type AlleleQuery,
  Allowance,
  type DatasetAlleles,
  type DatasetHit,
  type FoundOptions,
  matches,
  type PresentOptions,
  type SearchOptions,
} from '../../../plugins/beacon/contract.js';
import type { Database, Engine, Statement } from '../binding.js';
import { grouped, slices } from '../lists.js';
import { FoundAlleles } from './found-alleles.js';
import {
  columnsFor,
  columnsOfLists,
  columnsOfRows,
  countAlleles,
  type DatasetTallies,
  type HitColumns,
  type HitDetail,
  hitSelection,
  hitsOfColumns,
  type MatchedAlleles,
  type NumberedRow,
  rowSelection,
  type SampleNames,
  SegmentGone,
} from './hits.js';
import { alleleSelection, type IndexPath, isWide, pathsTo, type StoredAlleleRow, sourceOfPath } from './layout.js';

/** Wide ranges and large results that are read at a time: point queries find a free connection beside them. */
const largeReads = 2;
/** Those that may wait for it. */
const waitingReads = 100;
/** Rows in one portion of a large result. */
const portion = 10_000;
/** Rows that mostly suffice to decide whether there is any match. */
const fewRows = 100;

/** Queries at one place that one statement reads at most: there is a prepared statement for each number of them. */
const placesTogether = 8;
/** Queries that wait for such statements and are then read at once. */
const placesWaiting = 64;
/** Milliseconds for which they wait. */
const placePatience = 5;

/** Texts of statements that are kept. */
const mostTexts = 500;

/** Receives matching alleles, a portion at a time; returns false to stop the search. */
type MatchVisitor = (match: MatchedAlleles) => boolean;

interface RowReading<Result> {
  wanted: HitDetail;
  /** Rows that are read at most at the first try, at the next, and so on, before all are read portion by portion. */
  tries: readonly number[];
  /** Makes a fresh result. */
  begin(): { found: Result; visit: MatchVisitor };
  signal: AbortSignal | undefined;
}

export class AlleleSearch {
  readonly #database: Database;
  readonly #names: SampleNames;
  readonly #large = new QueryLimit(largeReads, waitingReads);
  readonly #texts = new Texts();
  readonly #atPlace: (read: PlaceRead) => Promise<unknown>;

  constructor(database: Database, names: SampleNames) {
    this.#database = database;
    this.#names = names;
    const texts = new Texts();
    const together = (reads: readonly PlaceRead[]) => readTogether(database, texts, reads);
    this.#atPlace = gather({ together, most: placesWaiting, groups: 1, slow: placePatience });
  }

  async search(
    query: AlleleQuery,
    datasets: readonly string[],
    { limit, signal }: SearchOptions = {},
  ): Promise<DatasetHit[]> {
    const begin = () => {
      const found: DatasetTallies = { tallies: new Map(), allowance: new Allowance(limit) };
      const visit: MatchVisitor = ({ hits, columns, segments }) => {
        countAlleles(hits, columns, segments, found);
        return true;
      };
      return { found, visit };
    };
    const { tallies } = await this.#read(query, datasets, { wanted: 'carriers', tries: [portion], begin, signal });
    return [...tallies]
      .map(([dataset, tally]) => ({ dataset, ...tally.counts() }))
      .sort((a, b) => (a.dataset < b.dataset ? -1 : 1));
  }

  async present(
    query: AlleleQuery,
    datasets: readonly string[],
    { most = Number.POSITIVE_INFINITY, signal }: PresentOptions = {},
  ): Promise<string[]> {
    const wanted = Math.min(new Set(datasets).size, most);
    const begin = () => {
      const found = new Set<string>();
      const visit: MatchVisitor = ({ hits }) => {
        for (const { dataset } of hits) found.add(dataset);
        return found.size < wanted;
      };
      return { found, visit };
    };
    const names = await this.#read(query, datasets, { wanted: 'carriers', tries: [fewRows, portion], begin, signal });
    return [...names].sort().slice(0, most);
  }

  async found(
    query: AlleleQuery,
    datasets: readonly string[],
    { limit, carriers = false, signal }: FoundOptions,
  ): Promise<DatasetAlleles[]> {
    const begin = () => {
      const found = new FoundAlleles({ limit, carriers });
      const visit: MatchVisitor = (match) => {
        found.add(match);
        return true;
      };
      return { found, visit };
    };
    const wanted = carriers ? 'all' : 'numbers';
    const found = await this.#read(query, datasets, { wanted, tries: [portion], begin, signal });
    return found.byDataset();
  }

  /** Has every match of the datasets visited, until a visit answers false. */
  async #read<Result>(
    query: AlleleQuery,
    datasets: readonly string[],
    { wanted, tries, begin, signal }: RowReading<Result>,
  ): Promise<Result> {
    signal?.throwIfAborted();
    if (datasets.length === 0 || query.kinds?.length === 0) return begin().found;
    const database = this.#database.until(signal);
    const among = new Set(datasets);
    const paths = pathsTo(query, among);
    const matching = async (columns: HitColumns, database: Database): Promise<MatchedAlleles> => {
      const segments = await this.#names.of(database, new Set(columns.segment));
      const hits = hitsOfColumns(columns, segments).filter(
        (hit) => among.has(hit.dataset) && matches(hit.allele, query),
      );
      return { hits, columns, segments };
    };

    // Nearly every answer fits into one statement, which is one state of the database by itself.
    for (const most of tries) {
      const statement = this.#firstRows(paths, wanted, most + 1);
      const read = () => listsOf(database, statement);
      const lists = await (isWide(query)
        ? this.#large.run(read, signal)
        : isAtPlace(query)
          ? this.#atPlace({ ...statement, signal })
          : read());
      signal?.throwIfAborted();
      const rows = columnsOfLists(database.engine.values.parseJson(lists) as unknown[][], wanted);
      const { found, visit } = begin();
      try {
        const enough = !visit(await matching(rows, database));
        if (enough || rows.start.length <= most) return found;
      } catch (error) {
        if (!(error instanceof SegmentGone)) throw error;
      }
    }
    const whole = () =>
      database.snapshot(async (snapshot) => {
        const { found, visit } = begin();
        const reached = new Set<unknown>();
        for (const path of paths) {
          const columns = rowSelection(path.from, wanted);
          for await (const rows of rowsInPortions<NumberedRow>(snapshot, path, { columns })) {
            const fresh = rows.filter(({ id }) => !reached.has(id));
            for (const row of fresh) if (row.mate === row.contig) reached.add(row.id);
            if (!visit(await matching(columnsOfRows(fresh, wanted), snapshot))) return found;
          }
        }
        return found;
      });
    return this.#large.run(whole, signal);
  }

  /** Up to `limit` rows of paths, as the lists of one row. */
  #firstRows(paths: readonly IndexPath[], wanted: HitDetail, limit: number): Statement {
    const { engine } = this.#database;
    const made = paths.map(({ from, byPlace, where }) => `${from} ${byPlace} ${where.join(' ')}`);
    const sql = this.#texts.get(`${wanted} ${limit} ${made.join()}`, () => {
      const rows = paths.map((path) => selection(engine, path, hitSelection(path.from, wanted)));
      return engine.lists(rows.join(' union all '), columnsFor(wanted), limit);
    });
    return { sql, bindings: paths.flatMap(({ bindings }) => bindings) };
  }
}

/**
 * Texts of statements by what they are made of. A text that is made anew is read through wherever it is looked up, as by what is
 * alike and by what is prepared, and those of places have kilobytes.
 */
class Texts {
  readonly #texts = new Map<string, string>();

  get(of: string, make: () => string): string {
    const known = this.#texts.get(of);
    if (known !== undefined) return known;
    // There are few, save for wide queries of many kinds of shape.
    if (this.#texts.size >= mostTexts) this.#texts.clear();
    const text = make();
    this.#texts.set(of, text);
    return text;
  }
}

async function listsOf(database: Database, { sql, bindings }: Statement): Promise<unknown> {
  const [row] = await database.query<{ lists: unknown }>(sql, bindings);
  return row?.lists;
}

// Queries at one place, of which a busy server has many at a time: to run a statement takes longer than what it finds, so
// that those that come while others run are read together.

type PlaceRead = Statement & { signal: AbortSignal | undefined };

/**
 * Whether few rows can match, by few different statements. Work of another class than queries waits for connections of its
 * own, and what has a connection already for none.
 */
function isAtPlace({ start, kinds }: AlleleQuery): boolean {
  return start !== undefined && start.min === start.max && kinds === undefined && classedWork() === undefined;
}

/** The lists of each. */
async function readTogether(database: Database, texts: Texts, reads: readonly PlaceRead[]): Promise<unknown[]> {
  const [first] = reads;
  if (first && reads.length === 1) return [await listsOf(database.until(first.signal), first)];
  const found = new Map<PlaceRead, unknown>();
  const read = async (sql: string, some: readonly PlaceRead[]) => {
    const stop = new AbortController();
    // Most are over before that.
    const long = setTimeout(() => stopFor(some, stop), placePatience);
    try {
      const rows = await database.until(stop.signal).query<{ n: number; lists: unknown }>(
        texts.get(`${some.length} ${sql}`, () =>
          some.map((_, n) => `select ${n} as n, lists from (${sql}) as place${n}`).join(' union all '),
        ),
        some.flatMap(({ bindings }) => bindings),
      );
      for (const { n, lists } of rows) found.set(some[n] as PlaceRead, lists);
    } finally {
      clearTimeout(long);
    }
  };
  const alike = [...grouped(reads, ({ sql }) => sql)];
  await Promise.all(alike.flatMap(([sql, all]) => [...slices(all, placesTogether)].map((some) => read(sql, some))));
  return reads.map((one) => found.get(one));
}

/** Stops a statement once nobody waits for it: for a single read that was aborted it goes on. */
function stopFor(reads: readonly PlaceRead[], stop: AbortController): void {
  let waiting = reads.length;
  const leave = () => {
    waiting -= 1;
    if (waiting === 0) stop.abort();
  };
  for (const { signal } of reads) {
    if (signal?.aborted) leave();
    else signal?.addEventListener('abort', leave, { once: true, signal: stop.signal });
  }
}

interface PortionOptions {
  columns?: string;
  /** Rows of the first portion; later ones are larger. As large as any if omitted. */
  first?: number;
}

/** The rows of a path by start and id, portion by portion: to be read in a snapshot. */
export async function* rowsInPortions<Row extends StoredAlleleRow = StoredAlleleRow>(
  database: Database,
  path: IndexPath,
  { columns = alleleSelection, first = portion }: PortionOptions = {},
): AsyncGenerator<Row[]> {
  let after: [start: number, id: number] | undefined;
  for (let size = first; ; size = Math.min(size * 4, portion)) {
    // Only once there is one: an engine may take it for the lower bound on the index, in the place of a closer one.
    // Not as a comparison of rows, which a server before another one cannot pass on to it.
    const onwards = after ? ' and a.start >= ? and (a.start > ? or a.id > ?)' : '';
    const text = `${selection(database.engine, path, columns)}${onwards} order by a.start, a.id limit ${size}`;
    const rows = await database.query<Row>(text, [...path.bindings, ...(after ? [after[0], ...after] : [])]);
    yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < size) return;
    after = [last.start, Number(last.id)];
  }
}

function selection(engine: Engine, path: IndexPath, columns: string): string {
  return `select ${columns} from ${sourceOfPath(engine, path)} a where ${path.where.join(' and ')}`;
}

/** Lets a few run at a time; so many others wait, in order, and more are refused. */
export class QueryLimit {
  #free: number;
  readonly #room: number;
  readonly #waiting = new Set<() => void>();

  constructor(atOnce: number, room: number) {
    this.#free = atOnce;
    this.#room = room;
  }

  /** Throws a `too-many-requests` fault if no other may wait, and the signal's reason if it is aborted meanwhile. */
  async run<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else {
      if (this.#waiting.size >= this.#room) {
        throw new Fault('too-many-requests', 'Too many wide queries are waiting. Please try again later', {
          headers: { 'Retry-After': '5' },
        });
      }
      await this.#turn(signal);
    }
    try {
      return await work();
    } finally {
      const [next] = this.#waiting;
      if (next) next();
      else this.#free++;
    }
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = () => {
        this.#waiting.delete(begin);
        signal?.removeEventListener('abort', giveUp);
      };
      const begin = () => {
        end();
        resolve();
      };
      const giveUp = () => {
        end();
        reject(signal?.reason);
      };
      this.#waiting.add(begin);
      signal?.addEventListener('abort', giveUp);
    });
  }
}
