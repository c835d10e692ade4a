/** All texts of pages and PDF files in Swedish. */
import type { Texts } from './en.js';
import { swedish } from './numbers.js';
import { asking } from './sv/asking.js';
import { chromosomes } from './sv/chromosomes.js';
import { comparing } from './sv/comparing.js';
import { counted } from './sv/counted.js';
import { fhir } from './sv/fhir.js';
import { hsMetrics } from './sv/hs-metrics.js';
import { kept } from './sv/kept.js';
import { limits } from './sv/limits.js';
import { panels } from './sv/panels.js';
import { reporting } from './sv/reporting.js';
import { requirement } from './sv/requirement.js';
import { sites } from './sv/sites.js';
import { uniformity } from './sv/uniformity.js';
import { warnings } from './sv/warnings.js';

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
