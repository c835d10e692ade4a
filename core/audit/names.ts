/** The names that entries are about, and which of them stand under a pseudonym. */
import { Fault } from '../fault.js';
import type { Actor } from './audit.js';

/** Kinds of data that are no person: they stand in entries as they are. */
const impersonal = new Set([
  ...['dataset', 'cohort', 'panel', 'gene', 'tenant', 'node', 'list', 'credential'],
  // Of the audit itself: a pseudonym whose name is gone, and what a verification found and an operator accepted.
  ...['forgotten', 'finding'],
]);

/** What an entry is about that says that the name behind a pseudonym was taken out of the audit. */
export function forgottenName(pseudonym: string): string {
  return `forgotten:${pseudonym}`;
}

/** The actor's name in entries: `token:Lab A`, `subject:https://issuer.example sub`, `cli:operator`, `anonymous`. */
export function actorName(actor: Actor): string {
  switch (actor.kind) {
    case 'anonymous':
      return 'anonymous';
    case 'subject':
      return `subject:${actor.issuer ?? '-'} ${actor.owner}`;
    case 'operator':
      return `cli:${actor.owner}`;
    default:
      return `${actor.kind}:${actor.owner}`;
  }
}

/** Whether a name is a person's, so that only a pseudonym may stand for it. */
export function isPersonal(name: string): boolean {
  if (name === 'anonymous') return false;
  return !impersonal.has(name.slice(0, name.indexOf(':')));
}

/** Throws an `internal` fault unless the name reads `kind:id`. */
export function checkName(name: string): void {
  if (/^[a-z]+:./s.test(name)) return;
  throw new Fault('internal', 'What an entry of the audit is about must read kind:id, such as sample:ADM1059A1');
}

/** The callers that an operator may mean by a name: it is complete, or the owner of a token, an account, or a node. */
export function callerNames(name: string): string[] {
  if (name === 'anonymous' || /^(token|subject|cli|node):/.test(name)) return [name];
  return ['token', 'cli', 'node'].map((kind) => `${kind}:${name}`);
}
