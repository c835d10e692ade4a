/** tokens@1 in memory. */
import { type ApiToken, type TokenRepository, tokens } from '../../core/auth/contract.js';
import { Fault } from '../../core/storage.js';
import { defineBinding } from './binding.js';

/** By id. Tokens are replaced, never changed, so that a state and its drafts may share them. */
type Tokens = Map<string, Readonly<ApiToken>>;

export default defineBinding<TokenRepository, Tokens>({
  contract: tokens,
  empty: () => new Map(),
  copy: (state) => new Map(state),
  repository: ({ read, write }) => ({
    add: (token) =>
      write((draft) => {
        const known = [...draft.values()].some(({ id, hash }) => id === token.id || hash === token.hash);
        if (known) throw new Fault('conflict', 'This token exists already');
        draft.set(token.id, structuredClone(token));
      }),

    findByHash: async (hash) => structuredClone([...(await read()).values()].find((token) => token.hash === hash)),

    list: async (owner) =>
      [...(await read()).values()]
        .filter((token) => owner === undefined || token.owner === owner)
        .sort((a, b) => a.created.getTime() - b.created.getTime())
        .map((token) => structuredClone(token)),

    revoke: (id, now) =>
      write((draft) => {
        const token = draft.get(id);
        if (!token) return false;
        if (!token.revoked) draft.set(id, { ...token, revoked: new Date(now) });
        return true;
      }),

    touch: (id, now) =>
      write((draft) => {
        const token = draft.get(id);
        if (token && !(token.lastUsed && token.lastUsed >= now)) draft.set(id, { ...token, lastUsed: new Date(now) });
      }),
  }),
});
