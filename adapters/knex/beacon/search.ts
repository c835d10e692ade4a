/** Answers to queries, from the rows that may match: `matches` has the last word on each. */
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
import type { Database, Engine } from '../binding.js';
import { FoundAlleles } from './found.js';
import {
  type Columns,
  columnsFor,
  columnsOf,
  columnsOfRows,
  count,
  hitSelection,
  hitsOf,
  type Match,
  type NumberedRow,
  rowSelection,
  SegmentGone,
  type Tallied,
  type Wanted,
} from './hits.js';
import { type AlleleRow, alleleSelection } from './layout.js';
import { isWide, type Path, pathsTo, sourceOf } from './paths.js';
import { QueryLimit } from './query-limit.js';
import type { SampleNames } from './samples.js';

/** Wide ranges and large results that are read at a time: point queries find a free connection beside them. */
const largeReads = 2;
/** Those that may wait for it. */
const waitingReads = 100;
/** Rows in one portion of a large result. */
const portion = 10_000;
/** Rows that mostly tell whether there is anything at all. */
const fewRows = 100;

/** Receives matching alleles, a portion at a time; returns false to stop the search. */
type Visit = (match: Match) => boolean;

interface Reading<Result> {
  wanted: Wanted;
  /** Rows that are read at most at the first try, at the next, and so on, before all are read portion by portion. */
  tries: readonly number[];
  /** Makes a fresh result. */
  begin(): { found: Result; visit: Visit };
  signal: AbortSignal | undefined;
}

export class AlleleSearch {
  readonly #database: Database;
  readonly #names: SampleNames;
  readonly #large = new QueryLimit(largeReads, waitingReads);

  constructor(database: Database, names: SampleNames) {
    this.#database = database;
    this.#names = names;
  }

  async search(
    query: AlleleQuery,
    datasets: readonly string[],
    { limit, signal }: SearchOptions = {},
  ): Promise<DatasetHit[]> {
    const begin = () => {
      const found: Tallied = { tallies: new Map(), allowance: new Allowance(limit) };
      const visit: Visit = ({ hits, columns, segments }) => {
        count(hits, columns, segments, found);
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
      const visit: Visit = ({ hits }) => {
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
      const visit: Visit = (match) => {
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
    { wanted, tries, begin, signal }: Reading<Result>,
  ): Promise<Result> {
    signal?.throwIfAborted();
    if (datasets.length === 0 || query.kinds?.length === 0) return begin().found;
    const database = this.#database.until(signal);
    const among = new Set(datasets);
    const paths = pathsTo(query, among);
    const matching = async (columns: Columns, database: Database): Promise<Match> => {
      const segments = await this.#names.of(database, new Set(columns.segment));
      const hits = hitsOf(columns, segments).filter((hit) => among.has(hit.dataset) && matches(hit.allele, query));
      return { hits, columns, segments };
    };

    // Nearly every answer fits into one statement, which is one state of the database by itself.
    for (const most of tries) {
      const read = () => firstRows(database, paths, wanted, most + 1);
      const rows = await (isWide(query) ? this.#large.run(read, signal) : read());
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
          for await (const rows of portions<NumberedRow>(snapshot, path, { columns })) {
            const fresh = rows.filter(({ id }) => !reached.has(id));
            for (const row of fresh) if (row.mate === row.contig) reached.add(row.id);
            if (!visit(await matching(columnsOfRows(fresh, wanted), snapshot))) return found;
          }
        }
        return found;
      });
    return this.#large.run(whole, signal);
  }
}

/** Up to `limit` rows of paths. */
async function firstRows(database: Database, paths: readonly Path[], wanted: Wanted, limit: number): Promise<Columns> {
  const { engine } = database;
  const rows = paths.map((path) => selection(engine, path, hitSelection(path.from, wanted))).join(' union all ');
  const [row] = await database.query<{ lists: unknown }>(
    engine.lists(rows, columnsFor(wanted), limit),
    paths.flatMap((path) => path.bindings),
  );
  return columnsOf(engine.values.parseJson(row?.lists) as unknown[][], wanted);
}

interface PortionOptions {
  columns?: string;
  /** Rows of the first portion; later ones are larger. As large as any if omitted. */
  first?: number;
}

/** The rows of a path by start and id, portion by portion: to be read in a snapshot. */
export async function* portions<Row extends AlleleRow = AlleleRow>(
  database: Database,
  path: Path,
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

function selection(engine: Engine, path: Path, columns: string): string {
  return `select ${columns} from ${sourceOf(engine, path)} a where ${path.where.join(' and ')}`;
}
