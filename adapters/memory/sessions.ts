/** sessions@1 in memory. */
import { Fault, type Session, type SessionRepository, sessions } from '../../core/storage.js';
import { defineBinding } from './binding.js';

/** By id. Sessions are replaced, never changed, so that a state and its drafts may share them. */
type Sessions = Map<string, Readonly<Session>>;

type Person = Pick<Session, 'issuer' | 'subject'>;

const isOf = (person: Person) => (session: Person) =>
  session.issuer === person.issuer && session.subject === person.subject;

function removeWhere(draft: Sessions, isOver: (session: Readonly<Session>) => boolean): number {
  const over = [...draft.values()].filter(isOver);
  for (const { id } of over) draft.delete(id);
  return over.length;
}

export default defineBinding<SessionRepository, Sessions>({
  contract: sessions,
  empty: () => new Map(),
  copy: (state) => new Map(state),
  repository: ({ read, write }) => ({
    add: (session) =>
      write((draft) => {
        const known = [...draft.values()].some(({ id, hash }) => id === session.id || hash === session.hash);
        if (known) throw new Fault('conflict', 'This session exists already');
        draft.set(session.id, structuredClone(session));
      }),

    findByHash: async (hash) => structuredClone([...(await read()).values()].find((session) => session.hash === hash)),

    list: async (person) =>
      [...(await read()).values()]
        .filter(person === undefined ? () => true : isOf(person))
        .sort((a, b) => a.created.getTime() - b.created.getTime())
        .map((session) => structuredClone(session)),

    touch: (id, now) =>
      write((draft) => {
        const session = draft.get(id);
        if (session && session.lastSeen < now) draft.set(id, { ...session, lastSeen: new Date(now) });
      }),

    remove: (id) => write((draft) => draft.delete(id)),

    removeOf: (person) => write((draft) => removeWhere(draft, isOf(person))),

    sweep: (now, idleSince) =>
      write((draft) => removeWhere(draft, ({ expires, lastSeen }) => expires <= now || lastSeen <= idleSince)),
  }),
});
