/**
 * The visas of a passport (GA4GH Passport 1.2, AAI profile 1.2): each is checked, with its conditions and the linked accounts
 * of the person, and grants rights. A visa that fails is ignored; it is never an error.
 */
import type { JWTVerifyGetKey } from 'jose';
import { configured } from '../../outgoing/reach.js';
import type { Grant } from '../../policy/policy.js';
import type { StorageLog } from '../../storage.js';
import { failureRetry, guardedKeys, keyRefresh } from '../issuers/provider.js';
import type { ResearcherSettings, VisaGrantSettings, VisaIssuerSettings } from '../issuers/settings.js';
import {
  isCurrent,
  isObject,
  isPlainHeader,
  isSigned,
  type JsonMembers,
  KeysUnavailable,
  nameInClaim,
  readCompact,
  timeOfClaim,
  usualAlgorithms,
} from '../issuers/signed-tokens.js';

/** An account of a person at an issuer. */
export interface VisaIdentity {
  issuer: string;
  subject: string;
}

/** A visa that passed all checks which need no other visa. */
export interface Visa extends VisaIdentity {
  type: string;
  value: string;
  source: string;
  by?: string;
  /** Whose account it is about, if its issuer uses the names of another one. */
  about: VisaIdentity;
  /** What other visas must say for this one to count; undefined if nothing. */
  conditions?: unknown;
  /** Seconds since 1970 after which it no longer counts. */
  expires: number;
}

/** Why a visa is ignored: words for the log, without anything from the visa. */
export interface IgnoredVisa {
  ignored: string;
  /** Seconds after which it may count when it is checked again; undefined if it never will. */
  retry?: number;
}

export type VisaChecker = (token: unknown) => Promise<Visa | IgnoredVisa>;

export interface VisaCheckerOptions {
  issuers: readonly VisaIssuerSettings[];
  log: Pick<StorageLog, 'warn'>;
  now(): Date;
}

/** Seconds by which clocks may differ: for `iat`, `nbf` and `asserted`, and never for `exp`. */
const tolerance = 60;
/** Seconds within which a key set must arrive. */
const timeout = 5;
/** Characters; the specification limits URLs to these. */
const longestValue = 255;
const types: readonly string[] = ['vnd.ga4gh.visa+jwt', 'application/vnd.ga4gh.visa+jwt', 'jwt'];

/** Makes the function that checks visas, with a cache of the issuers' keys. */
export function visaChecker({ issuers, log, now }: VisaCheckerOptions): VisaChecker {
  const trusted = new Map(issuers.map((one) => [one.issuer, one]));
  const sets = new Map<string, Promise<JWTVerifyGetKey>>();

  function keysAt(address: string): Promise<JWTVerifyGetKey> {
    const known = sets.get(address) ?? guardedKeys(configured(address), timeout, log);
    sets.set(address, known);
    return known;
  }

  return async (token) => {
    const read = typeof token === 'string' ? readCompact(token) : undefined;
    if (read === undefined) return ignore('is not a signed token of the right form');
    const { header, claims } = read;
    const hasType =
      header.typ === undefined || (typeof header.typ === 'string' && types.includes(header.typ.toLowerCase()));
    if (!hasType || !isPlainHeader(header, usualAlgorithms) || nameInClaim(header.kid) === undefined) {
      return ignore('has a header that is not accepted');
    }
    const issuer = trusted.get(nameInClaim(claims.iss) ?? '');
    if (issuer === undefined) return ignore('is of an issuer that is not configured');
    // Before any request: the address of the keys must not be the visa's choice.
    const address = header.jku === undefined ? issuer.jku[0] : issuer.jku.find((one) => one === header.jku);
    if (address === undefined) return ignore('names keys that are not configured for its issuer');
    try {
      const signed = await isSigned(read, await keysAt(address), usualAlgorithms);
      // The issuer may have begun to use a new key.
      if (signed === 'unknown key') return { ignored: 'is signed with an unknown key', retry: keyRefresh };
      if (!signed) return ignore('has an invalid signature');
    } catch (error) {
      if (!(error instanceof KeysUnavailable)) throw error;
      return { ignored: 'is signed with keys that cannot be fetched', retry: failureRetry };
    }
    return statementIn(claims, issuer, now().getTime() / 1000);
  };
}

/** The visa in claims whose signature is valid. `now` in seconds since 1970. */
function statementIn(claims: JsonMembers, issuer: VisaIssuerSettings, now: number): Visa | IgnoredVisa {
  const subject = nameInClaim(claims.sub);
  const expires = timeOfClaim(claims.exp);
  if (subject === undefined || expires === undefined || expires <= now || !isCurrent(claims, now, tolerance)) {
    return ignore('has no subject, has expired or is not valid yet');
  }
  // An access token that carries a visa is deprecated, and could be one that was stolen elsewhere.
  if (typeof claims.scope === 'string' && claims.scope.split(' ').includes('openid'))
    return ignore('is an access token');
  const visa = claims.ga4gh_visa_v1;
  if (!isObject(visa)) return ignore('has no ga4gh_visa_v1');
  const { type, value, source, by, conditions } = visa;
  const asserted = timeOfClaim(visa.asserted);
  if (typeof type !== 'string' || typeof value !== 'string' || typeof source !== 'string' || asserted === undefined) {
    return ignore('lacks its type, value, source or asserted');
  }
  if (by !== undefined && typeof by !== 'string') return ignore('has a `by` that is not a text');
  if (type !== 'LinkedIdentities' && value.length > longestValue) return ignore('has a value that is too long');
  if (asserted > now + tolerance) return ignore('was asserted in the future');
  const oldest = issuer.maxAgeDays === undefined ? Number.POSITIVE_INFINITY : asserted + issuer.maxAgeDays * 86_400;
  if (now >= oldest) return ignore('was asserted too long ago');
  const sources = Object.hasOwn(issuer.sources, type) ? issuer.sources[type] : undefined;
  if (!sources?.includes(source)) return ignore('is of a type or source that its issuer may not sign for');
  return {
    issuer: issuer.issuer,
    subject,
    about: { issuer: issuer.subjectsOf ?? issuer.issuer, subject },
    type,
    value,
    source,
    ...(by === undefined ? {} : { by }),
    ...(isAbsent(conditions) ? {} : { conditions }),
    expires: Math.min(expires, oldest),
  };
}

function isAbsent(conditions: unknown): boolean {
  return conditions === undefined || (Array.isArray(conditions) && conditions.length === 0);
}

function ignore(reason: string): IgnoredVisa {
  return { ignored: reason };
}

// From the valid visas of a passport to what its holder may do.

/** The value of the visas of bona fide researchers (Passport 1.2; the paper that defines registered access). */
const bonaFide = 'https://doi.org/10.1038/s41431-018-0219-y';

export interface PassportRules {
  grants: readonly VisaGrantSettings[];
  researchers?: ResearcherSettings | undefined;
}

export interface PassportRights {
  grants: Grant[];
  /** Whether the holder is a bona fide researcher. */
  researcher: boolean;
  /** Seconds since 1970 until which this holds, that is until the first of the visas expires. */
  expires: number;
}

export const noRights: PassportRights = { grants: [], researcher: false, expires: Number.POSITIVE_INFINITY };

/** The rights of the person with this account. All visas must have passed the checks of `visaChecker`. */
export function passportRights(holder: VisaIdentity, visas: readonly Visa[], rules: PassportRules): PassportRights {
  const isHolders = accountsOfPerson(holder, visas);
  const own = visas.filter((visa) => isHolders(visa) || isHolders(visa.about));
  const plain = own.filter(({ conditions }) => conditions === undefined);
  const valid = own.filter(({ conditions }) => conditions === undefined || conditionsHold(conditions, plain));
  const grants = valid
    .filter(({ type }) => type === 'ControlledAccessGrants')
    .flatMap((visa) =>
      rules.grants
        .filter((rule) => grantFits(visa, rule))
        .flatMap(({ scopes }) => scopes.map((scope) => ({ scope, because: `visa ${visa.type} by ${visa.by}` }))),
    );
  const distinct = new Map(grants.map((grant) => [`${grant.scope} ${grant.because}`, grant]));
  return {
    grants: [...distinct.values()],
    researcher: rules.researchers !== undefined && isResearcher(valid, rules.researchers),
    expires: Math.min(...visas.map(({ expires }) => expires)),
  };
}

/** The value is compared as a whole: two committees may both have a dataset that ends in `/1000`. */
function grantFits(visa: Visa, { value, issuer, source, by }: VisaGrantSettings): boolean {
  return (
    visa.value === value &&
    (issuer === undefined || issuer === visa.issuer) &&
    (source === undefined || source === visa.source) &&
    isBy(visa, by)
  );
}

function isResearcher(visas: readonly Visa[], { status, terms }: ResearcherSettings): boolean {
  const states = (type: string, by: readonly string[]) =>
    visas.some((visa) => visa.type === type && visa.value === bonaFide && isBy(visa, by));
  return states('AcceptedTermsAndPolicies', terms) && states('ResearcherStatus', status);
}

/** A visa that does not say who decided matches no `by`. */
function isBy({ by }: Visa, accepted: readonly string[]): boolean {
  return by !== undefined && accepted.includes(by);
}

// Conditions of visas: what other visas of the same person must say (GA4GH Passport 1.2, `conditions`).

const claimNames = ['value', 'source', 'by'] as const;
const mostClauses = 100;

/**
 * Whether the conditions hold: in one of the outer lists, every clause fits a visa of its own type, all its claims the same one.
 * `visas` are valid, of the same person and themselves without conditions. What is not understood does not hold.
 */
export function conditionsHold(conditions: unknown, visas: readonly Visa[]): boolean {
  if (!Array.isArray(conditions) || conditions.flat().length > mostClauses) return false;
  return conditions.some(
    (all) =>
      Array.isArray(all) && all.length > 0 && all.every((clause) => isObject(clause) && visas.some(fitting(clause))),
  );
}

function fitting(clause: JsonMembers): (visa: Visa) => boolean {
  const { type, ...wanted } = clause;
  const names = Object.keys(wanted);
  const understood = names.length > 0 && names.every((name) => (claimNames as readonly string[]).includes(name));
  return (visa) =>
    understood &&
    visa.type === type &&
    claimNames.every((name) => !Object.hasOwn(wanted, name) || claimFits(visa[name], wanted[name]));
}

function claimFits(claim: string | undefined, condition: unknown): boolean {
  if (claim === undefined || typeof condition !== 'string') return false;
  const at = condition.indexOf(':');
  const [kind, text] = [condition.slice(0, at), condition.slice(at + 1)];
  if (at < 0) return false;
  if (kind === 'const') return claim === text;
  if (kind === 'pattern') return matches(claim, text);
  return kind === 'split_pattern' && claim.split(';').some((part) => matches(part, text));
}

/**
 * Whether the whole text fits the pattern: `?` stands for one character, `*` for any number of them, and nothing escapes them.
 * Takes at most the product of both lengths, since patterns come from outside.
 */
export function matches(text: string, pattern: string): boolean {
  const [characters, wanted] = [[...text], [...pattern]];
  /** reached[i]: whether the pattern so far fits the first i characters. */
  let reached = [true, ...characters.map(() => false)];
  for (const one of wanted) {
    const next = reached.map(() => false);
    for (let i = 0; i <= characters.length; i += 1) {
      if (one === '*') next[i] = reached[i] === true || (i > 0 && next[i - 1] === true);
      else next[i] = i > 0 && reached[i - 1] === true && (one === '?' || one === characters[i - 1]);
    }
    reached = next;
  }
  return reached[characters.length] === true;
}

// Accounts of one person, as LinkedIdentities visas state them.

/** A person with more links than this is not believed to be one. */
const mostLinks = 100;

/**
 * Returns whether an account is the person's: the one given, or linked to it by visas, in one or several steps and in either
 * direction. Visas with conditions link nothing.
 */
export function accountsOfPerson(own: VisaIdentity, visas: readonly Visa[]): (other: VisaIdentity) => boolean {
  const links = visas
    .filter(({ type, conditions }) => type === 'LinkedIdentities' && conditions === undefined)
    .map((visa) => [keyOfIdentity(visa), keyOfIdentity(visa.about), ...identitiesIn(visa.value).map(keyOfIdentity)]);
  const linked = links.flat().length <= mostLinks ? links : [];
  const known = new Set([keyOfIdentity(own)]);
  for (let before = 0; before < known.size; ) {
    before = known.size;
    for (const group of linked) if (group.some((one) => known.has(one))) for (const one of group) known.add(one);
  }
  return (other) => known.has(keyOfIdentity(other));
}

/** The accounts in `uri(sub),uri(iss);…`; none if any of them cannot be read. */
function identitiesIn(value: string): VisaIdentity[] {
  const found: VisaIdentity[] = [];
  for (const pair of value.split(';')) {
    const parts = pair.split(',').map(decoded);
    const [subject, issuer] = parts;
    if (parts.length !== 2 || !subject || !issuer) return [];
    found.push({ subject, issuer });
  }
  return found;
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

function keyOfIdentity({ issuer, subject }: VisaIdentity): string {
  return JSON.stringify([issuer, subject]);
}
