/**
 * API tokens: made, hashed, verified, issued and revoked. Only hashes are stored, so that a token can be shown only when it is
 * issued.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { CommandAudit, RunTransaction } from '../audit/audit.js';
import type { TokenRequest } from '../commands.js';
import { Fault } from '../fault.js';
import type { StorageLog } from '../storage.js';
import { type ApiToken, type TokenRepository, tokens } from './contract.js';

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
export async function verifyToken(
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
export function usageNotes(repository: TokenRepository, log: StorageLog): (token: ApiToken, now: Date) => void {
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
