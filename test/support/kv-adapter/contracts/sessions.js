/** sessions@1: a session by its id, and ids by hash. */
import { Fault } from 'trefoil/storage';
import { keyOf, under } from '../keys.js';

const sessionKey = (id) => keyOf('session', id);
const hashKey = (hash) => keyOf('hash', hash);

async function all(space, wanted) {
  const found = [];
  for await (const [, session] of space.range(under('session'))) if (wanted(session)) found.push(session);
  return found;
}

const isOf = (person) => (session) => session.issuer === person.issuer && session.subject === person.subject;

function forget(space, sessions) {
  for (const { id, hash } of sessions) {
    space.remove(sessionKey(id));
    space.remove(hashKey(hash));
  }
  return sessions.length;
}

export default ({ read, write }) => ({
  add: (session) =>
    write(async (space) => {
      const known = await space.getMany([sessionKey(session.id), hashKey(session.hash)]);
      if (known.some((value) => value !== undefined)) throw new Fault('conflict', 'This session exists already');
      space.put(sessionKey(session.id), session);
      space.put(hashKey(session.hash), session.id);
    }),

  findByHash: (hash) =>
    read(async (space) => {
      const id = await space.get(hashKey(hash));
      return id === undefined ? undefined : space.get(sessionKey(id));
    }),

  list: (person) =>
    read(async (space) => {
      const found = await all(space, person === undefined ? () => true : isOf(person));
      return found.sort((one, other) => one.created - other.created);
    }),

  touch: (id, now) =>
    write(async (space) => {
      const session = await space.get(sessionKey(id));
      if (session && session.lastSeen < now) space.put(sessionKey(id), { ...session, lastSeen: now });
    }),

  remove: (id) =>
    write(async (space) => {
      const session = await space.get(sessionKey(id));
      return session !== undefined && forget(space, [session]) > 0;
    }),

  removeOf: (person) => write(async (space) => forget(space, await all(space, isOf(person)))),

  sweep: (now, idleSince) =>
    write(async (space) =>
      forget(space, await all(space, ({ expires, lastSeen }) => expires <= now || lastSeen <= idleSince)),
    ),
});
