/** A sample of a report: as requested, and as measured. */
import type { Fault } from '../../../core/plugin.js';
import type { Location } from './location.js';
import type { SampleDepths } from './measure.js';
import type { Sex, SexFound } from './sex.js';

/** What is known of a registered sample that a request names. */
export interface Registration {
  id: string;
  revision: string;
  /** Of the file that was checked; omitted if the file that is stated now was never checked. */
  fingerprint?: string;
  /** Whether the registration and the beacon state different sexes. */
  isContradicted: boolean;
}

/** A sample as requested. */
export interface AskedSample {
  name: string;
  /** The path or URL of its D4 file as requested, not checked yet. */
  path: string;
  /** The track of the file; the first one if omitted. */
  track?: string | undefined;
  /** As declared. */
  sex?: Sex | undefined;
  /** If the request names a registered sample. */
  registration?: Registration | undefined;
}

export interface Examined {
  asked: AskedSample;
  location: Location;
  depths: SampleDepths;
  /** If the question needs it; see `ExamineQuestion.sexes`. */
  sex?: SexFound;
  /** Genes whose copies on Y have depth: see `ExamineQuestion.copies`. */
  sharedReads: readonly string[];
}

/** A sample that could not be measured. */
export interface NotIncluded {
  asked: AskedSample;
  /** The last part of its path, without query. */
  fileName: string;
  fault: Fault;
}
