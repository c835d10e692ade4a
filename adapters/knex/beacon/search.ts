/** From a query to the rows that may answer it, by index; `matches` has the last word on each. */
import {
  type AlleleQuery,
  type Bounds,
  type DatasetHit,
  isOpen,
  matches,
  type NamedCarrier,
  Tally,
  tooManyAlleles,
} from '../../../plugins/beacon/contract.js';
import type { Database, Scalar } from '../binding.js';
import { decodeCarriers } from './carriers.js';
import { type AlleleRow, alleleOf, alleleSelection, breakendSpan, contigCode, spanLimits } from './layout.js';
import type { SampleNames } from './samples.js';
import { Turns } from './turns.js';

/** Wide ranges and large results that are read at a time: point queries find a free connection beside them. */
const largeReads = 2;
/** Those that may wait for it. */
const waitingReads = 100;
/** From here on, in bases, much may have to be looked at where nothing is found. */
const wideRange = 2_000_000;
/** Rows in one portion of a large result. */
const portion = 10_000;
/** Rows that mostly tell whether there is anything at all. */
const fewRows = 100;
/** More datasets than this are told apart after reading rather than in the statement. */
const namedDatasets = 16;
const farthest = 2 ** 31 - 1;
/** Bounds on the start this close need no help from bounds on the end. */
const narrowStart = 10_000;

/** Bounds as the columns can hold them; those that no position lies within as an empty range. */
function held({ min, max }: Bounds): [min: number, max: number] {
  return min > farthest || max < 0 ? [1, 0] : [Math.max(min, 0), Math.min(max, farthest)];
}

/** A row of an allele, as it is read for an export. */
export interface SegmentRow extends AlleleRow {
  segment: number;
  dataset: string;
}

/** An allele of a dataset with all that its rows say of who carries it. */
interface Hit
  extends Pick<SegmentRow, 'contig' | 'start' | 'stop' | 'reference' | 'alternate' | 'kind' | 'structural'> {
  mate: number | null;
  dataset: string;
  carried: Pick<SegmentRow, 'segment' | 'carriers' | 'calls'>[];
}

/** The columns of a row, in the order of the lists. */
const hitColumns = [
  'contig',
  'start',
  'stop',
  'reference',
  'alternate',
  'kind',
  'structural',
  'mate',
  'calls',
  'carriers',
  'segment',
  'dataset',
] as const satisfies readonly (keyof SegmentRow)[];

/** The values of many rows by column: an object for every row would cost more than finding it. */
type Columns = { [Column in (typeof hitColumns)[number]]: SegmentRow[Column][] };

/** Up to `limit` rows of paths. */
async function firstRows(database: Database, paths: readonly Path[], limit: number): Promise<Columns> {
  const { engine } = database;
  const rows = paths.map((path) => selection(path, hitSelection)).join(' union all ');
  const [row] = await database.query<{ lists: unknown }>(
    engine.lists(`${rows} limit ${limit}`, hitColumns),
    paths.flatMap((path) => path.bindings),
  );
  return columnsOf(engine.values.parseJson(row?.lists) as unknown[][]);
}

function columnsOf(lists: readonly unknown[][]): Columns {
  return Object.fromEntries(hitColumns.map((column, i) => [column, lists[i]])) as unknown as Columns;
}

/**
 * The alleles of rows. A segment has one row of an allele: what comes again is a breakend within one chromosome that was
 * reached from both of its ends.
 */
function hitsOf(columns: Columns): Hit[] {
  const { contig, start, stop, reference, alternate, kind, structural, mate, calls, carriers, segment, dataset } =
    columns;
  const hits: Hit[] = [];
  const byStart = new Map<number, Hit[]>();
  for (let i = 0; i < start.length; i++) {
    const here = start[i] as number;
    let known = byStart.get(here);
    if (!known) {
      known = [];
      byStart.set(here, known);
    }
    let hit = known.find(
      (other) =>
        other.stop === stop[i] &&
        other.alternate === alternate[i] &&
        other.reference === reference[i] &&
        other.contig === contig[i] &&
        other.mate === mate[i] &&
        other.dataset === dataset[i],
    );
    if (!hit) {
      hit = {
        contig: contig[i] as number,
        start: here,
        stop: stop[i] as number,
        reference: reference[i] as string,
        alternate: alternate[i] as string,
        kind: kind[i] as string,
        structural: structural[i] as number,
        mate: mate[i] as number | null,
        dataset: dataset[i] as string,
        carried: [],
      };
      known.push(hit);
      hits.push(hit);
    }
    const number = segment[i] as number;
    if (hit.mate === hit.contig && hit.carried.some((other) => other.segment === number)) continue;
    hit.carried.push({ segment: number, carriers: carriers[i] as string | null, calls: calls[i] as number });
  }
  return hits;
}

/** One way to reach rows: conditions that an index serves, and the values that they bind. */
export interface Path {
  where: string[];
  bindings: Scalar[];
}

/** Thrown where a segment was swept away between reading its rows and its samples: the answer must be read anew. */
class SegmentGone extends Error {}

/** Takes alleles that match, a portion at a time; answers false where it has seen enough. */
type Visit = (hits: readonly Hit[], database: Database) => Promise<boolean>;

export class AlleleSearch {
  readonly #database: Database;
  readonly #names: SampleNames;
  readonly #large = new Turns(largeReads, waitingReads);

  constructor(database: Database, names: SampleNames) {
    this.#database = database;
    this.#names = names;
  }

  async search(
    query: AlleleQuery,
    datasets: readonly string[],
    limit = Number.POSITIVE_INFINITY,
  ): Promise<DatasetHit[]> {
    const tallies = await this.#read(query, datasets, [portion], () => {
      const found = new Map<string, Tally>();
      const visit: Visit = async (hits, database) => {
        const segments = new Set<number>();
        for (const { carried } of hits) for (const { segment } of carried) segments.add(segment);
        const names = await this.#names.of(database, segments);
        for (const hit of hits) {
          const tally = found.get(hit.dataset) ?? new Tally();
          found.set(hit.dataset, tally);
          tally.add(alleleOf(hit), carriersOf(hit, names));
        }
        if ([...found.values()].reduce((sum, { alleles }) => sum + alleles, 0) > limit) throw tooManyAlleles(limit);
        return true;
      };
      return { found, visit };
    });
    return [...tallies]
      .map(([dataset, tally]) => ({ dataset, ...tally.counts() }))
      .sort((a, b) => (a.dataset < b.dataset ? -1 : 1));
  }

  async present(query: AlleleQuery, datasets: readonly string[], most = Number.POSITIVE_INFINITY): Promise<string[]> {
    const wanted = Math.min(new Set(datasets).size, most);
    const names = await this.#read(query, datasets, [fewRows, portion], () => {
      const found = new Set<string>();
      const visit: Visit = async (hits) => {
        for (const { dataset } of hits) found.add(dataset);
        return found.size < wanted;
      };
      return { found, visit };
    });
    return [...names].sort().slice(0, most);
  }

  /**
   * Has every match of the datasets visited, until a visit answers false; `begin` makes a fresh result. Tries with at
   * most as many rows as `limits` say, one after the other.
   */
  async #read<Found>(
    query: AlleleQuery,
    datasets: readonly string[],
    limits: readonly number[],
    begin: () => { found: Found; visit: Visit },
  ): Promise<Found> {
    if (datasets.length === 0 || query.kinds?.length === 0) return begin().found;
    const wanted = new Set(datasets);
    const paths = pathsOf(query);
    for (const path of paths) narrow(path, query, wanted);
    const matching = (rows: Columns) =>
      hitsOf(rows).filter((hit) => wanted.has(hit.dataset) && matches(alleleOf(hit), query));

    // Nearly every answer fits into one statement, which is one state of the database by itself.
    for (const limit of limits) {
      const read = () => firstRows(this.#database, paths, limit + 1);
      const rows = await (isWide(query) ? this.#large.take(read) : read());
      const { found, visit } = begin();
      try {
        const enough = !(await visit(matching(rows), this.#database));
        if (enough || rows.start.length <= limit) return found;
      } catch (error) {
        if (!(error instanceof SegmentGone)) throw error;
      }
    }
    const whole = () =>
      this.#database.snapshot(async (database) => {
        const { found, visit } = begin();
        const twice = new Set<unknown>();
        for (const path of paths) {
          for await (const rows of portions(database, path)) {
            const fresh = rows.filter((row) => row.mate !== row.contig || !twice.has(row.id));
            for (const row of fresh) if (row.mate === row.contig) twice.add(row.id);
            if (
              !(await visit(matching(columnsOf(hitColumns.map((column) => fresh.map((row) => row[column])))), database))
            )
              return found;
          }
        }
        return found;
      });
    return this.#large.take(whole);
  }
}

function carriersOf({ carried }: Hit, names: Awaited<ReturnType<SampleNames['of']>>): NamedCarrier[] {
  const all: NamedCarrier[] = [];
  for (const { segment, carriers, calls } of carried) {
    const named = names.get(segment);
    const add = (copies: number, ordinal: number) => {
      const name = named?.get(ordinal);
      if (name === undefined) throw new SegmentGone();
      all.push([name, copies]);
    };
    if (carriers === null) add(calls, 0);
    else decodeCarriers(carriers, calls).forEach(add);
  }
  return all;
}

/** The rows of a path by start and id, portion by portion: to be read in a snapshot. */
export async function* portions(database: Database, path: Path): AsyncGenerator<SegmentRow[]> {
  let after: { start: number; id: number } = { start: -1, id: -1 };
  for (;;) {
    const text = `${selection(path, rowSelection)} and (a.start, a.id) > (?, ?) order by a.start, a.id limit ${portion}`;
    const rows = await database.query<SegmentRow>(text, [...path.bindings, after.start, after.id]);
    yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < portion) return;
    after = { start: last.start, id: Number(last.id) };
  }
}

const rowSelection = `${alleleSelection}, g.id as segment, g.dataset`;

const hitSelection =
  'a.contig, a.start, a.stop, a.reference, a.alternate, a.kind, a.structural, a.mate, a.calls, a.carriers, ' +
  'g.id as segment, g.dataset';

function selection(path: Path, columns: string): string {
  return (
    `select ${columns} from beacon_alleles a join beacon_segments g on g.id = a.id / 4294967296 ` +
    `where ${path.where.join(' and ')} and g.state = 'published'`
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

/** True where nothing bounds closely where the alleles are. */
function isWide({ start, end, overlaps }: AlleleQuery): boolean {
  const width = (bounds: Bounds | undefined) => (bounds ? bounds.max - bounds.min : farthest);
  const overlapped = overlaps ? overlaps.end - overlaps.start : farthest;
  return Math.min(width(start), width(end), overlapped) > wideRange;
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
