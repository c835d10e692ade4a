/** Session repositories that break one promise. */
import type { SessionRepository } from '../../../core/auth/sessions/contract.js';
import { isFault } from '../../../core/storage.js';
import { sessions } from '../core.js';
import { type Damage, toSeconds, type Wrong, wrongRepository } from './wrap.js';

const wrong = (does: string, fails: string, damage: Damage<SessionRepository>): Wrong =>
  wrongRepository(sessions, does, fails, damage);

export const wrongSessions: readonly Wrong[] = [
  wrong('keeps times of sessions to the second', 'a session is returned as it was added', () => (right) => ({
    add: (session) => right.add(toSeconds(session)),
  })),
  wrong('cuts long sealed text', 'a session is returned as it was added', () => (right) => ({
    add: (session) => right.add({ ...session, sealed: session.sealed.slice(0, 8192) }),
  })),
  wrong('returns null for a missing name', 'an absent name of a session is undefined', () => (right) => ({
    findByHash: async (hash) => {
      const session = await right.findByHash(hash);
      return session && ({ name: null, ...session } as unknown as typeof session);
    },
  })),
  wrong('finds sessions by hashes in another case', 'a session is found by its whole hash only', () => (right) => ({
    findByHash: (hash) => right.findByHash(hash.toLowerCase()),
  })),
  wrong('hides sessions that expired', 'a session that expired is still found', () => (right) => ({
    findByHash: async (hash) => {
      const session = await right.findByHash(hash);
      return session && session.expires > new Date() ? session : undefined;
    },
  })),
  wrong('ignores a session that exists', 'an id or a hash of a session that exists is refused', () => (right) => ({
    add: (session) =>
      right.add(session).catch((error: unknown) => {
        if (!isFault(error)) throw error;
      }),
  })),
  wrong(
    'takes a known hash for a new session',
    'of several concurrent additions of one session, one succeeds',
    () => (right) => ({
      add: (session) => right.add({ ...session, hash: `${session.hash}${session.id}` }),
    }),
  ),
  wrong('compares people without regard to case', 'sessions are listed oldest first, and by person', () => (right) => ({
    list: async (person) =>
      (await right.list()).filter(
        ({ issuer, subject }) =>
          person === undefined || (issuer === person.issuer && subject.toLowerCase() === person.subject.toLowerCase()),
      ),
  })),
  wrong('takes one issuer for all', 'all sessions of one person are removed, and no others', () => (right) => ({
    async removeOf({ subject }) {
      const found = (await right.list()).filter((session) => session.subject === subject);
      for (const { id } of found) await right.remove(id);
      return found.length;
    },
  })),
  wrong('keeps the last time it was told', 'the latest use of a session is kept', () => (right) => ({
    async touch(id, now) {
      const session = (await right.list()).find((one) => one.id === id);
      if (session && (await right.remove(id))) await right.add({ ...session, lastSeen: now });
    },
  })),
  wrong('only marks removed sessions', 'a session that was removed is gone', () => (right) => ({
    remove: async (id) => (await right.list()).some((session) => session.id === id),
  })),
  wrong(
    'brings a removed session back when a use is recorded',
    'a use that is recorded late does not bring a removed session back',
    () => {
      const known = new Map<string, Parameters<SessionRepository['add']>[0]>();
      return (right) => ({
        async add(session) {
          await right.add(session);
          known.set(session.id, structuredClone(session));
        },
        async touch(id, now) {
          const session = known.get(id);
          if (session === undefined) return;
          await right.remove(id);
          await right.add({ ...session, lastSeen: now });
        },
      });
    },
  ),
  wrong('sweeps only what expired', 'sessions that expired or were not used are swept', () => (right) => ({
    sweep: (now) => right.sweep(now, new Date(0)),
  })),
  wrong(
    'writes sessions past the transaction',
    'a session of a transaction that was rolled back does not exist',
    () => {
      const beside: Parameters<SessionRepository['add']>[0][] = [];
      return (right) => ({
        async add(session) {
          await right.add(session);
          beside.push(session);
        },
        findByHash: async (hash) => (await right.findByHash(hash)) ?? beside.find((one) => one.hash === hash),
      });
    },
  ),
];
