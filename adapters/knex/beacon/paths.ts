/** From a query to the index ranges that hold whatever may answer it. */
import { type AlleleQuery, type Bounds, farthest, isOpen, isSpelled } from '../../../plugins/beacon/contract.js';
import type { Engine, Scalar } from '../binding.js';
import { allelesByPlace, breakendSpan, contigCode, segmentRows, spanLimits } from './layout.js';

/** From this width on, in bases, a query without a match may have to read many rows. */
const wideRange = 2_000_000;
/** More datasets than this are told apart after reading rather than in the statement. */
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
export function sourceOf(engine: Engine, { from, byPlace = false }: Pick<IndexPath, 'from' | 'byPlace'>): string {
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

/** Breakends that lie elsewhere and have their mate here. */
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

/** Structural alleles that are stored by other bases than those that are asked for. */
function otherwiseSpelled({ assembly, contig, start, reference = '', alternate = '' }: AlleleQuery): IndexPath {
  const path: IndexPath = { from: 'beacon_alleles', where: [], bindings: [] };
  add(path, 'a.contig = ?', contigCode(assembly, contig));
  add(path, 'a.trimmed between ? and ?', ...storableBounds(start ?? { min: 0, max: farthest }));
  add(path, 'not (a.reference = ? and a.alternate = ?)', reference, alternate);
  return path;
}

/** Only what is of the kinds that are asked for. */
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
