/**
 * Decides what a caller may see and do. Routes, pages and faces ask it and compare no scopes themselves. Everything is
 * denied unless the thing is open to every caller or the caller holds a scope for it.
 */
import { type Caller, type Grant, grantsOf, ownerOf } from './caller.js';
import type { Right } from './right.js';
import { grants, grantsSome } from './scopes.js';

/** Answers are promises so that a decision may come from elsewhere, such as a site's own service, without a new interface. */
export interface Policy {
  /** Whether the caller has the right for the thing; without a thing, for everything that the right covers. */
  may<Thing>(caller: Caller, right: Right<Thing>, thing?: Thing): Promise<boolean>;
  /** Those of the things for which the caller has the right, in their order. */
  among<Kind, Thing extends Kind>(caller: Caller, right: Right<Kind>, things: readonly Thing[]): Promise<Thing[]>;
  /**
   * Why the caller has the right, in a few words for the audit: `open to every caller`, `API token`, `bona fide researcher`, or
   * where another grant comes from; undefined if the caller does not have it.
   */
  why<Thing>(caller: Caller, right: Right<Thing>, thing?: Thing): Promise<string | undefined>;
  /** How the caller holds the right that it uses for a thing: by that it is decided which files it may name, now and in a job. */
  holding<Thing>(caller: Caller, right: Right<Thing>, thing: Thing): Promise<Holding>;
  /** Whether the caller holds the right for everything or for at least one thing, whether or not that exists. */
  mayAny(caller: Caller, right: Right): Promise<boolean>;
  /** Whether a job or record belongs to the caller: whether its owner is `ownerOf(caller)`. */
  owns(caller: Caller, thing: { readonly owner: string }): Promise<boolean>;
}

/**
 * For what a right is held: `everything`; `thing`, this one thing, by an API token, a visa, or because it is open to the caller; or this
 * thing as a member of the tenants with these names, none if it is not held. It can be stored as JSON.
 */
export type Holding = 'everything' | 'thing' | string[];

export function createPolicy(): Policy {
  return {
    may: async (caller, right, thing) => reason(caller, right, thing) !== undefined,
    among: async (caller, right, things) => things.filter((thing) => reason(caller, right, thing) !== undefined),
    why: async (caller, right, thing) => reason(caller, right, thing),
    holding: async (caller, right, thing) => holding(caller, right, thing),
    mayAny: async (caller, { scope }) => grantsSome(scopesOf(grantsOf(caller)), scope),
    owns: async (caller, { owner }) => caller.kind !== 'anonymous' && ownerOf(caller) === owner,
  };
}

/** Why the caller has the right; undefined if not. What is open to all is no privilege of the caller, and comes first. */
function reason<Thing>(caller: Caller, right: Right<Thing>, thing: Thing | undefined): string | undefined {
  if (thing !== undefined && right.open?.(thing) === true) return 'open to every caller';
  const id = thing === undefined ? undefined : right.of?.id(thing);
  const scope = id === undefined ? right.scope : `${right.scope}:${id}`;
  const grant = grantsOf(caller).find((one) => grants([one.scope], scope));
  if (grant) return grant.because;
  const researcher = caller.kind === 'subject' && caller.researcher === true;
  if (researcher && thing !== undefined && right.openToResearchers?.(thing) === true) return 'bona fide researcher';
  return undefined;
}

function holding<Thing>(caller: Caller, right: Right<Thing>, thing: Thing): Holding {
  const held = grantsOf(caller);
  if (grants(scopesOf(held), right.scope)) return 'everything';
  const id = right.of?.id(thing);
  const own = held.filter(({ scope }) => id !== undefined && grants([scope], `${right.scope}:${id}`));
  const tenants = own.flatMap(({ tenant }) => tenant ?? []);
  if (tenants.length < own.length) return 'thing';
  if (tenants.length > 0) return tenants;
  return reason(caller, right, thing) === undefined ? [] : 'thing';
}

function scopesOf(held: readonly Grant[]): string[] {
  return held.map(({ scope }) => scope);
}
