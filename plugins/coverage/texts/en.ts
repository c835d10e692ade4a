/** Everything that pages and PDF files say, in English. A further language is a file like this one, named in texts.ts, and a folder like `en/`. */
import { asking } from './en/asking.js';
import { decimal, number } from './en/numbers.js';
import { reporting } from './en/reporting.js';
import { warnings } from './en/warnings.js';

export const en = {
  language: 'en',
  languageName: 'English',
  number,
  decimal,
  /** 10 → 10×. */
  depth: (value: number) => `${number(value)}×`,
  ...asking,
  ...reporting,
  warnings,
};
