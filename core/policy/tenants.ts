/**
 * Tenants: departments or laboratories that share a server, what of theirs a caller may use, and which samples that a tenant
 * shares count for others, in batches that are formed once and stored.
 */
import type { Caller, Policy, Right } from './policy.js';

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
export function thingsOfTenant(
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

// Which samples that a tenant shares count for others. They count in batches that are formed once and stored: what changes between
// two answers is always a whole batch, whichever sample is added, changed or removed.

/** When samples count for others than their own tenant. */
export interface Release {
  /** Samples below which none counts. */
  readonly minimum: number;
  /** New samples that begin to count together. */
  readonly batch: number;
}

/** A sample that may count. */
export interface Candidate {
  /** Another one for a sample that is removed and added again. Without blanks. */
  readonly id: string;
  /** Another one whenever figures of the sample change. Without blanks. */
  readonly version: string;
  /**
   * Figures that are often known later than the others, if they are known. If they are not when the sample begins to count, it
   * counts without them for good. Without blanks.
   */
  readonly late?: string | undefined;
}

/** The stored members of a batch, as `memberOf` writes them. */
export type Batch = readonly string[];

export interface SettledRelease {
  /** By the ids of the samples that count: whether with their late figures. */
  readonly counting: ReadonlyMap<string, { readonly late: boolean }>;
  /** Batches to store after those that were given: `counting` relies on them. */
  readonly added: readonly Batch[];
}

/**
 * Counts those batches of which every member is as it was when the batch was formed, if they have enough samples, and forms new ones
 * of samples that were in none, in their order.
 *
 * - Without one of its members a batch does not count, and the others do not count in another one: the new figures less the old
 *   ones would be those of the removed sample. If it returns as it was, so does the batch.
 * - If a member has changed, all of them join the next batch, beside as many new samples as fill one.
 * - Nothing is formed before it counts: below the minimum no figure was shown that could be compared.
 */
export function settled(
  batches: readonly Batch[],
  oldestFirst: readonly Candidate[],
  { minimum, batch }: Release,
): SettledRelease {
  const stored = batches.map((members) => members.map(parsedMember));
  const last = new Map(stored.flatMap((members, at) => members.map(({ id }): [string, number] => [id, at])));
  const byId = new Map(oldestFirst.map((candidate) => [candidate.id, candidate]));
  const counting = new Map<string, { late: boolean }>();
  const returning = new Set<string>();
  for (const [at, members] of stored.entries()) {
    if (members.some(({ id }) => last.get(id) !== at)) continue;
    const standings = members.map((member) => standingOf(member, byId.get(member.id)));
    if (standings.every((standing) => standing === 'same')) {
      for (const { id, late } of members) counting.set(id, { late: late !== undefined });
    } else if (!standings.includes('absent')) for (const { id } of members) returning.add(id);
  }
  const fresh = oldestFirst.filter(({ id }) => !last.has(id));
  const whole = fresh.slice(0, fresh.length - (fresh.length % batch));
  const again = whole.length === 0 ? [] : oldestFirst.filter(({ id }) => returning.has(id));
  if (counting.size + whole.length + again.length < minimum) return { counting: new Map(), added: [] };
  const added: Batch[] = [];
  for (let from = 0; from < whole.length; from += batch) {
    const members = [...(from === 0 ? again : []), ...whole.slice(from, from + batch)];
    for (const { id, late } of members) counting.set(id, { late: late !== undefined });
    added.push(members.map(memberOf));
  }
  return { counting, added };
}

/** `absent` also if late figures are unknown that counted: they may come back. */
function standingOf(member: Candidate, now: Candidate | undefined): 'same' | 'changed' | 'absent' {
  if (now === undefined) return 'absent';
  if (now.version !== member.version) return 'changed';
  if (member.late === undefined || now.late === member.late) return 'same';
  return now.late === undefined ? 'absent' : 'changed';
}

function memberOf({ id, version, late }: Candidate): string {
  return late === undefined ? `${id} ${version}` : `${id} ${version} ${late}`;
}

function parsedMember(text: string): Candidate {
  const [id = '', version = '', late] = text.split(' ');
  return { id, version, late };
}
