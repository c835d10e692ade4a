/** What sessions@1 promises (core/auth/contract.ts). */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { type Session, type SessionRepository, sessions } from '../../../core/auth/contract.js';
import { cases } from './case.js';
import { faults, imitations, keepsSecret, lookalikes, onlyOne, originals, same, undone } from './expect.js';

const erna = { issuer: 'https://login.example.org', subject: 'erna' };

/** A minimal session with an id and hash of its own. */
function sampleSession(fields: Partial<Session> = {}): Session {
  const secret = randomBytes(16).toString('hex');
  return {
    id: `id-${secret.slice(0, 12)}`,
    hash: createHash('sha256').update(secret).digest('hex'),
    ...erna,
    created: at(0),
    lastSeen: at(0),
    expires: at(8 * 3600),
    sealed: 'c2VhbGVk',
    ...fields,
  };
}

/** That many seconds after the morning of a day on which clocks change. */
function at(seconds: number): Date {
  return new Date(Date.UTC(2026, 2, 29, 0, 30, 0, 123) + seconds * 1000);
}

const conflict = 'add throws a conflict fault if the id or the hash exists';

/** People who are different, though some storage may take them for the first one. */
const otherPeople: readonly Pick<Session, 'issuer' | 'subject'>[] = [
  { ...erna, subject: 'Erna' },
  { ...erna, subject: 'erna ' },
  { ...erna, subject: 'ern%' },
  { ...erna, subject: '' },
  { ...erna, issuer: `${erna.issuer}/` },
  { issuer: erna.subject, subject: erna.issuer },
];

export const sessionCases = cases<SessionRepository>({
  'findByHash returns the session with this hash, also if it expired': {
    async 'a session is returned as it was added'({ repository }) {
      const session = sampleSession({
        subject: '9f1c-Åse"O\'Neill\\%_',
        name: 'Åse Ødegård 🧬',
        created: new Date('2024-02-29T23:59:59.999Z'),
        lastSeen: new Date('2024-03-01T00:00:00.010Z'),
        // Over.
        expires: new Date('2024-10-26T01:30:00.001Z'),
        // As long as the sealed claims of a person in a thousand groups.
        sealed: randomBytes(48 * 1024).toString('base64url'),
      });
      // Absent is undefined, never null.
      for (const each of [session, sampleSession()]) {
        await repository.add(each);
        same(await repository.findByHash(each.hash), each);
        same(await repository.list(each), [each]);
      }
    },
  },
  [conflict]: {
    async 'an id or a hash of a session that exists is refused'({ repository }) {
      const session = sampleSession();
      await repository.add(session);
      keepsSecret(await faults('conflict', repository.add(sampleSession({ id: session.id }))), session.hash);
      keepsSecret(await faults('conflict', repository.add(sampleSession({ hash: session.hash }))), session.hash);
      same(await repository.list(), [session], 'a refused session leaves nothing behind');
    },
    async 'of several concurrent additions of one session, one succeeds'({ repository }) {
      const added = Array.from({ length: 8 }, () => sampleSession({ hash: 'one' }));
      const won = onlyOne('conflict', await Promise.allSettled(added.map((session) => repository.add(session))));
      same(await repository.list(), [added[won]]);
    },
  },
  'list returns all sessions, or those of one person, oldest first': {
    async 'sessions are listed oldest first, and by person'({ repository }) {
      const [first, second] = [sampleSession({ created: at(1) }), sampleSession({ created: at(2) })];
      const others = otherPeople.map((person, i) => sampleSession({ ...person, created: at(10 + i) }));
      for (const session of [second, ...others.toReversed(), first]) await repository.add(session);
      same(await repository.list(), [first, second, ...others]);
      same(await repository.list(erna), [first, second]);
      for (const [i, person] of otherPeople.entries()) same(await repository.list(person), [others[i]]);
      same(await repository.list({ ...erna, subject: 'nobody' }), []);
    },
  },
  'touch records a use; a time before the stored one changes nothing': {
    async 'the latest use of a session is kept'({ repository }) {
      const [session, other] = [sampleSession(), sampleSession()];
      await repository.add(session);
      await repository.add(other);
      for (const [seen, latest] of [
        [60.002, 60.002],
        [60.001, 60.002],
        [90, 90],
      ] as const) {
        await repository.touch(session.id, at(seen));
        same(await repository.findByHash(session.hash), { ...session, lastSeen: at(latest) });
      }
      same(await repository.findByHash(other.hash), other, 'another session is untouched');
    },
  },
  'texts are compared as they are': {
    async 'sessions whose ids and hashes look alike are different ones'({ repository }) {
      let all = lookalikes.map((text, i) => sampleSession({ id: text, hash: text, created: at(i), subject: text }));
      for (const session of all) await repository.add(session);
      for (const { id } of all) {
        await repository.touch(id, at(60));
        all = all.map((session) => (session.id === id ? { ...session, lastSeen: at(60) } : session));
        same(await repository.list(), all);
        const expected = all.find((session) => session.hash === id);
        same(await repository.findByHash(id), expected);
        const wanted = all.filter(({ subject }) => subject === id);
        same(await repository.list({ ...erna, subject: id }), wanted);
      }
      for (const id of lookalikes) {
        assert.equal(await repository.remove(id), true);
        all = all.filter((session) => session.id !== id);
        same(await repository.list(), all);
      }
    },
    async 'what looks like the text of a session is not it'({ repository }) {
      const all = originals.map((text, i) => sampleSession({ id: text, hash: text, created: at(i), subject: text }));
      for (const session of all) await repository.add(session);
      for (const text of ['', ...imitations]) {
        await repository.touch(text, at(60));
        assert.equal(await repository.remove(text), false);
        same(await repository.findByHash(text), undefined);
        same(await repository.list({ ...erna, subject: text }), []);
        same(await repository.removeOf({ ...erna, subject: text }), 0);
      }
      same(await repository.list(), all);
    },
  },
  'remove removes one session and returns false if there is none': {
    async 'a session that was removed is gone'({ repository }) {
      const [session, other] = [sampleSession(), sampleSession()];
      await repository.add(session);
      await repository.add(other);
      assert.equal(await repository.remove(session.hash), false, 'a session is removed by its id');
      assert.equal(await repository.remove(session.id), true);
      assert.equal(await repository.findByHash(session.hash), undefined);
      assert.equal(await repository.remove(session.id), false);
      await repository.touch(session.id, at(60));
      same(await repository.list(), [other], 'a use that is recorded late does not bring it back');
      await repository.add(session);
      same(await repository.findByHash(session.hash), session, 'nothing of it is left that could be in the way');
    },
  },
  'removeOf removes all sessions of one person and returns how many there were': {
    async 'all sessions of one person are removed, and no others'({ repository }) {
      const others = otherPeople.map((person, i) => sampleSession({ ...person, created: at(10 + i) }));
      const own = [sampleSession(), sampleSession({ expires: at(-1) })];
      for (const session of [...others, ...own]) await repository.add(session);
      assert.equal(await repository.removeOf(erna), 2);
      same(await repository.list(), others);
      for (const { hash } of own) assert.equal(await repository.findByHash(hash), undefined);
      assert.equal(await repository.removeOf(erna), 0);
    },
  },
  'sweep removes the sessions that expired at or before now or were last seen at or before idleSince': {
    async 'sessions that expired or were not used are swept'({ repository }) {
      const now = at(3600);
      const idleSince = at(1800);
      const used = sampleSession({ created: at(1), lastSeen: at(1800.001), expires: at(3600.001) });
      const expired = sampleSession({ created: at(2), lastSeen: at(3599), expires: now });
      const idle = sampleSession({ created: at(3), lastSeen: idleSince, expires: at(7200) });
      for (const session of [used, expired, idle]) await repository.add(session);
      assert.equal(await repository.sweep(now, idleSince), 2);
      same(await repository.list(), [used]);
      for (const { hash } of [expired, idle]) assert.equal(await repository.findByHash(hash), undefined);
      assert.equal(await repository.sweep(now, idleSince), 0);
    },
  },
  'repositories accept and return copies of plain data': {
    async 'changing a returned session does not change the storage'({ repository }) {
      const session = sampleSession();
      const handed = structuredClone(session);
      await repository.add(handed);
      handed.expires.setTime(0);
      const answer = await repository.findByHash(session.hash);
      answer?.expires.setTime(0);
      same(await repository.findByHash(session.hash), session);
    },
  },
  'sessions join the transaction in which they are written': {
    async 'a session of a transaction that was rolled back does not exist'({ storage, repository }) {
      const session = sampleSession();
      await undone(storage, (scope) => scope.repository(sessions).add(session));
      assert.equal(await repository.findByHash(session.hash), undefined);
      await repository.add(session);
      same(await repository.list(), [session]);
    },
  },
});
