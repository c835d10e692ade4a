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

/** Bases of regions that do not overlap. */
export function lengthOf(regions: Iterable<Region>): number {
  let bases = 0;
  for (const { start, end } of regions) bases += end - start;
  return bases;
}

export function isOnY({ chromosome }: Region): boolean {
  return /^(?:chr)?Y$/i.test(chromosome);
}
