/** The audit trail. */
import assert from 'node:assert/strict';
import type { AuditEntry, AuditRepository } from '../../../plugins/matchmaker/contract.js';
import { cases, imitations, lookalikes, originals, same } from '../core.js';
import { at } from './build.js';

const entries: AuditEntry[] = [
  { at: at(1), actor: 'scout', action: 'add', patient: 'P' },
  { at: at(2.345), actor: 'node:ä', action: 'send', patient: 'P', purpose: 'research' },
  { at: at(3), actor: 'scout', action: 'match', patient: 'R', query: 'P' },
  { at: at(4), actor: 'seqr', action: 'match', patient: 'P', query: 'Q' },
  // Of an earlier time, and added later.
  { at: at(2), actor: 'seqr', action: 'read', patient: 'P' },
];

const entryOf = { at: at(1), actor: 'scout', action: 'match' } as const;

export const auditCases = cases<AuditRepository>({
  'entries: selects entries with the patient as patient or as query': {
    async 'entries are listed oldest first, by patient, actor and time'({ repository }) {
      await repository.add(entries.slice(0, 1));
      await repository.add([]);
      await repository.add(entries.slice(1));
      const found = async (page: {
        patient?: string;
        actor?: string;
        since?: Date;
        after?: number;
        limit?: number;
      }) => {
        const all = await repository.entries({ limit: 100, ...page });
        return all.map(({ number: _, ...entry }) => entry);
      };
      same(await found({}), entries);
      same(await found({ patient: 'P' }), entries);
      same(await found({ patient: 'R' }), entries.slice(2, 3));
      same(await found({ actor: 'scout' }), [entries[0], entries[2]]);
      same(await found({ since: at(3) }), entries.slice(2, 4));
      same(await found({ limit: 2 }), entries.slice(0, 2));
      const [, second] = await repository.entries({ limit: 2 });
      same(await found({ after: second?.number ?? 0 }), entries.slice(2));
    },
  },
  'rename: what a node returned and a client queried belongs to that one, all else to this node': {
    async 'one of several patients with the same id is renamed, and no other'({ repository }) {
      const trail: AuditEntry[] = [
        { at: at(1), actor: 'scout', action: 'add', patient: 'P' },
        { at: at(2), actor: 'node:peer', action: 'send', patient: 'P' },
        { at: at(3), actor: 'node:peer', action: 'receive', patient: 'P', query: 'Q' },
        { at: at(4), actor: 'node:peer', action: 'receive', patient: 'R', query: 'P' },
        { at: at(5), actor: 'seqr', action: 'match', patient: 'Q', query: 'P' },
        { at: at(6), actor: 'scout', action: 'match', patient: 'Q', query: 'P' },
        { at: at(7), actor: 'node:other', action: 'receive', patient: 'P', query: 'P' },
        // Of neither: a node that is named as the client is, and a client that is named as a node is.
        { at: at(8), actor: 'seqr', action: 'receive', patient: 'R', query: 'P' },
        { at: at(9), actor: 'node:peer', action: 'match', patient: 'P', query: 'Q' },
      ];
      await repository.add(trail);
      const named = async () => {
        const all = await repository.entries({ limit: 100 });
        return all.map(({ patient, query }) => [patient, query ?? '-'].join(' ')).join(', ');
      };
      assert.equal(await repository.rename('P', 'theirs', { own: false, name: 'peer' }), 1);
      same(await named(), 'P -, P -, theirs Q, R P, Q P, Q P, P P, R P, P Q');
      assert.equal(await repository.rename('P', 'asked', { own: false, name: 'seqr' }), 1);
      same(await named(), 'P -, P -, theirs Q, R P, Q asked, Q P, P P, R P, P Q');
      assert.equal(await repository.rename('P', 'ours', { own: true, owner: 'scout' }), 7);
      same(await named(), 'ours -, ours -, theirs Q, R ours, Q asked, Q ours, P ours, R ours, ours Q');
      await repository.add(trail.slice(5, 6));
      assert.equal(await repository.rename('P', 'gone', { own: true }), 0, 'an unknown owner has no queries');
    },
  },
  'rename replaces an id; expire deletes older entries': {
    async 'a patient is renamed in all entries, and old entries expire'({ repository }) {
      await repository.add(entries);
      assert.equal(await repository.rename('P', 'erased'), 5);
      same(await repository.entries({ patient: 'P', limit: 10 }), []);
      assert.equal((await repository.entries({ patient: 'erased', limit: 10 })).length, 5);
      assert.equal(await repository.expire(at(3)), 3);
      assert.equal((await repository.entries({ limit: 10 })).length, 2);
    },
  },
  'entries and rename: texts are compared as they are': {
    async 'patients and actors that look alike are different ones'({ repository }) {
      const each = lookalikes.map((text): AuditEntry => {
        return { at: at(1), actor: text, action: 'match', patient: `patient ${text}`, query: text, purpose: text };
      });
      await repository.add(each);
      const found = async (page: { patient?: string; actor?: string }) =>
        (await repository.entries({ limit: 100, ...page })).map(({ number: _, ...entry }) => entry);
      for (const [i, text] of lookalikes.entries()) {
        same(await found({ actor: text }), [each[i]]);
        same(await found({ patient: text }), [each[i]]);
        same(await found({ patient: `patient ${text}`, actor: text }), [each[i]]);
        same(await repository.rename(text, 'x', { own: false, name: `${text}.` }), 0);
        same(await repository.rename(text, ` Á ${text}`, { own: false, name: text }), 1);
        same(await repository.rename(`patient ${text}`, ` Á patient ${text}`), 1);
        same(await repository.rename(text, 'x'), 0);
        each[i] = { ...(each[i] as AuditEntry), query: ` Á ${text}`, patient: ` Á patient ${text}` };
        same(await found({}), each);
      }
    },
    async 'what looks like a patient or an actor is not it'({ repository }) {
      await repository.add(
        originals.flatMap((text): AuditEntry[] => [
          { at: at(1), actor: text, action: 'match', patient: 'P', query: text },
          { at: at(1), actor: `node:${text}`, action: 'receive', patient: text },
        ]),
      );
      const before = await repository.entries({ limit: 10 });
      for (const text of imitations) {
        same(await repository.entries({ patient: text, limit: 10 }), []);
        same(await repository.entries({ actor: text, limit: 10 }), []);
        same(await repository.rename(text, 'x'), 0);
        for (const name of originals) {
          same(await repository.rename(text, 'x', { own: false, name }), 0);
          same(await repository.rename(text, 'x', { own: true, owner: name }), 0);
          same(await repository.rename(name, 'x', { own: false, name: text }), 0);
          same(await repository.rename(name, 'x', { own: true, owner: text }), 0);
        }
      }
      same(await repository.entries({ limit: 10 }), before);
    },
  },
  'rename replaces an id; also if that of a match is replaced meanwhile': {
    async 'patients that matched each other are renamed at once'({ repository }) {
      for (let round = 0; round < 5; round++) {
        const [x, y] = [`X${round}`, `Y${round}`];
        const each = (patient: string, query: string): AuditEntry => ({ ...entryOf, patient, query });
        await repository.add([1, 2, 3, 4].flatMap(() => [each(x, y), each(y, x)]));
        const renamed = await Promise.all([repository.rename(x, `was ${x}`), repository.rename(y, `was ${y}`)]);
        same(renamed, [8, 8]);
        same(await repository.entries({ patient: x, limit: 10 }), []);
        same(await repository.entries({ patient: y, limit: 10 }), []);
      }
    },
  },
});
