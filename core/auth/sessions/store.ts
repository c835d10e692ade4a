/** sessions@1 above tables. */
import { Fault } from '../../fault.js';
import { optional, text, time, user } from '../../table/columns.js';
import { defineStore, defineTable } from '../../table.js';
import { type SessionRepository, sessions } from '../contract.js';

const untilItEnds = 'until the session ends';

const open = defineTable({
  name: 'sessions_open',
  columns: {
    id: text(),
    hash: text(),
    issuer: text(),
    subject: user(text(), untilItEnds),
    name: user(optional(text()), untilItEnds),
    created: time(),
    lastSeen: time(),
    expires: time(),
    sealed: user(text(), untilItEnds),
  },
  key: ['id'],
  unique: [['hash']],
});

const order = ['created', 'id'] as const;

export const store = defineStore<SessionRepository>({
  contract: sessions,
  tables: [open],
  steps: { '001-open': { tables: [open] } },
  repository(tables) {
    const table = tables.table(open);
    return {
      async add(session) {
        if ((await table.add(session)) === undefined) {
          throw new Fault('conflict', 'There is already a session with this id or hash');
        }
      },
      // Another server may have opened it just now: that it does not exist is said only of the latest data.
      findByHash: async (hash) => (await table.one({ hash })) ?? (await table.one({ hash }, { latest: true })),
      list: (person) =>
        table.find({ where: person === undefined ? {} : { issuer: person.issuer, subject: person.subject }, order }),
      async touch(id, now) {
        await table.change({ id, lastSeen: { below: now } }, { lastSeen: now });
      },
      remove: async (id) => (await table.remove({ id })) > 0,
      removeOf: ({ issuer, subject }) => table.remove({ issuer, subject }),
      sweep: (now, idleSince) => table.remove([{ expires: { atMost: now } }, { lastSeen: { atMost: idleSince } }]),
    };
  },
});
