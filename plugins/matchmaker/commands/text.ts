/** Days as operators type them, and counts as they read them. */
import { Fault } from '../../../core/plugin.js';

/** Its first moment, UTC. An `invalid` fault where the text is none. */
export function dayOf(text: string): Date {
  const day = new Date(`${text}T00:00:00Z`);
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || Number.isNaN(day.getTime()) || !day.toISOString().startsWith(text)) {
    throw new Fault('invalid', `"${text}" is no date such as 2030-01-31`);
  }
  return day;
}

/** `1 patient`, `2 patients`. */
export function many(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
