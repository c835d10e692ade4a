/** Stretches of bases, zero-based half-open, and their union. */

export interface Region {
  /** As the interval set, the BED file or the request names it: matched to the file's own name when measured. */
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
  return [...places.values()].flatMap(joined);
}

function joined(regions: readonly Region[]): Region[] {
  const found: Region[] = [];
  for (const { chromosome, start, end } of regions.toSorted((a, b) => a.start - b.start)) {
    const last = found.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else found.push({ chromosome, start, end });
  }
  return found;
}

/** Bases of regions that do not overlap. */
export function lengthOf(regions: readonly Region[]): number {
  return regions.reduce((sum, { start, end }) => sum + end - start, 0);
}

export function isOnY({ chromosome }: Region): boolean {
  return /^(?:chr)?Y$/i.test(chromosome);
}
