/** Restored backups: nobody who was erased comes back, whatever the clocks said, and none without a sentence if the list lost lines. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { AuditKeys } from '../../../core/audit/chain.js';
import { audit } from '../../../core/audit/contract.js';
import { readEntries } from '../../../core/audit/read.js';
import { createErasureList } from '../../../core/erasures/list.js';
import type { ErasureRecord } from '../../../core/erasures/record.js';
import { jobs } from '../../../core/jobs/contract.js';
import { logTo } from '../../../core/log.js';
import { type RunningServer, start } from '../../../core/start.js';
import type { Storage } from '../../../core/storage.js';
import { beacon } from '../../../plugins/beacon/contract.js';
import { command } from '../../support/command.js';
import { useFolder } from '../../support/folder.js';
import { sampled } from '../../support/sample.js';
import { copyOf, type Home, storages } from '../../support/storages.js';
import { configurationOf, contracts, none, openWithBoth, otherId, personId, tracesOf, whole } from './people.js';

const minute = 60_000;
const key = 'a secret of the audit, for tests only';

for (const engine of sampled(storages, 2)) {
  describe(`a restored backup on ${engine.name}`, function () {
    this.timeout(600_000); // many starts and processes
    const folder = useFolder();
    const homes: Home[] = [];
    let storage: Storage | undefined;
    afterEach(async () => {
      await storage?.close();
      storage = undefined;
      for (const home of homes.splice(0)) await home.discard();
    });

    /** Both people, stored at a moment, with a backup from before any erasure. */
    async function withBackup(moment?: Date, more: (storage: Storage) => Promise<void> = async () => {}) {
      const made = await openWithBoth(engine, moment);
      await more(made.storage);
      await made.storage.close();
      const backup = await copyOf(made.home);
      homes.push(made.home, backup);
      return { home: made.home, backup };
    }
    const configure = (home: Home, more: object = {}) =>
      folder.write('trefoil.yaml', configurationOf(home, { erasures: { file: path() }, ...more }));
    const run = (...words: string[]) => command([...words, '--config', 'trefoil.yaml'], { cwd: folder.path() });
    const path = () => join(folder.path(), 'erased');

    async function erase(...words: string[]): Promise<void> {
      const erased = await run('erase', '--yes', ...words);
      expect(erased.code, erased.stderr).to.equal(0);
    }

    /** What a server logs, or why it does not start; relative paths are those of the folder. */
    async function served(during: (running: RunningServer) => Promise<void> = async () => {}): Promise<string[]> {
      const logged: string[] = [];
      const log = logTo({ write: (line: string) => void logged.push(line) }, { level: 'info' });
      const before = process.cwd();
      process.chdir(folder.path());
      try {
        const running = await start({ file: join(folder.path(), 'trefoil.yaml'), environment: {}, log });
        try {
          await during(running);
        } finally {
          await running.stop();
        }
      } catch (error) {
        return [(error as Error).message];
      } finally {
        process.chdir(before);
      }
      return logged.map((line) => JSON.parse(line).msg);
    }

    for (const [ahead, minutes] of Object.entries({ '10 minutes': 10, '26 hours': 26 * 60 })) {
      it(`has nobody who was erased by a clock ${ahead} behind that of the load`, async () => {
        const moment = new Date(Date.now() + minutes * minute);
        const payload = { samples: [personId] };
        const { home, backup } = await withBackup(moment, async (scope) => {
          const queue = scope.repository(jobs);
          await queue.enqueue({
            id: 'ended',
            kind: 'beacon.load',
            payload,
            owner: 'lab',
            created: moment,
            runAfter: moment,
          });
          await queue.claim({ kinds: ['beacon.load'], worker: 'w', now: moment, leaseUntil: moment });
          await queue.fail('ended', 'w', `${personId}_S1.vcf.gz: line 3 has no position`, moment);
        });
        await configure(home);
        await erase('--sample', personId);
        await configure(backup);
        storage = await backup.open(contracts);
        expect(await tracesOf(storage)).to.deep.equal(whole);
        const logged = await served();
        expect(logged).to.include('the database had people who were erased: the list of erasures was replayed');
        expect(await tracesOf(storage)).to.deep.equal(none);
        expect(await storage.repository(jobs).find('ended')).to.equal(undefined);
        expect(await readFile(path(), 'utf8')).not.to.include(personId);
      });
    }

    it('does not load, by a job of the backup, who was erased by a clock behind that of the request', async () => {
      const moment = new Date(Date.now() + 10 * minute);
      await folder.write(
        'two.vcf',
        [
          '##fileformat=VCFv4.2',
          '##contig=<ID=1>',
          `#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t${personId}\tNewcomer`,
          '1\t101\t.\tA\tC\t.\tPASS\t.\tGT\t0/1\t0/1\n',
        ].join('\n'),
      );
      const job = '7d3c9a1e-0000-4000-8000-000000000001';
      const { home, backup } = await withBackup(undefined, async (scope) => {
        const payload = {
          ...{ dataset: 'neuro', assembly: 'GRCh37', vcf: { path: join(folder.path(), 'two.vcf') } },
          ...{ samples: null, genes: null, requested: moment.toISOString() },
        };
        const queued = {
          id: job,
          kind: 'beacon.add-variants',
          payload,
          owner: 'lab',
          created: moment,
          runAfter: new Date(0),
        };
        await scope.repository(jobs).enqueue(queued);
      });
      await configure(home);
      await erase('--sample', personId);
      await configure(backup, { plugins: { beacon: { roots: [folder.path()] }, coverage: {}, matchmaker: {} } });
      storage = await backup.open(contracts);
      const opened = storage;
      await served(async () => {
        while ((await opened.repository(jobs).find(job))?.state !== 'done')
          await new Promise((next) => setTimeout(next, 50));
      });
      expect(await storage.repository(beacon).samples('neuro')).to.have.members([otherId, 'Newcomer']);
    });

    const hour = 60 * minute;
    for (const [which, lines] of Object.entries<[names: 'sample' | undefined, hours: number][]>({
      'the last of which a slower clock wrote': [
        [undefined, 0],
        [undefined, -26],
      ],
      'the last of another kind than the one before': [
        [undefined, -3],
        ['sample', -2],
        [undefined, 0],
      ],
    })) {
      it(`has nobody of whom the list has several lines, ${which}`, async () => {
        const now = Date.now();
        const { backup } = await withBackup(new Date(now - hour));
        const list = createErasureList({ file: path(), key: undefined, isNamed: true });
        for (const [names, hours] of lines) {
          const records = [personId, `${personId}-depth`].map((id): ErasureRecord => {
            const erasure = { id, holder: 'own', scope: 'all', ...(names && { names }) } as const;
            return { receipt: `${hours}`, at: new Date(now + hours * hour), does: 'erase', erasure };
          });
          await list.add(records);
        }
        await configure(backup);
        await served();
        storage = await backup.open(contracts);
        expect(await tracesOf(storage)).to.deep.equal(none);
      });
    }

    if (engine.adapter !== 'sqlite') {
      it('is not loaded into while no place of the list is configured', async () => {
        const { home } = await withBackup();
        await configure(home);
        await erase('--sample', personId, '--from-sharing');
        await folder.write(
          'one.vcf',
          [
            '##fileformat=VCFv4.2',
            '##contig=<ID=1>',
            `#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t${personId}`,
            '1\t101\t.\tA\tC\t.\tPASS\t.\tGT\t0/1\n',
          ].join('\n'),
        );
        await configure(home, { erasures: {} });
        const loaded = await run('beacon', 'add', 'variants', '--ds', 'neuro', '--vcf', 'one.vcf');
        expect([loaded.code, loaded.stderr.split('\n').at(-2)]).to.deep.equal([
          1,
          'trefoil: There were erasures, but no place of their list is configured: set erasures.file',
        ]);
        storage = await home.open(contracts);
        expect(await storage.repository(beacon).samples('neuro')).to.deep.equal([otherId]);
      });
    }

    it('says what was stored after the erasure, which stays', async () => {
      const { home, backup } = await withBackup();
      await configure(home);
      await erase('--sample', personId);
      await configure(backup);
      storage = await backup.open(contracts);
      async function* alleles(): AsyncGenerator<never[]> {}
      const later = new Date(Date.now() + 1000);
      await storage.repository(beacon).removeSamples('cardio', [personId], later);
      await storage
        .repository(beacon)
        .importAlleles({ dataset: 'cardio', samples: [personId], alleles: alleles() }, later);
      const logged = await served();
      expect(logged).to.include('people who were erased have data that was stored afterwards, which stays');
      expect(await storage.repository(beacon).samples('cardio')).to.include(personId);
      expect(await storage.repository(beacon).samples('neuro')).not.to.include(personId);
    });

    it('is not served while the list lost lines, unless an operator accepts it, which is audited', async () => {
      const { home, backup } = await withBackup();
      await configure(home, { audit: { key } });
      await run('migrate');
      await erase('--sample', 'Nobody', '--from-sharing');
      const older = await readFile(path(), 'utf8');
      await erase('--sample', personId);
      const all = await readFile(path(), 'utf8');
      const lines = all.trimEnd().split('\n');
      expect(lines).to.have.length(3);
      const known = await readFile(`${path()}.key`, 'utf8');
      const forgetful = known.replace(/\n3 .*\n/, '\n0 \n');
      expect(forgetful).not.to.equal(known);

      const states: [string, string | undefined, string][] = [
        ['missing', undefined, 'it is missing or empty'],
        ['empty', '', 'it is missing or empty'],
        ['older', older, 'it ends after line 1'],
        ['without its last line', `${lines.slice(0, -1).join('\n')}\n`, 'it ends after line 2'],
        ['without its first line', `${lines.slice(1).join('\n')}\n`, 'line 1 does not follow the one before it'],
      ];
      for (const [i, [name, text, reason]] of states.entries()) {
        if (text === undefined) await rm(path());
        else await writeFile(path(), text);
        // The restored database knows of no erasure, the present one of all.
        for (const [knower, place, keyFile] of [
          ['its key file knows', backup, known],
          ['the database knows', home, forgetful],
        ] as const) {
          // One of them for each state: that both find each is tested with the list alone.
          if (name !== 'older' && (place === backup) !== (i % 2 === 0)) continue;
          await configure(place, { audit: { key } });
          await writeFile(`${path()}.key`, keyFile);
          if (place === backup) await run('migrate');
          const sentence = `The list of erasures ${path()} cannot be relied on: ${reason}`;
          const more = reason.startsWith('it ') ? `, but ${knower} of 3` : '';
          const advice = 'Restore the list, or accept it as it is with `trefoil erasures accept`';
          expect(await served(), `${name}, ${knower}`).to.deep.equal([`${sentence}${more}. ${advice}`]);
          if (name !== 'older') continue;
          const checked = await run('check');
          expect(checked.code).to.equal(1);
          expect(checked.stderr).to.include(`${sentence}${more}. ${advice}\n`);
          const refused = await run('erase', '--sample', otherId, '--yes');
          expect([refused.code, refused.stderr]).to.deep.equal([1, `trefoil: ${sentence}${more}. ${advice}\n`]);
        }
      }

      await configure(home, { audit: { key } });
      await writeFile(`${path()}.key`, forgetful);
      const asked = await run('erasures', 'accept');
      expect([asked.code, asked.stderr.split('\n').at(-2)]).to.deep.equal([
        1,
        'Nothing was accepted. Without a terminal, confirm with --yes.',
      ]);
      const accepted = await run('erasures', 'accept', '--yes', '--json');
      expect(accepted.code, accepted.stderr).to.equal(0);
      const detail = { read: 2, unreadable: 0, known: 3, line: 4 };
      expect(JSON.parse(accepted.stdout)).to.deep.equal({ list: path(), ...detail });
      const again = await run('erasures', 'accept', '--yes');
      expect([again.code, again.stderr]).to.deep.equal([
        1,
        `trefoil: Nothing is wrong with the list of erasures ${path()}: there is nothing to accept\n`,
      ]);
      expect((await run('check')).code).to.equal(0);
      expect(await served()).to.satisfy((logged: string[]) => logged.some((line) => line.includes('is ready')));
      storage = await home.open([...contracts, audit]);
      const entries = readEntries(
        { repository: storage.repository(audit), keys: new AuditKeys(key) },
        { actions: ['erase', 'erasures'] },
      );
      const told: unknown[] = [];
      for await (const page of entries) told.push(...page.map(({ action, detail: own }) => [action, own]));
      expect(told).to.deep.equal([
        ['erase', { ids: 1, line: 1, scope: 'sharing' }],
        ['erase', { ids: 2, line: 3, scope: 'all' }],
        ['erasures.accept', detail],
      ]);

      // Everything that the list is known by is gone, but the audit.
      await writeFile(path(), '');
      await writeFile(`${path()}.key`, forgetful);
      await storage.close();
      storage = undefined;
      await forgetIn(home);
      expect((await served())[0]).to.include('it is missing or empty, but the audit knows of 4. Restore');
    });

    /** As if the storage had never known of a list. */
    async function forgetIn({ section: { file, url } }: Home): Promise<void> {
      const { default: knex } = await import('knex');
      const client = url === undefined ? 'sqlite3' : 'pg';
      const database = knex({
        client,
        connection: url === undefined ? { filename: String(file) } : String(url),
        useNullAsDefault: true,
      });
      await database('erasures_known').delete();
      await database.destroy();
    }
  });
}
