/** What callers may do with reviews, and the cases of which tenants they reach. */
import {
  defineRight,
  ofTenant,
  type PluginContext,
  type Principal,
  type Right,
  type Tenant,
} from '../../core/plugin.js';
import { type CaseKey, caseKey, type Owners } from './contract.js';

export type RightOfCases = Right<Pick<Tenant, 'name'>>;

const rightOfTenant = (right: Omit<RightOfCases, 'of'>) =>
  defineRight<Pick<Tenant, 'name'>>({ ...right, of: ofTenant });

export const readRight = rightOfTenant({
  scope: 'reviews:read',
  summary: 'See what was concluded about cases, and what has changed since then',
  part: 'report',
});

export const writeRight = rightOfTenant({
  scope: 'reviews:write',
  summary: 'State what was concluded about cases, and decide about findings',
  part: 'load',
});

export const rights: readonly Right[] = [readRight, writeRight];

/** Names of the tenants for whose cases the caller has the right; undefined for the cases of all, and of none. */
export async function ownersFor(
  { tenants, policy }: Pick<PluginContext<unknown>, 'tenants' | 'policy'>,
  caller: Principal,
  right: RightOfCases,
): Promise<Owners | undefined> {
  if (await policy.may(caller, right)) return undefined;
  return (await policy.among(caller, right, tenants?.all ?? [])).map(({ name }) => name);
}

/** The case that a caller names: one with the cases of one tenant need not name that. */
export function caseOf(owners: Owners | undefined, name: string, owner: string | undefined): CaseKey {
  return caseKey(name, owner ?? (owners?.length === 1 ? owners[0] : undefined));
}

export const hasOwner = (owners: Owners | undefined, owner: string | undefined): boolean =>
  owners === undefined || owners.includes(owner);

/** The tenant of a case, as policy and audit take it; undefined if the case belongs to none. */
export function tenantOfCase(owner: string | undefined): Pick<Tenant, 'name'> | undefined {
  return owner === undefined ? undefined : { name: owner };
}
