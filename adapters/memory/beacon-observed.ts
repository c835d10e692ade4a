/** A stored dataset, and who in it carries the alleles that are asked for. */
import {
  type Allele,
  type DatasetDescription,
  defaultWindow,
  isAskedFor,
  type Observation,
  Observed,
  type ObservedQuestion,
  type Requested,
  type Sample,
  type Statement,
  trimmedStart,
  widened,
} from '../../plugins/beacon/contract.js';

/** What an import said of a sample that carries an allele. */
interface Carried extends Statement {
  readonly copies: number;
}

/** An allele, and who carries it. */
export interface Held {
  /** Without ranges and length: these come with the carriers. */
  readonly allele: Allele;
  readonly carriers: ReadonlyMap<string, Carried>;
}

export interface StoredDataset {
  readonly description: DatasetDescription;
  readonly created: Date;
  readonly updated: Date;
  readonly salt: string;
  readonly samples: ReadonlyMap<string, Sample>;
  /** By `alleleKey`. */
  readonly alleles: ReadonlyMap<string, Held>;
  /** By series. */
  readonly batches: ReadonlyMap<string, readonly (readonly string[])[]>;
  /** The same for samples whose genotype was not called, without copies. */
  readonly uncalled: ReadonlyMap<string, Held>;
}

/** The allele with what the import of one of its carriers stated of it. */
export function statedBy(allele: Allele, { startRange, endRange, length }: Carried): Allele {
  return widened(allele, {
    ...(startRange && { startRange }),
    ...(endRange && { endRange }),
    ...(length !== undefined && { length }),
  });
}

/** A dataset with its alleles by place, for many questions at once. */
export class ObservedDataset {
  readonly #dataset: StoredDataset;
  readonly #alleles: AllelesByPlace;
  readonly #uncalled: AllelesByPlace;
  /** By name. */
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #observed: Observed;

  constructor(dataset: StoredDataset) {
    this.#dataset = dataset;
    this.#numbers = new Map([...dataset.samples.keys()].map((name, number) => [name, number]));
    this.#observed = new Observed([...dataset.samples.values()]);
    this.#alleles = new AllelesByPlace(dataset.alleles.values());
    this.#uncalled = new AllelesByPlace(dataset.uncalled.values());
  }

  observe(question: ObservedQuestion, requested: Requested): Observation {
    const { description } = this.#dataset;
    const { id, assembly, counting } = description;
    const window = counting?.window ?? defaultWindow;
    const each = (among: AllelesByPlace, visit: (sample: number, copies: number) => void) => {
      for (const { allele, carriers } of among.candidates(question)) {
        for (const [sample, carried] of carriers) {
          if (isAskedFor(statedBy(allele, carried), question, assembly, window)) {
            visit(this.#numbers.get(sample) ?? -1, carried.copies);
          }
        }
      }
    };
    each(this.#alleles, (sample, copies) => this.#observed.add(sample, copies));
    each(this.#uncalled, (sample) => this.#observed.miss(sample));
    const { type, contig, start } = question;
    return { dataset: id, ...this.#observed.result({ assembly, contig, start, type }, requested) };
  }
}

class AllelesByPlace {
  /** By contig and start; structural ones also by that without the bases that reference and alternate share. */
  readonly #byPlace = new Map<string, Set<Held>>();
  readonly #structural: Held[] = [];

  constructor(alleles: Iterable<Held>) {
    for (const held of alleles) {
      const { contig, start, structural } = held.allele;
      if (structural) this.#structural.push(held);
      for (const place of new Set([start, trimmedStart(held.allele) ?? start])) {
        const key = `${contig}:${place}`;
        this.#byPlace.set(key, (this.#byPlace.get(key) ?? new Set()).add(held));
      }
    }
  }

  candidates(question: ObservedQuestion): Iterable<Held> {
    if (question.type === 'structural') return this.#structural;
    return this.#byPlace.get(`${question.contig}:${question.start}`) ?? [];
  }
}
