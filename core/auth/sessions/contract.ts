/**
 * sessions@1: people who are signed in to pages. Only a hash of a session's secret is stored; the browser alone has the
 * secret. A session that ends is removed: nothing of it is kept.
 */
import { type Contract, defineContract } from '../../contract.js';

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
  /** What the provider told of the person, encrypted with a key that only the holder of the secret has. */
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
