/** Contracts name what a plugin stores: part of door 2, in its own file so that the core's contracts can use it. */
declare const repositoryType: unique symbol;

/** A token for a repository interface. The plugin that needs the interface owns it; the major version is in the id. */
export interface Contract<Repository = unknown> {
  /** `name@major`, for example `beacon@1`. Tables of SQL adapters are prefixed with the name. */
  readonly id: string;
  /** Never present at run time; ties the token to its interface. */
  readonly [repositoryType]?: Repository;
}

/** Makes a contract token. Throws a TypeError unless the id reads `name@major` (lower-case letters, digits, dashes). */
export function defineContract<Repository>(id: string): Contract<Repository> {
  if (!/^[a-z][a-z0-9-]*@[1-9][0-9]*$/.test(id)) {
    throw new TypeError(`A contract id reads name@major, such as beacon@1; got "${id}"`);
  }
  return Object.freeze({ id });
}

/** Options of a read that the caller can abort. */
export interface ReadOptions {
  /** Aborting throws the signal's reason, and the storage stops working on the read. */
  signal?: AbortSignal | undefined;
}
