/** Numbers as mosdepth prints them. */
import { D4Error } from '../d4/error.js';

const defaultPrecision = 2;
const mostPrecision = 15;

/** The decimals of means and shares: mosdepth's environment variable, or 2. Throws D4Error `invalid`. */
export function precisionOf(environment: NodeJS.ProcessEnv): number {
  const given = environment.MOSDEPTH_PRECISION;
  if (given === undefined || given === '') return defaultPrecision;
  const precision = Number(given);
  if (/^\d+$/.test(given) && precision >= 1 && precision <= mostPrecision) return precision;
  const message = `The number of decimals must be a whole number from 1 to ${mostPrecision}; got ${JSON.stringify(given)}`;
  throw new D4Error('invalid', message, 'MOSDEPTH_PRECISION');
}

/**
 * A number of 0 or more with a fixed number of decimals, rounded as C does: a number exactly between two decimals takes the
 * even one, while `toFixed` takes the larger.
 */
export function decimal(value: number, precision: number): string {
  const scaled = value * 10 ** precision;
  const nearest = Math.round(scaled);
  // Far from the middle of two decimals, whole numbers are faster than `toFixed`.
  if (nearest < 2 ** 31 && Math.abs(scaled - nearest) < 0.499) {
    const digits = String(nearest).padStart(precision + 1, '0');
    return `${digits.slice(0, -precision)}.${digits.slice(-precision)}`;
  }
  const rounded = value.toFixed(precision);
  // A number between two decimals is an odd multiple of 2^-(precision + 1): its other factors are powers of five.
  const halves = value * 2 ** (precision + 1);
  const between = Number.isInteger(halves) && halves % 2 === 1;
  if (!between || Number(rounded.at(-1)) % 2 === 0) return rounded;
  return (value - 10 ** -(precision + 1)).toFixed(precision);
}
