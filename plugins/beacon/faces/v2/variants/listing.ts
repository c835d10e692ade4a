/** All variants of datasets, by pages of any depth. */
import { type Allele, type Contig, type CountedAllele, contigs, type Dataset } from '../../../contract.js';
import type { Matches, Page, PageStart } from '../framework/entry-type.js';
import { notAPage } from '../framework/paging.js';
import type { Source } from '../framework/view.js';
import type { Describe } from './found.js';

export interface Listing {
  source: Source;
  datasets: readonly Dataset[];
  signal: AbortSignal;
  describe: Describe;
}

/** Where a page begins: after `taken` alleles that start and end there. */
interface Cursor {
  contig: Contig;
  start: number;
  end: number;
  taken: number;
}

export class AllVariants implements Matches {
  readonly #listing: Listing;

  constructor(listing: Listing) {
    this.#listing = listing;
  }

  async exists(): Promise<boolean> {
    return this.#listing.datasets.some(({ alleleCount }) => alleleCount > 0);
  }

  async counts(): Promise<ReadonlyMap<string, number>> {
    const filled = this.#listing.datasets.filter(({ alleleCount }) => alleleCount > 0);
    return new Map(filled.map(({ id, alleleCount }) => [id, alleleCount]));
  }

  async page(dataset: string, from: PageStart, most: number): Promise<Page> {
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
function before({ contig, start, end }: Cursor): Allele {
  return { contig, start, end, reference: '', alternate: '', kind: '', structural: false };
}

function cursorAfter(last: Allele, page: readonly Allele[], from: Cursor | undefined): string {
  const isHere = ({ contig, start, end }: Pick<Allele, 'contig' | 'start' | 'end'>) =>
    contig === last.contig && start === last.start && end === last.end;
  const taken = page.filter(isHere).length + (from && isHere(from) ? from.taken : 0);
  return [last.contig, last.start, last.end, taken].join('-');
}

function readCursor(text: string): Cursor {
  const [, name, start, end, taken] = /^([0-9XYMT]{1,2})-(\d{1,10})-(\d{1,10})-(\d{1,6})$/.exec(text) ?? [];
  const contig = contigs.find((one) => one === name);
  if (!contig) throw notAPage();
  return { contig, start: Number(start), end: Number(end), taken: Number(taken) };
}
