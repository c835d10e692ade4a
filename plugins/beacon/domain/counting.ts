/** Checks the counting rules of a dataset, as its operator writes them. */
import { Fault } from '../../../core/plugin.js';
import type { CountingRules } from '../contract.js';
import { defaultWindow } from './similar.js';

/** The smallest GQ of a new dataset of observations. */
const defaultQuality = 20;

const mostQuality = 1000;
const mostWindow = 1_000_000;
const mostThreshold = 10_000;

/** Omitted fields keep their values, or have the default. */
export interface CountingWords {
  /** Whether the dataset is a record of local observations; other fields need it. */
  observations?: boolean | undefined;
  /** A whole number, or `none`. */
  gq?: string | undefined;
  pass?: boolean | undefined;
  /** A whole number of bases. */
  window?: string | undefined;
  /** A whole number of reads from 1 on. */
  threshold?: string | undefined;
}

/**
 * The rules that the words give a dataset with the rules `before`; undefined for a dataset that is no record of
 * observations. Throws an `unprocessable` fault if a field is not valid.
 */
export function countingRules(
  { observations, gq, pass, window, threshold }: CountingWords,
  before?: CountingRules,
): CountingRules | undefined {
  const rules = observations === false ? undefined : before;
  if (!rules && !observations) {
    const extra = Object.entries({ gq, pass, window, threshold }).find(
      ([, value]) => value !== undefined && value !== false,
    );
    if (extra)
      throw new Fault('unprocessable', `'${extra[0]}' is a rule of datasets of observations: set 'observations'`);
    return undefined;
  }
  const covered = threshold === undefined ? rules?.threshold : thresholdOf(threshold);
  const minimum = gq === undefined ? (rules ? rules.quality : defaultQuality) : qualityOf(gq);
  return {
    ...(minimum !== undefined && { quality: minimum }),
    passOnly: pass ?? rules?.passOnly ?? false,
    window: window === undefined ? (rules?.window ?? defaultWindow) : wholeNumber('window', window, mostWindow),
    ...(covered !== undefined && { threshold: covered }),
  };
}

/** Undefined for `none`. */
function qualityOf(text: string): number | undefined {
  if (/^none$/i.test(text)) return undefined;
  return wholeNumber('gq', text, mostQuality, " or 'none'");
}

/** Reads from which on a base counts as covered, as text. */
export function thresholdOf(text: string): number {
  const reads = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (reads >= 1 && reads <= mostThreshold) return reads;
  throw new Fault(
    'unprocessable',
    `'threshold' must be a whole number of reads from 1 to ${mostThreshold}; got "${text.slice(0, 20)}"`,
  );
}

/** A minimum GQ for one load, as text. */
export function loadQuality(text: string): number {
  return wholeNumber('gq', text, mostQuality);
}

function wholeNumber(field: string, text: string, most: number, other = ''): number {
  if (/^\d{1,9}$/.test(text) && Number(text) <= most) return Number(text);
  throw new Fault(
    'unprocessable',
    `'${field}' must be a whole number from 0 to ${most}${other}; got "${text.slice(0, 20)}"`,
  );
}

/** `GQ ≥ 20, PASS, window 2000, covered at ≥ 15x`. */
export function countingText({ quality, passOnly, window, threshold }: CountingRules): string {
  const minimum = quality === undefined ? 'any GQ' : `GQ ≥ ${quality}`;
  const covered = threshold === undefined ? [] : [`covered at ≥ ${threshold}x`];
  return [minimum, ...(passOnly ? ['PASS'] : []), `window ${window}`, ...covered].join(', ');
}
