/** Regions of chromosomes, zero-based half-open, and their union. */

export interface Region {
  /** As the interval set, the BED file or the request writes it; matched to the D4 file's own name when measured. */
  chromosome: string;
  start: number;
  end: number;
}

/** Every base once: ascending by chromosome (in order of appearance) and start, touching regions joined. */
export function union(regions: readonly Region[]): Region[] {
  const places = new Map<string, Region[]>();
  for (const region of regions) {
    const own = places.get(region.chromosome);
    if (own === undefined) places.set(region.chromosome, [region]);
    else own.push(region);
  }
  return [...places.values()].flatMap((own) => [...joined(own.toSorted((a, b) => a.start - b.start))]);
}

/** Joins overlapping and touching regions of one chromosome, which come sorted by start. */
export function* joined(regions: Iterable<Region>): Generator<Region> {
  let last: Region | undefined;
  for (const { chromosome, start, end } of regions) {
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else {
      if (last !== undefined) yield last;
      last = { chromosome, start, end };
    }
  }
  if (last !== undefined) yield last;
}

/** What is left of regions without others; both have every base once and are sorted within each chromosome. */
export function* difference(regions: Iterable<Region>, removed: Iterable<Region>): Generator<Region> {
  const holes = new Map<string, Region[]>();
  for (const one of removed) {
    const own = holes.get(one.chromosome);
    if (own === undefined) holes.set(one.chromosome, [one]);
    else own.push(one);
  }
  const next = new Map<string, number>();
  for (const { chromosome, start, end } of regions) {
    const own = holes.get(chromosome) ?? [];
    let at = next.get(chromosome) ?? 0;
    let from = start;
    for (; at < own.length && (own[at] as Region).start < end; at++) {
      const hole = own[at] as Region;
      if (hole.start > from) yield { chromosome, start: from, end: hole.start };
      from = Math.max(from, hole.end);
      // It may reach into the next region.
      if (hole.end > end) break;
    }
    next.set(chromosome, at);
    if (from < end) yield { chromosome, start: from, end };
  }
}

/** Bases of regions that do not overlap. */
export function lengthOf(regions: Iterable<Region>): number {
  let bases = 0;
  for (const { start, end } of regions) bases += end - start;
  return bases;
}

export function isOnY({ chromosome }: Region): boolean {
  return /^(?:chr)?Y$/i.test(chromosome);
}
