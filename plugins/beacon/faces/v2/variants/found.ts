/** The variants that a question finds. */
import { type CountedOutOf, denominatorValues } from '../../../callability/of-query.js';
import {
  type Allele,
  type AlleleQuery,
  alleleKey,
  type DatasetAlleles,
  eachOnce,
  type FoundAllele,
} from '../../../contract.js';
import type { Matches, Page, PageStart } from '../framework/entry-type.js';
import { notAPage } from '../framework/paging.js';
import type { Source } from '../framework/view.js';

/** Makes records of alleles of a dataset. */
export type Describe = (dataset: string, alleles: readonly FoundAllele[]) => Promise<Omit<Page, 'next'>>;

export interface Search {
  source: Source;
  /** An allele is found if it matches any of them. */
  queries: readonly AlleleQuery[];
  /** Ids of datasets. */
  datasets: readonly string[];
  /** Largest number of alleles. */
  limit: number;
  signal: AbortSignal;
  /** Leaves some of the alleles of a dataset; all if omitted. */
  narrow?: ((found: DatasetAlleles) => readonly FoundAllele[]) | undefined;
  /** Which alleles that may leave; any if omitted. */
  only?: (allele: Allele) => boolean;
  /** Whether that needs the carriers by name. */
  carriers?: boolean;
  describe: Describe;
  /** Out of how many samples of datasets a query for one allele counts, by id; undefined if the caller asks for some people. */
  outOf?: ((query: AlleleQuery, datasets: readonly string[]) => Promise<ReadonlyMap<string, CountedOutOf>>) | undefined;
  warnings: readonly string[];
}

export class FoundVariants implements Matches {
  readonly #search: Search;
  #found: Promise<ReadonlyMap<string, readonly FoundAllele[]>> | undefined;
  #distinct: number | undefined;

  constructor(search: Search) {
    this.#search = search;
  }

  async exists(): Promise<boolean> {
    const { source, queries, datasets, narrow, signal } = this.#search;
    if (narrow) return (await this.counts()).size > 0;
    for (const query of queries) {
      if ((await source.present(query, datasets, { most: 1, signal })).length > 0) return true;
    }
    return false;
  }

  async counts(): Promise<ReadonlyMap<string, number>> {
    this.#found ??= this.#read();
    return new Map([...(await this.#found)].map(([dataset, alleles]) => [dataset, alleles.length]));
  }

  async page(dataset: string, from: PageStart, most: number): Promise<Page> {
    this.#found ??= this.#read();
    const alleles = (await this.#found).get(dataset) ?? [];
    const start = 'skip' in from ? from.skip : offsetOf(from.cursor);
    const end = start + most;
    const described = await this.#search.describe(dataset, alleles.slice(start, end));
    return { ...described, ...(end < alleles.length && { next: String(end) }) };
  }

  info() {
    const { warnings } = this.#search;
    return warnings.length > 0 ? { warnings } : undefined;
  }

  async setInfo(datasets: readonly string[]) {
    const { queries, outOf } = this.#search;
    const [query, ...others] = queries;
    const counted = query && others.length === 0 ? await outOf?.(query, datasets) : undefined;
    return new Map([...(counted ?? [])].map(([id, one]) => [id, { denominator: denominatorValues(one) }]));
  }

  recordInfo() {
    return this.#distinct === undefined ? undefined : { distinctVariants: this.#distinct };
  }

  async #read(): Promise<ReadonlyMap<string, readonly FoundAllele[]>> {
    const { source, queries, datasets, limit, narrow, only, carriers = false, signal } = this.#search;
    const found = new Map<string, readonly FoundAllele[]>();
    for (const query of queries) {
      const options = { limit, signal, carriers, ...(only && { only }) };
      for (const one of await source.found(query, datasets, options)) {
        const alleles = narrow ? narrow(one) : one.alleles;
        const known = found.get(one.dataset);
        if (alleles.length > 0) found.set(one.dataset, known ? eachOnce(known, alleles) : alleles);
      }
    }
    // Those of one dataset are distinct: thousands need not be compared.
    this.#distinct =
      found.size > 1 ? new Set([...found.values()].flat().map(alleleKey)).size : ([...found.values()][0]?.length ?? 0);
    return found;
  }
}

function offsetOf(cursor: string): number {
  if (/^\d{1,10}$/.test(cursor)) return Number(cursor);
  throw notAPage();
}
