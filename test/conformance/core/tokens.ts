/** What tokens@1 promises (core/auth/contract.ts). */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { type ApiToken, type TokenRepository, tokens } from '../../../core/auth/contract.js';
import { cases } from './case.js';
import { faults, imitations, keepsSecret, lookalikes, onlyOne, originals, same, undone } from './expect.js';

/** A minimal token with an id and hash of its own. */
export function sampleToken(fields: Partial<ApiToken> = {}): ApiToken {
  const secret = randomBytes(16).toString('hex');
  return {
    id: `id-${secret.slice(0, 12)}`,
    hash: createHash('sha256').update(secret).digest('hex'),
    owner: 'erna',
    scopes: ['beacon:write'],
    created: new Date('2024-02-29T12:00:00.123Z'),
    ...fields,
  };
}

const found = 'findByHash returns the token with this hash, also if it is revoked or expired';
const conflict = 'add throws a conflict fault if the id or the hash exists';

/** Runs work as a process in this time zone would. */
async function inZone<Result>(zone: string, work: () => Promise<Result>): Promise<Result> {
  const before = process.env.TZ;
  process.env.TZ = zone;
  try {
    return await work();
  } finally {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
}

export const tokenCases = cases<TokenRepository>({
  [found]: {
    async 'a token is returned as it was added'({ repository }) {
      const token = sampleToken({
        owner: 'Åse Ødegård 🧬 <ase@example.org> "O\'Neill" \\ % _',
        scopes: ['beacon:write', 'matchmaker:read', 'a:b'],
        created: new Date('2024-02-29T23:59:59.999Z'),
        // Over, as is what was revoked.
        expires: new Date('2024-10-26T01:30:00.001Z'),
        lastUsed: new Date('2024-03-01T00:00:00.010Z'),
        revoked: new Date('2024-03-02T00:00:00.100Z'),
      });
      // Absent is undefined, never null.
      for (const each of [token, sampleToken({ owner: 'absent', scopes: [] })]) {
        await repository.add(each);
        same(await repository.findByHash(each.hash), each);
        same(await repository.list(each.owner), [each]);
      }
    },
  },
  'a Date is an instant, independent of the time zone of the process that writes or reads it': {
    async 'a time is the same instant in every time zone'({ repository, given }) {
      // In St. John's the clocks show 01:30 twice on 2026-11-01, and never show 02:30 on 2026-03-08.
      const instants = ['2026-11-01T03:30:00.007Z', '2026-11-01T04:30:00.007Z', '2026-03-08T05:30:00.007Z'];
      const zones = ['America/St_Johns', 'Asia/Kathmandu', 'UTC'];
      for (const written of zones) {
        for (const instant of instants) {
          const token = sampleToken({ created: new Date(instant) });
          await inZone(written, () => repository.add(token));
          for (const read of zones) {
            given('instant, written in, read in', [instant, written, read]);
            const found = await inZone(read, () => repository.findByHash(token.hash));
            assert.equal(found?.created.toISOString(), instant);
          }
        }
      }
    },
  },
  'texts are compared as they are': {
    async 'tokens whose ids, hashes and owners look alike are different ones'({ repository }) {
      const [used, revoked] = [new Date(1_700_000_000_001), new Date(1_700_000_000_002)];
      const all = lookalikes.map((text, i) => sampleToken({ id: text, hash: text, owner: text, created: new Date(i) }));
      for (const token of all) await repository.add(token);
      for (const [i, { id }] of all.entries()) {
        assert.equal(await repository.revoke(id, revoked), true);
        await repository.touch(id, used);
        all[i] = { ...(all[i] as ApiToken), lastUsed: used, revoked };
        same(await repository.list(), all);
        same(await repository.list(id), [all[i]]);
        same(await repository.findByHash(id), all[i]);
        assert.equal(await repository.revoke(`${id}.`, revoked), false);
      }
    },
    async 'what looks like the text of a token is not it'({ repository }) {
      const all = originals.map((text, i) => sampleToken({ id: text, hash: text, owner: text, created: new Date(i) }));
      for (const token of all) await repository.add({ ...token, lastUsed: new Date(1) });
      for (const text of ['', ...imitations]) {
        await repository.touch(text, new Date(2));
        assert.equal(await repository.revoke(text, new Date(0)), false);
        same(await repository.findByHash(text), undefined);
        same(await repository.list(text), []);
      }
      const expected = all.map((token) => ({ ...token, lastUsed: new Date(1) }));
      same(await repository.list(), expected);
    },
  },
  [conflict]: {
    async 'an id or a hash that exists is refused'({ repository }) {
      const token = sampleToken();
      await repository.add(token);
      keepsSecret(await faults('conflict', repository.add(sampleToken({ id: token.id }))), token.hash);
      keepsSecret(await faults('conflict', repository.add(sampleToken({ hash: token.hash }))), token.hash);
      same(await repository.list(), [token], 'a refused token leaves nothing behind');
    },
    async 'of several concurrent additions of one hash, one succeeds'({ repository }) {
      const added = Array.from({ length: 8 }, () => sampleToken({ hash: 'one' }));
      const won = onlyOne('conflict', await Promise.allSettled(added.map((token) => repository.add(token))));
      same(await repository.list(), [added[won]]);
    },
  },
  'list returns all tokens, or those of one owner, oldest first': {
    async 'tokens are listed oldest first, and by owner'({ repository }) {
      const [one, two, three, four] = ['a', 'A', 'a', 'a%'].map((owner, i) =>
        sampleToken({ owner, created: new Date(i) }),
      );
      for (const token of [three, one, four, two]) await repository.add(token as ApiToken);
      same(await repository.list(), [one, two, three, four]);
      same(await repository.list('a'), [one, three]);
      same(await repository.list('A'), [two]);
      same(await repository.list('nobody'), []);
    },
  },
  'revoke returns false if there is no such token; one already revoked keeps its first time': {
    async 'a token revoked twice keeps the time of the first revocation'({ repository }) {
      const [token, other] = [sampleToken(), sampleToken()];
      await repository.add(token);
      await repository.add(other);
      const revoked = new Date('2024-05-01T00:00:00.007Z');
      for (const time of [revoked, new Date('2025-05-01T00:00:00.000Z'), new Date(0)]) {
        assert.equal(await repository.revoke(token.id, time), true);
        same(await repository.findByHash(token.hash), { ...token, revoked });
      }
      for (const id of ['no-such-token', other.hash]) assert.equal(await repository.revoke(id, revoked), false);
      same(await repository.findByHash(other.hash), other, 'another token is untouched');
    },
  },
  'touch records a use; a time before the stored one changes nothing': {
    async 'the latest use is kept'({ repository }) {
      const [token, other] = [sampleToken(), sampleToken()];
      await repository.add(token);
      await repository.add(other);
      for (const [used, latest] of [
        [2, 2],
        [1, 2],
        [3, 3],
      ] as const) {
        await repository.touch(token.id, new Date(1_700_000_000_000 + used));
        const lastUsed = new Date(1_700_000_000_000 + latest);
        same(await repository.findByHash(token.hash), { ...token, lastUsed });
      }
      same(await repository.findByHash(other.hash), other, 'another token is untouched');
    },
  },
  'repositories accept and return copies of plain data': {
    async 'changing a returned token does not change the storage'({ repository }) {
      const token = sampleToken();
      const handed = structuredClone(token);
      await repository.add(handed);
      handed.scopes.push('beacon:admin');
      handed.created.setTime(0);
      const answer = await repository.findByHash(token.hash);
      answer?.scopes.push('beacon:admin');
      answer?.created.setTime(0);
      same(await repository.findByHash(token.hash), token);
    },
  },
  'tokens join the transaction in which they are written': {
    async 'a token of a transaction that was rolled back does not exist'({ storage, repository }) {
      const token = sampleToken();
      await undone(storage, (scope) => scope.repository(tokens).add(token));
      assert.equal(await repository.findByHash(token.hash), undefined);
      await repository.add(token);
      same(await repository.list(), [token]);
    },
  },
});
