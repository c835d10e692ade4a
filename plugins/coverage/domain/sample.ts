/** A sample on its way through a report: as named in the request, and what became of it. */
import type { Fault } from '../../../core/plugin.js';
import type { Location } from './location.js';
import type { SampleDepths } from './measure.js';
import type { Sex, SexFound } from './sex.js';

/** A sample as it was asked for. */
export interface AskedSample {
  name: string;
  /** Its D4 file as named: nothing is known of it yet. */
  path: string;
  /** As declared. */
  sex?: Sex | undefined;
}

export interface Examined {
  asked: AskedSample;
  location: Location;
  depths: SampleDepths;
  /** Where the question needs it; see `ExamineQuestion.sexes`. */
  sex?: SexFound;
}

/** A sample that could not be measured. */
export interface NotIncluded {
  asked: AskedSample;
  /** The last part of its path, without query. */
  fileName: string;
  fault: Fault;
}
