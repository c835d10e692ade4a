/** All texts of pages and PDF files in English. To add a language, add a file like this one, a folder like `en/`, and a line in texts.ts. */
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
