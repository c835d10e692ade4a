/** Known sites as if a file were loaded: the sets of the storage, with one in the place of another, held in memory. */
import { Fault } from '../../../core/plugin.js';
import type { FileOfSites } from '../../services/coverage.js';
import { bySite, longestSite, type Site, type SiteRepository, type SiteSet, type SitesWanted } from '../contract.js';
import { firstFrom } from '../intervals/gene-structures.js';
import { Lines } from './lines.js';
import { loadSites } from './loading.js';

type SiteReads = Pick<SiteRepository, 'sets' | 'find'>;

/** Of all sites together: a third of it suffices for the 350,000 (likely) pathogenic records of ClinVar. */
const mostBytes = 150_000_000;

/** Throws as `loadSites`. */
export async function sitesWith(
  stored: SiteReads,
  { path: file, ...stated }: FileOfSites,
  maxShrink: number,
): Promise<SiteReads> {
  const held = new HeldSites();
  const set: SiteSet = await loadSites({
    ...{ ...stated, file, maxShrink, leastStars: 0, now: new Date(), onProgress: () => {} },
    repository: {
      async load({ name, build, sites, accept }, now) {
        for await (const batch of sites) {
          stated.signal.throwIfAborted();
          for (const site of batch) held.add(site, file);
        }
        const replaces = (await stored.sets()).find((one) => one.name === name && one.build === build);
        return { ...accept(held.size, replaces), name, build, loaded: now, sites: held.size };
      },
    },
  });
  held.sort();
  const replaced = (sets: readonly SiteSet[]) =>
    [...sets.filter(({ name, build }) => name !== set.name || build !== set.build), set].sort((one, other) =>
      one.name < other.name ? -1 : 1,
    );
  return {
    sets: async (options) => replaced(await stored.sets(options)),
    async find(build, wanted, options) {
      const found = await stored.find(build, wanted, options);
      if (build !== set.build) return found;
      const others = found.sites.filter((site) => site.set !== set.name);
      const own = held.find(wanted).map((site) => ({ ...site, set: set.name }));
      return { sets: replaced(found.sets), sites: [...others, ...own].sort(bySite) };
    },
  };
}

/** Sites as lines of JSON. */
class HeldSites {
  readonly #lines = new Lines();
  readonly #byGene = new Map<string, number[]>();
  readonly #byChromosome = new Map<string, PlacedSites>();

  get size(): number {
    return this.#lines.size;
  }

  add({ hgvs: _, ...site }: Site, file: string): void {
    const number = this.#lines.add(JSON.stringify(site));
    if (this.#lines.bytes > mostBytes)
      throw new Fault('unprocessable', `${file}: it has more sites than a preview can hold`);
    for (const gene of site.genes) {
      const own = this.#byGene.get(gene);
      if (own) own.push(number);
      else this.#byGene.set(gene, [number]);
    }
    const own = this.#byChromosome.get(site.chromosome) ?? noSites();
    this.#byChromosome.set(site.chromosome, own);
    own.numbers.push(number);
    own.starts.push(site.start);
    own.ends.push(site.end);
  }

  /** To be called once, after the last `add`. */
  sort(): void {
    for (const own of this.#byChromosome.values()) {
      const order = own.starts.map((_, i) => i).sort((i, j) => (own.starts[i] as number) - (own.starts[j] as number));
      const ordered = (column: readonly number[]) => order.map((i) => column[i] as number);
      [own.numbers, own.starts, own.ends] = [ordered(own.numbers), ordered(own.starts), ordered(own.ends)];
    }
  }

  /** Each once. */
  find({ places, genes }: SitesWanted): Site[] {
    const found = new Set(genes.flatMap((gene) => this.#byGene.get(gene) ?? []));
    for (const { chromosome, start, end } of places) {
      const { numbers, starts, ends } = this.#byChromosome.get(chromosome) ?? noSites();
      for (let i = firstFrom(starts, start - longestSite); i < starts.length && (starts[i] as number) < end; i++)
        if ((ends[i] as number) > start) found.add(numbers[i] as number);
    }
    return [...found].map((number) => JSON.parse(this.#lines.line(number)) as Site);
  }
}

/** Of one chromosome: their numbers, starts and ends. */
interface PlacedSites {
  numbers: number[];
  starts: number[];
  ends: number[];
}

const noSites = (): PlacedSites => ({ numbers: [], starts: [], ends: [] });
