/** Token repositories that break one promise. */

import type { TokenRepository } from '../../../core/auth/contract.js';
import { Fault, isFault } from '../../../core/storage.js';
import { tokens } from '../core.js';
import { type Damage, toSeconds, type Wrong, wrongRepository } from './wrap.js';

const wrong = (does: string, fails: string, damage: Damage<TokenRepository>): Wrong =>
  wrongRepository(tokens, does, fails, damage);

const taken = 'an id or a hash that exists is refused';

/** The instant at which UTC clocks show what local clocks show now. */
function wallClock(time: Date): Date {
  const [year, month, day] = [time.getFullYear(), time.getMonth(), time.getDate()];
  const [hour, minute, second] = [time.getHours(), time.getMinutes(), time.getSeconds()];
  return new Date(Date.UTC(year, month, day, hour, minute, second, time.getMilliseconds()));
}

/** Its reverse, as far as there is one. */
function fromWallClock(time: Date): Date {
  const [year, month, day] = [time.getUTCFullYear(), time.getUTCMonth(), time.getUTCDate()];
  const [hour, minute, second] = [time.getUTCHours(), time.getUTCMinutes(), time.getUTCSeconds()];
  return new Date(year, month, day, hour, minute, second, time.getUTCMilliseconds());
}

export const wrongTokens: readonly Wrong[] = [
  wrong('keeps times of tokens to the second', 'times of tokens are kept to the millisecond', () => (right) => ({
    add: (token) => right.add(toSeconds(token)),
  })),
  wrong('returns null for missing fields of a token', 'an absent field of a token is undefined', () => (right) => ({
    findByHash: async (hash) => {
      const token = await right.findByHash(hash);
      return token && ({ expires: null, lastUsed: null, revoked: null, ...token } as unknown as typeof token);
    },
  })),
  wrong('returns times as text', 'a token is returned as it was added', () => (right) => ({
    findByHash: async (hash) => {
      const token = await right.findByHash(hash);
      return token && JSON.parse(JSON.stringify(token));
    },
  })),
  wrong('ignores a token that exists', taken, () => (right) => ({
    add: (token) =>
      right.add(token).catch((error: unknown) => {
        if (!isFault(error)) throw error;
      }),
  })),
  wrong('puts the hash into the message of the fault', taken, () => (right) => ({
    add: (token) =>
      right.add(token).catch(() => {
        throw new Fault('conflict', `duplicate key: (hash)=(${token.hash})`);
      }),
  })),
  wrong(
    'stores times in the time zone of the process',
    'a time is the same instant in every time zone',
    () => (right) => ({
      add: (token) => right.add({ ...token, created: wallClock(token.created) }),
      findByHash: async (hash) => {
        const token = await right.findByHash(hash);
        return token && { ...token, created: fromWallClock(token.created) };
      },
    }),
  ),
  wrong('normalises the names of owners', 'names are compared by code units, not by appearance', () => (right) => ({
    add: (token) => right.add({ ...token, owner: token.owner.normalize('NFC') }),
    list: (owner) => right.list(owner?.normalize('NFC')),
  })),
  wrong('finds hashes regardless of case', 'a token is found by its whole hash only', () => (right) => ({
    findByHash: (hash) => right.findByHash(hash.toLowerCase()),
  })),
  wrong('hides revoked tokens', 'a token that expired or was revoked is still found', () => (right) => ({
    findByHash: async (hash) => {
      const token = await right.findByHash(hash);
      return token?.revoked ? undefined : token;
    },
  })),
  wrong('lists the newest token first', 'tokens are listed oldest first, and by owner', () => (right) => ({
    list: async (owner) => (await right.list(owner)).reverse(),
  })),
  wrong('treats an owner as a pattern', 'tokens are listed oldest first, and by owner', () => (right) => ({
    list: async (owner) =>
      (await right.list()).filter((token) => owner === undefined || token.owner.startsWith(owner.replace('%', ''))),
  })),
  wrong('revokes a revoked token again', 'a token revoked twice keeps the time of the first revocation', () => {
    const last = new Map<string, Date>();
    return (right) => ({
      revoke: (id, now) => {
        last.set(id, now);
        return right.revoke(id, now);
      },
      findByHash: async (hash) => {
        const token = await right.findByHash(hash);
        const revoked = token && last.get(token.id);
        return revoked ? { ...token, revoked } : token;
      },
    });
  }),
  wrong('revokes a token that does not exist', 'revoking a token that does not exist returns false', () => (right) => ({
    revoke: async (id, now) => (await right.revoke(id, now)) || true,
  })),
  wrong('lets the last use go back in time', 'the latest use is kept', () => {
    const last = new Map<string, Date>();
    return (right) => ({
      touch: async (id, now) => {
        last.set(id, now);
      },
      findByHash: async (hash) => {
        const token = await right.findByHash(hash);
        const lastUsed = token && last.get(token.id);
        return lastUsed ? { ...token, lastUsed } : token;
      },
    });
  }),
];
