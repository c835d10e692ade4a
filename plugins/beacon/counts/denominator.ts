/**
 * Out of how many samples an allele was seen, judged by the depth of each sample at the allele; why it is unknown; and both in
 * words.
 */
import type { UnknownCoverage } from '../../services/coverage.js';
import type { Observation, ObservedQuestion } from '../contract.js';
import type { Sex } from '../domain/sample.js';
import { copiesAt, copiesBySex, type Locus, type Population, type PopulationGroup } from './population.js';

/** Reads from which on a base counts as covered, unless the dataset or the caller says otherwise. */
export const defaultThreshold = 10;

/**
 * Samples in which alleles of this kind were searched for, and of whose sex a person has the place: women do not count on Y,
 * and neither sex in its pseudo-autosomal regions.
 */
export interface Denominator {
  /** Reads from which on a base counts as covered. */
  threshold: number;
  /** `covered`, `notCovered`, `unknown` and `unknownSex` together. */
  total: number;
  /** Samples with at least `threshold` reads at every base of the place. */
  covered: number;
  notCovered: number;
  /** Samples whose coverage is unknown. */
  unknown: number;
  /** Samples of unknown sex where the number of copies depends on it; 0 elsewhere. */
  unknownSex: number;
  /** Others that could show it, whose genotype was not called there; of some of them none of such alleles was. */
  notCalled: number;
  /** Undefined for structural variants: depth at two places does not show whether one would have been called. */
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
export interface PopulationDepth {
  threshold: number;
  /** Covered registered samples of each group. */
  covered: readonly number[];
  /** Registered samples whose coverage is unknown, by group. */
  unknown: readonly number[];
}

/** Carriers of an allele as an observation counts them, of any sample. */
interface CarrierTotals {
  carriers: number;
  homozygotes: number;
  alleleCount: number;
}

/** The denominator without its alleles. */
export function denominatorOfCovered(
  population: Population,
  site: Locus,
  { threshold, covered, unknown }: PopulationDepth,
): Denominator {
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
    const { sex, weight, ids } = groups[i] as PopulationGroup;
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
export function needsNames({ contig }: Locus, { total, covered, notCovered, unknown }: Denominator, carriers: number) {
  if (carriers === 0 || total === 0) return false;
  // An observation counts copies by the sexes that the dataset states alone.
  if (contig === 'X' || contig === 'Y') return true;
  return covered + notCovered > 0 && notCovered + unknown > 0;
}

/** Alleles of a place at which `needsNames` is false. */
export function summedAlleles(
  population: Population,
  site: Locus,
  depth: PopulationDepth,
  { total, covered, notCovered }: Denominator,
  counted: CarrierTotals,
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
  site: Locus,
  depth: PopulationDepth,
  { carriers, homozygotes, alleleCount }: CarrierTotals,
  carriersBelowThreshold: number,
): AlleleNumbers {
  const alleleNumber = copiesIn(population, site, depth) + 2 * carriersBelowThreshold;
  return { carriers, homozygotes, alleleCount, alleleNumber, carriersBelowThreshold, carriersUnknown: 0 };
}

/** Carriers by the numbers of their registered samples, and what is known of each of these. */
interface NumberedCallers {
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
  site: Locus,
  depth: PopulationDepth,
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
function copiesIn({ groups }: Population, site: Locus, { covered }: PopulationDepth): number {
  let sum = 0;
  for (let i = 0; i < groups.length; i++) {
    const { sex, weight } = groups[i] as PopulationGroup;
    sum += weight * (covered[i] ?? 0) * (copiesAt(site, sex) ?? 0);
  }
  return sum;
}

/** A sample whose genotype was not called, and what is known of its coverage. */
interface UncalledSample {
  sex: Sex;
  isKnown: boolean;
  isBelow: boolean;
}

/** The denominator without samples that were not called. */
export function withoutUncalled<Counted extends Denominator>(
  counted: Counted,
  site: Locus,
  uncalled: readonly UncalledSample[],
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
export function lackingFacts({ total, covered, notCovered, unknown, unknownSex }: Denominator) {
  if (total === 0 || covered + notCovered > 0) return undefined;
  if (unknownSex === 0) return 'coverage';
  return unknown === 0 ? 'sex' : 'both';
}

/** AC / AN; undefined without any covered copy. */
export function frequencyOfAlleles({ alleles }: Denominator): number | undefined {
  return alleles && alleles.alleleNumber > 0 ? alleles.alleleCount / alleles.alleleNumber : undefined;
}

/**
 * The largest share of carriers that is compatible with none among the covered samples, at 95 % confidence: 1 − 0.05^(1/n).
 * Undefined if there is a carrier, or no covered sample.
 */
export function upperBoundOf({ covered, alleles }: Denominator, carriers: number): number | undefined {
  return carriers === 0 && covered > 0 && alleles ? 1 - 0.05 ** (1 / covered) : undefined;
}

// What is counted of one allele or structural variant of a dataset.

/** Why the coverage of samples is unknown: no service knows it, the service does not answer, or the reason that the service gives. */
export const unknownReasons = [
  'no-service',
  'unavailable',
  'unregistered',
  'unchecked',
  'unusable',
  'other-build',
  'other-threshold',
] as const satisfies readonly (UnknownCoverage | 'no-service' | 'unavailable')[];
export type UnknownCoverageReason = (typeof unknownReasons)[number] | UnknownCoverage;

export interface DatasetDenominator extends Denominator {
  /** Why the coverage of samples of the dataset is unknown, each reason once; empty if that of all counted samples is known. */
  reasons: readonly UnknownCoverageReason[];
}

/** The samples that were searched for alleles of each type. */
export type SearchedPopulations = Readonly<Record<ObservedQuestion['type'], Population>>;

/** An observation whose carriers may be named. */
export type CarrierObservation = Pick<Observation, 'carriers' | 'homozygotes' | 'alleleCount' | 'notCalled' | 'named'>;

const noReasons: readonly UnknownCoverageReason[] = [];

/** One object for each of millions of alleles, without further copies. */
export function datasetDenominator(
  { threshold, total, covered, notCovered, unknown, unknownSex, notCalled }: Denominator,
  alleles: AlleleNumbers | undefined,
  reasons: readonly UnknownCoverageReason[],
): DatasetDenominator {
  const known = unknown > 0 ? reasons : noReasons;
  return { threshold, total, covered, notCovered, unknown, unknownSex, notCalled, alleles, reasons: known };
}

// Denominators in words.

/** What depth does not know, which is printed wherever it is counted with. */
export const depthLimits =
  'A sample counts as covered if it has enough reads at every base of the place. Depth does not know genotype quality, ' +
  'mapping quality beyond the filter of the depth file, allele balance, or what the caller cannot see, so allele numbers ' +
  'are mostly as high as or higher than those of gVCF files; in duplicated genes they can be wrong.';

/** Writes numbers in a language. The formatter is made for the first of them: it costs a start some milliseconds. */
export function numberWriter(language: string, options?: Intl.NumberFormatOptions): (value: number) => string {
  let format: Intl.NumberFormat | undefined;
  return (value) => {
    format ??= new Intl.NumberFormat(language, options);
    return format.format(value);
  };
}

/** `1,234`. */
export const grouped = numberWriter('en');

const lacking = { coverage: 'Coverage', sex: 'Sex', both: 'Coverage or sex' } as const;

/** `3 carriers among 412 covered (of 430; 18 not covered at ≥ 10x)`; of a structural variant only how many are covered. */
export function denominatorWords(denominator: Denominator, carriers: number): string {
  const { total, covered, notCovered, unknown, unknownSex, notCalled, threshold, alleles } = denominator;
  const missed = notCalled > 0 ? [`${grouped(notCalled)} not called`] : [];
  if (total === 0) {
    // Calls in the masked pseudo-autosomal regions of Y, or on Y in women.
    if (carriers === 0 && notCalled > 0) return `No sample of the dataset was called there (${missed.join()})`;
    if (carriers === 0) return 'No sample of the dataset could show it';
    return `No sample of the dataset is expected to show it; ${notCounted(carriers)}`;
  }
  const lacks = lackingFacts(denominator);
  if (lacks) return `${lacking[lacks]} unknown (${[samples(total), ...missed].join('; ')})`;
  const below = alleles?.carriersBelowThreshold ?? 0;
  const parts = [
    `${grouped(notCovered)} not covered at ≥ ${threshold}x`,
    ...(unknown > 0 ? [`${grouped(unknown)} of unknown coverage`] : []),
    ...(unknownSex > 0 ? [`${grouped(unknownSex)} of unknown sex`] : []),
    ...missed,
  ];
  const of = `(of ${grouped(total)}; ${parts.join(', ')})`;
  if (!alleles) return `${samples(covered)} covered at both ends ${of}`;
  const all = `${grouped(alleles.carriers)} ${alleles.carriers === 1 ? 'carrier' : 'carriers'}`;
  const seen = below === 0 ? all : `${all}, ${grouped(alleles.carriers - below)} of them`;
  const bound = upperBoundOf(denominator, carriers);
  const most = bound === undefined ? '' : `; at most ${percent(bound)} carry it (95 % confidence)`;
  // Without these, `0 carriers` would read as if the allele had never been seen.
  const others = alleles.carriersUnknown === 0 ? '' : `; ${notCounted(alleles.carriersUnknown, unknownKind)}`;
  return `${seen} among ${grouped(covered)} covered ${of}${most}${others}`;
}

const unknownKind = ' of unknown coverage or sex';

/** `1 carrier is not counted here`, `2 carriers of unknown coverage or sex are not counted here`. */
function notCounted(carriers: number, kind = ''): string {
  const [noun, verb] = carriers === 1 ? ['carrier', 'is'] : ['carriers', 'are'];
  return `${grouped(carriers)} ${noun}${kind} ${verb} not counted here`;
}

function samples(count: number): string {
  return `${grouped(count)} ${count === 1 ? 'sample' : 'samples'}`;
}

/** A share in percent, to so many significant digits: one of thousands is not 0 %, and all but one of thousands not 100 %. */
export function percent(share: number, digits = 2, write: (value: number) => string = String): string {
  const rounded = Number((100 * share).toPrecision(digits));
  return share < 1 && rounded >= 100 ? `> ${write(100 - 10 ** (2 - digits))} %` : `${write(rounded)} %`;
}
