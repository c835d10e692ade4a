/** What the coverage plugin's routes and pages are made with. */
import type { Access } from '../../core/plugin.js';
import type { IntervalRepository } from './contract.js';
import type { Examine } from './domain/examine.js';
import type { Measure } from './domain/measure.js';
import type { PredictSex } from './domain/sex.js';
import type { WorkQueue } from './domain/work-queue.js';
import type { CoverageSettings } from './settings.js';
import type { CoverageSources } from './sources/sources.js';

/** Form field and cookie in which the pages look for a token first. */
export const tokenField = 'access_token';

export interface CoverageServices {
  settings: CoverageSettings;
  intervals: IntervalRepository;
  sources: CoverageSources;
  measure: Measure;
  /** What requests wait in before they measure many intervals. */
  queue: WorkQueue;
  predictSex: PredictSex;
  /** Numbers with the verdict on their quality. */
  examine: Examine;
  /** The token checks; both absent where no token is needed. */
  access: {
    /** `Authorization: Bearer`, for the endpoints under /coverage. */
    header?: Access;
    /** Form field or cookie `access_token` (and those of `tokenFields`), for the pages. */
    form?: Access;
  };
}
