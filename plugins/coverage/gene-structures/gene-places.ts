/** Which genes lie where: their ids by place, kept in memory for each build, and read again once its set is replaced. */
import type { Build, Chromosome, IntervalRepository, Span } from '../contract.js';

/** The genes of one chromosome, by start. */
interface Placed {
  starts: readonly number[];
  ends: readonly number[];
  ids: readonly string[];
  /** Of the longest gene. */
  longest: number;
}

interface Known {
  /** When the set was loaded, and its checksum. */
  version: string;
  places: Promise<ReadonlyMap<Chromosome, Placed>>;
}

export class GenePlaces {
  readonly #intervals: Pick<IntervalRepository, 'each' | 'sets'>;
  readonly #known = new Map<Build, Known>();

  constructor(intervals: Pick<IntervalRepository, 'each' | 'sets'>) {
    this.#intervals = intervals;
  }

  /** Ids of genes that share a base with the stretch, each once; none if the build has no genes. */
  async at(build: Build, chromosome: Chromosome, { start, end }: Span, signal: AbortSignal): Promise<string[]> {
    const placed = (await this.#placesOf(build, signal)).get(chromosome);
    if (!placed) return [];
    const found = new Set<string>();
    for (let i = firstFrom(placed.starts, start - placed.longest); i < placed.ids.length; i++) {
      if ((placed.starts[i] as number) >= end) break;
      if ((placed.ends[i] as number) > start) found.add(placed.ids[i] as string);
    }
    return [...found];
  }

  async #placesOf(build: Build, signal: AbortSignal): Promise<ReadonlyMap<Chromosome, Placed>> {
    const sets = await this.#intervals.sets({ signal });
    const set = sets.find((one) => one.kind === 'genes' && one.build === build);
    if (!set) return new Map();
    const version = `${set.loaded.getTime()} ${set.checksum}`;
    const known = this.#known.get(build);
    if (known?.version === version) return known.places;
    const fresh = { version, places: this.#read(build) };
    this.#known.set(build, fresh);
    // A failed read is not kept: the next question reads again.
    fresh.places.catch(() => {
      if (this.#known.get(build) === fresh) this.#known.delete(build);
    });
    return fresh.places;
  }

  async #read(build: Build): Promise<ReadonlyMap<Chromosome, Placed>> {
    const all = new Map<Chromosome, { start: number; end: number; id: string }[]>();
    await this.#intervals.each('genes', build, undefined, async (genes) => {
      for (const { chromosome, start, end, ensembl } of genes) {
        const here = all.get(chromosome) ?? [];
        here.push({ start, end, id: ensembl });
        all.set(chromosome, here);
      }
    });
    return new Map([...all].map(([chromosome, genes]) => [chromosome, placedOf(genes)]));
  }
}

function placedOf(genes: { start: number; end: number; id: string }[]): Placed {
  genes.sort((one, other) => one.start - other.start);
  return {
    starts: genes.map(({ start }) => start),
    ends: genes.map(({ end }) => end),
    ids: genes.map(({ id }) => id),
    longest: genes.reduce((longest, { start, end }) => Math.max(longest, end - start), 0),
  };
}

/** The index of the first number that is not less than `least`. */
export function firstFrom(ascending: readonly number[], least: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] as number) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
