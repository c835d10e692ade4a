/**
 * beacon-depths@1: at some single-base variants of a sample the depth that its VCF file states, by which other plugins find out
 * whether calls and a coverage file are of one sample. The places tell where a person has variants: they leave with the sample.
 */
import { type Contract, defineContract } from '../../../../core/storage.js';
import type { CalledDepth } from '../../../services/beacon.js';
import { type Assembly, contigs } from '../../domain/allele.js';
import { hashOfNumber } from '../../domain/genotypes.js';

/** Places of a sample. */
export const mostDepths = 200;

/** By name of the sample. */
export type DepthsOfSamples = ReadonlyMap<string, readonly CalledDepth[]>;

export interface DepthRepository {
  /**
   * Adds depths of samples of a dataset to those that are known, of which a depth at the same place is replaced; keeps those that
   * `chosenDepths` chooses. Known ones of another assembly are replaced.
   */
  add(dataset: string, assembly: Assembly, depths: DepthsOfSamples): Promise<void>;
  /** The depths of these samples of a dataset; samples without any in this assembly are left out. */
  find(dataset: string, assembly: Assembly, samples: readonly string[]): Promise<DepthsOfSamples>;
  /** Removes those of these samples, whether or not the dataset has them; of all if omitted. */
  remove(dataset: string, samples?: readonly string[]): Promise<void>;
  /** Removes those of all samples but these, which a load may have left that was overtaken by a removal. */
  retain(dataset: string, samples: readonly string[]): Promise<void>;
}

export const beaconDepths: Contract<DepthRepository> = defineContract<DepthRepository>('beacon-depths@1', {
  add: 'needed',
  find: 'needed',
  remove: 'needed',
  retain: 'needed',
});

/** Of 31 bits, by place: the same places are chosen whatever the order, and whatever their depth. */
export function rankOfPlace({ chromosome, start }: Pick<CalledDepth, 'chromosome' | 'start'>): number {
  return hashOfNumber(contigs.indexOf(chromosome) * 2 ** 28 + start);
}

/** An even choice of `mostDepths`, each place once with its last depth; by rank. */
export function chosenDepths(all: readonly CalledDepth[]): CalledDepth[] {
  const last = new Map(all.map((one) => [`${one.chromosome}:${one.start}`, one]));
  const ranked = [...last.values()].map((one) => ({ one, rank: rankOfPlace(one) }));
  return ranked
    .sort((left, right) => left.rank - right.rank)
    .slice(0, mostDepths)
    .map(({ one }) => one);
}
