/** All texts of pages and PDF files in Swedish. */

import type { Texts } from './shape.js';
import { asking } from './sv/asking.js';
import { decimal, number } from './sv/numbers.js';
import { reporting } from './sv/reporting.js';
import { warnings } from './sv/warnings.js';

export const sv: Texts = {
  language: 'sv',
  languageName: 'Svenska',
  number,
  decimal,
  /** 10 → 10×. */
  depth: (value: number) => `${number(value)}×`,
  ...asking,
  ...reporting,
  warnings,
};
