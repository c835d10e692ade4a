/**
 * From the claims of a verified token to what its holder may do. The rules are the operator's (`auth.roles`,
 * `auth.tenants`): a claim picks from what the configuration lists, and never becomes part of a path, an id or a scope.
 */
import { type Grant, type Subject, subjectWith } from '../policy/caller.js';
import type { Part, Right } from '../policy/right.js';
import { thingsOf } from '../policy/tenants.js';
import { satisfiesGroup } from './claims/group-urn.js';
import { type ClaimPath, parseClaimPath, textsAt } from './claims/path.js';
import type { ClaimRule, RoleSettings, TenantSettings } from './claims/settings.js';
import type { AuthSettings } from './settings.js';

export type Claims = Readonly<Record<string, unknown>>;

/** What claims grant; nothing if no rule matches them. */
export interface ClaimedRights {
  /** Names of the tenants to which the holder belongs, in the order of the configuration. */
  tenants: string[];
  grants: Grant[];
}

/** The claims must be those of a token that was verified, and `issuer` the `iss` for which it was. */
export type GrantsFromClaims = (claims: Claims, issuer: string) => ClaimedRights;

/** The person or program with these claims, and what they grant. */
export type SubjectOf = (claims: Claims & { readonly sub?: unknown }, issuer: string) => Subject;

export function subjectsWith(rightsOf: GrantsFromClaims): SubjectOf {
  return (claims, issuer) => {
    const { tenants, grants } = rightsOf(claims, issuer);
    const owner = typeof claims.sub === 'string' ? claims.sub : '';
    return subjectWith({ owner, issuer, tenants }, grants);
  };
}

/** The parts of each role: those of a lesser one and more. */
const partsOfRole: Readonly<Record<RoleSettings['role'], readonly Part[]>> = {
  read: ['read', 'report'],
  work: ['read', 'report', 'load'],
  admin: ['read', 'report', 'incidental', 'load', 'admin'],
};

/** Makes the function for these settings and for the rights of the core and the enabled plugins. */
export function grantsFromClaims(
  { roles, tenants = {} }: Pick<AuthSettings, 'roles' | 'tenants'>,
  rights: readonly Right[],
): GrantsFromClaims {
  const rules = [
    ...roles.map((rule) => ({
      matches: matcher(rule),
      tenant: undefined,
      grants: onWholeServer(rights, partsOfRole[rule.role], `role ${rule.role}`),
    })),
    ...Object.entries(tenants).flatMap(([name, tenant]) =>
      tenant.members.map((member) => ({
        matches: matcher(member),
        tenant: name,
        grants: withinTenant(rights, member.rights, name, tenant),
      })),
    ),
  ];
  return (claims, issuer) => {
    const found = rules.filter(({ matches }) => matches(claims, issuer));
    const names = found.flatMap(({ tenant }) => tenant ?? []);
    const grants = new Map(
      found.flatMap((rule) => rule.grants).map((grant) => [`${grant.scope} ${grant.because}`, grant]),
    );
    return { tenants: [...new Set(names)], grants: [...grants.values()] };
  };
}

function matcher({ claim, value, issuer: from }: ClaimRule): (claims: Claims, issuer: string) => boolean {
  const path = parseClaimPath(claim);
  if (typeof path === 'string') throw new TypeError(path);
  if (value === undefined) throw new TypeError('The group of a rule was not looked up');
  const fits = (held: string) => held === value || satisfiesGroup(held, value);
  return (claims, issuer) => (from === undefined || from === issuer) && holds(claims, path, fits);
}

function holds(claims: Claims, path: ClaimPath, fits: (held: string) => boolean): boolean {
  return textsAt(claims, path).some(fits);
}

function ofParts(rights: readonly Right[], parts: readonly Part[]): Right[] {
  return rights.filter(({ part }) => part !== undefined && parts.includes(part));
}

function onWholeServer(rights: readonly Right[], parts: readonly Part[], because: string): Grant[] {
  return ofParts(rights, parts).map(({ scope }) => ({ scope, because }));
}

/** Only rights that can be limited to a thing of the tenant's, or to the tenant itself: never for all things. */
function withinTenant(rights: readonly Right[], parts: readonly Part[], name: string, tenant: TenantSettings): Grant[] {
  return ofParts(rights, parts).flatMap(({ scope, of }) => {
    const own = of === undefined ? [] : thingsOf({ name, ...tenant }, of.noun);
    return own.map((id) => ({ scope: `${scope}:${id}`, because: `tenant ${name}`, tenant: name }));
  });
}
