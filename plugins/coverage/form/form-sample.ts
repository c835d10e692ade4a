/** One sample of a form, parsed and checked. */
import type { Sex } from '../domain/sex.js';

export interface FormSample {
  name: string;
  /** Its D4 file, as named in the form and not yet checked. */
  path: string;
  caseName?: string;
  /** Date of the analysis, `2023-04-23`. */
  analysed?: string;
  /** As declared. */
  sex?: Sex;
}
