/** Who sends a request, once the credentials were checked. */
import { createHash } from 'node:crypto';

/** A request without credentials. */
export interface Anonymous {
  readonly kind: 'anonymous';
}

/** A scope that a caller holds, and where it comes from. */
export interface Grant {
  /** `plugin:verb`, `plugin:verb:id`, `plugin:*` or `*`. */
  readonly scope: string;
  /** For the audit: `API token`, `visa ControlledAccessGrants by dac`, `tenant cardio`. No personal data, no token. */
  readonly because: string;
  /** The tenant as whose member the caller holds it, if it is one's. */
  readonly tenant?: string;
}

/** Grants are read by the policy only: under a symbol they are not in the plugins' view of a caller, nor in logs. */
export const heldGrants = Symbol('trefoil.heldGrants');

/** The holder of an API token that we issued. */
export interface TokenHolder {
  readonly kind: 'token';
  /** The owner that the token was issued to; also the owner of jobs and data that the caller creates. */
  readonly owner: string;
  readonly [heldGrants]: readonly Grant[];
}

/**
 * A person or program that an identity provider vouches for. Words in the provider's `scope` claim grant nothing here:
 * grants come from visas and from the configuration.
 */
export interface Subject {
  readonly kind: 'subject';
  /** The `sub` claim: unique only among those of one issuer. `ownerOf` returns what jobs and records may be kept under. */
  readonly owner: string;
  /** What the provider calls a person who is signed in: to be shown beside the owner, never to identify anyone. */
  readonly name?: string;
  /** The `iss` claim; undefined where the configuration names no issuer. */
  readonly issuer?: string;
  /** Whether visas show a bona fide researcher (GA4GH Passport 1.2): terms accepted, and status confirmed. */
  readonly researcher?: boolean;
  /** Names of the configured tenants to which the caller belongs. */
  readonly tenants?: readonly string[];
  readonly [heldGrants]?: readonly Grant[];
}

/** A caller with a valid credential. */
export type Principal = TokenHolder | Subject;

export type Caller = Anonymous | Principal;

export const anonymous: Anonymous = Object.freeze({ kind: 'anonymous' });

export function tokenHolder(owner: string, scopes: readonly string[]): TokenHolder {
  return { kind: 'token', owner, [heldGrants]: scopes.map((scope) => ({ scope, because: 'API token' })) };
}

/**
 * The owner of the jobs and records that the caller makes. An identity provider, and not the operator, chooses the `sub`
 * claim: a person with the name of a token's owner does not own what that owner does.
 */
export function ownerOf(caller: Principal): string {
  return caller.kind === 'token' ? caller.owner : `person ${accountOf(caller)}`;
}

/** Someone whom an identity provider vouches for, with what visas and the configuration grant them. */
export function subjectWith(who: Omit<Subject, 'kind' | typeof heldGrants>, grants: readonly Grant[]): Subject {
  return { kind: 'subject', ...who, [heldGrants]: grants };
}

/** All that the caller holds. */
export function grantsOf(caller: Caller): readonly Grant[] {
  return caller.kind === 'anonymous' ? [] : (caller[heldGrants] ?? []);
}

/**
 * An id of the caller under which something may be stored, such as a budget: the same for all requests of one caller, one for
 * all anonymous callers, and different for all others. It does not reveal the caller's name to those who cannot guess it.
 */
export function accountOf(caller: Caller): string {
  if (caller.kind === 'anonymous') return 'anonymous';
  const issuer = caller.kind === 'subject' ? (caller.issuer ?? '') : '';
  const named = JSON.stringify([caller.kind, issuer, caller.owner]);
  return createHash('sha256').update(named, 'utf8').digest('hex');
}
