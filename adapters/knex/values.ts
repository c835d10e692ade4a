/** Values that are the same on every engine of the family. */
import { Fault } from '../../core/storage.js';

/** JSON text that every engine takes and keeps alike. */
export function json(value: unknown): string {
  const text = JSON.stringify(value);
  if (text === undefined) throw new Fault('internal', 'A value that JSON cannot hold was to be stored');
  if (text.includes('\\u0000') && /(?<!\\)(?:\\\\)*\\u0000/.test(text)) refuse();
  // Half a surrogate pair is no character: as in any other text, it becomes the replacement character.
  return text.includes('\\ud') ? text.replace(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, '$1\ufffd') : text;
}

/** Text and jsonb alike: drivers hand jsonb out parsed already, so engines say what arrives. */
export function parseJson(value: unknown): unknown {
  return typeof value === 'string' ? JSON.parse(value) : value;
}

/** PostgreSQL cannot keep this character, so no engine does. */
export function refuseNul(text: string): void {
  if (text.includes('\0')) refuse();
}

function refuse(): never {
  throw new Fault('invalid', 'Text may not contain the character U+0000');
}
