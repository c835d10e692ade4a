/** Values that every engine of the family stores alike. */
import type { Knex } from 'knex';
import { Fault, refuseUnstorableText } from '../../core/storage.js';

/**
 * JSON text, which engines store as text: if they parsed it, they would refuse or lose an escaped NUL or half a surrogate
 * pair in its strings.
 */
export function json(value: unknown): string {
  const text = JSON.stringify(value);
  if (text === undefined) throw new Fault('internal', 'A value that JSON cannot represent was to be stored');
  return text;
}

export function parseJson(value: unknown): unknown {
  return JSON.parse(value as string);
}

/**
 * Refuses values that some engine would change or lose: a NUL or half a surrogate pair in text, infinity and NaN, also
 * inside lists.
 */
export function refuseUnstorable(value: unknown): void {
  if (typeof value === 'string') {
    refuseUnstorableText(value);
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new Fault('internal', `${value} cannot be stored`);
  } else if (Array.isArray(value)) {
    for (const each of value) refuseUnstorable(each);
  }
}

/** Makes a Knex refuse to bind such values. */
export function refusingUnstorable(knex: Knex): Knex {
  const client = knex.client as { prepBindings(bindings?: readonly unknown[]): readonly unknown[] | undefined };
  const prepare = client.prepBindings.bind(client);
  client.prepBindings = (bindings) => {
    refuseUnstorable(bindings);
    return prepare(bindings);
  };
  return knex;
}
