/** tokens@1: a token by its id, and ids by hash. */
import { Fault } from 'trefoil/storage';
import { keyOf, under } from '../keys.js';

const tokenKey = (id) => keyOf('token', id);
const hashKey = (hash) => keyOf('hash', hash);

export default ({ read, write }) => ({
  add: (token) =>
    write(async (space) => {
      const known = await space.getMany([tokenKey(token.id), hashKey(token.hash)]);
      if (known.some((value) => value !== undefined)) throw new Fault('conflict', 'This token exists already');
      space.put(tokenKey(token.id), token);
      space.put(hashKey(token.hash), token.id);
    }),

  findByHash: (hash) =>
    read(async (space) => {
      const id = await space.get(hashKey(hash));
      return id === undefined ? undefined : space.get(tokenKey(id));
    }),

  list: (owner) =>
    read(async (space) => {
      const found = [];
      for await (const [, token] of space.range(under('token'))) {
        if (owner === undefined || token.owner === owner) found.push(token);
      }
      return found.sort((one, other) => one.created - other.created);
    }),

  revoke: (id, now) =>
    write(async (space) => {
      const token = await space.get(tokenKey(id));
      if (token && !token.revoked) space.put(tokenKey(id), { ...token, revoked: now });
      return token !== undefined;
    }),

  touch: (id, now) =>
    write(async (space) => {
      const token = await space.get(tokenKey(id));
      if (token && !(token.lastUsed >= now)) space.put(tokenKey(id), { ...token, lastUsed: now });
    }),
});
