/** Tenants: departments or laboratories that share a server, and what of theirs a caller may use. */
import type { Caller } from './caller.js';
import type { Policy } from './policy.js';
import type { Right } from './right.js';

/** What belongs to one tenant, as the configuration lists it. */
export interface Tenant {
  readonly name: string;
  /** Directories with its files; absolute paths. */
  readonly roots: readonly string[];
  /** Beginnings of the URLs of its files; each ends with a slash. */
  readonly urls: readonly string[];
  /** Ids of its datasets. */
  readonly datasets: readonly string[];
}

/** Everything on the server, also what belongs to no tenant; or only what belongs to these tenants. */
export type Reach = 'everything' | readonly Tenant[];

/** For rights that can be limited to one tenant: `of: ofTenant`. */
export const ofTenant = { noun: 'tenant', id: ({ name }: Pick<Tenant, 'name'>): string => name };

export interface Tenants {
  readonly all: readonly Tenant[];
  /** What the caller reaches by the right; an empty list if the caller does not have it for any tenant. */
  reachOf(caller: Caller, right: Right<Tenant>): Promise<Reach>;
}

export function createTenants(all: readonly Tenant[], policy: Pick<Policy, 'may' | 'among'>): Tenants {
  return {
    all,
    async reachOf(caller, right) {
      return (await policy.may(caller, right)) ? 'everything' : policy.among(caller, right, all);
    },
  };
}
