/** What is published of protected datasets, which every query on them needs. */
import type { Dataset } from '../contract.js';
import type { ProtectionRepository, Publication } from './contract.js';

/** Milliseconds for which what was read serves further queries: a publication by another process shows so much later. */
const fresh = 100;

interface Names {
  key: string;
  samples: Promise<ReadonlyMap<string, number>>;
}

export class Publications {
  readonly #repository: Pick<ProtectionRepository, 'publications' | 'published'>;
  #read: Promise<ReadonlyMap<string, Publication>> | undefined;
  #until = 0;
  /** Names of the published samples by dataset: read once for each generation. */
  readonly #names = new Map<string, Names>();

  constructor(repository: Pick<ProtectionRepository, 'publications' | 'published'>) {
    this.#repository = repository;
  }

  /** Undefined if nothing is published of the dataset, as of a moment ago at most. */
  async of({ id, created }: Pick<Dataset, 'id' | 'created'>): Promise<Publication | undefined> {
    const publication = (await this.#current()).get(id);
    // A dataset of the same id that was removed does not count.
    return publication?.created.getTime() === created.getTime() ? publication : undefined;
  }

  /** The published samples, each with the generation since which it is published. */
  async samples({ dataset, created, generation }: Publication): Promise<ReadonlyMap<string, number>> {
    const key = `${created.getTime()} ${generation}`;
    const known = this.#names.get(dataset);
    if (known?.key === key) return known.samples;
    const samples = this.#repository.published(dataset).then((published) => {
      const since = published?.since ?? [];
      return new Map(published?.samples.map((name, i) => [name, since[i] ?? generation]));
    });
    this.#names.set(dataset, { key, samples });
    samples.catch(() => this.#names.delete(dataset));
    return samples;
  }

  /** The next query reads anew. */
  forget(): void {
    this.#read = undefined;
  }

  #current(): Promise<ReadonlyMap<string, Publication>> {
    if (this.#read && performance.now() < this.#until) return this.#read;
    const reading = this.#repository.publications().then((all) => new Map(all.map((one) => [one.dataset, one])));
    this.#read = reading;
    this.#until = performance.now() + fresh;
    reading.catch(() => {
      if (this.#read === reading) this.#read = undefined;
    });
    return reading;
  }
}
