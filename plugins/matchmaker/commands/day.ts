/** Parses days that operators type. */
import { Fault } from '../../../core/plugin.js';

/** The first moment of the day, in UTC. Throws `invalid` if the text is not a day. */
export function dayOf(text: string): Date {
  const day = new Date(`${text}T00:00:00Z`);
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || Number.isNaN(day.getTime()) || !day.toISOString().startsWith(text)) {
    throw new Fault('invalid', `"${text}" is not a date such as 2030-01-31`);
  }
  return day;
}
