/** Out of how many samples an allele was seen, judged by the depth of each at the place of the allele. */

import { copiesAt, copiesBySex, type Group, type Population, type Site } from './population.js';
import type { Sex } from './sample.js';

/** Reads from which on a base counts as covered, unless the dataset or the caller says otherwise. */
export const defaultThreshold = 10;

/**
 * Samples in which alleles of this kind were searched for, and of whose sex a person has the place: women do not count on Y,
 * and nobody in its pseudo-autosomal regions.
 */
export interface Denominator {
  /** Reads from which on a base counts as covered. */
  threshold: number;
  /** `covered`, `notCovered`, `unknown` and `unknownSex` together. */
  total: number;
  /** Samples with at least `threshold` reads at every base of the place. */
  covered: number;
  notCovered: number;
  /** Samples of which it is not known what they cover. */
  unknown: number;
  /** Samples of unknown sex where the number of copies depends on it; 0 elsewhere. */
  unknownSex: number;
  /** Others that could show it, whose genotype was not called there; of some of them none of such alleles was. */
  notCalled: number;
  /** Undefined for structural variants: depth at two places does not tell whether one would have been called. */
  alleles: AlleleNumbers | undefined;
}

/** Of samples whose coverage, and sex where it matters, are known. */
export interface AlleleNumbers {
  carriers: number;
  homozygotes: number;
  /** Copies of the carriers, of each at most as many as a person of that sex has. */
  alleleCount: number;
  /** Copies of the place in covered samples, and in carriers that are not covered: their genotype was called. */
  alleleNumber: number;
  carriersBelowThreshold: number;
  /** Carriers of unknown coverage or sex, which the other numbers leave out. */
  carriersUnknown: number;
}

/** What is known of a population at a place. */
export interface Depth {
  threshold: number;
  /** Covered registered samples of each group. */
  covered: readonly number[];
  /** Registered samples of which nothing is known, by group. */
  unknown: readonly number[];
}

/** Carriers of an allele as an observation counts them, of any sample. */
export interface Counted {
  carriers: number;
  homozygotes: number;
  alleleCount: number;
}

/** The denominator without its alleles. */
export function coveredOf(population: Population, site: Site, { threshold, covered, unknown }: Depth): Denominator {
  const { groups } = population;
  const found: Denominator = {
    threshold,
    total: 0,
    covered: 0,
    notCovered: 0,
    unknown: 0,
    unknownSex: 0,
    notCalled: 0,
    alleles: undefined,
  };
  for (let i = 0; i < groups.length; i++) {
    const { sex, weight, ids } = groups[i] as Group;
    const copies = copiesAt(site, sex);
    if (copies === 0) continue;
    const known = ids.length - (unknown[i] ?? 0);
    const here = covered[i] ?? 0;
    found.total += weight * ids.length;
    found.unknown += weight * (unknown[i] ?? 0);
    if (copies === undefined) found.unknownSex += weight * known;
    else {
      found.covered += weight * here;
      found.notCovered += weight * (known - here);
    }
  }
  return found;
}

/** Whether carriers must be known by name to count alleles: some of them may not be covered, or may not count. */
export function needsNames({ contig }: Site, { total, covered, notCovered, unknown }: Denominator, carriers: number) {
  if (carriers === 0 || total === 0) return false;
  // An observation counts copies by the sexes that the dataset states alone.
  if (contig === 'X' || contig === 'Y') return true;
  return covered + notCovered > 0 && notCovered + unknown > 0;
}

/** Alleles of a place at which `needsNames` is false. */
export function summedAlleles(
  population: Population,
  site: Site,
  depth: Depth,
  { total, covered, notCovered }: Denominator,
  counted: Counted,
): AlleleNumbers {
  const alleleNumber = copiesIn(population, site, depth);
  if (covered + notCovered === 0) {
    const none = { carriers: 0, homozygotes: 0, alleleCount: 0, carriersBelowThreshold: 0 };
    return { ...none, alleleNumber, carriersUnknown: total === 0 ? 0 : counted.carriers };
  }
  const { carriers, homozygotes, alleleCount } = counted;
  return { carriers, homozygotes, alleleCount, alleleNumber, carriersBelowThreshold: 0, carriersUnknown: 0 };
}

/**
 * Alleles of a place of which every person has two copies, where all samples are known: the observation counts the same carriers,
 * of whom so many are not covered.
 */
export function calledAlleles(
  population: Population,
  site: Site,
  depth: Depth,
  { carriers, homozygotes, alleleCount }: Counted,
  carriersBelowThreshold: number,
): AlleleNumbers {
  const alleleNumber = copiesIn(population, site, depth) + 2 * carriersBelowThreshold;
  return { carriers, homozygotes, alleleCount, alleleNumber, carriersBelowThreshold, carriersUnknown: 0 };
}

/** Carriers by the numbers of their registered samples, and what is known of each of these. */
export interface NumberedCallers {
  /** By carrier: the number; -1 for one that is not in the population. */
  numbers: readonly number[];
  copies: readonly number[];
  /** By number: 1 if the coverage is known. */
  isKnown: Uint8Array;
  /** By carrier: 1 if the sample is not covered. */
  below: Uint8Array;
}

/** Alleles of carriers by number. */
export function namedAlleles(
  population: Population,
  site: Site,
  depth: Depth,
  carriers: NumberedCallers,
): AlleleNumbers {
  const found = {
    carriers: 0,
    homozygotes: 0,
    alleleCount: 0,
    alleleNumber: copiesIn(population, site, depth),
    carriersBelowThreshold: 0,
    carriersUnknown: 0,
  };
  const bySex = copiesBySex(site);
  for (const [i, number] of carriers.numbers.entries()) {
    if (number < 0) continue;
    const copies = bySex[population.sexes[number] as Sex];
    if (copies === 0) continue;
    if (copies === undefined || carriers.isKnown[number] === 0) {
      found.carriersUnknown++;
      continue;
    }
    const called = carriers.copies[i] as number;
    found.carriers++;
    if (called >= 2 && copies === 2) found.homozygotes++;
    found.alleleCount += Math.min(called, copies);
    if (carriers.below[i] === 0) continue;
    found.carriersBelowThreshold++;
    found.alleleNumber += copies;
  }
  return found;
}

/** Copies of the place in covered samples. */
function copiesIn({ groups }: Population, site: Site, { covered }: Depth): number {
  let sum = 0;
  for (let i = 0; i < groups.length; i++) {
    const { sex, weight } = groups[i] as Group;
    sum += weight * (covered[i] ?? 0) * (copiesAt(site, sex) ?? 0);
  }
  return sum;
}

/** A sample whose genotype was not called, and what is known of its coverage. */
export interface Uncalled {
  sex: Sex;
  isKnown: boolean;
  isBelow: boolean;
}

/** The denominator without samples that were not called. */
export function withoutUncalled<Counted extends Denominator>(
  counted: Counted,
  site: Site,
  uncalled: readonly Uncalled[],
): Counted {
  const left = { ...counted, alleles: counted.alleles && { ...counted.alleles } };
  for (const { sex, isKnown, isBelow } of uncalled) {
    const copies = copiesAt(site, sex);
    if (copies === 0) continue;
    left.total--;
    left.notCalled++;
    if (!isKnown) left.unknown--;
    else if (copies === undefined) left.unknownSex--;
    else if (isBelow) left.notCovered--;
    else {
      left.covered--;
      if (left.alleles) left.alleles.alleleNumber -= copies;
    }
  }
  return left;
}

/** What is unknown of all samples that could show an allele; undefined if some can be judged, or if no sample could show it. */
export function lackingOf({ total, covered, notCovered, unknown, unknownSex }: Denominator) {
  if (total === 0 || covered + notCovered > 0) return undefined;
  if (unknownSex === 0) return 'coverage';
  return unknown === 0 ? 'sex' : 'both';
}

/** AC / AN; undefined without any covered copy. */
export function frequencyOf({ alleles }: Denominator): number | undefined {
  return alleles && alleles.alleleNumber > 0 ? alleles.alleleCount / alleles.alleleNumber : undefined;
}

/**
 * The largest share of carriers that is compatible with none among the covered samples, at 95 % confidence: 1 − 0.05^(1/n).
 * Undefined if there is a carrier, or no covered sample.
 */
export function upperBoundOf({ covered, alleles }: Denominator, carriers: number): number | undefined {
  return carriers === 0 && covered > 0 && alleles ? 1 - 0.05 ** (1 / covered) : undefined;
}
