/**
 * beacon-depths@1: at some single-base variants of a sample the depth that its VCF file states, by which other plugins find out
 * whether calls and a coverage file are of one sample; and the phase that it states of neighbouring substitutions. The places tell where
 * a person has variants: they leave with the sample.
 */
import { type Contract, defineContract } from '../../../../core/storage.js';
import type { CalledDepth } from '../../../services/beacon.js';
import { type Assembly, type Contig, contigs } from '../../domain/allele.js';
import { hashOfNumber } from '../../domain/genotypes.js';

/** Places of a sample. */
export const mostDepths = 200;

/** By name of the sample. */
export type DepthsOfSamples = ReadonlyMap<string, readonly CalledDepth[]>;

/** Bases of a substitution that is decomposed: pairs that lie further apart are not kept. */
export const longestDecomposed = 9;

/** Pairs of all samples of a load; further ones are not kept, so that their phase is unknown. */
export const mostPhasedPairs = 1_000_000;

/** A substitution of one base. */
export interface Substitution {
  /** Zero-based. */
  start: number;
  alternate: string;
}

/** `unclear`: files, or records, contradict each other. */
export const phaseNames = ['cis', 'trans', 'unclear'] as const;
export type Phase = (typeof phaseNames)[number];

/** By `pairNumber`. */
export type PhasedPairs = ReadonlyMap<number, Phase>;

/** By name of the sample. */
export type PhasesOfSamples = ReadonlyMap<string, PhasedPairs>;

export interface DepthRepository {
  /**
   * Adds depths of samples of a dataset to those that are known, of which a depth at the same place is replaced; keeps those that
   * `chosenDepths` chooses. Known ones of another assembly are replaced.
   */
  add(dataset: string, assembly: Assembly, depths: DepthsOfSamples): Promise<void>;
  /** The depths of these samples of a dataset; samples without any in this assembly are left out. */
  find(dataset: string, assembly: Assembly, samples: readonly string[]): Promise<DepthsOfSamples>;
  /** Adds phases of samples of a dataset to those that are known: a pair of which another phase is known becomes `unclear`. */
  addPhases(dataset: string, phases: PhasesOfSamples): Promise<void>;
  /** The phases of these pairs, by their numbers, in these samples of a dataset; samples without any are left out. */
  findPhases(dataset: string, pairs: readonly number[], samples: readonly string[]): Promise<PhasesOfSamples>;
  /** Removes depths and phases of these samples, or one of the two, whether or not the dataset has them; of all samples if omitted. */
  remove(dataset: string, samples?: readonly string[], what?: 'depths' | 'phases'): Promise<void>;
  /** Removes the depths of all samples but these, which a load may have left that was overtaken by a removal. */
  retain(dataset: string, samples: readonly string[]): Promise<void>;
}

export const beaconDepths: Contract<DepthRepository> = defineContract<DepthRepository>('beacon-depths@1', {
  add: 'needed',
  find: 'needed',
  addPhases: 'needed',
  findPhases: 'needed',
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

export const plainBases = 'ACGT';
/** Numbers of the pairs that begin in one stretch of 2²⁰ bases. */
const pairsOfStretch = 2 ** 27;
/** Numbers from here on are none of a pair. */
export const pairsEnd = contigs.length * 2 ** 35;

/** The same in either order, below 2⁴⁰. Undefined if they are not of plain bases, or not at two places close to each other. */
export function pairNumber(contig: Contig, one: Substitution, other: Substitution): number | undefined {
  const [first, second] = one.start < other.start ? [one, other] : [other, one];
  const distance = second.start - first.start;
  const [from, to] = [plainBases.indexOf(first.alternate), plainBases.indexOf(second.alternate)];
  if (distance === 0 || distance >= longestDecomposed || from < 0 || to < 0) return undefined;
  // Chromosomes are shorter than 2²⁸ bases; a distance is at most 8.
  const place = contigs.indexOf(contig) * 2 ** 28 + first.start;
  return ((place * 8 + distance - 1) * 4 + from) * 4 + to;
}

/** Pairs are stored by it. */
export function stretchOfPair(pair: number): number {
  return Math.floor(pair / pairsOfStretch);
}

/** What is known of a pair that two sources tell of. */
export function phaseOfBoth(known: Phase | undefined, told: Phase): Phase {
  return known === undefined || known === told ? told : 'unclear';
}
