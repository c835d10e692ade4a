/** tokens@1: API tokens that we issue. Only a hash is stored; the token itself is shown once, when it is made. */
import { type Contract, defineContract } from '../contract.js';

export interface ApiToken {
  /** Public handle for listing and revoking; says nothing about the secret. */
  id: string;
  /** SHA-256 of the whole token, lower-case hex. */
  hash: string;
  /** Who holds it; also the owner of the jobs that it starts. */
  owner: string;
  /** `plugin:right`, for example `beacon:write`, or for one thing alone `plugin:right:id`. */
  scopes: string[];
  created: Date;
  /** Not valid from this time on. */
  expires?: Date;
  lastUsed?: Date;
  revoked?: Date;
}

export interface TokenRepository {
  /** Throws a `conflict` fault where the id or the hash exists. */
  add(token: ApiToken): Promise<void>;
  /** The token with this hash, revoked and expired ones included (the caller decides). */
  findByHash(hash: string): Promise<ApiToken | undefined>;
  /** All tokens, oldest first; of one owner where named. */
  list(owner?: string): Promise<ApiToken[]>;
  /** False where there is no such token; a token already revoked keeps its first time. */
  revoke(id: string, now: Date): Promise<boolean>;
  /** Notes a use; a time earlier than the stored one changes nothing. */
  touch(id: string, now: Date): Promise<void>;
}

export const tokens: Contract<TokenRepository> = defineContract<TokenRepository>('tokens@1');
