/** Contracts name what a plugin stores: part of door 2, in its own file so that the core's contracts can use it. */
import { Fault } from './fault.js';

declare const repositoryType: unique symbol;

/**
 * Whether each verb of a repository is needed. One that is optional in its interface may be left out: the owner of the contract has
 * a default for it.
 */
export type Verbs<Repository> = {
  readonly [Verb in keyof Repository]-?: object extends Pick<Repository, Verb> ? 'optional' : 'needed';
};

/** A token for a repository interface. The plugin that needs the interface owns it; the major version is in the id. */
export interface Contract<Repository = unknown> {
  /** `name@major`, for example `beacon@1`. Tables of SQL adapters are prefixed with the name. */
  readonly id: string;
  /** All verbs of its repository, for `refuseLacking`; omitted if they are not checked. */
  readonly verbs?: Readonly<Record<string, 'needed' | 'optional'>>;
  /** Fills in the verbs that a binding left out: for `completed`. Throws a fault if it left out too many. */
  complete?(kept: unknown): unknown;
  /** Never present at run time; ties the token to its interface. */
  readonly [repositoryType]?: Repository;
}

/**
 * Makes a contract token. If all `verbs` of the repository are named, a storage without one of them is refused when it is opened.
 * If adapters may bring less than the repository, `complete` makes it of what they bring, whose verbs these are. Throws a
 * TypeError unless the id reads `name@major` (lower-case letters, digits, dashes) and each verb is one or the other.
 */
export function defineContract<Repository, Kept = Repository>(
  id: string,
  verbs?: Verbs<NoInfer<Kept>>,
  complete?: (kept: NoInfer<Kept>) => Repository,
): Contract<Repository> {
  if (!/^[a-z][a-z0-9-]*@[1-9][0-9]*$/.test(id)) {
    throw new TypeError(`A contract id reads name@major, such as beacon@1; got "${id}"`);
  }
  if (verbs === undefined) return Object.freeze({ id });
  for (const [verb, need] of Object.entries(verbs)) {
    if (need === 'needed' || need === 'optional') continue;
    throw new TypeError(`The verb ${verb} of ${id} is 'needed' or 'optional'; got "${need}"`);
  }
  return Object.freeze({ id, verbs, ...(complete && { complete: (kept: unknown) => complete(kept as Kept) }) });
}

/** For adapters: the repository that a contract promises, of what a binding or a store brings. */
export function completed<Repository>(contract: Contract<Repository>, kept: unknown): Repository {
  const isWhole = contract.complete === undefined || typeof kept !== 'object' || kept === null;
  return (isWhole ? kept : contract.complete?.(kept)) as Repository;
}

/**
 * For adapters, at the end of `open`: throws one `unprocessable` fault that names every verb which these contracts need and their
 * repositories lack. Only contracts with `verbs` are asked for; making a repository reads nothing.
 */
export function refuseLacking(contracts: readonly Contract[], repositoryOf: (contract: Contract) => unknown): void {
  const lacking = new Map<string, string>();
  for (const contract of contracts) {
    const { id, verbs } = contract;
    if (verbs === undefined) continue;
    const repository = Object(repositoryOf(contract)) as Readonly<Record<string, unknown>>;
    const missing = Object.keys(verbs).filter((verb) => {
      const isLeftOut = verbs[verb] === 'optional' && repository[verb] === undefined;
      return !isLeftOut && typeof repository[verb] !== 'function';
    });
    if (missing.length > 0) lacking.set(id, `${missing.join(', ')} of ${id}`);
  }
  if (lacking.size === 0) return;
  throw new Fault('unprocessable', `The storage lacks verbs of its contracts: ${[...lacking.values()].join('; ')}`);
}

/** Options of a read that the caller can abort. */
export interface ReadOptions {
  /** Aborting throws the signal's reason, and the storage stops working on the read. */
  signal?: AbortSignal | undefined;
}
