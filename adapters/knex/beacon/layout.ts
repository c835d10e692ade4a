/** How alleles are stored in tables, and from a query to the index ranges that hold whatever may answer it. */
import {
  type Allele,
  type AlleleQuery,
  type Assembly,
  assemblies,
  type Bounds,
  type Contig,
  contigs,
  farthest,
  isOpen,
  isSpelled,
  type Statement,
} from '../../../plugins/beacon/contract.js';
import type { Engine, Scalar } from '../binding.js';

// How alleles are stored in tables.
//
// Every import is an immutable *segment*: its rows carry ids from `segment × 2³²` on, so that a segment is a range of
// the primary key and costs no index of its own. A segment is seen once its row in `beacon_segments` says `published`;
// that flip, a handful of small rows in one transaction, makes a load visible whole or not at all. Removing
// samples writes new segments without them and replaces the old ones; small segments are replaced by one that has the rows of
// all (`compact.ts`). A segment may have several rows of one allele, which state different ranges of it.
//
// If the engine partitions tables, the rows are separated by assembly and contig. Every statement therefore bounds the
// contig, which two small tables make possible:
// - `beacon_extents` says on which contigs a segment has rows, and between which ids.
// - `beacon_breakends` holds the rows of breakends a second time, to find them by their far end, wherever the near one is.
//
// A structural allele of plain bases is stored as its record writes it. `trimmed` is where it starts without the bases that
// reference and alternate share (null of nearly all rows), so that it is found by those bases too.

/** Rows in a segment, at most. */
export const segmentRows = 2 ** 32;

/** First and last possible row id of a segment. */
export function rowRange(segment: number): [first: number, last: number] {
  return [segment * segmentRows, (segment + 1) * segmentRows - 1];
}

/** The number of the segment that a row is of. */
export function segmentOfRow({ id }: Pick<StoredAlleleRow, 'id'>): number {
  return Math.floor(Number(id) / segmentRows);
}

/**
 * Rows of loads that may be merged are *fresh*: within their segment they have numbers from here on. Some engines keep them
 * apart in the index by place, so that a load changes the pages of a small index, however many rows are stored; a merge
 * moves many rows at once to the large one.
 */
const freshNumber = 2 ** 31;

/** The first row id of a new segment. */
export function firstRow(segment: number, { fresh }: { fresh: boolean }): number {
  return rowRange(segment)[0] + (fresh ? freshNumber : 0);
}

/** The rows that each half of the index by place leads to, as conditions on an id; none if it is not split. */
export function placeHalves(engine: Engine, id: string): readonly string[] {
  return engine.splitIndexes?.halves(`((${id} & ${freshNumber}) <> 0)`) ?? [];
}

/** What to select from if contig and start lead to the rows. Not for cross joins, which a planner could turn round. */
export function allelesByPlace(engine: Engine): string {
  const halves = placeHalves(engine, 'id').map((half) => `select * from beacon_alleles where ${half}`);
  return halves.length === 0 ? 'beacon_alleles' : `(${halves.join(' union all ')})`;
}

/** Assembly and contig in one small number: GRCh37's 1 is 101, GRCh38's MT is 225. */
export function contigCode(assembly: Assembly, contig: Contig): number {
  return (assemblies.indexOf(assembly) + 1) * 100 + contigs.indexOf(contig) + 1;
}

function contigOf(code: number): Contig {
  const contig = contigs[(code % 100) - 1];
  if (contig === undefined) throw new RangeError(`No contig has the code ${code}`);
  return contig;
}

/**
 * Longest allele of each span class, in bases. An allele that reaches position p starts at most that far before p, which
 * bounds the search for what ends or overlaps somewhere; nearly all alleles are in class 0.
 */
const spanLimits = [64, 1024, 16_384, 262_144, 4_194_304, 67_108_864, Number.MAX_SAFE_INTEGER] as const;

/** Breakends have a class of their own: their end lies elsewhere. */
const breakendSpan = spanLimits.length;

export function spanOfAllele(allele: Allele): number {
  if (allele.mate !== undefined) return breakendSpan;
  const length = allele.end - allele.start;
  return spanLimits.findIndex((limit) => length <= limit);
}

/** The columns of `beacon_alleles`, in the order in which rows are appended. */
export const alleleColumns = [
  'id',
  'contig',
  'span',
  'start',
  'stop',
  'reference',
  'alternate',
  'kind',
  'structural',
  'mate',
  'calls',
  'carriers',
  'ranges',
  'trimmed',
] as const;

/**
 * What a row counts of its carriers, beside them (`carriers.ts`): samples, those with two or more copies, and cases. Null
 * if a row has a sole carrier without text, or was written by release 0.1.
 */
export const countColumns = ['carrier_count', 'twice_count', 'case_count'] as const;

/** A row of `beacon_alleles` as it comes back. */
export interface StoredAlleleRow {
  id: number | string;
  contig: number;
  start: number;
  stop: number;
  reference: string;
  alternate: string;
  kind: string;
  structural: number;
  mate: number | null;
  calls: number;
  carriers: string | null;
  ranges: string | null;
}

/** What `alleleOfRow` and `carriersOfHit` need of a row. */
export const alleleSelection =
  'a.id, a.contig, a.start, a.stop, a.reference, a.alternate, a.kind, a.structural, a.mate, a.calls, a.carriers, a.ranges';

/** What makes two rows the same allele, for joins of `s` with `o`. */
export const sameAllele =
  'o.contig = s.contig and o.start = s.start and o.stop = s.stop and o.reference = s.reference ' +
  'and o.alternate = s.alternate and coalesce(o.mate, 0) = coalesce(s.mate, 0)';

/** The columns that describe the allele itself. */
export type PlacedRow = Omit<StoredAlleleRow, 'id' | 'calls' | 'carriers'>;

export function alleleOfRow(row: Omit<PlacedRow, 'ranges'> & Partial<PlacedRow>): Allele {
  const allele: Allele = {
    contig: contigOf(row.contig),
    start: row.start,
    end: row.stop,
    reference: row.reference,
    alternate: row.alternate,
    kind: row.kind,
    structural: row.structural === 1,
  };
  if (row.mate !== null) allele.mate = contigOf(row.mate);
  if (row.ranges) Object.assign(allele, decodeRanges(row.ranges));
  return allele;
}

/**
 * The ranges of start and end as text, `40..60/90..110`, each possibly empty, and after them a stated length if there is one:
 * `40..60/90..110/350`. Null if nothing is stated.
 */
export function encodeRanges({ startRange, endRange, length }: Statement): string | null {
  if (!startRange && !endRange && length === undefined) return null;
  const ranges = `${boundsText(startRange)}/${boundsText(endRange)}`;
  return length === undefined ? ranges : `${ranges}/${length}`;
}

function decodeRanges(text: string): Statement {
  const [start = '', end = '', length] = text.split('/');
  const [startRange, endRange] = [boundsOf(start), boundsOf(end)];
  return {
    ...(startRange && { startRange }),
    ...(endRange && { endRange }),
    ...(length !== undefined && { length: Number(length) }),
  };
}

function boundsText(bounds: Bounds | undefined): string {
  return bounds ? `${bounds.min}..${bounds.max}` : '';
}

function boundsOf(text: string): Bounds | undefined {
  if (text === '') return undefined;
  const [min, max] = text.split('..').map(Number);
  return { min: min ?? 0, max: max ?? 0 };
}

// From a query to the index ranges that hold whatever may answer it.

/** From this width on, in bases, a query without a match may have to read many rows. */
const wideRange = 2_000_000;
/** More datasets than this are separated after reading rather than in the statement. */
const namedDatasets = 256;
/** Bounds on the start this close need no help from bounds on the end. */
const narrowStart = 10_000;
/** Bounds on the start this close leave so few rows that each may be looked up in the list of segments. */
const fewStarts = 16;

/** One way to reach rows of a table `a`: conditions that an index serves, and the values that they bind. */
export interface IndexPath {
  from: 'beacon_alleles' | 'beacon_breakends' | 'beacon_uncalled';
  /** Whether the rows are reached by contig and start alone, and not by an index of few of them. */
  byPlace?: boolean;
  where: string[];
  bindings: Scalar[];
}

/** What a path selects from. */
export function sourceOfPath(engine: Engine, { from, byPlace = false }: Pick<IndexPath, 'from' | 'byPlace'>): string {
  return byPlace ? allelesByPlace(engine) : from;
}

/** Bounds as the columns can hold them; those that no position lies within as an empty range. */
export function storableBounds({ min, max }: Bounds): [min: number, max: number] {
  return min > farthest || max < 0 ? [1, 0] : [Math.max(min, 0), Math.min(max, farthest)];
}

/** The datasets to name in a statement; none if they are too many. */
export function namedIn(datasets: ReadonlySet<string>): string[] {
  return datasets.size <= namedDatasets ? [...datasets] : [];
}

/** The paths to the published rows of datasets that may match; where these are many, of all datasets. */
export function pathsTo(query: AlleleQuery, datasets: ReadonlySet<string>): IndexPath[] {
  const paths = pathsOf(query);
  const named = namedIn(datasets);
  const few = query.start !== undefined && query.start.max - query.start.min <= fewStarts;
  for (const path of paths) {
    pattern(path, 'a.alternate', query.alternate);
    ofKinds(path, query);
    limitToPublished(path, named, { few });
  }
  if (isSpelled(query)) {
    const path = otherwiseSpelled(query);
    ofKinds(path, query);
    limitToPublished(path, named, { few });
    paths.push(path);
  }
  return paths;
}

/**
 * Only published rows, of the datasets where any are named. An engine that were to join the segments could choose to
 * read the rows once for each: so a list of the segments is made first, or each of a few rows is looked up in it.
 */
export function limitToPublished(
  path: IndexPath,
  datasets: readonly string[],
  { few = false }: { few?: boolean } = {},
): void {
  const [segment, where] = [`a.id / ${segmentRows}`, ["g.state = 'published'"]];
  const bindings: string[] = [];
  if (datasets.length > 0) {
    // Few lengths of list keep the number of different statements small.
    const size = 2 ** Math.ceil(Math.log2(datasets.length));
    for (let i = 0; i < size; i++) bindings.push(datasets[Math.min(i, datasets.length - 1)] ?? '');
    where.push(`g.dataset in (${bindings.map(() => '?').join(', ')})`);
  }
  const segments = `from beacon_segments g where ${where.join(' and ')}`;
  const condition = few
    ? `(select 1 ${segments} and g.id = ${segment}) is not null`
    : // As a truth value, which PostgreSQL does not turn into a join.
      `(${segment} in (select g.id ${segments})) is true`;
  add(path, condition, ...bindings);
}

/** The index ranges that together hold every match; a row may lie in two of them (a breakend within one contig). */
function pathsOf(query: AlleleQuery): IndexPath[] {
  const contig = contigCode(query.assembly, query.contig);
  const from = 'beacon_alleles';
  const paths: IndexPath[] = [];
  const [min, max] = storableBounds(query.start ?? { min: 0, max: farthest });
  if (max - min <= narrowStart || (!query.end && !query.overlaps)) {
    paths.push({
      from,
      byPlace: true,
      where: ['a.contig = ?', 'a.start between ? and ?'],
      bindings: [contig, min, max],
    });
  } else {
    paths.push({
      from,
      byPlace: true,
      where: ['a.contig = ?', 'a.start between ? and ?', 'a.span = 0'],
      bindings: [contig, ...startsReaching(query, spanLimits[0])],
    });
    for (let span = 1; span < spanLimits.length; span++) {
      paths.push({
        from,
        where: ['a.contig = ?', `a.span = ${span}`, 'a.span > 0', 'a.start between ? and ?'],
        bindings: [contig, ...startsReaching(query, spanLimits[span] ?? farthest)],
      });
    }
    paths.push({ from, where: ['a.contig = ?', `a.span = ${breakendSpan}`, 'a.span > 0'], bindings: [contig] });
  }
  for (const path of paths) {
    if (query.end) add(path, 'a.stop between ? and ?', ...storableBounds(query.end));
    if (query.mate) add(path, 'a.mate = ?', contigCode(query.assembly, query.mate));
    pattern(path, 'a.reference', query.reference);
  }
  if (isOpen(query.reference)) paths.push(farEnds(query, contig));
  return paths;
}

/** Whether no bound restricts the places of the alleles closely. */
export function isWide({ start, end, overlaps }: AlleleQuery): boolean {
  const width = (bounds: Bounds | undefined) => (bounds ? bounds.max - bounds.min : farthest);
  const overlapped = overlaps ? overlaps.end - overlaps.start : farthest;
  return Math.min(width(start), width(end), overlapped) > wideRange;
}

/** The starts at which an allele of at most `limit` bases can match the query's end or overlap. */
function startsReaching(query: AlleleQuery, limit: number): [number, number] {
  let [low, high] = [query.start?.min ?? 0, query.start?.max ?? farthest];
  if (query.end) [low, high] = [Math.max(low, query.end.min - limit), Math.min(high, query.end.max)];
  if (query.overlaps) [low, high] = [Math.max(low, query.overlaps.start - limit), Math.min(high, query.overlaps.end)];
  return storableBounds({ min: low, max: high });
}

/** Breakends at another place whose mate is here. */
function farEnds(query: AlleleQuery, contig: number): IndexPath {
  const path: IndexPath = { from: 'beacon_breakends', where: ['a.mate = ?'], bindings: [contig] };
  if (query.start) add(path, 'a.stop between ? and ?', ...storableBounds(query.start));
  if (query.end) add(path, 'a.start between ? and ?', ...storableBounds(query.end));
  if (query.overlaps) {
    add(path, 'a.stop between ? and ?', ...storableBounds({ min: query.overlaps.start, max: query.overlaps.end }));
  }
  if (query.mate) add(path, 'a.contig = ?', contigCode(query.assembly, query.mate));
  return path;
}

/** Structural alleles that are stored by other bases than those of the query. */
function otherwiseSpelled({ assembly, contig, start, reference = '', alternate = '' }: AlleleQuery): IndexPath {
  const path: IndexPath = { from: 'beacon_alleles', where: [], bindings: [] };
  add(path, 'a.contig = ?', contigCode(assembly, contig));
  add(path, 'a.trimmed between ? and ?', ...storableBounds(start ?? { min: 0, max: farthest }));
  add(path, 'not (a.reference = ? and a.alternate = ?)', reference, alternate);
  return path;
}

/** Only alleles of the kinds of the query. */
function ofKinds(path: IndexPath, query: AlleleQuery): void {
  if (query.kinds) {
    const kinds = query.kinds.map(({ kind, structural }) => {
      path.bindings.push(kind, `${kind}:`, `${kind};`);
      const of = '(a.kind = ? or (a.kind > ? and a.kind < ?))';
      return structural === undefined ? of : `(${of} and a.structural = ${structural ? 1 : 0})`;
    });
    path.where.push(`(${kinds.join(' or ')})`);
  }
}

function add(path: IndexPath, condition: string, ...bindings: Scalar[]): void {
  path.where.push(condition);
  path.bindings.push(...bindings);
}

/**
 * Bases by equality, or by length and LIKE where N stands for one base. Of what is no sequence, and could have the same
 * length, hardly any is read: symbols (`<DEL>`) sort before all letters, and breakends have a mate.
 */
function pattern(path: IndexPath, column: string, bases: string | undefined): void {
  if (bases === undefined || bases === 'N') return;
  if (!bases.includes('N')) add(path, `${column} = ?`, bases);
  else {
    add(path, `${column} like ?`, bases.replaceAll('N', '_'));
    if (column === 'a.alternate') path.where.push("a.alternate >= 'A'", 'a.mate is null');
  }
}
