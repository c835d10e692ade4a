/** From a query to the rows that may answer it, by index; `matches` has the last word on each. */
import {
  type AlleleQuery,
  type Bounds,
  type DatasetHit,
  isOpen,
  matches,
  type NamedCarrier,
  Tally,
} from '../../../plugins/beacon/contract.js';
import type { Database, Scalar } from '../binding.js';
import { decodeCarriers } from './carriers.js';
import { type AlleleRow, alleleOf, alleleSelection, breakendSpan, contigCode, spanLimits } from './layout.js';
import type { SampleNames } from './samples.js';
import { Turns } from './turns.js';

/** Large results that are read at a time: point queries find a free connection beside them. */
const largeReads = 2;
/** Rows in one portion of a large result. */
const portion = 4000;
/** More datasets than this are told apart after reading rather than in the statement. */
const namedDatasets = 16;
const farthest = 2 ** 31 - 1;
/** Bounds on the start this close need no help from bounds on the end. */
const narrowStart = 10_000;

/** Bounds as the columns can hold them; those that no position lies within as an empty range. */
function held({ min, max }: Bounds): [min: number, max: number] {
  return min > farthest || max < 0 ? [1, 0] : [Math.max(min, 0), Math.min(max, farthest)];
}

interface HitRow extends AlleleRow {
  dataset: string;
  sole_sample: string | null;
  segment: number;
}

/** One way to reach rows: conditions that an index serves, and the values that they bind. */
export interface Path {
  where: string[];
  bindings: Scalar[];
}

/** Thrown where a segment was swept away between reading its rows and its samples: the answer must be read anew. */
class SegmentGone extends Error {}

type Visit = (row: HitRow, database: Database) => Promise<boolean>;

export class AlleleSearch {
  readonly #database: Database;
  readonly #names: SampleNames;
  readonly #large = new Turns(largeReads);

  constructor(database: Database, names: SampleNames) {
    this.#database = database;
    this.#names = names;
  }

  async search(query: AlleleQuery, datasets: readonly string[]): Promise<DatasetHit[]> {
    const tallies = await this.#read(query, datasets, () => {
      const found = new Map<string, Tally>();
      const visit: Visit = async (row, database) => {
        const tally = found.get(row.dataset) ?? new Tally();
        found.set(row.dataset, tally);
        tally.add(alleleOf(row), await this.#carriers(row, database));
        return true;
      };
      return { found, visit };
    });
    return [...tallies]
      .map(([dataset, tally]) => ({ dataset, ...tally.counts() }))
      .sort((a, b) => (a.dataset < b.dataset ? -1 : 1));
  }

  async present(query: AlleleQuery, datasets: readonly string[]): Promise<string[]> {
    const wanted = new Set(datasets).size;
    const names = await this.#read(query, datasets, () => {
      const found = new Set<string>();
      return { found, visit: async (row) => found.add(row.dataset).size < wanted };
    });
    return [...names].sort();
  }

  async #carriers(row: HitRow, database: Database): Promise<NamedCarrier[]> {
    if (row.sole_sample !== null) return [[row.sole_sample, row.calls]];
    const names = await this.#names.of(database, row.segment);
    return [...decodeCarriers(row.carriers, row.calls)].map(([ordinal, copies]) => {
      const name = names.get(ordinal);
      if (name === undefined) throw new SegmentGone();
      return [name, copies];
    });
  }

  /** Visits every matching row of the datasets, until a visit answers false; `begin` makes a fresh result. */
  async #read<Found>(
    query: AlleleQuery,
    datasets: readonly string[],
    begin: () => { found: Found; visit: Visit },
  ): Promise<Found> {
    if (datasets.length === 0 || query.kinds?.length === 0) return begin().found;
    const wanted = new Set(datasets);
    const paths = pathsOf(query);
    for (const path of paths) narrow(path, query, wanted);
    const accept = (row: HitRow) => wanted.has(row.dataset) && matches(alleleOf(row), query);

    // Nearly every answer fits into one statement, which is one state of the database by itself.
    const rows = await this.#first(paths);
    if (rows.length <= portion) {
      try {
        const { found, visit } = begin();
        for (const row of rows) if (accept(row) && !(await visit(row, this.#database))) break;
        return found;
      } catch (error) {
        if (!(error instanceof SegmentGone)) throw error;
      }
    }
    const whole = () =>
      this.#database.snapshot(async (database) => {
        const { found, visit } = begin();
        for (const path of paths) {
          for await (const row of portions(database, path)) {
            if (accept(row) && !(await visit(row, database))) return found;
          }
        }
        return found;
      });
    return this.#large.take(whole);
  }

  #first(paths: Path[]): Promise<HitRow[]> {
    const text = paths.map((path) => selection(path)).join(' union all ');
    const bindings = paths.flatMap((path) => path.bindings);
    return this.#database.query<HitRow>(`${text} limit ${portion + 1}`, bindings);
  }
}

/** The rows of a path by start and id, portion by portion: to be read in a snapshot. */
export async function* portions(database: Database, path: Path): AsyncGenerator<HitRow> {
  let after: { start: number; id: number } = { start: -1, id: -1 };
  for (;;) {
    const text = `${selection(path)} and (a.start, a.id) > (?, ?) order by a.start, a.id limit ${portion}`;
    const rows = await database.query<HitRow>(text, [...path.bindings, after.start, after.id]);
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < portion) return;
    after = { start: last.start, id: Number(last.id) };
  }
}

function selection(path: Path): string {
  return (
    `select ${alleleSelection}, g.id as segment, g.dataset, g.sole_sample from beacon_alleles a ` +
    `join beacon_segments g on g.id = a.id / 4294967296 where ${path.where.join(' and ')} and g.state = 'published'`
  );
}

/** The index ranges that together hold every match; a row may lie in two of them (a breakend within one contig). */
function pathsOf(query: AlleleQuery): Path[] {
  const contig = contigCode(query.assembly, query.contig);
  const paths: Path[] = [];
  const [min, max] = held(query.start ?? { min: 0, max: farthest });
  if (max - min <= narrowStart || (!query.end && !query.overlaps)) {
    paths.push({ where: ['a.contig = ?', 'a.start between ? and ?'], bindings: [contig, min, max] });
  } else {
    paths.push({
      where: ['a.contig = ?', 'a.start between ? and ?', 'a.span = 0'],
      bindings: [contig, ...startsReaching(query, spanLimits[0])],
    });
    for (let span = 1; span < spanLimits.length; span++) {
      paths.push({
        where: ['a.contig = ?', `a.span = ${span}`, 'a.span > 0', 'a.start between ? and ?'],
        bindings: [contig, ...startsReaching(query, spanLimits[span] ?? farthest)],
      });
    }
    paths.push({ where: ['a.contig = ?', `a.span = ${breakendSpan}`, 'a.span > 0'], bindings: [contig] });
  }
  for (const path of paths) {
    if (query.end) add(path, 'a.stop between ? and ?', ...held(query.end));
    if (query.mate) add(path, 'a.mate = ?', contigCode(query.assembly, query.mate));
    pattern(path, 'a.reference', query.reference);
  }
  if (isOpen(query.reference)) paths.push(farEnds(query, contig));
  return paths;
}

/** The starts that an allele of at most `limit` bases can have to end, or overlap, where the query asks. */
function startsReaching(query: AlleleQuery, limit: number): [number, number] {
  let { min: low, max: high } = query.start ?? { min: 0, max: farthest };
  if (query.end) [low, high] = [Math.max(low, query.end.min - limit), Math.min(high, query.end.max)];
  if (query.overlaps) [low, high] = [Math.max(low, query.overlaps.start - limit), Math.min(high, query.overlaps.end)];
  return held({ min: low, max: high });
}

/** Breakends that lie elsewhere and have their mate here. */
function farEnds(query: AlleleQuery, contig: number): Path {
  const path: Path = { where: ['a.mate = ?', 'a.mate is not null'], bindings: [contig] };
  if (query.start) add(path, 'a.stop between ? and ?', ...held(query.start));
  if (query.end) add(path, 'a.start between ? and ?', ...held(query.end));
  if (query.overlaps) {
    add(path, 'a.stop between ? and ?', ...held({ min: query.overlaps.start, max: query.overlaps.end }));
  }
  if (query.mate) add(path, 'a.contig = ?', contigCode(query.assembly, query.mate));
  return path;
}

/** What narrows every path alike. */
function narrow(path: Path, query: AlleleQuery, datasets: ReadonlySet<string>): void {
  pattern(path, 'a.alternate', query.alternate);
  if (query.kinds) {
    const kinds = query.kinds.map(({ kind, structural }) => {
      path.bindings.push(kind, `${kind}:`, `${kind};`);
      const of = '(a.kind = ? or (a.kind > ? and a.kind < ?))';
      return structural === undefined ? of : `(${of} and a.structural = ${structural ? 1 : 0})`;
    });
    path.where.push(`(${kinds.join(' or ')})`);
  }
  if (datasets.size <= namedDatasets) {
    // Few lengths of list keep the number of different statements small.
    const names = [...datasets];
    const size = 2 ** Math.ceil(Math.log2(names.length));
    const padded = Array.from({ length: size }, (_, i) => names[Math.min(i, names.length - 1)] ?? '');
    add(path, `g.dataset in (${padded.map(() => '?').join(', ')})`, ...padded);
  }
}

function add(path: Path, condition: string, ...bindings: Scalar[]): void {
  path.where.push(condition);
  path.bindings.push(...bindings);
}

/** Bases by equality, or by length and LIKE where N stands for one base. */
function pattern(path: Path, column: string, bases: string | undefined): void {
  if (bases === undefined || bases === 'N') return;
  if (bases.includes('N')) add(path, `${column} like ?`, bases.replaceAll('N', '_'));
  else add(path, `${column} = ?`, bases);
}
