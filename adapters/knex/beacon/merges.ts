/**
 * Which segments are merged into one, so that queries read few rows of an allele however many loads there were. Eight or more
 * loads of similar size are merged into one segment, and eight or more of these into another, of at most 64 loads, which is
 * not merged again. Removing a sample rewrites the segment that it is in: so at most `mostRewritten` rows for each row
 * of its load, and a quarter of that if loads are of equal size.
 */

/** Segments that are merged at a time, unless fewer are as many loads as a merged one may hold. */
const least = 8;
/** Loads in a merged segment, at most. */
const mostLoads = 64;
/** Rows in a merged segment, at most: those of about sixty exomes. A genome has more than its share and stays alone. */
const mostRows = 4_000_000;
/** Samples in a merged segment, at most: they bound the size of a row. */
const mostSamples = 1000;
/** Samples in a segment that is merged with others, at most. */
export const largestSamples = mostSamples / least;
/** How many times as large as another the loads of a segment may be on average, to be merged with it. */
const similar = 2;
/** Loads with fewer rows count as if they had these. */
const fewRows = 100;

/** Rows that are rewritten to remove a sample, at most, for each row of its load; a load counts as `fewRows` rows or more. */
export const mostRewritten = mostLoads * similar * similar;

/** A published segment. */
export interface Source {
  id: number;
  generation: number;
  /** Loads that it was merged from; 1 if it is as it was loaded. */
  loads: number;
  /** At most. */
  rows: number;
  samples: number;
  /** The cases of its samples. */
  cases: readonly string[];
}

/** A segment of more loads is not merged again. */
export const largestLoads = mostLoads / 2 - 1;

function isMergeable({ loads, rows, samples }: Source): boolean {
  return loads <= largestLoads && rows <= mostRows / least && samples <= largestSamples;
}

/** The groups of segments of one dataset that are due to be merged, each into one. */
export function mergesOf<Segment extends Source>(segments: readonly Segment[]): Segment[][] {
  const merges: Segment[][] = [];
  for (const kind of alike(segments.filter(isMergeable))) {
    let rest = kind.sort((one, other) => sizeOf(one) - sizeOf(other) || one.id - other.id);
    for (let [smallest] = rest; smallest; [smallest] = rest) {
      const largest = similar * sizeOf(smallest);
      const merge = firstMerge(byCase(rest.filter((segment) => sizeOf(segment) <= largest)));
      if (merge) merges.push(merge);
      const done = new Set(merge ?? [smallest]);
      rest = rest.filter((segment) => !done.has(segment));
    }
  }
  return merges;
}

/** Segments of one generation, merged equally often. */
function alike<Segment extends Source>(segments: readonly Segment[]): Segment[][] {
  const groups = new Map<string, Segment[]>();
  for (const segment of segments) {
    const kind = `${segment.generation} ${segment.loads < least}`;
    const known = groups.get(kind);
    if (known) known.push(segment);
    else groups.set(kind, [segment]);
  }
  return [...groups.values()];
}

/** Rows of its loads, on average. */
function sizeOf({ rows, loads }: Source): number {
  return Math.max(rows / loads, fewRows);
}

/** The oldest first, each followed by those that share a case with it. */
function byCase<Segment extends Source>(segments: readonly Segment[]): Segment[] {
  const oldest = [...segments].sort((one, other) => one.id - other.id);
  const byCase = new Map<string, Segment[]>();
  for (const segment of oldest) {
    for (const each of segment.cases) {
      const known = byCase.get(each);
      if (known) known.push(segment);
      else byCase.set(each, [segment]);
    }
  }
  const ordered = new Set<Segment>();
  for (const segment of oldest) {
    ordered.add(segment);
    for (const each of segment.cases) for (const other of byCase.get(each) ?? []) ordered.add(other);
  }
  return [...ordered];
}

/** The first of the segments: as many as are due, and those that complete a case. */
function firstMerge<Segment extends Source>(segments: readonly Segment[]): Segment[] | undefined {
  const merge: Segment[] = [];
  const cases = new Set<string>();
  let [loads, rows, samples] = [0, 0, 0];
  for (const segment of segments) {
    if (merge.length >= least && !segment.cases.some((each) => cases.has(each))) return merge;
    [loads, rows, samples] = [loads + segment.loads, rows + segment.rows, samples + segment.samples];
    // What is left of so many loads is not merged again.
    if (loads > mostLoads) return merge.length > 1 ? merge : undefined;
    if (rows > mostRows || samples > mostSamples) break;
    merge.push(segment);
    for (const each of segment.cases) cases.add(each);
  }
  return merge.length >= least ? merge : undefined;
}
