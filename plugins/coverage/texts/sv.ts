/** All texts of pages and PDF files in Swedish. */
import type { Texts } from './en.js';
import { swedish } from './numbers.js';
import { asking, kept, panels } from './sv/asking.js';
import { chromosomes, comparing, hsMetrics, sites, uniformity, warnings } from './sv/figures.js';
import { counted, fhir, limits, reporting, requirement } from './sv/reporting.js';

const { number, decimal, precise, measuredDepth } = swedish;

export const sv: Texts = {
  language: 'sv',
  languageName: 'Svenska',
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
