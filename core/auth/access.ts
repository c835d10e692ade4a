/**
 * API tokens and the access to routes by them, in the `X-Auth-Token` header, or by another credential of the caller. Only
 * hashes of tokens are stored, so that a token can be shown only when it is issued; requests that arrive at the same time share
 * one look-up.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { CommandAudit, RunTransaction } from '../audit/audit.js';
import type { TokenRequest } from '../commands.js';
import { Fault } from '../fault.js';
import { gather } from '../gather.js';
import {
  type Access,
  type CallerSource,
  type CallerSources,
  type CredentialHead,
  identify as identifier,
  type Policy,
  type Principal,
  type Right,
  type TokenHolder,
  tokenHolder,
} from '../policy/policy.js';
import type { StorageLog } from '../storage.js';
import { type ApiToken, type TokenRepository, tokens } from './contract.js';

export const tokenChallenge = 'X-Auth-Token realm="trefoil"';

export const invalidToken = 'The API token is not valid: unknown, expired or revoked';

export const tokenScheme: Access['scheme'] = {
  name: 'apiToken',
  definition: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Auth-Token',
    description: 'An API token, issued with `trefoil token add`.',
  },
};

interface TokenAccessOptions {
  repository: TokenRepository;
  policy: Policy;
  /** Credentials besides API tokens; none if omitted. */
  callers?: CallerSources;
  log: StorageLog;
  now(): Date;
}

export interface TokenAccesses {
  /**
   * Access for callers with the right: for everything or, if the right can be limited to one thing, for at least one
   * (the handler then asks the policy about the thing in the request). Without `right`, any valid credential is enough.
   * `also` is a further right that is enough. Throws `unauthenticated` if the header is missing or its token is unknown, expired or revoked (one message for all
   * three, so that guessing reveals nothing), and `forbidden` without the right.
   */
  access(right?: Right, also?: Right): Access;
  /** The holder of the token; undefined if it is unknown, expired or revoked. */
  holderOf(token: string): Promise<TokenHolder | undefined>;
  /** The caller by a credential other than an API token. */
  identify: CallerSource;
  /** Whether the caller by a session is known only once the posted form was read. */
  waitsForForm(head: CredentialHead): boolean;
  /** Throws `forbidden` unless the caller has the right, or the other one, for everything or for at least one thing. */
  mustHave(caller: Principal, right: Right, also?: Right): Promise<void>;
}

/** Makes accesses that share one record of when tokens were last used. */
export function tokenAccesses({ repository, policy, callers = {}, log, now }: TokenAccessOptions): TokenAccesses {
  const identify = identifier(callers);
  const waitsForForm = (head: CredentialHead) => callers.waitsForForm?.(head) === true;
  const note = usageNotes(repository, log);
  const findByHash = sharedLookup((hash) => repository.findByHash(hash));

  async function holderOf(sent: string): Promise<TokenHolder | undefined> {
    const time = now();
    const token = sent === '' ? undefined : await verifyToken({ findByHash }, sent, time);
    if (token === undefined) return undefined;
    note(token, time);
    return tokenHolder(token.owner, token.scopes);
  }

  async function authenticate(head: CredentialHead): Promise<Principal> {
    const sent = head.headers['x-auth-token'];
    const caller = (await identify(head)) ?? (typeof sent === 'string' ? await holderOf(sent) : undefined);
    if (caller === undefined) {
      throw new Fault(
        'unauthenticated',
        sent === undefined || sent === '' ? 'This needs an API token in the header X-Auth-Token' : invalidToken,
        { headers: { 'WWW-Authenticate': tokenChallenge } },
      );
    }
    return caller;
  }

  const has = (caller: Principal, right: Right) =>
    right.of === undefined ? policy.may(caller, right) : policy.mayAny(caller, right);

  async function mustHave(caller: Principal, right: Right, also?: Right): Promise<void> {
    if ((await has(caller, right)) || (also !== undefined && (await has(caller, also)))) return;
    const message = caller.kind === 'token' ? 'The API token lacks the scope' : 'You do not have the right';
    throw new Fault('forbidden', `${message} ${right.scope}`);
  }

  async function admitted(head: CredentialHead, right?: Right, also?: Right): Promise<Principal> {
    const caller = await authenticate(head);
    if (right !== undefined) await mustHave(caller, right, also);
    return caller;
  }

  const access: TokenAccesses['access'] = (right, also) => ({
    scheme: tokenScheme,
    ...(right && { right }),
    check: async (head) => (waitsForForm(head) ? undefined : admitted(head, right, also)),
    checkBody: (head) => admitted(head, right, also),
  });
  return { access, holderOf, identify, waitsForForm, mustHave };
}

// Shares one look-up of a credential among requests that arrive at the same time.

/**
 * Clients send many requests with one credential, and pages too. A request never uses a look-up that began before it arrived,
 * so that a credential is refused from the moment of its revocation.
 */
export function sharedLookup<Found>(
  findByHash: (hash: string) => Promise<Found | undefined>,
): (hash: string) => Promise<Found | undefined> {
  return gather<string, Found | undefined>({
    async together(hashes) {
      const distinct = [...new Set(hashes)];
      const found = await Promise.all(distinct.map((hash) => findByHash(hash)));
      const byHash = new Map(distinct.map((hash, i) => [hash, found[i]]));
      return hashes.map((hash) => byHash.get(hash));
    },
    most: 1000,
    groups: 1,
  });
}

// API tokens: made, hashed, verified, issued and revoked. Only hashes are stored, so that a token can be shown only when it is
// issued.

/** Minimum length of a token that an operator chooses without `--allow-weak-token`. */
const minimumTokenLength = 16;
const maximumTokenLength = 512;
const touchEvery = 60_000;

interface NewToken {
  /** The secret itself: shown once and never stored. */
  token: string;
  /** Stored in its place. */
  hash: string;
}

/**
 * Returns a new token, `trf_` and 32 random bytes in base64url, or `own` for a client that has a token already. Throws an
 * `invalid` fault if `own` is too long, not printable ASCII or, unless weak tokens are allowed, too short.
 */
export function makeToken(own?: string, { allowWeak = false }: { allowWeak?: boolean } = {}): NewToken {
  const token = own ?? `trf_${randomBytes(32).toString('base64url')}`;
  if (!isTokenText(token) || (isWeakToken(token) && !allowWeak)) {
    const least = allowWeak ? 1 : minimumTokenLength;
    throw new Fault(
      'invalid',
      `A token has ${least} to ${maximumTokenLength} printable ASCII characters without blanks${
        isTokenText(token) ? '; --allow-weak-token takes a shorter one' : ''
      }`,
    );
  }
  return { token, hash: hashToken(token) };
}

/** Whether a text can be a token, weak or not. */
export function isTokenText(text: string): boolean {
  return text.length <= maximumTokenLength && /^[\x21-\x7e]+$/.test(text);
}

/** Whether a token is so short that it can be guessed. */
export function isWeakToken(token: string): boolean {
  return token.length < minimumTokenLength;
}

/** Printed by commands that accept a weak token. */
export const weakTokenWarning =
  'Warning: a token of fewer than 16 characters can be guessed; issue a new one as soon as the client can use it';

/** SHA-256 in lower-case hexadecimal. Tokens are long and random, so that a slow hash would only add load. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('hex');
}

/** Returns the stored token; undefined if it is unknown, revoked or expired. */
async function verifyToken(
  repository: Pick<TokenRepository, 'findByHash'>,
  token: string,
  now: Date,
): Promise<ApiToken | undefined> {
  const hash = hashToken(token);
  const found = await repository.findByHash(hash);
  if (found === undefined || !sameHash(found.hash, hash)) return undefined;
  if (found.revoked !== undefined) return undefined;
  if (found.expires !== undefined && found.expires <= now) return undefined;
  return found;
}

/** Compares again, in constant time: the collation of the storage may ignore case. */
function sameHash(stored: string, asked: string): boolean {
  const [a, b] = [Buffer.from(stored), Buffer.from(asked)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Records uses of tokens, at most once a minute for each, without delaying the request. */
function usageNotes(repository: TokenRepository, log: StorageLog): (token: ApiToken, now: Date) => void {
  const noted = new Map<string, number>();
  return (token, now) => {
    const last = Math.max(noted.get(token.id) ?? 0, token.lastUsed?.getTime() ?? 0);
    if (now.getTime() - last < touchEvery) return;
    noted.set(token.id, now.getTime());
    repository.touch(token.id, now).catch((error: unknown) => {
      log.warn(
        { tokenId: token.id, reason: error instanceof Error ? error.name : 'unknown' },
        'token use not recorded',
      );
    });
  };
}

// Issuing and revoking API tokens, for `trefoil token` and for the commands of plugins.

/** A token that was just issued, with the secret that is shown once. */
export type IssuedToken = Omit<ApiToken, 'hash'> & { token: string };

/** `*`, `plugin:*`, `plugin:right`, or for one thing `plugin:right:id` with an id of printable ASCII characters. */
const scopePattern = /^(\*|[a-z][a-z0-9-]*:([a-z][a-z0-9-]*(:[\x21-\x7e]{1,200})?|\*))$/;

/** Throws an `invalid` fault that explains what is wrong with the request, or a `conflict` fault if the token is known. */
export async function issueToken(
  repository: TokenRepository,
  request: TokenRequest,
  created: Date,
): Promise<IssuedToken> {
  const owner = request.owner.trim();
  if (owner === '' || owner.length > 200) throw new Fault('invalid', 'The owner must have 1 to 200 characters');
  const scopes = [...new Set(request.scopes)];
  const wrong = scopes.find((scope) => !scopePattern.test(scope));
  if (wrong !== undefined) {
    throw new Fault(
      'invalid',
      `A scope must read plugin:right or plugin:right:id, such as beacon:write or beacon:write:cardio; got "${wrong}"`,
    );
  }
  const { token, hash } = makeToken(request.token, { allowWeak: request.allowWeak ?? false });
  const { expires } = request;
  const issued = { id: randomBytes(6).toString('hex'), owner, scopes, created, ...(expires ? { expires } : {}) };
  await repository.add({ ...issued, hash });
  return { ...issued, token };
}

interface TokenOffice {
  /** Throws as `issueToken` does. */
  issue(request: TokenRequest): Promise<IssuedToken>;
  /** Returns false if there is no such token. */
  revoke(id: string): Promise<boolean>;
}

/** Issues and revokes on behalf of an operator, each recorded in the audit together with the change. */
export function tokenOffice(
  { transaction, audit }: { transaction: RunTransaction; audit: Pick<CommandAudit, 'within'> },
  now: () => Date,
): TokenOffice {
  const about = ({ id, owner }: Pick<ApiToken, 'id' | 'owner'>) => [`credential:${id}`, `token:${owner}`];
  const because = 'command line';
  return {
    issue: (request) =>
      audit.within(transaction, async (scope, record) => {
        const issued = await issueToken(scope.repository(tokens), request, now());
        const expires = issued.expires?.toISOString() ?? 'never';
        const detail = { scopes: issued.scopes.join(' '), expires };
        await record(undefined, { action: 'token.issue', about: about(issued), because, outcome: 'issued', detail });
        return issued;
      }),
    revoke: (id) =>
      audit.within(transaction, async (scope, record) => {
        const repository = scope.repository(tokens);
        const token = (await repository.list()).find((one) => one.id === id);
        if (token === undefined || !(await repository.revoke(id, now()))) return false;
        await record(undefined, { action: 'token.revoke', about: about(token), because, outcome: 'revoked' });
        return true;
      }),
  };
}
