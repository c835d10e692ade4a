/** Conditions of visas: what other visas of the same person must say (GA4GH Passport 1.2, `conditions`). */
import { isObject, type Members } from '../issuers/compact.js';
import type { Visa } from './visa.js';

const claims = ['value', 'source', 'by'] as const;
const mostClauses = 100;

/**
 * Whether the conditions hold: in one of the outer lists, every clause fits a visa of its own type, all its claims the same one.
 * `visas` are valid, of the same person and themselves without conditions. What is not understood does not hold.
 */
export function conditionsHold(conditions: unknown, visas: readonly Visa[]): boolean {
  if (!Array.isArray(conditions) || conditions.flat().length > mostClauses) return false;
  return conditions.some(
    (all) =>
      Array.isArray(all) && all.length > 0 && all.every((clause) => isObject(clause) && visas.some(fitting(clause))),
  );
}

function fitting(clause: Members): (visa: Visa) => boolean {
  const { type, ...wanted } = clause;
  const names = Object.keys(wanted);
  const understood = names.length > 0 && names.every((name) => (claims as readonly string[]).includes(name));
  return (visa) =>
    understood &&
    visa.type === type &&
    claims.every((name) => !Object.hasOwn(wanted, name) || fits(visa[name], wanted[name]));
}

function fits(claim: string | undefined, condition: unknown): boolean {
  if (claim === undefined || typeof condition !== 'string') return false;
  const at = condition.indexOf(':');
  const [kind, text] = [condition.slice(0, at), condition.slice(at + 1)];
  if (at < 0) return false;
  if (kind === 'const') return claim === text;
  if (kind === 'pattern') return matches(claim, text);
  return kind === 'split_pattern' && claim.split(';').some((part) => matches(part, text));
}

/**
 * Whether the whole text fits the pattern: `?` stands for one character, `*` for any number of them, and nothing escapes them.
 * Takes at most the product of both lengths, since patterns come from outside.
 */
export function matches(text: string, pattern: string): boolean {
  const [characters, wanted] = [[...text], [...pattern]];
  /** reached[i]: whether the pattern so far fits the first i characters. */
  let reached = [true, ...characters.map(() => false)];
  for (const one of wanted) {
    const next = reached.map(() => false);
    for (let i = 0; i <= characters.length; i += 1) {
      if (one === '*') next[i] = reached[i] === true || (i > 0 && next[i - 1] === true);
      else next[i] = i > 0 && reached[i - 1] === true && (one === '?' || one === characters[i - 1]);
    }
    reached = next;
  }
  return reached[characters.length] === true;
}
