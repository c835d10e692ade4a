/** All texts of pages and PDF files in English. To add a language, add a file like this one, a folder like `en/`, and a line each in numbers.ts and texts.ts. */
import { asking } from './en/asking.js';
import { chromosomes } from './en/chromosomes.js';
import { comparing } from './en/comparing.js';
import { counted } from './en/counted.js';
import { fhir } from './en/fhir.js';
import { hsMetrics } from './en/hs-metrics.js';
import { kept } from './en/kept.js';
import { limits } from './en/limits.js';
import { panels } from './en/panels.js';
import { reporting } from './en/reporting.js';
import { requirement } from './en/requirement.js';
import { sites } from './en/sites.js';
import { uniformity } from './en/uniformity.js';
import { warnings } from './en/warnings.js';
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
