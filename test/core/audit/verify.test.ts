/** The chains of the audit, and what their verification finds, on real engines. */
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { AuditEvent } from '../../../core/audit/audit.js';
import { AuditKeys, sealedEvent } from '../../../core/audit/chain.js';
import { type AuditRepository, audit } from '../../../core/audit/contract.js';
import { expireOld, recordForgotten } from '../../../core/audit/eraser.js';
import { readEntries } from '../../../core/audit/read.js';
import { createRecorder } from '../../../core/audit/recorder.js';
import { verifyAudit } from '../../../core/audit/verify.js';
import { tokenHolder } from '../../../core/policy/policy.js';
import type { Storage } from '../../../core/storage.js';
import { sampled } from '../../support/sample.js';
import { runSql } from '../../support/sql.js';
import { type Home, storages } from '../../support/storages.js';

const keys = new AuditKeys('a secret of thirty-two characters');
const lab = tokenHolder('Lab A', []);

function event(fields: Partial<AuditEvent> = {}): AuditEvent {
  return {
    action: 'beacon.query',
    about: ['dataset:cardio', 'sample:ADM1'],
    because: 'API token',
    outcome: 'answered',
    ...fields,
  };
}

function recorderOn(repository: AuditRepository, now = () => new Date(), secret = keys) {
  return createRecorder({ repository, keys: secret, now });
}

async function findings(repository: AuditRepository): Promise<string[]> {
  return (await verifyAudit({ repository, keys })).findings.map(({ message }) => message);
}

for (const engine of sampled(storages, 2)) {
  describe(`verification of the audit on ${engine.name}`, () => {
    let home: Home;
    let storage: Storage;
    let repository: AuditRepository;
    beforeEach(async () => {
      home = await engine.home();
      storage = await home.open([audit]);
      await storage.migrate();
      repository = storage.repository(audit);
    });
    afterEach(async () => {
      await storage.close();
      await home.discard();
    });

    /** Seven entries in one chain. */
    async function seven(): Promise<void> {
      const { record } = recorderOn(repository);
      for (let n = 1; n <= 7; n++) await record(lab, event({ about: [`sample:S${n}`], detail: { n } }));
    }

    it('finds nothing in chains of several processes that record at the same time', async () => {
      const recorders = [1, 2, 3].map(() => recorderOn(repository));
      const all = recorders.flatMap(({ record }) =>
        Array.from({ length: 20 }, (_, i) => record(lab, event({ about: [`sample:S${i % 4}`], detail: { i } }))),
      );
      await Promise.all(all);
      const { chains, entries, findings: found } = await verifyAudit({ repository, keys });
      expect({ chains, entries, found }).to.deep.equal({ chains: 3, entries: 60, found: [] });
      const sought = { about: ['sample:S2'] };
      const read = [];
      for await (const page of readEntries({ repository, keys }, sought)) read.push(...page);
      expect(read).to.have.length(15);
      expect(new Set(read.map(({ actor }) => actor))).to.deep.equal(new Set(['token:Lab A']));
    });

    it('hashes each entry as its documentation says', async () => {
      await seven();
      const [chain] = await repository.chains();
      const links = await repository.links(chain?.id ?? '', 0, 10);
      const sha = (text: string) => createHash('sha256').update(text).digest('hex');
      let before = sha(JSON.stringify(['trefoil audit', chain?.id, chain?.started.toISOString(), null, 1]));
      for (const { body, hash } of links) {
        before = sha(`${before}\n${body}`);
        expect(hash).to.equal(before);
        expect(body).to.not.match(/Lab A|S\d/);
      }
      expect(chain?.head.hash).to.equal(before);
    });

    const damages: [what: string, sql: string[], message: RegExp][] = [
      [
        'an edit',
        ["update audit_entries set body = replace(body, 'answered', 'refused') where sequence = 3"],
        /entry 3 was changed/,
      ],
      [
        'an edit with its hash computed anew',
        ["update audit_entries set body = replace(body, 'answered', 'refused'), hash = 'f' where sequence = 7"],
        /entry 7 was changed/,
      ],
      ['an entry that was deleted', ['delete from audit_entries where sequence = 4'], /^The entry 4 is missing/],
      [
        'the first that were deleted',
        ['delete from audit_entries where sequence < 4'],
        /^The entries 1 to 3 are missing/,
      ],
      [
        'the last that were deleted',
        ['delete from audit_entries where sequence > 5'],
        /^The entries 6 to 7 are missing/,
      ],
      [
        'the last that were deleted, with the end of the chain',
        [
          'delete from audit_entries where sequence > 5',
          'update audit_chains set head_sequence = 5, head_hash = (select hash from audit_entries where sequence = 5)',
        ],
        /seal of its end/,
      ],
      [
        'two that changed places',
        [
          'update audit_entries set sequence = 100 where sequence = 2',
          'update audit_entries set sequence = 2 where sequence = 3',
          'update audit_entries set sequence = 3 where sequence = 100',
        ],
        /entry 2 was changed/,
      ],
      [
        'one that was added',
        [
          'insert into audit_entries select chain, 8, at, actor, about, body, hash from audit_entries where sequence = 7',
        ],
        /entry \d+ is after the end/,
      ],
      [
        'another caller',
        ["update audit_entries set actor = 'anonymous' where sequence = 5"],
        /What the entry 5 is found by/,
      ],
      ['other people', ["update audit_entries set about = '[]' where sequence = 5"], /What the entry 5 is found by/],
      ['an index that lost an entry', ['delete from audit_subjects where sequence = 6'], /entry 6 is not found/],
      [
        'another time of the start',
        ["update audit_chains set previous_chain = 'x', previous_sequence = 1, previous_hash = 'y'"],
        /beginning/,
      ],
    ];
    for (const [what, sql, message] of damages) {
      it(`finds ${what}`, async () => {
        await seven();
        expect(await findings(repository)).to.deep.equal([]);
        await runSql(home.section, sql);
        expect((await findings(repository)).join('\n')).to.match(message);
      });
    }

    it('finds a chain that was deleted as a whole, if another followed', async () => {
      await seven();
      await recorderOn(repository).record(lab, event());
      expect(await findings(repository)).to.deep.equal([]);
      const [first] = await repository.chains();
      await runSql(home.section, [
        `delete from audit_entries where chain = '${first?.id}'`,
        `delete from audit_chains where id = '${first?.id}'`,
      ]);
      expect((await findings(repository)).join('\n')).to.match(/^The chain is missing: the chain .* names it$/m);
    });

    it('finds with a checkpoint that a chain was written anew with the key', async () => {
      await seven();
      const { heads } = await verifyAudit({ repository, keys });
      const [chain] = await repository.chains();
      if (!chain) throw new Error('There is a chain');
      const head = keys.sealed(chain.id, 'head', chain.base);
      await runSql(home.section, [
        'delete from audit_subjects',
        'delete from audit_entries',
        `update audit_chains set head_sequence = 0, head_hash = '${head.hash}', head_seal = '${head.seal}'`,
      ]);
      expect(await findings(repository)).to.deep.equal([]);
      const checkpoint = { written: '2026-01-01T00:00:00.000Z', heads, seal: '' };
      const { findings: found } = await verifyAudit({ repository, keys, checkpoint });
      expect(found.map(({ message }) => message).join()).to.match(
        /entries up to 7 are missing: the checkpoint knows them/,
      );
    });

    it('goes on in a new chain if it cannot know whether its last entries were written', async () => {
      let fails = false;
      const append: AuditRepository['append'] = async (...asked) => {
        await repository.append(...asked);
        if (fails) throw new Error('The connection broke after the commit');
      };
      const { record } = recorderOn({ ...repository, append });
      await record(lab, event());
      fails = true;
      const refused = await record(lab, event()).catch(({ code, public: told }) => ({ code, told }));
      expect(refused).to.deep.include({ code: 'unavailable' });
      expect(JSON.stringify(refused)).to.include('not answered');
      fails = false;
      await record(lab, event());
      expect(await findings(repository)).to.deep.equal([]);
      expect((await repository.chains()).map(({ head }) => head.sequence)).to.deep.equal([2, 2]);
      const [resumed] = await repository.links((await repository.chains())[1]?.id ?? '', 0, 1);
      // The second entry was written, which the process cannot know: it names the first.
      expect(JSON.parse(resumed?.body ?? '')).to.deep.include({ action: 'audit.resume', outcome: 'unknown' });
      expect(JSON.parse(resumed?.body ?? '').detail).to.include({ sequence: 1 });
    });

    it('refuses to record with another key', async () => {
      await seven();
      const other = recorderOn(repository, undefined, new AuditKeys('another secret of 32 characters..'));
      const fault = await other.checkKey().catch((error: Error) => error.message);
      expect(fault).to.include('with another key');
    });

    it('chains what a transaction records exactly once, and nothing of one that fails', async () => {
      const { within, settle } = recorderOn(repository);
      const transaction = storage.transaction.bind(storage);
      const failed = within(transaction, async (_, record) => {
        await record(lab, event());
        throw new Error('undone');
      });
      expect(await failed.catch(({ message }: Error) => message)).to.equal('undone');
      const result = await within(transaction, async (_, record) => {
        await record(lab, event({ detail: { n: 1 } }));
        await record(lab, event({ detail: { n: 2 } }));
        return 'result';
      });
      expect(result).to.equal('result');
      expect(await repository.pending(10)).to.deep.equal([]);
      expect(await settle()).to.equal(0);
      const { entries, findings: found } = await verifyAudit({ repository, keys });
      expect({ entries, found }).to.deep.equal({ entries: 2, found: [] });
    });

    it('chains what a process left, once among several that do so, and tells what it cannot read', async () => {
      const left = [1, 2, 3].map((n) => {
        const { about, action, because, outcome } = event();
        const content = { at: new Date(n), actor: 'token:Lab A', action, about, because, outcome, detail: { n } };
        return { id: `event ${n}`, sealed: sealedEvent(keys, { content, settles: `event ${n}` }) };
      });
      await repository.submit([...left, { id: 'damaged', sealed: 'damaged' }]);
      expect(JSON.stringify(await repository.pending(10))).to.not.match(/Lab A|ADM1/);
      expect(await recorderOn(repository).settle(new Date(2))).to.equal(1);
      expect((await repository.pending(10)).map(({ id }) => id)).to.deep.equal(['event 2', 'event 3', 'damaged']);
      await Promise.all([1, 2, 3].map(() => recorderOn(repository).settle()));
      const read = [];
      for await (const page of readEntries({ repository, keys }, { about: ['sample:ADM1'] })) read.push(...page);
      expect(read.map(({ detail, actor }) => [detail?.n, actor])).to.deep.equal(
        [1, 2, 3].map((n) => [n, 'token:Lab A']),
      );
      expect(await findings(repository)).to.deep.equal([]);
    });

    it('deletes old entries from the beginning, and what is left verifies', async () => {
      let time = Date.UTC(2026, 0, 1);
      const now = () => new Date(time);
      const { record } = recorderOn(repository, now);
      for (let day = 0; day < 5; day++) {
        await record(lab, event());
        time += 24 * 60 * 60 * 1000;
      }
      // At the sixth day three days are kept: those of the third, fourth and fifth.
      const options = { repository, keys, now, days: 3 };
      expect(await expireOld(options)).to.equal(2);
      expect(await expireOld(options)).to.equal(0);
      await record(lab, event());
      expect(await verifyAudit({ repository, keys })).to.deep.include({ entries: 4, findings: [] });
      await runSql(home.section, ['delete from audit_entries where sequence = 3']);
      expect(await findings(repository)).to.include('The entry 3 is missing');
    });

    it('still verifies when a person was forgotten, whom then no list names', async () => {
      await seven();
      const { record } = recorderOn(repository);
      const known = await repository.people([keys.lookup('sample:S2')]);
      const forget = { action: 'audit.forget', because: undefined, outcome: 'done' };
      await recordForgotten(known, forget, (one) => record(lab, one));
      expect(await repository.forget(keys.lookup('sample:S2'))).to.equal(true);
      expect(await findings(repository)).to.deep.equal([]);
      const read = [];
      for await (const page of readEntries({ repository, keys }, {})) read.push(...page);
      expect(read.map(({ about: [first = ''] }) => first.slice(0, 10))).to.deep.equal([
        'sample:S1',
        '(forgotten',
        ...[3, 4, 5, 6, 7].map((n) => `sample:S${n}`),
        'forgotten:',
      ]);
      await recorderOn(repository).record(lab, event({ about: ['sample:S2'] }));
      const again = [];
      for await (const page of readEntries({ repository, keys }, { about: ['sample:S2'] })) again.push(...page);
      expect(again).to.have.length(1);
    });
  });
}
