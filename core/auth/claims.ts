/**
 * From the claims of a verified token to what its holder may do. The rules are the operator's (`auth.roles`, `auth.tenants`): a
 * claim picks from what they define. Groups may be written as URNs (AARC-G002, AARC-G069).
 */
import { type Grant, type IdentifiedSubject, type Right, type RightPart, subjectWith } from '../policy/policy.js';
import { type Tenant, thingsOfTenant } from '../policy/tenants.js';
import {
  type AuthSettings,
  type ClaimPath,
  type ClaimRule,
  parseClaimPath,
  type RoleSettings,
  type TenantSettings,
  textsAt,
} from './settings.js';

// The rules are the operator's (`auth.roles`, `auth.tenants`): a claim picks from what the configuration lists, and never
// becomes part of a path, an id or a scope.

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
export type SubjectOf = (claims: Claims & { readonly sub?: unknown }, issuer: string) => IdentifiedSubject;

export function subjectsWith(rightsOf: GrantsFromClaims): SubjectOf {
  return (claims, issuer) => {
    const { tenants, grants } = rightsOf(claims, issuer);
    const owner = typeof claims.sub === 'string' ? claims.sub : '';
    return subjectWith({ owner, issuer, tenants }, grants);
  };
}

/** The parts of each role: those of a lesser one and more. */
const partsOfRole: Readonly<Record<RoleSettings['role'], readonly RightPart[]>> = {
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

function ofParts(rights: readonly Right[], parts: readonly RightPart[]): Right[] {
  return rights.filter(({ part }) => part !== undefined && parts.includes(part));
}

function onWholeServer(rights: readonly Right[], parts: readonly RightPart[], because: string): Grant[] {
  return ofParts(rights, parts).map(({ scope }) => ({ scope, because }));
}

/** Only rights that can be limited to a thing of the tenant's, or to the tenant itself: never for all things. */
function withinTenant(
  rights: readonly Right[],
  parts: readonly RightPart[],
  name: string,
  tenant: TenantSettings,
): Grant[] {
  return ofParts(rights, parts).flatMap(({ scope, of }) => {
    const own = of === undefined ? [] : thingsOfTenant({ name, ...tenant }, of.noun);
    return own.map((id) => ({ scope: `${scope}:${id}`, because: `tenant ${name}`, tenant: name }));
  });
}

// Groups of research infrastructures as URNs (AARC-G002, AARC-G069):
// `urn:<id>:<namespace>[:…]:group:<group>[:<subgroup>…][:role=<role>]#<authority>`.

interface GroupUrn {
  /** Lower case as far as it is not case-sensitive. */
  namespace: string;
  /** The group and its subgroups. */
  groups: readonly string[];
  role: string | undefined;
  authority: string | undefined;
}

/**
 * Whether a held group satisfies the required one: it is that group or one below it, of the same namespace and authority.
 * A required role must be held in exactly the required group. Texts that are not such URNs satisfy nothing.
 */
export function satisfiesGroup(held: string, required: string): boolean {
  const [has, needs] = [parse(held), parse(required)];
  if (has === undefined || needs === undefined) return false;
  if (has.namespace !== needs.namespace || has.authority !== needs.authority) return false;
  if (!needs.groups.every((name, i) => has.groups[i] === name)) return false;
  return needs.role === undefined || (has.role === needs.role && has.groups.length === needs.groups.length);
}

function parse(text: string): GroupUrn | undefined {
  const [name = '', authority, ...more] = text.split('#');
  const [scheme = '', id = '', delegated = '', ...rest] = name.split(':');
  const at = rest.indexOf('group');
  if (scheme.toLowerCase() !== 'urn' || at < 0 || more.length > 0 || authority === '') return undefined;
  const subspaces = rest.slice(0, at);
  const groups = rest.slice(at + 1).map(normalized);
  const role = groups.at(-1)?.startsWith('role=') ? groups.pop()?.slice('role='.length) : undefined;
  const parts = [id, delegated, ...subspaces, ...groups];
  if (groups.length === 0 || role === '' || parts.includes('') || groups.some((one) => one.startsWith('role='))) {
    return undefined;
  }
  const space = [id.toLowerCase(), delegated.toLowerCase(), ...subspaces];
  return { namespace: space.map(normalized).join(':'), groups, role, authority };
}

/** Percent-encoded characters may be written in either case. */
function normalized(text: string): string {
  return text.replace(/%[0-9a-f]{2}/gi, (code) => code.toUpperCase());
}

// The tenants of the configuration.

/** By name, as the configuration orders them. */
export function tenantsIn(auth: Pick<AuthSettings, 'tenants'> | undefined): Tenant[] {
  return Object.entries(auth?.tenants ?? {}).map(([name, { members: _, ...things }]) => ({ name, ...things }));
}
