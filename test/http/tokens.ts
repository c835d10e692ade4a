/** A place for tokens, for tests. */
import type { ApiToken, TokenRepository } from '../../core/auth/contract.js';

export interface TokenStore {
  repository: TokenRepository;
  close(): Promise<void>;
}

export async function tokenStore(): Promise<TokenStore> {
  const byHash = new Map<string, ApiToken>();
  const repository: TokenRepository = {
    add: async (token) => void byHash.set(token.hash, token),
    findByHash: async (hash) => byHash.get(hash),
    list: async () => [...byHash.values()],
    async revoke(id, now) {
      for (const token of byHash.values()) if (token.id === id) token.revoked = now;
      return true;
    },
    async touch(id, now) {
      for (const token of byHash.values()) if (token.id === id) token.lastUsed = now;
    },
  };
  return { repository, close: async () => undefined };
}
