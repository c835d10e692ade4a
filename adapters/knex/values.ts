/** Values that are the same on every engine of the family. */
import { Fault } from '../../core/storage.js';

/**
 * JSON text. Engines keep it as it is: parsed by an engine, a NUL or half a surrogate pair in its strings, which are
 * escaped here, would be refused or lost.
 */
export function json(value: unknown): string {
  const text = JSON.stringify(value);
  if (text === undefined) throw new Fault('internal', 'A value that JSON cannot hold was to be stored');
  return text;
}

export function parseJson(value: unknown): unknown {
  return JSON.parse(value as string);
}

/** PostgreSQL cannot keep this character in text, so no engine does. */
export function refuseNul(text: string): void {
  if (text.includes('\0')) throw new Fault('invalid', 'Text may not contain the character U+0000');
}

/** JSON can hold neither infinity nor NaN, COPY no NaN for whole numbers: no engine stores them. */
export function refuseInfinite(value: number): void {
  if (!Number.isFinite(value)) throw new Fault('internal', `${value} cannot be stored`);
}
