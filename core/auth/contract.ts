/**
 * The credentials that we issue. tokens@1: API tokens. sessions@1: people who are signed in to pages. Only a hash of a token or
 * of a session's secret is stored; the token is shown once, and the browser alone has the secret.
 */
import { type Contract, defineContract } from '../contract.js';

export interface ApiToken {
  /** Public id for listing and revoking; it reveals nothing about the secret. */
  id: string;
  /** SHA-256 of the whole token, lower-case hex. */
  hash: string;
  /** The holder; also the owner of the jobs that are started with it. */
  owner: string;
  /** See core/policy: `beacon:write`, or `beacon:write:<id>` for one dataset. */
  scopes: string[];
  created: Date;
  /** The first moment at which it is no longer valid; it does not expire if omitted. */
  expires?: Date;
  lastUsed?: Date;
  revoked?: Date;
}

export interface TokenRepository {
  /** Throws a `conflict` fault if the id or the hash exists. */
  add(token: ApiToken): Promise<void>;
  /** Returns the token with this hash, also if revoked or expired (the caller decides); undefined if there is none. */
  findByHash(hash: string): Promise<ApiToken | undefined>;
  /** Returns the tokens of one owner, or all if omitted, oldest first. */
  list(owner?: string): Promise<ApiToken[]>;
  /** Returns false if there is no such token; a token that is already revoked keeps its first time. */
  revoke(id: string, now: Date): Promise<boolean>;
  /** Records a use; a time before the stored one changes nothing. */
  touch(id: string, now: Date): Promise<void>;
}

export const tokens: Contract<TokenRepository> = defineContract<TokenRepository>('tokens@1', {
  add: 'needed',
  findByHash: 'needed',
  list: 'needed',
  revoke: 'needed',
  touch: 'needed',
});

// Only a hash of a session's secret is stored; the browser alone has the secret. A session that ends is removed: nothing of
// it is kept.

/** One person in one browser. */
export interface Session {
  /** Public id for listing and ending; it reveals nothing about the secret. */
  id: string;
  /** SHA-256 of the secret, lower-case hex. */
  hash: string;
  /** The `iss` of the identity provider. */
  issuer: string;
  /** The `sub`: unique only among those of one issuer. */
  subject: string;
  /** The person's name as the provider states it, for pages and lists. */
  name?: string;
  created: Date;
  /** The last recorded use. */
  lastSeen: Date;
  /** The first moment at which it is no longer valid, however much it is used. */
  expires: Date;
  /** The claims of the provider, encrypted with a key that only the holder of the secret has. */
  sealed: string;
}

/** Whether a session has ended by itself: at its fixed end, or after `idle` milliseconds without a recorded use. */
export function hasEnded(
  { expires, lastSeen }: Pick<Session, 'expires' | 'lastSeen'>,
  idle: number,
  now: Date,
): boolean {
  return expires <= now || lastSeen.getTime() + idle <= now.getTime();
}

export interface SessionRepository {
  /** Throws a `conflict` fault if the id or the hash exists. */
  add(session: Session): Promise<void>;
  /** Returns the session with this hash, also if it expired (the caller decides); undefined if there is none. */
  findByHash(hash: string): Promise<Session | undefined>;
  /** Returns all sessions, or those of one person, oldest first: of one issuer and subject, compared by code units. */
  list(person?: { issuer: string; subject: string }): Promise<Session[]>;
  /** Records a use; a time before the stored one changes nothing. Does nothing if there is no such session. */
  touch(id: string, now: Date): Promise<void>;
  /** Removes one session. Returns false if there is none. */
  remove(id: string): Promise<boolean>;
  /** Removes all sessions of one person. Returns how many there were. */
  removeOf(person: { issuer: string; subject: string }): Promise<number>;
  /** Removes the sessions that expired at or before `now` or were last seen at or before `idleSince`. Returns how many. */
  sweep(now: Date, idleSince: Date): Promise<number>;
}

export const sessions: Contract<SessionRepository> = defineContract<SessionRepository>('sessions@1', {
  add: 'needed',
  findByHash: 'needed',
  list: 'needed',
  touch: 'needed',
  remove: 'needed',
  removeOf: 'needed',
  sweep: 'needed',
});
