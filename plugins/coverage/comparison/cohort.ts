/** The samples that one is compared with. */
import { createHash } from 'node:crypto';
import type { SampleSex } from '../contract.js';
import { leastForPercentiles } from './statement.js';

/** A registered sample of the build of a report. */
export interface Member {
  id: string;
  /** Changes when its file is checked anew; see `RegisteredSample`. */
  revision: string;
  assay?: string;
  run?: string;
  /** Day of the analysis, else of the registration: `2026-04-23`. */
  day: string;
  /** Declared, else predicted; unknown if statements contradict each other. */
  sex: SampleSex;
}

/**
 * - `compared`: there are samples to compare with;
 * - `no-assay`: no assay is stated for the sample, so that it is unknown what it compares with;
 * - `alone`: no other sample of its assay has values;
 * - `changed`: the file of the report is not the one that the stored values are of;
 * - `no-values`: the values of the sample itself are not stored, so that its depth cannot be compared;
 * - `too-many`: the report has too many intervals to compare all;
 * - `unavailable`: the stored values cannot be read now.
 */
const cohortStates = ['compared', 'no-assay', 'alone', 'changed', 'no-values', 'too-many', 'unavailable'] as const;
export type CohortState = (typeof cohortStates)[number];

/** The cohort of one sample of a report. */
export interface Cohort {
  state: CohortState;
  /** Of the sample itself, if it is stated. */
  assay?: string;
  /** Sorted; several only if pooling was asked for. */
  assays: readonly string[];
  isPooled: boolean;
  sex: SampleSex;
  /** Samples with values, without the sample itself. */
  n: number;
  /** Those with the same sex chromosomes, for X and Y; 0 if the sex of the sample is unknown. */
  sameSex: number;
  /** How many of both are samples that other tenants share; omitted if there are none. */
  shared?: { n: number; sameSex: number };
  /** Of the samples, so that the same cohort can be recognised; omitted if it is small enough to guess them. */
  checksum?: string;
}

/**
 * The other samples that one is compared with: those of its assay, or of all assays if asked to pool. Relatives of the sample are
 * among them. Undefined if the sample has no assay and pooling was not asked for.
 */
export function membersFor(own: Member, all: readonly Member[], isPooled: boolean): Member[] | undefined {
  if (!isPooled && own.assay === undefined) return undefined;
  return all.filter(({ id, assay }) => id !== own.id && (isPooled ? assay !== undefined : assay === own.assay));
}

/** Samples of others come in by their revisions, which are random: a checksum must not confirm guesses of ids. */
export function checksumOf(
  own: readonly Pick<Member, 'id'>[],
  shared: readonly Pick<Member, 'revision'>[] = [],
): string | undefined {
  const names = [...own.map(({ id }) => id), ...shared.map(({ revision }) => revision)];
  if (names.length < leastForPercentiles) return undefined;
  const lines = names.sort().join('\n');
  return `sha256:${createHash('sha256').update(lines).digest('hex')}`;
}
