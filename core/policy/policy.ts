/**
 * Decides what a caller may see and do. Routes, pages and faces ask it and compare no scopes themselves. Everything is
 * denied unless the thing is open to every caller or the caller holds a scope for it.
 */
import { type Caller, heldScopes } from './caller.js';
import type { Right } from './right.js';
import { grants, grantsSome } from './scopes.js';

/** Answers are promises so that a decision may come from elsewhere, such as a site's own service, without a new interface. */
export interface Policy {
  /** Whether the caller has the right for the thing; without a thing, for everything that the right covers. */
  may<Thing>(caller: Caller, right: Right<Thing>, thing?: Thing): Promise<boolean>;
  /** Those of the things for which the caller has the right, in their order. */
  among<Kind, Thing extends Kind>(caller: Caller, right: Right<Kind>, things: readonly Thing[]): Promise<Thing[]>;
  /** Whether the caller holds the right for everything or for at least one thing, whether or not that exists. */
  mayAny(caller: Caller, right: Right): Promise<boolean>;
  /** Whether a job or record belongs to the caller. Only holders of our tokens own anything. */
  owns(caller: Caller, thing: { readonly owner: string }): Promise<boolean>;
}

export function createPolicy(): Policy {
  return {
    may: async (caller, right, thing) => has(caller, right, thing),
    among: async (caller, right, things) => things.filter((thing) => has(caller, right, thing)),
    mayAny: async (caller, { scope }) => caller.kind === 'token' && grantsSome(caller[heldScopes], scope),
    owns: async (caller, { owner }) => caller.kind === 'token' && caller.owner === owner,
  };
}

function has<Thing>(caller: Caller, right: Right<Thing>, thing: Thing | undefined): boolean {
  if (thing !== undefined && right.open?.(thing) === true) return true;
  if (caller.kind !== 'token') return false;
  const id = thing === undefined ? undefined : right.of?.id(thing);
  return grants(caller[heldScopes], id === undefined ? right.scope : `${right.scope}:${id}`);
}
