/** tokens@1: API tokens that we issue. Only a hash is stored; the token itself is shown once, when it is issued. */
import { type Contract, defineContract } from '../contract.js';

export interface ApiToken {
  /** Public id for listing and revoking; it reveals nothing about the secret. */
  id: string;
  /** SHA-256 of the whole token, lower-case hex. */
  hash: string;
  /** The holder; also the owner of the jobs that are started with it. */
  owner: string;
  /** See core/policy: `beacon:write`, or `beacon:write:<id>` for one dataset. */
  scopes: string[];
  created: Date;
  /** The first moment at which it is no longer valid; it does not expire if omitted. */
  expires?: Date;
  lastUsed?: Date;
  revoked?: Date;
}

export interface TokenRepository {
  /** Throws a `conflict` fault if the id or the hash exists. */
  add(token: ApiToken): Promise<void>;
  /** Returns the token with this hash, also if revoked or expired (the caller decides); undefined if there is none. */
  findByHash(hash: string): Promise<ApiToken | undefined>;
  /** Returns the tokens of one owner, or all if omitted, oldest first. */
  list(owner?: string): Promise<ApiToken[]>;
  /** Returns false if there is no such token; a token that is already revoked keeps its first time. */
  revoke(id: string, now: Date): Promise<boolean>;
  /** Records a use; a time before the stored one changes nothing. */
  touch(id: string, now: Date): Promise<void>;
}

export const tokens: Contract<TokenRepository> = defineContract<TokenRepository>('tokens@1', {
  add: 'needed',
  findByHash: 'needed',
  list: 'needed',
  revoke: 'needed',
  touch: 'needed',
});
