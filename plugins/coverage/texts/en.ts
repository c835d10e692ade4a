/** All texts of pages and PDF files in English. To add a language, add a file like this one, a folder like `en/`, and a line each in numbers.ts and texts.ts. */
import { asking, kept, panels } from './en/asking.js';
import { chromosomes, comparing, hsMetrics, sites, uniformity, warnings } from './en/figures.js';
import { counted, fhir, limits, reporting, requirement } from './en/reporting.js';
import { english } from './numbers.js';

const { number, decimal, precise, measuredDepth } = english;

export const en = {
  language: 'en',
  languageName: 'English',
  number,
  decimal,
  precise,
  measuredDepth,
  /** 10 → 10×. */
  depth: (value: number) => `${number(value)}×`,
  ...asking,
  ...reporting,
  ...comparing,
  counted,
  fhir,
  ...chromosomes,
  hsMetrics,
  limits,
  panels,
  requirement,
  sites,
  kept,
  uniformity,
  warnings,
};

/** The same keys, with texts of any language. */
type Widened<Value> = Value extends string
  ? string
  : Value extends (...parameters: infer Parameters) => string
    ? (...parameters: Parameters) => string
    : { readonly [Key in keyof Value]: Widened<Value[Key]> };
/** What every language has: the keys of English. */
export type Texts = Widened<typeof en>;
