/** One sample of a form, read and checked. */
import type { Sex } from '../domain/sex.js';

export interface FormSample {
  name: string;
  /** Its D4 file as named: nothing is known of it yet. */
  path: string;
  caseName?: string;
  /** Day of the analysis, `2023-04-23`. */
  analysed?: string;
  /** As declared. */
  sex?: Sex;
}
