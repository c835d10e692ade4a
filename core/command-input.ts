/** What operators type: confirmations and dates. */
import { Fault } from './fault.js';

/** The part of a `Terminal` that asks. */
interface Asking {
  confirm(question: string): Promise<boolean>;
  note(line: string): void;
}

export interface Confirmation {
  /** Ends with a question mark. */
  question: string;
  /** Whether `--yes` was given: no question is asked. */
  yes: boolean | undefined;
  /** What a refusal leaves undone: `Nothing was deleted`. */
  otherwise: string;
}

/** Returns whether the operator confirms; if not, a note says that nothing was done and names `--yes`. */
export async function confirmed(terminal: Asking, { question, yes, otherwise }: Confirmation): Promise<boolean> {
  if (yes || (await terminal.confirm(question))) return true;
  terminal.note(`${otherwise}. Without a terminal, confirm with --yes.`);
  return false;
}

/** The first moment of a day such as `2030-01-31`, in UTC. Throws an `invalid` fault if there is no such day. */
export function dayOf(text: string): Date {
  const day = midnightOf(text);
  if (day === undefined) throw new Fault('invalid', `"${text}" is not a date such as 2030-01-31`);
  return day;
}

/** As `dayOf`; undefined if there is no such day. */
export function midnightOf(day: string): Date | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) return undefined;
  const midnight = new Date(`${day}T00:00:00Z`);
  // `Date` silently turns 31 February into a day of March.
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day) ? midnight : undefined;
}
