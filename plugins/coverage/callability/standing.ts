/** Whether it is stored what a registered sample covers. */
import type { UnknownCoverage } from '../../services/coverage.js';
import type { Build, RegisteredSample } from '../contract.js';

/** Stored runs that can be relied upon. */
export interface Standing {
  id: string;
  revision: string;
  /** The number of thresholds of the runs, and which of them is asked about: bases of this class or a higher one are covered. */
  thresholds: number;
  least: number;
}

/** What is needed of a registered sample. */
export interface Registered extends Pick<RegisteredSample, 'id' | 'revision' | 'state' | 'build'> {
  check?: { build: Build; thresholds: readonly number[] };
}

/** Why it is unknown what the sample covers; else which runs say it. */
export function standingOf(
  sample: Registered | undefined,
  { build, threshold }: { build: Build; threshold: number },
): Standing | UnknownCoverage {
  if (sample === undefined) return 'unregistered';
  const { id, revision, state, check } = sample;
  if (sample.build !== build) return 'other-build';
  if (state === 'pending') return 'unchecked';
  if (state !== 'ready' || check === undefined) return 'unusable';
  if (check.build !== build) return 'other-build';
  const least = check.thresholds.indexOf(threshold) + 1;
  return least === 0 ? 'other-threshold' : { id, revision, thresholds: check.thresholds.length, least };
}
