/** Who sends a request, once the credentials were checked. */

/** A request without credentials. */
export interface Anonymous {
  readonly kind: 'anonymous';
}

/** Scopes are read by the policy only: under a symbol they are not in the plugins' view of a caller, nor in logs. */
export const heldScopes = Symbol('trefoil.heldScopes');

/** The holder of an API token that we issued. */
export interface TokenHolder {
  readonly kind: 'token';
  /** The owner that the token was issued to; also the owner of jobs and data that the caller creates. */
  readonly owner: string;
  readonly [heldScopes]: readonly string[];
}

/** A person or program that an identity provider vouches for. Words in the provider's `scope` claim grant nothing here. */
export interface Subject {
  readonly kind: 'subject';
  /** The `sub` claim. */
  readonly owner: string;
}

/** A caller with a valid credential. */
export type Principal = TokenHolder | Subject;

export type Caller = Anonymous | Principal;

export const anonymous: Anonymous = Object.freeze({ kind: 'anonymous' });

export function tokenHolder(owner: string, scopes: readonly string[]): TokenHolder {
  return { kind: 'token', owner, [heldScopes]: scopes };
}
