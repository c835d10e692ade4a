/** An allele with its carriers as it is kept from one run to the next: genes of panels have a hundred thousand of them. */
import type { Contig } from '../../../core/genome.js';
import type { CarriedEffect, CarriedVariant, VariantCounts } from '../../services/services.js';
import { alleleKey } from '../contract.js';
import type { KnownClass } from './evidence.js';

/** Texts that many alleles have. */
export class SharedTexts {
  readonly #texts = new Map<string, string>();
  readonly #lists = new Map<string, readonly string[]>();

  text(text: string): string {
    const known = this.#texts.get(text) ?? text;
    this.#texts.set(known, known);
    return known;
  }

  list(texts: readonly string[]): readonly string[] {
    const name = texts.join('&');
    const known = this.#lists.get(name) ?? texts.map((one) => this.text(one));
    this.#lists.set(name, known);
    return known;
  }

  effect({ symbol, transcript, terms, ...rest }: CarriedEffect): CarriedEffect {
    return {
      ...rest,
      ...(symbol !== undefined && { symbol: this.text(symbol) }),
      terms: this.list(terms),
      ...(transcript !== undefined && { transcript: this.text(transcript) }),
    };
  }
}

export class KnownVariant {
  readonly key: string;
  readonly chromosome: Contig;
  /** Zero-based, half-open. */
  readonly start: number;
  readonly end: number;
  readonly reference: string;
  readonly alternate: string;
  readonly structural: string | undefined;
  readonly genes: readonly CarriedEffect[];
  /** Of the population. */
  readonly frequency: number | undefined;
  readonly local: VariantCounts;
  /** What the annotation states of ClinVar. */
  readonly annotated: KnownClass | undefined;
  readonly #samples: readonly string[];
  /** Number of a sample and its copies, in turns. */
  readonly #carriers: readonly number[];
  readonly #uncalled: readonly number[];

  /** `samples`: coverage ids by the numbers that the answer has of them. */
  constructor(
    variant: CarriedVariant,
    samples: readonly string[],
    shared: SharedTexts,
    annotated: KnownClass | undefined,
  ) {
    const { chromosome, start, end, reference, alternate, structural, genes, population, local } = variant;
    this.key = alleleKey(variant);
    this.chromosome = chromosome;
    this.start = start;
    this.end = end;
    this.reference = shared.text(reference);
    this.alternate = shared.text(alternate);
    this.structural = structural;
    this.genes = genes.map((one) => shared.effect(one));
    this.frequency = population?.frequency;
    this.local = local;
    this.annotated = annotated;
    this.#samples = samples;
    this.#carriers = variant.carriers.flatMap(({ sample, copies }) => [sample, copies]);
    this.#uncalled = variant.uncalled;
  }

  /** By coverage id. */
  *carriers(): Generator<[sample: string, copies: number]> {
    for (let i = 0; i < this.#carriers.length; i += 2)
      yield [this.#samples[this.#carriers[i] as number] as string, this.#carriers[i + 1] as number];
  }

  /** Undefined if the sample is no carrier. */
  copiesOf(sample: string): number | undefined {
    for (let i = 0; i < this.#carriers.length; i += 2)
      if (this.#samples[this.#carriers[i] as number] === sample) return this.#carriers[i + 1];
    return undefined;
  }

  /** Whether the sample was searched for such alleles, but not called there. */
  isUncalled(sample: string): boolean {
    return this.#uncalled.some((number) => this.#samples[number] === sample);
  }
}
