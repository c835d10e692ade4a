/** Tenants: departments or laboratories that share a server, and what of theirs a caller may use. */
import type { Caller } from './caller.js';
import type { Policy } from './policy.js';
import type { Release } from './release.js';
import type { Right } from './right.js';

/** What belongs to one tenant, as the configuration lists it. */
export interface Tenant {
  readonly name: string;
  /** Directories with its files; absolute paths. */
  readonly roots: readonly string[];
  /** Beginnings of the URLs of its files; each ends with a slash. */
  readonly urls: readonly string[];
  /** How the ids of its samples begin; any if undefined. */
  readonly sampleIds?: string | undefined;
  /** Ids of its datasets. */
  readonly datasets: readonly string[];
  /** Ids of the matchmaker's clients whose patients are its own. */
  readonly clients: readonly string[];
  /** Ids of its gene panels, which may be those of others, too. */
  readonly panels: readonly string[];
  /** What others may learn of these datasets; nothing of those that are not listed. */
  readonly shared: readonly Share[];
}

/** A dataset that a tenant shares: others learn of it what is computed over many samples, and nothing of single ones. */
export interface Share extends Release {
  readonly dataset: string;
  /** Names of the tenants that it is shared with; every other one if omitted. */
  readonly with?: readonly string[] | undefined;
}

/** A dataset that is shared with a caller, by a tenant to which the caller need not belong. */
export interface SharedDataset extends Share {
  readonly tenant: Tenant;
}

/** Everything on the server, also what belongs to no tenant; or only what belongs to these tenants. */
export type Reach = 'everything' | readonly Tenant[];

/** The ids of a tenant's things of a kind, by the noun of the rights that can be limited to them. */
export function thingsOf(
  { name, datasets, clients, panels }: Pick<Tenant, 'name' | 'datasets' | 'clients' | 'panels'>,
  noun: string,
): readonly string[] {
  const ids: Readonly<Record<string, readonly string[]>> = {
    tenant: [name],
    dataset: datasets,
    client: clients,
    panel: panels,
  };
  return ids[noun] ?? [];
}

/** For rights that can be limited to one tenant: `of: ofTenant`. */
export const ofTenant = { noun: 'tenant', id: ({ name }: Pick<Tenant, 'name'>): string => name };

/** Whether a sample of this id may be added: ids that begin as those of a tenant are for this tenant alone, which uses no others. */
export function mayAddSample(
  id: string,
  reach: readonly Pick<Tenant, 'sampleIds'>[],
  all: readonly Pick<Tenant, 'sampleIds'>[],
): boolean {
  const isOf = ({ sampleIds }: Pick<Tenant, 'sampleIds'>) => sampleIds !== undefined && id.startsWith(sampleIds);
  return reach.some((own) => (own.sampleIds === undefined ? !all.some(isOf) : isOf(own)));
}

export interface Tenants {
  readonly all: readonly Tenant[];
  /** What the caller reaches by the right; an empty list if the caller does not have it for any tenant. */
  reachOf(caller: Caller, right: Right<Tenant>): Promise<Reach>;
  /** What is shared with the tenants in which the caller has the right, each by another tenant. */
  sharedWith(caller: Caller, right: Right<Tenant>): Promise<readonly SharedDataset[]>;
}

export function createTenants(all: readonly Tenant[], policy: Pick<Policy, 'may' | 'among'>): Tenants {
  return {
    all,
    async reachOf(caller, right) {
      return (await policy.may(caller, right)) ? 'everything' : policy.among(caller, right, all);
    },
    async sharedWith(caller, right) {
      const own = await policy.among(caller, right, all);
      return all.flatMap((tenant) =>
        tenant.shared
          .filter((share) => own.some(({ name }) => name !== tenant.name && (share.with?.includes(name) ?? true)))
          .map((share) => ({ ...share, tenant })),
      );
    },
  };
}
