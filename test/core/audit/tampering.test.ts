/**
 * What somebody who writes to the database, and lacks the key, can do to the audit: each is found, or is on the list in
 * config/audit.md of what cannot be found.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { AuditKeys } from '../../../core/audit/chain.js';
import { type AuditRepository, audit } from '../../../core/audit/contract.js';
import { recordForgotten } from '../../../core/audit/eraser.js';
import { type AuditRecorder, createRecorder } from '../../../core/audit/recorder.js';
import { verifyAudit } from '../../../core/audit/verify.js';
import { tokenHolder } from '../../../core/policy/policy.js';
import type { Storage } from '../../../core/storage.js';
import { sampled } from '../../support/sample.js';
import { runSql } from '../../support/sql.js';
import { type Home, storages } from '../../support/storages.js';

const keys = new AuditKeys('a secret of thirty-two characters');
const tables = ['chains', 'entries', 'subjects', 'people', 'key'];

/** `always` without a checkpoint; `checkpoint` with one, or once a process that ran all the time writes again; `never`. */
type Found = 'always' | 'checkpoint' | 'never';

interface Tampering {
  what: string;
  sql: string[];
  found: Found;
  /** What is found; of what is never found, the words of the list in the guide. */
  says: RegExp;
}

const chain = (number: number) => `(select id from audit_chains where ordinal = ${number})`;
const pseudonym = (subject: number) =>
  `(select actor from audit_entries where chain = ${chain(1)} and sequence = ${subject})`;

/** Puts whole tables back to their earlier state. */
const putBack = (state: 'first' | 'early', ...names: string[]) =>
  names.flatMap((name) => [`delete from audit_${name}`, `insert into audit_${name} select * from ${state}_${name}`]);

/** Exchanges a column of two rows, by a value that no row has. */
const exchange = (table: string, column: string, one: string, other: string) => [
  `create table kept as select '1' as n, ${column} as v from ${table} where ${one}`,
  `insert into kept select '2', ${column} from ${table} where ${other}`,
  `update ${table} set ${column} = '-' where ${one}`,
  `update ${table} set ${column} = (select v from kept where n = '1') where ${other}`,
  `update ${table} set ${column} = (select v from kept where n = '2') where ${column} = '-'`,
];

/** The head of a chain with its seal, as it was earlier; its newer entries are gone. */
const rolledBack = (state: 'first' | 'early', number: number, from: number) => [
  ...['sequence', 'hash', 'seal'].map(
    (field) =>
      `update audit_chains set head_${field} = (select head_${field} from ${state}_chains where ordinal = ${number}) where ordinal = ${number}`,
  ),
  `delete from audit_subjects where chain = ${chain(number)} and sequence > ${from}`,
  `delete from audit_entries where chain = ${chain(number)} and sequence > ${from}`,
];

const remove = (condition: string) => [
  `delete from audit_subjects where chain in (select id from audit_chains where ${condition})`,
  `delete from audit_entries where chain in (select id from audit_chains where ${condition})`,
  `delete from audit_chains where ${condition}`,
];

// Of the six entries of the first chain the state "first" has 2 and "early" has 4; of the two of the second "early" has 1.
const tamperings: readonly Tampering[] = [
  ['entries deleted', [`delete from audit_entries where chain = ${chain(1)} and sequence = 2`], /entry 2 is missing/],
  [
    'entries swapped',
    exchange('audit_entries', 'body', `chain = ${chain(1)} and sequence = 2`, `chain = ${chain(1)} and sequence = 3`),
    /entry 2 was changed/,
  ],
  [
    'entries reordered',
    [
      `update audit_entries set sequence = sequence + 100 where chain = ${chain(1)} and sequence < 4`,
      `update audit_entries set sequence = 104 - sequence where chain = ${chain(1)} and sequence > 100`,
    ],
    /entry 1 was changed/,
  ],
  [
    'entries cut',
    [`update audit_entries set body = substr(body, 1, 40) where chain = ${chain(1)} and sequence = 5`],
    /entry 5 was changed/,
  ],
  [
    'entries made into other documents',
    [
      `update audit_entries set body = '{"v":1,"at":"2026-03-01T00:00:00.000Z"}' where chain = ${chain(1)} and sequence = 5`,
    ],
    /entry 5 was changed/,
  ],
  [
    'entries added in a chain that never began',
    [
      `insert into audit_subjects select subject, at, 'other', sequence from audit_subjects where chain = ${chain(1)}`,
      `insert into audit_entries select 'other', sequence, at, actor, about, body, hash from audit_entries where chain = ${chain(1)}`,
    ],
    /entry 1 is of a chain that does not exist/,
  ],
  [
    'entries added before the beginning',
    [
      `insert into audit_entries select chain, -1, at, actor, about, body, hash from audit_entries where chain = ${chain(1)} and sequence = 5`,
    ],
    /entry -1 is before the beginning of the chain/,
  ],
  ['entries put back', putBack('early', 'entries', 'subjects'), /entries 5 to 6 are missing/],
  [
    'entries put back that a later chain knows, with their head',
    rolledBack('first', 1, 2),
    /entries up to 4 are missing/,
  ],
  [
    'entries put back that none knows, with their head',
    rolledBack('early', 1, 4),
    /entries up to 6 are missing/,
    'checkpoint',
  ],
  [
    'the newest entries put back, with their head',
    rolledBack('early', 2, 1),
    /entries up to 2 are missing/,
    'checkpoint',
  ],
  ['a person deleted', [`delete from audit_people where pseudonym = ${pseudonym(1)}`], /whose name is missing/],
  ['all people deleted', ['delete from audit_people'], /whose name is missing/],
  [
    'people swapped by their pseudonyms',
    exchange('audit_people', 'pseudonym', `pseudonym = ${pseudonym(1)}`, `pseudonym = ${pseudonym(5)}`),
    /whose name was changed/,
  ],
  [
    'people swapped by their names',
    exchange('audit_people', 'sealed', `pseudonym = ${pseudonym(1)}`, `pseudonym = ${pseudonym(5)}`),
    /whose name was changed/,
  ],
  [
    'people reordered by what finds them',
    exchange('audit_people', 'lookup', `pseudonym = ${pseudonym(1)}`, `pseudonym = ${pseudonym(5)}`),
    /whose name was changed/,
  ],
  [
    'people cut',
    [`update audit_people set sealed = substr(sealed, 1, 30) where pseudonym = ${pseudonym(1)}`],
    /whose name was changed/,
  ],
  [
    'people put back',
    putBack('first', 'people'),
    /names .*, whose name is missing[\s\S]*is back, which the entry 4 says/,
  ],
  [
    'subjects deleted',
    [`delete from audit_subjects where chain = ${chain(1)} and sequence = 2`],
    /entry 2 is not found by what it is about/,
  ],
  [
    'subjects swapped',
    exchange(
      'audit_subjects',
      'subject',
      `chain = ${chain(1)} and sequence = 2`,
      `chain = ${chain(1)} and sequence = 3`,
    ),
    /entry 2 is not found by what it is about/,
  ],
  [
    'subjects added',
    [
      `insert into audit_subjects select (select subject from audit_subjects where chain = ${chain(1)} and sequence = 3), at, chain, sequence from audit_subjects where chain = ${chain(1)} and sequence = 2`,
    ],
    /entry 2 is found by what it is not about/,
  ],
  [
    'subjects added at another time',
    [
      `insert into audit_subjects select subject, (select min(at) from audit_entries), chain, sequence from audit_subjects where chain = ${chain(2)} and sequence = 2`,
    ],
    /entry 2 is found by what it is not about/,
  ],
  [
    'subjects reordered in time',
    [`update audit_subjects set at = (select min(at) from audit_entries) where chain = ${chain(2)} and sequence = 2`],
    /entry 2 is not found by what it is about/,
  ],
  [
    'subjects cut',
    [`update audit_subjects set subject = substr(subject, 1, 20) where chain = ${chain(1)} and sequence = 2`],
    /entry 2 is not found by what it is about/,
  ],
  ['subjects put back', putBack('early', 'subjects'), /entry 5 is not found by what it is about/],
  ['heads deleted', ["update audit_chains set head_sequence = 0, head_hash = '', head_seal = ''"], /seal of its end/],
  [
    'heads swapped',
    [
      ...exchange('audit_chains', 'head_hash', 'ordinal = 1', 'ordinal = 2'),
      ...['drop table kept', ...exchange('audit_chains', 'head_seal', 'ordinal = 1', 'ordinal = 2')],
    ],
    /seal of its end/,
  ],
  ['heads reordered', ['update audit_chains set head_sequence = head_sequence - 1'], /seal of its end/],
  ['heads cut', ['update audit_chains set head_seal = substr(head_seal, 1, 10)'], /seal of its end/],
  ['heads put back, and not the entries', rolledBack('early', 2, 1).slice(0, 3), /entry 2 is after the end/],
  ['the first chain deleted', remove('ordinal = 1'), /chain is missing[\s\S]*A chain is missing that began before/],
  ['the newest chain deleted', remove('ordinal = 2'), /A chain is missing at the end: the register/],
  ['all chains deleted', remove('1 = 1'), /2 chains are missing at the end: the register/],
  [
    'chains swapped by their numbers',
    [
      'update audit_chains set ordinal = 100 where ordinal = 1',
      'update audit_chains set ordinal = 1 where ordinal = 2',
      'update audit_chains set ordinal = 2 where ordinal = 100',
    ],
    /not in its place[\s\S]*|beginning of the chain was changed/,
  ],
  ['chains reordered', ['update audit_chains set number = 100 where ordinal = 1'], /not in its place among the others/],
  [
    'chains cut at their beginning',
    [
      `update audit_chains set base_sequence = 2, base_hash = (select hash from audit_entries where chain = ${chain(1)} and sequence = 2) where ordinal = 1`,
      `delete from audit_entries where chain = ${chain(1)} and sequence <= 2`,
    ],
    /seal of its beginning/,
  ],
  ['chains without their numbers', ['update audit_chains set ordinal = null'], /beginning of the chain was changed/],
  ['keys deleted', ['delete from audit_key'], /register of the chains is missing/],
  ['keys swapped', ["update audit_key set fingerprint = 'f'"], /written with another key/],
  ['keys cut', ['update audit_key set register = substr(register, 1, 30)'], /register of the chains was changed/],
  ['the register deleted', ['update audit_key set register = null'], /register of the chains is missing/],
  [
    'keys put back',
    ['update audit_key set register = (select register from first_key)'],
    /register of the chains was put back/,
  ],
  [
    'the newest chain deleted, and the register put back',
    [...remove('ordinal = 2'), 'update audit_key set register = (select register from first_key)'],
    /chain is missing: the checkpoint names it|chain is missing: the chain .* went on/,
    'checkpoint',
  ],
  ['everything put back', putBack('early', ...tables), /entries up to \d are missing/, 'checkpoint'],
  [
    'everything deleted',
    tables.map((name) => `delete from audit_${name}`),
    /chain is missing: the checkpoint names it|chain is missing: the chain .* went on/,
    'checkpoint',
  ],
  [
    'people deleted whom no entry names',
    ["delete from audit_people where lookup = 'unused'"],
    /whom no entry names/,
    'never',
  ],
  ['events deleted that wait for a chain', ['delete from audit_pending'], /waits for its chain/, 'never'],
].map(([what, sql, says, found = 'always']) => ({ what, sql, says, found }) as Tampering);

for (const engine of sampled(storages, 2, 1)) {
  describe(`tampering with the audit on ${engine.name}`, function () {
    this.timeout(60_000);
    let home: Home;
    let storage: Storage;
    let repository: AuditRepository;
    let time = 0;
    let processes: [AuditRecorder, AuditRecorder];
    let heads: Awaited<ReturnType<typeof verifyAudit>>['heads'];

    const recorder = () => createRecorder({ repository, keys, now: () => new Date(Date.UTC(2026, 2, 1) + time++) });
    const keep = (prefix: string) =>
      runSql(
        home.section,
        tables.map((name) => `create table ${prefix}_${name} as select * from audit_${name}`),
      );
    const asked = ({ record }: AuditRecorder, n: number, by: string) =>
      record(tokenHolder(by, []), {
        ...{ action: 'beacon.query', about: [`sample:S${n}`], because: 'API token', outcome: 'answered' },
      });

    beforeEach(async () => {
      home = await engine.home();
      storage = await home.open([audit]);
      await storage.migrate();
      repository = storage.repository(audit);
      const [one, two] = [recorder(), recorder()];
      processes = [one, two];
      for (const n of [1, 2]) await asked(one, n, 'Lab A');
      await keep('first');
      await asked(one, 3, 'Lab A');
      const known = await repository.people([keys.lookup('sample:S1')]);
      const event = { action: 'audit.forget', because: undefined, outcome: 'done' };
      await recordForgotten(known, event, (recorded) => one.record(tokenHolder('Lab A', []), recorded));
      await repository.forget(keys.lookup('sample:S1'));
      await asked(two, 4, 'Lab A');
      await keep('early');
      for (const n of [5, 6]) await asked(one, n, 'Lab B');
      await asked(two, 7, 'Lab C');
      await repository.enrol([{ lookup: 'unused', pseudonym: 'unused', sealed: 'x' }]);
      await repository.submit([{ id: 'waiting', sealed: 'x' }]);
      ({ heads } = await verifyAudit({ repository, keys }));
    });
    afterEach(async () => {
      await storage.close();
      await home.discard();
    });

    /** What `trefoil audit verify` finds: it looks at the key first. */
    async function found(withCheckpoint: boolean): Promise<string> {
      const refusal = await recorder()
        .checkKey()
        .then(
          () => undefined,
          ({ message }: Error) => message,
        );
      if (refusal !== undefined) return refusal;
      const checkpoint = withCheckpoint ? { written: '2026-03-01T00:00:00.000Z', heads, seal: '' } : undefined;
      return (await verifyAudit({ repository, keys, checkpoint })).findings.map(({ message }) => message).join('\n');
    }

    it('finds nothing if nothing was done', async () => {
      expect(await found(false)).to.equal('');
      expect(await found(true)).to.equal('');
      expect((await repository.chains()).map(({ number, head }) => [number, head.sequence])).to.deep.equal([
        [1, 6],
        [2, 2],
      ]);
    });

    it('takes chains that have no number yet for what they are, and counts them from then on', async () => {
      // As version 0.2 left them: neither numbers nor a register, and the first hash without a number.
      await runSql(
        home.section,
        tables.map((name) => `delete from audit_${name}`),
      );
      await repository.claim(keys.fingerprint);
      const old = { id: 'old', started: new Date(Date.UTC(2026, 1, 1)) };
      const sha = (text: string) => createHash('sha256').update(text).digest('hex');
      const hash = sha('["trefoil audit","old","2026-02-01T00:00:00.000Z",null]');
      const [base, head] = (['base', 'head'] as const).map((one) => keys.sealed('old', one, { sequence: 0, hash }));
      if (!base || !head) throw new Error('There are two ends');
      await repository.begin({ ...old, base, head }, '');
      await runSql(home.section, ['update audit_key set register = null']);
      expect(await found(false)).to.equal('');
      await asked(recorder(), 1, 'Lab A');
      expect(await found(false)).to.equal('');
      expect((await repository.chains()).map(({ number }) => number)).to.deep.equal([undefined, 2]);
      await runSql(home.section, ["delete from audit_chains where id = 'old'"]);
      expect(await found(false)).to.include('A chain is missing that began before this one');
    });

    for (const { what, sql, found: when, says } of tamperings) {
      it(`${what}: ${when}`, async () => {
        await runSql(home.section, sql);
        const [without, withOne] = [await found(false), await found(true)];
        if (when === 'always') {
          expect(without).to.match(says);
          expect(withOne).to.match(says);
          return;
        }
        // No promise, but what the guide says.
        expect(without).to.equal('');
        if (when === 'never') {
          expect(withOne).to.equal('');
          const guide = await readFile('config/audit.md', 'utf8');
          const [, list = ''] = guide.split('### What cannot be found');
          expect(list.split('\n#')[0]).to.match(says);
          return;
        }
        expect(withOne).to.match(says);
        // The processes write on; the first attempt of each may be refused, and is not answered.
        for (const process of processes) {
          await asked(process, 8, 'Lab A').catch(() => asked(process, 8, 'Lab A'));
        }
        expect(await found(false)).to.match(says);
      });
    }
  });
}
