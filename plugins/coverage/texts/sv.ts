/** Everything that pages and PDF files say, in Swedish. */
import { asking } from './sv/asking.js';
import { decimal, number } from './sv/numbers.js';
import { reporting } from './sv/reporting.js';
import { warnings } from './sv/warnings.js';
import type { Texts } from './texts.js';

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
