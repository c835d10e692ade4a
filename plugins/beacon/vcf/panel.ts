/** Gene panels: the regions of one or several BED files, as a filter for records. */
import { readBedFile } from '../../../core/files.js';
import { type Assembly, contigNamed, lengthOf } from '../../../core/genome.js';
import { Fault } from '../../../core/plugin.js';
import { type Contig, contigs } from '../domain/allele.js';

/** Sorted, disjoint regions of one contig. */
interface ChromosomeRegions {
  starts: number[];
  ends: number[];
}

/** Regions of the reference, zero-based half-open. */
export class Panel {
  readonly #regions: ReadonlyMap<Contig, ChromosomeRegions>;

  constructor(intervals: Iterable<readonly [contig: Contig, start: number, end: number]>) {
    const byContig = new Map<Contig, [number, number][]>();
    for (const [contig, start, end] of intervals) {
      const list = byContig.get(contig);
      if (list) list.push([start, end]);
      else byContig.set(contig, [[start, end]]);
    }
    this.#regions = new Map([...byContig].map(([contig, list]) => [contig, mergeIntervals(list)]));
  }

  /** The regions, disjoint and in order within a contig. */
  *regions(): Generator<readonly [contig: Contig, start: number, end: number]> {
    for (const [contig, { starts, ends }] of this.#regions) {
      for (const [i, start] of starts.entries()) yield [contig, start, ends[i] ?? start];
    }
  }

  get isEmpty(): boolean {
    return this.#regions.size === 0;
  }

  /** Returns whether [start, end) shares a base with a region. */
  overlaps(contig: Contig, start: number, end: number): boolean {
    const regions = this.#regions.get(contig);
    if (!regions) return false;
    // Only the first region that ends after the start can overlap.
    let low = 0;
    let high = regions.ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((regions.ends[middle] ?? 0) > start) high = middle;
      else low = middle + 1;
    }
    const candidate = regions.starts[low];
    return candidate !== undefined && candidate < end;
  }
}

function mergeIntervals(intervals: [number, number][]): ChromosomeRegions {
  intervals.sort((a, b) => a[0] - b[0]);
  const starts: number[] = [];
  const ends: number[] = [];
  for (const [start, end] of intervals) {
    const last = ends.length - 1;
    if (last >= 0 && start <= (ends[last] ?? 0)) ends[last] = Math.max(ends[last] ?? 0, end);
    else {
      starts.push(start);
      ends.push(end);
    }
  }
  return { starts, ends };
}

/**
 * Reads BED files (regions overlapping or not) into one panel, without regions on other contigs. Throws an `unprocessable` fault
 * with file and line, also for a region that ends beyond its chromosome, or if no region is left.
 */
export async function readPanel(paths: readonly string[], assembly: Assembly): Promise<Panel> {
  const intervals: [Contig, number, number][] = [];
  for (const path of paths) {
    const bed = await readBedFile(path);
    const known = bed.chromosomes.map(contigNamed);
    bed.within((name) => {
      const contig = contigNamed(name);
      return contig && lengthOf(assembly, contig);
    });
    for (let place = 0; place < bed.length; place++) {
      const contig = known[bed.ordinals[place] as number];
      if (contig) intervals.push([contig, bed.starts[place] as number, bed.ends[place] as number]);
    }
  }
  const panel = new Panel(intervals);
  if (panel.isEmpty) {
    throw new Fault('unprocessable', `${paths.join(', ')}: no region on chromosomes ${contigs[0]}-22, X, Y or MT`);
  }
  return panel;
}
