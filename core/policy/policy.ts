/**
 * Who may see and do what: rights, as plugins declare them; the scopes of API tokens that grant them; callers, once their
 * credentials were checked, and how routes have them checked; and the policy, which routes, pages and faces ask instead of
 * comparing scopes. Everything is denied unless the thing is open to all or the caller has the right.
 */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { nearest } from '../config/suggest.js';
import { Fault } from '../fault.js';

/**
 * What people may do, in the words of the configuration: `read` what was computed over many people, `report` on single
 * samples, see `incidental` findings in them, `load` data, and `admin`, which changes what others may see.
 */
export const parts = ['read', 'report', 'incidental', 'load', 'admin'] as const;

export type RightPart = (typeof parts)[number];

/** One right. `Thing` is what it is about, such as a dataset; a right without `of` covers all or nothing. */
export interface Right<Thing = unknown> {
  /** `plugin:verb`, such as `beacon:read`. An API token with this scope has the right, for every thing. */
  readonly scope: string;
  /** What it allows, in a few words for the API description and error messages: "Query protected datasets". */
  readonly summary: string;
  /**
   * The kind of thing that the right may be limited to: an API token with the scope `beacon:read:<id>` has it for that
   * thing alone. Everything after the second colon is the id, colons included.
   */
  readonly of?: { readonly noun: string; id(thing: Thing): string };
  /**
   * The part of the rights of people and tenants to which it belongs (`auth.roles`, `auth.tenants`). If omitted, no claim
   * of an identity provider grants it: only an API token with the scope has it.
   */
  readonly part?: RightPart;
  /** Whether every caller has the right for this thing, also without credentials; no thing is open if omitted. */
  open?(thing: Thing): boolean;
  /** Whether every bona fide researcher has it (`Subject.researcher`); no thing is open to them if omitted. */
  openToResearchers?(thing: Thing): boolean;
}

/** Keeps the type of the thing. Throws a TypeError unless the scope reads `plugin:verb`. */
export function defineRight<Thing = unknown>(right: Right<Thing>): Right<Thing> {
  if (!/^[a-z][a-z0-9-]*:[a-z][a-z0-9-]*$/.test(right.scope)) {
    throw new TypeError(`The scope of a right reads plugin:verb, such as beacon:read; got "${right.scope}"`);
  }
  return Object.freeze(right);
}

/** The scopes that grant a right, for people: "`beacon:read` or `beacon:read:<dataset>`". */
export function scopesFor({ scope, of }: Right): string {
  return of === undefined ? `\`${scope}\`` : `\`${scope}\` or \`${scope}:<${of.noun}>\``;
}

// Scopes of API tokens: `*`, `plugin:*`, `plugin:verb`, or `plugin:verb:id` for one thing alone.

/**
 * Whether the scopes held grant the one required: by name, by a wider one (`beacon:write` for `beacon:write:cardio`), by
 * `plugin:*` or by `*`. Everything after the second colon is the id of one thing, colons included.
 */
export function grants(held: readonly string[], scope: string): boolean {
  const [plugin = '', verb = ''] = scope.split(':', 2);
  return held.some((one) => one === scope || one === `${plugin}:${verb}` || one === `${plugin}:*` || one === '*');
}

/** Whether the scopes held grant the one required, as a whole or for at least one thing (`beacon:write:cardio`). */
function grantsSome(held: readonly string[], scope: string): boolean {
  return grants(held, scope) || held.some((one) => one.startsWith(`${scope}:`));
}

/** The id of one thing: printable ASCII without blanks. A lone asterisk would look like a wildcard and match no id. */
const idPattern = /^(?!\*$)[\x21-\x7e]{1,200}$/;

/** Whether a text can be the id of one thing in a scope. */
export function isThingId(text: string): boolean {
  return idPattern.test(text);
}

/** Throws an `invalid` fault that names the accepted scopes, unless the scope grants one or more of these rights. */
export function checkScope(scope: string, rights: readonly Right[]): void {
  if (scope === '*') return;
  const plugins = [...new Set(rights.map((right) => right.scope.slice(0, right.scope.indexOf(':'))))];
  if (plugins.some((plugin) => scope === `${plugin}:*`)) return;
  const [, family = '', id] = /^([^:]*:[^:]*)(?::(.*))?$/s.exec(scope) ?? [];
  const right = rights.find((one) => one.scope === family);
  if (right !== undefined && id === undefined) return;
  if (right?.of !== undefined && isThingId(id ?? '')) return;
  if (right?.of !== undefined) {
    throw new Fault(
      'invalid',
      `In "${scope}" the id of the ${right.of.noun} must be 1 to 200 printable characters without blanks; ${family} is the scope for all`,
    );
  }
  if (right !== undefined) {
    throw new Fault('invalid', `${family} cannot be limited: write "${family}" instead of "${scope}"`);
  }
  const named = rights.map((one) => (one.of === undefined ? one.scope : `${one.scope}[:<${one.of.noun}>]`));
  const accepted = [...named, ...plugins.map((plugin) => `${plugin}:*`), '*'].join(', ');
  throw new Fault('invalid', `Unknown scope "${scope}"${suggestion(scope, family, rights)} Accepted: ${accepted}`);
}

function suggestion(scope: string, family: string, rights: readonly Right[]): string {
  const meant = nearest(
    family === '' ? scope : family,
    rights.map((right) => right.scope),
  );
  return meant === undefined ? '.' : `; did you mean "${meant}${scope.slice(family.length)}"?`;
}

// Who sends a request, once the credentials were checked.

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
export interface IdentifiedSubject {
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
export type Principal = TokenHolder | IdentifiedSubject;

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
export function subjectWith(
  who: Omit<IdentifiedSubject, 'kind' | typeof heldGrants>,
  grants: readonly Grant[],
): IdentifiedSubject {
  return { kind: 'subject', ...who, [heldGrants]: grants };
}

/** All that the caller holds. */
export function grantsOfCaller(caller: Caller): readonly Grant[] {
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

// Decides what a caller may see and do. Routes, pages and faces ask it and compare no scopes themselves. Everything is
// denied unless the thing is open to every caller or the caller holds a scope for it.

/** Answers are promises so that a decision may come from elsewhere, such as a site's own service, without a new interface. */
export interface Policy {
  /** Whether the caller has the right for the thing; without a thing, for everything that the right covers. */
  may<Thing>(caller: Caller, right: Right<Thing>, thing?: Thing): Promise<boolean>;
  /** Those of the things for which the caller has the right, in their order. */
  among<Kind, Thing extends Kind>(caller: Caller, right: Right<Kind>, things: readonly Thing[]): Promise<Thing[]>;
  /**
   * Why the caller has the right, in a few words for the audit: `open to every caller`, `API token`, `bona fide researcher`, or
   * where another grant comes from; undefined if the caller does not have it.
   */
  why<Thing>(caller: Caller, right: Right<Thing>, thing?: Thing): Promise<string | undefined>;
  /** How the caller holds the right that it uses for a thing: by that it is decided which files it may name, now and in a job. */
  holding<Thing>(caller: Caller, right: Right<Thing>, thing: Thing): Promise<Holding>;
  /** Whether the caller holds the right for everything or for at least one thing, whether or not that exists. */
  mayAny(caller: Caller, right: Right): Promise<boolean>;
  /** Whether a job or record belongs to the caller: whether its owner is `ownerOf(caller)`. */
  owns(caller: Caller, thing: { readonly owner: string }): Promise<boolean>;
}

/**
 * For what a right is held: `everything`; `thing`, this one thing, by an API token, a visa, or because it is open to the caller; or this
 * thing as a member of the tenants with these names, none if it is not held. It can be stored as JSON.
 */
export type Holding = 'everything' | 'thing' | string[];

export function createPolicy(): Policy {
  return {
    may: async (caller, right, thing) => reason(caller, right, thing) !== undefined,
    among: async (caller, right, things) => things.filter((thing) => reason(caller, right, thing) !== undefined),
    why: async (caller, right, thing) => reason(caller, right, thing),
    holding: async (caller, right, thing) => holding(caller, right, thing),
    mayAny: async (caller, { scope }) => grantsSome(scopesOf(grantsOfCaller(caller)), scope),
    owns: async (caller, { owner }) => caller.kind !== 'anonymous' && ownerOf(caller) === owner,
  };
}

/** Why the caller has the right; undefined if not. What is open to all is no privilege of the caller, and comes first. */
function reason<Thing>(caller: Caller, right: Right<Thing>, thing: Thing | undefined): string | undefined {
  if (thing !== undefined && right.open?.(thing) === true) return 'open to every caller';
  const id = thing === undefined ? undefined : right.of?.id(thing);
  const scope = id === undefined ? right.scope : `${right.scope}:${id}`;
  const grant = grantsOfCaller(caller).find((one) => grants([one.scope], scope));
  if (grant) return grant.because;
  const researcher = caller.kind === 'subject' && caller.researcher === true;
  if (researcher && thing !== undefined && right.openToResearchers?.(thing) === true) return 'bona fide researcher';
  return undefined;
}

function holding<Thing>(caller: Caller, right: Right<Thing>, thing: Thing): Holding {
  const held = grantsOfCaller(caller);
  if (grants(scopesOf(held), right.scope)) return 'everything';
  const id = right.of?.id(thing);
  const own = held.filter(({ scope }) => id !== undefined && grants([scope], `${right.scope}:${id}`));
  const tenants = own.flatMap(({ tenant }) => tenant ?? []);
  if (tenants.length < own.length) return 'thing';
  if (tenants.length > 0) return tenants;
  return reason(caller, right, thing) === undefined ? [] : 'thing';
}

function scopesOf(held: readonly Grant[]): string[] {
  return held.map(({ scope }) => scope);
}

// How routes identify their callers: what every access implements, and the credentials that every access accepts besides API
// tokens.

/** What is known of a request before its body is read. */
export interface RequestHead {
  method: string;
  path: string;
  /** Names in lower case. */
  headers: IncomingHttpHeaders;
  /** As sent: a repeated parameter is an array. */
  query: Readonly<Record<string, string | string[] | undefined>>;
  /** The request's id, also in the log and in the response's `X-Request-Id`. */
  id: string;
  /** The client's address; behind a proxy that the configuration does not trust, the proxy's. */
  ip: string;
  /** The CSRF token in a posted form, once that was read; see `core/auth/sessions/keeper.ts`. */
  csrf?: string;
}

/** An OpenAPI security scheme. */
export interface SecurityScheme {
  name: string;
  definition: Record<string, unknown>;
}

/** How a route identifies its caller. Throws `unauthenticated` (with WWW-Authenticate) or `forbidden` faults. */
export interface Access {
  scheme: SecurityScheme;
  /** The right that the caller must have, for the documentation. */
  right?: Right;
  /** Called before the body is read. Undefined defers to `checkBody`, or refuses the request if there is none. */
  check(head: RequestHead): Promise<Principal | undefined>;
  /** For credentials in a form: called once the body is parsed, before validation, if `check` returned undefined. */
  checkBody?(head: RequestHead, body: unknown): Promise<Principal>;
}

/** For routes that every client may call and that show more to callers with a right. The handler calls `callerOf`. */
export interface OptionalAccess {
  schemes: readonly SecurityScheme[];
  /** What a credential may add, for the documentation. */
  right: Right;
  /** Returns the caller, anonymous without a credential. Throws `unauthenticated` if a credential is not valid. */
  callerOf(head: Pick<RequestHead, 'headers' | 'method' | 'csrf'>): Promise<Caller>;
}

// Who sends a request: the credentials that every access accepts besides API tokens.

/** The part of a request that may bring a credential. */
export type CredentialHead = Pick<RequestHead, 'headers' | 'method' | 'csrf'>;

/**
 * Finds the caller by one kind of credential. Returns undefined if the request brings none of this kind. Throws an
 * `unauthenticated` fault, with a challenge, if the credential is not valid: a client must not take the answer for an
 * anonymous caller for its own.
 */
export type CallerSource = (head: CredentialHead) => Promise<Principal | undefined>;

export interface CallerSources {
  /** Tokens of identity providers in `Authorization: Bearer`. All other bearer tokens are taken for API tokens. */
  readonly bearer?: CallerSource;
  /** The session of a person who has signed in. It counts only alone, since browsers send cookies unasked. */
  readonly session?: CallerSource;
  /** Whether the caller by a session is known only once the posted form was read. */
  waitsForForm?(head: CredentialHead): boolean;
}

/**
 * Makes the function that every access asks before it looks for an API token in `Authorization`. An API token in
 * `X-Auth-Token` comes first and is the access's own business; two callers in one request are refused.
 */
export function identify({ bearer, session }: CallerSources): CallerSource {
  return async (head) => {
    const { authorization, 'x-auth-token': apiToken } = head.headers;
    if (authorization !== undefined) {
      const caller = await bearer?.(head);
      if (caller !== undefined && apiToken !== undefined) throw twoCallers();
      return caller;
    }
    return apiToken === undefined ? session?.(head) : undefined;
  };
}

function twoCallers(): Fault {
  return new Fault(
    'unauthenticated',
    'The request brings an API token in X-Auth-Token and an access token in Authorization; send one of them',
    { headers: { 'WWW-Authenticate': 'Bearer realm="trefoil", error="invalid_request"' } },
  );
}

/** The token in `Authorization: Bearer`; undefined for any other header. */
export function bearerIn({ headers }: CredentialHead): string | undefined {
  return /^Bearer +([^ ]+) *$/i.exec(headers.authorization ?? '')?.[1];
}
