/** Whether registered samples are covered at places, for other plugins, which see these types only. */
import type { Build, Chromosome } from '../intervals/interval.js';

/** The service `coverage/callability@1`; over HTTP the question and the answer are the same as JSON. */
export interface CallabilityService {
  /**
   * For each place, how many samples of each group are covered there: those with at least `threshold` reads at every base of
   * the place. Bases beyond the end of the chromosome are covered by no sample. Faults: `invalid` (an id in two groups or twice
   * in one, a named id in no group, a malformed place, too many places or ids), `unavailable` (try again).
   */
  covered(question: CoveredQuestion, signal: AbortSignal): Promise<CoveredAnswer>;
  /**
   * The sex of each of these samples as it is registered, in their order: the declared one, else the one that the coverage file
   * shows. `contradicted` if they differ; `unknown` also for ids that are not registered. At most 100,000 ids.
   */
  sexes(samples: readonly string[], signal: AbortSignal): Promise<readonly RegisteredSex[]>;
  /**
   * For each of these samples, in their order, a text that is another one whenever what is known of its coverage and sex changes;
   * undefined as long as its coverage is unknown. Omitted by a service of another server.
   */
  standings?(samples: readonly string[]): Promise<readonly (string | undefined)[]>;
  /**
   * For many questions about the same samples, by numbers instead of ids. Throws the `invalid` faults of `covered` that are about
   * samples. Omitted by a service of another server.
   */
  numbered?(samples: QuestionedSamples): NumberedCallability;
}

/** Questions about samples that have numbers: their places in the groups, one group after the other. */
export interface NumberedCallability {
  /**
   * What `covered` answers. A change of the registered samples shows within a second. Faults: `invalid` (a malformed question),
   * `unavailable` (try again).
   */
  covered(question: NumberedQuestion, signal: AbortSignal): Promise<NumberedAnswer>;
}

/** What the coverage plugin offers on its own server. */
export interface TenantCallability extends CallabilityService {
  /** As if only the samples whose files belong to these tenants were registered. */
  ofTenants(names: readonly string[]): CallabilityService;
}

export type RegisteredSex = 'female' | 'male' | 'unknown' | 'contradicted';

export interface QuestionedSamples {
  build: Build;
  /** Reads; at least 1. */
  threshold: number;
  /** Ids of registered samples, in groups that are counted apart (by sex, for instance); at most 100,000 ids. */
  groups: readonly (readonly string[])[];
}

export interface CoveredQuestion extends QuestionedSamples {
  /** At most 10,000; fastest in the order of the genome. */
  places: readonly CoveredPlace[];
}

export interface CoveredPlace {
  chromosome: Chromosome;
  /** Zero-based, half-open, at least one base each, ascending; two for the breakpoints of a structural variant on one chromosome. */
  intervals: readonly { start: number; end: number }[];
  /** Samples of a group of whom it is asked whether each of them is covered: carriers of an allele, for instance. */
  named?: readonly string[];
}

export interface CoveredAnswer {
  /** Samples of the groups of which it is unknown everywhere, and why; in the order of the groups. */
  unknown: readonly { sample: string; reason: UnknownCoverage }[];
  /** In the order of the places. */
  places: readonly CoveredCounts[];
}

export interface CoveredCounts {
  /** For each group: covered samples. All others of the group that are not unknown are not covered. */
  covered: readonly number[];
  /** Those named that are not covered, in their order; none that is unknown. */
  below: readonly string[];
}

/** Places of one interval each, in columns: a batch may name a million samples. */
export interface NumberedQuestion {
  /** Of each place; at most 10,000; fastest in the order of the genome. */
  chromosomes: readonly Chromosome[];
  /** Zero-based, half-open, at least one base. */
  starts: Uint32Array;
  ends: Uint32Array;
  /** The numbers of the samples of whom it is asked whether each of them is covered, place by place. */
  named: Uint32Array;
  /** For each place, where those named there begin; one more than there are places. */
  namedFrom: Uint32Array;
}

export interface NumberedAnswer {
  /** By ascending number; one list for all answers that rely on one reading of the samples. */
  unknown: readonly { sample: number; reason: UnknownCoverage }[];
  /** For each place, the covered samples of each group. */
  covered: Uint32Array;
  /** For each of those named: 1 if the sample is known and not covered at the place. */
  below: Uint8Array;
}

export const unknownCoverages = ['unregistered', 'unchecked', 'unusable', 'other-build', 'other-threshold'] as const;
/**
 * - `unregistered`: no sample of this id is registered;
 * - `other-build`: its file is of another build;
 * - `unchecked`: its file, or the place that is stated for it, was not checked yet;
 * - `unusable`: its file cannot be used, or is no longer the one that was checked;
 * - `other-threshold`: it is not stored which bases are covered at this threshold.
 */
export type UnknownCoverage = (typeof unknownCoverages)[number];
