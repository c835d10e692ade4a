/** The variants that a question finds, and all variants of datasets, page by page to any depth. */
import { type CountedOutOf, denominatorValues } from '../../../ask.js';
import {
  type Allele,
  type AlleleQuery,
  alleleKey,
  type Contig,
  type CountedAllele,
  contigs,
  type Dataset,
  type DatasetAlleles,
  eachOnce,
  type FoundAllele,
} from '../../../contract.js';
import type { EntryMatches, EntryPage, EntryPageStart, EntryReads } from '../framework/entry-type.js';
import { notAPage } from '../framework/envelope.js';

/** Makes records of alleles of a dataset. */
export type DescribeAlleles = (dataset: string, alleles: readonly FoundAllele[]) => Promise<Omit<EntryPage, 'next'>>;

export type NarrowAlleles = (found: DatasetAlleles) => readonly FoundAllele[] | Promise<readonly FoundAllele[]>;

export interface VariantSearch {
  source: EntryReads;
  /** An allele is found if it matches any of them. */
  queries: readonly AlleleQuery[];
  /** Whether they are for one allele, in several spellings. */
  isOne?: true;
  /** Those of the queries that are for one dataset alone. */
  within?: ReadonlyMap<AlleleQuery, string> | undefined;
  /** Ids of datasets. */
  datasets: readonly string[];
  /** Largest number of alleles. */
  limit: number;
  signal: AbortSignal;
  /** Leaves some of the alleles of a dataset; all if omitted. */
  narrow?: NarrowAlleles | undefined;
  /** Which alleles that may leave; any if omitted. */
  only?: (allele: Allele) => boolean;
  /** Whether that needs the carriers by name. */
  carriers?: boolean;
  describe: DescribeAlleles;
  /** Out of how many samples of datasets a query for one allele counts, by id; undefined if the caller asks for some people. */
  outOf?: ((query: AlleleQuery, datasets: readonly string[]) => Promise<ReadonlyMap<string, CountedOutOf>>) | undefined;
  warnings: readonly string[];
}

export class FoundVariants implements EntryMatches {
  readonly #search: VariantSearch;
  #found: Promise<ReadonlyMap<string, readonly FoundAllele[]>> | undefined;
  #distinct: number | undefined;

  constructor(search: VariantSearch) {
    this.#search = search;
  }

  async exists(): Promise<boolean> {
    const { source, queries, narrow, signal } = this.#search;
    if (narrow) return (await this.counts()).size > 0;
    for (const query of queries) {
      if ((await source.present(query, this.#asked(query), { most: 1, signal })).length > 0) return true;
    }
    return false;
  }

  async counts(): Promise<ReadonlyMap<string, number>> {
    this.#found ??= this.#read();
    return new Map([...(await this.#found)].map(([dataset, alleles]) => [dataset, alleles.length]));
  }

  async page(dataset: string, from: EntryPageStart, most: number): Promise<EntryPage> {
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
    const { queries, within, isOne, outOf } = this.#search;
    const [query, ...others] = queries.filter((one) => !within?.has(one));
    const counted = query && (isOne || others.length === 0) ? await outOf?.(query, datasets) : undefined;
    return new Map([...(counted ?? [])].map(([id, one]) => [id, { denominator: denominatorValues(one) }]));
  }

  #asked(query: AlleleQuery): readonly string[] {
    const { within, datasets } = this.#search;
    const only = within?.get(query);
    return only === undefined ? datasets : datasets.filter((id) => id === only);
  }

  recordInfo() {
    return this.#distinct === undefined ? undefined : { distinctVariants: this.#distinct };
  }

  async #read(): Promise<ReadonlyMap<string, readonly FoundAllele[]>> {
    const { source, queries, limit, narrow, only, carriers = false, signal } = this.#search;
    const found = new Map<string, readonly FoundAllele[]>();
    for (const query of queries) {
      const options = { limit, signal, carriers, ...(only && { only }) };
      for (const one of await source.found(query, this.#asked(query), options)) {
        const alleles = narrow ? await narrow(one) : one.alleles;
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

// All variants of datasets, by pages of any depth.

interface VariantListing {
  source: EntryReads;
  datasets: readonly Dataset[];
  signal: AbortSignal;
  describe: DescribeAlleles;
}

/** Where a page begins: after `taken` alleles that start and end there. */
interface VariantCursor {
  contig: Contig;
  start: number;
  end: number;
  taken: number;
}

export class AllVariants implements EntryMatches {
  readonly #listing: VariantListing;

  constructor(listing: VariantListing) {
    this.#listing = listing;
  }

  async exists(): Promise<boolean> {
    return this.#listing.datasets.some(({ alleleCount }) => alleleCount > 0);
  }

  async counts(): Promise<ReadonlyMap<string, number>> {
    const filled = this.#listing.datasets.filter(({ alleleCount }) => alleleCount > 0);
    return new Map(filled.map(({ id, alleleCount }) => [id, alleleCount]));
  }

  async page(dataset: string, from: EntryPageStart, most: number): Promise<EntryPage> {
    const cursor = 'cursor' in from ? readCursor(from.cursor) : undefined;
    const skip = 'cursor' in from ? (cursor?.taken ?? 0) : from.skip;
    const read = await this.#read(dataset, cursor && before(cursor), skip + most + 1);
    const alleles = read.slice(skip, skip + most);
    const described = await this.#listing.describe(
      dataset,
      alleles.map((allele) => ({ ...allele, samples: 0 })),
    );
    const last = read.length > skip + most ? alleles.at(-1) : undefined;
    return { ...described, ...(last && { next: cursorAfter(last, alleles, cursor) }) };
  }

  /** At most `most` alleles, from a place on. */
  async #read(dataset: string, after: Allele | undefined, most: number): Promise<CountedAllele[]> {
    const { source, signal } = this.#listing;
    const alleles: CountedAllele[] = [];
    const take = async (portion: readonly CountedAllele[]) => {
      alleles.push(...portion.slice(0, most - alleles.length));
      return alleles.length < most;
    };
    await source.eachAllele(dataset, take, { signal, ...(after && { after }) });
    return alleles;
  }
}

/** Comes before all alleles of its place: alleles of one place are in the order of their bases. */
function before({ contig, start, end }: VariantCursor): Allele {
  return { contig, start, end, reference: '', alternate: '', kind: '', structural: false };
}

function cursorAfter(last: Allele, page: readonly Allele[], from: VariantCursor | undefined): string {
  const isHere = ({ contig, start, end }: Pick<Allele, 'contig' | 'start' | 'end'>) =>
    contig === last.contig && start === last.start && end === last.end;
  const taken = page.filter(isHere).length + (from && isHere(from) ? from.taken : 0);
  return [last.contig, last.start, last.end, taken].join('-');
}

function readCursor(text: string): VariantCursor {
  const [, name, start, end, taken] = /^([0-9XYMT]{1,2})-(\d{1,10})-(\d{1,10})-(\d{1,6})$/.exec(text) ?? [];
  const contig = contigs.find((one) => one === name);
  if (!contig) throw notAPage();
  return { contig, start: Number(start), end: Number(end), taken: Number(taken) };
}
