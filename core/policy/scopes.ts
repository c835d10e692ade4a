/** Scopes of API tokens: `*`, `plugin:*`, `plugin:verb`, or `plugin:verb:id` for one thing alone. */
import { nearest } from '../config/suggest.js';
import { Fault } from '../fault.js';
import type { Right } from './right.js';

/**
 * Whether the scopes held grant the one required: by name, by a wider one (`beacon:write` for `beacon:write:cardio`), by
 * `plugin:*` or by `*`. Everything after the second colon is the id of one thing, colons included.
 */
export function grants(held: readonly string[], scope: string): boolean {
  const [plugin = '', verb = ''] = scope.split(':', 2);
  return held.some((one) => one === scope || one === `${plugin}:${verb}` || one === `${plugin}:*` || one === '*');
}

/** Whether the scopes held grant the one required, as a whole or for at least one thing (`beacon:write:cardio`). */
export function grantsSome(held: readonly string[], scope: string): boolean {
  return grants(held, scope) || held.some((one) => one.startsWith(`${scope}:`));
}

/** The id of one thing: printable ASCII without blanks. A lone asterisk would look like a wildcard and match no id. */
const idPattern = /^(?!\*$)[\x21-\x7e]{1,200}$/;

/** Whether a text can be the id of one thing in a scope. */
export function isThingId(text: string): boolean {
  return idPattern.test(text);
}

/** Throws an `invalid` fault that names the accepted scopes, unless the scope grants one or more of these rights. */
export function checkScope(scope: string, rights: readonly Right[]): void {
  if (scope === '*') return;
  const plugins = [...new Set(rights.map((right) => right.scope.slice(0, right.scope.indexOf(':'))))];
  if (plugins.some((plugin) => scope === `${plugin}:*`)) return;
  const [, family = '', id] = /^([^:]*:[^:]*)(?::(.*))?$/s.exec(scope) ?? [];
  const right = rights.find((one) => one.scope === family);
  if (right !== undefined && id === undefined) return;
  if (right?.of !== undefined && isThingId(id ?? '')) return;
  if (right?.of !== undefined) {
    throw new Fault(
      'invalid',
      `In "${scope}" the id of the ${right.of.noun} must be 1 to 200 printable characters without blanks; ${family} is the scope for all`,
    );
  }
  if (right !== undefined) {
    throw new Fault('invalid', `${family} cannot be limited: write "${family}" instead of "${scope}"`);
  }
  const named = rights.map((one) => (one.of === undefined ? one.scope : `${one.scope}[:<${one.of.noun}>]`));
  const accepted = [...named, ...plugins.map((plugin) => `${plugin}:*`), '*'].join(', ');
  throw new Fault('invalid', `Unknown scope "${scope}"${suggestion(scope, family, rights)} Accepted: ${accepted}`);
}

function suggestion(scope: string, family: string, rights: readonly Right[]): string {
  const meant = nearest(
    family === '' ? scope : family,
    rights.map((right) => right.scope),
  );
  return meant === undefined ? '.' : `; did you mean "${meant}${scope.slice(family.length)}"?`;
}
