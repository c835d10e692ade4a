/** tokens@1 and sessions@1 above tables. */
import { Fault } from '../fault.js';
import { absent, defineStore, defineTable, json, optional, text, time } from '../table.js';
import { type SessionRepository, sessions, type TokenRepository, tokens } from './contract.js';

const issued = defineTable({
  name: 'tokens_issued',
  columns: {
    id: text(),
    hash: text(),
    owner: text(),
    scopes: json<string[]>(),
    created: time(),
    expires: optional(time()),
    lastUsed: optional(time()),
    revoked: optional(time()),
  },
  key: ['id'],
  unique: [['hash']],
  // A damaged token is left out: it grants no access.
  sound: ({ scopes }) => Array.isArray(scopes) && scopes.every((scope) => typeof scope === 'string'),
});

const order = ['created', 'id'] as const;

export const tokenStore = defineStore<TokenRepository>({
  contract: tokens,
  tables: [issued],
  steps: { '001-issued': { tables: [issued] } },
  repository(tables) {
    const table = tables.table(issued);
    return {
      async add(token) {
        if ((await table.add(token)) === undefined) {
          throw new Fault('conflict', 'There is already a token with this id or hash');
        }
      },
      findByHash: (hash) => table.one({ hash }),
      list: (owner) => table.find({ where: owner === undefined ? {} : { owner }, order }),
      async revoke(id, now) {
        await table.change({ id, revoked: absent }, { revoked: now });
        return (await table.count({ id }, { latest: true })) > 0;
      },
      async touch(id, now) {
        await table.change(
          [
            { id, lastUsed: absent },
            { id, lastUsed: { below: now } },
          ],
          { lastUsed: now },
        );
      },
    };
  },
});

const open = defineTable({
  name: 'sessions_open',
  columns: {
    id: text(),
    hash: text(),
    issuer: text(),
    subject: text(),
    name: optional(text()),
    created: time(),
    lastSeen: time(),
    expires: time(),
    sealed: text(),
  },
  key: ['id'],
  unique: [['hash']],
});

export const sessionStore = defineStore<SessionRepository>({
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
      findByHash: (hash) => table.one({ hash }),
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
