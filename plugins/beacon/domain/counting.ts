/** Checks the counting rules of a dataset, as its operator writes them. */
import { Fault } from '../../../core/plugin.js';
import type { CountingRules } from '../contract.js';
import { defaultWindow } from './similar.js';

/** The smallest GQ of a new dataset of observations. */
export const defaultQuality = 20;

const mostQuality = 1000;
const mostWindow = 1_000_000;

/** Omitted fields keep their values, or have the default. */
export interface CountingWords {
  /** Whether the dataset is a record of local observations; other fields need it. */
  observations?: boolean | undefined;
  /** A whole number, or `none`. */
  gq?: string | undefined;
  pass?: boolean | undefined;
  /** A whole number of bases. */
  window?: string | undefined;
}

/**
 * The rules that the words give a dataset with the rules `before`; undefined for a dataset that is no record of
 * observations. Throws an `unprocessable` fault if a field is not valid.
 */
export function countingRules(
  { observations, gq, pass, window }: CountingWords,
  before?: CountingRules,
): CountingRules | undefined {
  const rules = observations === false ? undefined : before;
  if (!rules && !observations) {
    const extra = Object.entries({ gq, pass, window }).find(([, value]) => value !== undefined && value !== false);
    if (extra)
      throw new Fault('unprocessable', `'${extra[0]}' is a rule of datasets of observations: set 'observations'`);
    return undefined;
  }
  const minimum = gq === undefined ? (rules ? rules.quality : defaultQuality) : qualityOf(gq);
  return {
    ...(minimum !== undefined && { quality: minimum }),
    passOnly: pass ?? rules?.passOnly ?? false,
    window: window === undefined ? (rules?.window ?? defaultWindow) : wholeNumber('window', window, mostWindow),
  };
}

/** Undefined for `none`. */
function qualityOf(text: string): number | undefined {
  if (/^none$/i.test(text)) return undefined;
  return wholeNumber('gq', text, mostQuality, " or 'none'");
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

/** `GQ ≥ 20, PASS, window 2000`. */
export function countingText({ quality, passOnly, window }: CountingRules): string {
  return [quality === undefined ? 'any GQ' : `GQ ≥ ${quality}`, ...(passOnly ? ['PASS'] : []), `window ${window}`].join(
    ', ',
  );
}
