/** What is counted of one allele or structural variant of a dataset. */
import type { UnknownCoverage } from '../../services/coverage.js';
import type { Observation, ObservedQuestion } from '../contract.js';
import type { AlleleNumbers, Denominator } from '../domain/denominator.js';
import type { Population } from '../domain/population.js';

/** Why the coverage of samples is unknown: no service knows it, the service does not answer, or what the service says of them. */
export const unknownReasons = [
  'no-service',
  'unavailable',
  'unregistered',
  'unchecked',
  'unusable',
  'other-build',
  'other-threshold',
] as const satisfies readonly (UnknownCoverage | 'no-service' | 'unavailable')[];
export type UnknownReason = (typeof unknownReasons)[number] | UnknownCoverage;

export interface Judged extends Denominator {
  /** Why the coverage of samples of the dataset is unknown, each reason once; empty if that of all counted samples is known. */
  reasons: readonly UnknownReason[];
}

/** The samples that were searched for alleles of each type. */
export type Populations = Readonly<Record<ObservedQuestion['type'], Population>>;

/** An observation whose carriers may be named. */
export type Judgeable = Pick<Observation, 'carriers' | 'homozygotes' | 'alleleCount' | 'notCalled' | 'named'>;

const none: readonly UnknownReason[] = [];

/** One object for each of millions of alleles, without further copies. */
export function judgedOf(
  { threshold, total, covered, notCovered, unknown, unknownSex, notCalled }: Denominator,
  alleles: AlleleNumbers | undefined,
  reasons: readonly UnknownReason[],
): Judged {
  const known = unknown > 0 ? reasons : none;
  return { threshold, total, covered, notCovered, unknown, unknownSex, notCalled, alleles, reasons: known };
}
