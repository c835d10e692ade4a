/** tokens@1 above tables. */
import { Fault } from '../fault.js';
import { json, optional, text, time, user } from '../table/columns.js';
import { absent, defineStore, defineTable } from '../table.js';
import { type TokenRepository, tokens } from './contract.js';

const issued = defineTable({
  name: 'tokens_issued',
  columns: {
    id: text(),
    hash: text(),
    owner: user(text(), 'to tell who holds or held the token'),
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

export const store = defineStore<TokenRepository>({
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
      // Another process may have issued it just now: that it does not exist is said only of the latest data.
      findByHash: async (hash) => (await table.one({ hash })) ?? (await table.one({ hash }, { latest: true })),
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
