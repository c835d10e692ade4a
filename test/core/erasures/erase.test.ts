/** `trefoil erase`: the dry run, the erasure in all plugins, the receipt, the list and its replay. */
import { createHash } from 'node:crypto';
import { copyFile, readdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { jobs } from '../../../core/jobs/contract.js';
import { logTo } from '../../../core/log.js';
import { start } from '../../../core/start.js';
import type { Storage } from '../../../core/storage.js';
import { beacon } from '../../../plugins/beacon/contract.js';
import { coverageSamples } from '../../../plugins/coverage/contract.js';
import { at } from '../../conformance/beacon/build.js';
import { command } from '../../support/command.js';
import { dealt } from '../../support/dealt.js';
import { useFolder } from '../../support/folder.js';
import { type Home, storages } from '../../support/storages.js';
import {
  configurationOf,
  contracts,
  none,
  openWithBoth,
  otherId,
  personId,
  savePerson,
  tracesOf,
  whole,
} from './people.js';

for (const engine of dealt(storages, 'sqlite')) {
  describe(`trefoil erase on ${engine.name}`, function () {
    this.timeout(60_000);
    const folder = useFolder();
    let home: Home;
    let storage: Storage;
    beforeEach(async () => {
      ({ home, storage } = await openWithBoth(engine));
      await configure({ erasures: { file: join(folder.path(), 'erased') } });
    });
    afterEach(async () => {
      await storage.close();
      await home.discard();
    });

    const configure = (more: object) => folder.write('trefoil.yaml', configurationOf(home, more));
    const run = (...words: string[]) => command([...words, '--config', 'trefoil.yaml'], { cwd: folder.path() });
    const erase = (...words: string[]) => run('erase', '--sample', personId, ...words);
    const list = async () => (await readFile(join(folder.path(), 'erased'), 'utf8')).trimEnd().split('\n');

    it('shows what would be erased, and erases nothing unless it is confirmed', async () => {
      const shown = await erase();
      expect(shown.code).to.equal(1);
      expect(shown.stdout).to.equal(
        [
          'Would be erased:',
          '  PLUGIN      NUMBER  WHAT',
          '  beacon      1       samples of dataset cardio',
          '  beacon      1       samples of dataset neuro',
          '  coverage    1       registered samples, with the regions that they cover',
          '  matchmaker  1       patients, with pending notifications about them',
          '  matchmaker  1       records of matches with the patients',
          '  matchmaker  2       entries of the audit trail, which stay under a random name',
          '',
        ].join('\n'),
      );
      expect(shown.stderr).to.equal(
        `Included, as ids of the same samples or cases: "${personId}-depth".\n` +
          'Nothing was erased. Without a terminal, confirm with --yes.\n',
      );
      expect(await tracesOf(storage)).to.deep.equal(whole);
      expect(await readdir(folder.path())).to.deep.equal(['trefoil.yaml']);
    });

    it('erases the person in all plugins, and no one else, with a receipt', async () => {
      const queue = storage.repository(jobs);
      const [at, payload] = [new Date(2026, 0, 1), { samples: [personId] }];
      for (const id of ['done', 'cancelled']) {
        await queue.enqueue({ id, kind: 'beacon.load', payload, owner: 'lab', created: at, runAfter: at });
        await queue.claim({ kinds: ['beacon.load'], worker: id, now: at, leaseUntil: at });
      }
      await queue.finish('done', 'done', { comparison: [personId] }, at);
      await queue.cancelled('cancelled', 'cancelled', at);
      const erased = await erase('--yes', '--json', '--receipt', 'receipt.json');
      expect(erased.code, erased.stderr).to.equal(0);
      expect(await tracesOf(storage)).to.deep.equal(none);
      const receipt = JSON.parse(erased.stdout);
      expect(JSON.parse(await readFile(join(folder.path(), 'receipt.json'), 'utf8'))).to.deep.equal(receipt);
      const { hash, ...content } = receipt;
      expect(hash).to.equal(`sha256:${createHash('sha256').update(JSON.stringify(content)).digest('hex')}`);
      expect(receipt).to.deep.include({
        scope: 'all',
        ids: [
          { id: personId, names: 'person' },
          { id: `${personId}-depth`, names: 'person' },
        ],
        stays: [],
        purged: engine.adapter === 'sqlite',
        list: join(folder.path(), 'erased'),
      });
      // By hand from what the person carries: see `savePerson`.
      const ofDataset = (id: string) => [
        { plugin: 'beacon', what: `samples of dataset ${id}`, count: 1 },
        { plugin: 'beacon', what: `calls of alternate alleles in dataset ${id}`, count: 3 },
        { plugin: 'beacon', what: `alleles that no other sample of dataset ${id} has`, count: 1 },
      ];
      expect(receipt.erased.filter(({ plugin }: { plugin: string }) => plugin === 'beacon')).to.deep.equal(
        ['cardio', 'neuro'].flatMap(ofDataset),
      );
      const ofJobs = { plugin: 'jobs', what: 'ended background jobs that name the person', count: 1 };
      expect(receipt.erased).to.deep.include(ofJobs);
      expect((await queue.list({ limit: 9 })).map(({ id }) => id)).to.deep.equal(['cancelled']);
      const written = (await list()).map((line) => JSON.parse(line));
      expect(written.map(({ receipt: own, does, scope }) => [own, does, scope])).to.deep.equal(
        [1, 2].map(() => [receipt.receipt, 'erase', 'all']),
      );
      expect((await list()).join()).not.to.include(personId);
      for (const name of ['erased', 'erased.key']) {
        expect((await stat(join(folder.path(), name))).mode & 0o777, name).to.equal(0o600);
      }
      if (engine.adapter === 'sqlite') expect(await inFiles(String(home.section.file))).to.equal(false);
    });

    it('can be repeated, and refuses an id that nothing is stored under', async () => {
      expect((await erase('--yes')).code).to.equal(0);
      const again = await erase('--yes');
      expect([again.code, again.stdout.split('\n')[0]], again.stderr).to.deep.equal([0, 'Erased: nothing']);
      expect(again.stderr).to.match(/^Nothing is left to erase: erased at 20/m);
      const unknown = await run('erase', '--sample', 'Nobody', '--yes');
      expect([unknown.code, unknown.stderr]).to.deep.equal([1, 'trefoil: Nothing is stored under "Nobody"\n']);
      const noCase = await run('erase', '--case', 'F99', '--yes');
      expect([noCase.code, noCase.stderr]).to.deep.equal([1, 'trefoil: No sample belongs to "F99"\n']);
      const nothing = await run('erase', '--yes');
      expect([nothing.code, nothing.stderr]).to.deep.equal([
        1,
        'trefoil: Give --sample, --case or --patient, or only --replay\n',
      ]);
      expect(await list()).to.have.length(2);
    });

    it('erases what one that was killed left under another id, and nothing that was stored later', async () => {
      const depth = `${personId}-depth`;
      const samples = storage.repository(coverageSamples);
      const register = (when: Date) =>
        samples.register(
          [{ id: depth, build: 'GRCh38', file: { path: '/data/left.d4' }, sex: 'unknown', labels: {} }],
          when,
        );
      const isLeft = async () => (await samples.find([depth])).length === 1;
      expect((await erase('--yes')).code).to.equal(0);
      // As a kill leaves it: the facts of the beacon are gone, which said that it is the same person.
      await register(at(3));
      const again = await erase('--yes');
      expect([again.code, await isLeft()], again.stderr).to.deep.equal([0, false]);
      expect(again.stderr).to.include(`Included, as erased with them earlier: "${depth}".`);
      await register(new Date(Date.now() + 60_000));
      expect([(await erase('--yes')).code, await isLeft()]).to.deep.equal([0, true]);
      expect([(await run('erase', '--sample', depth, '--yes')).code, await isLeft()]).to.deep.equal([0, false]);
    });

    it('erases the samples of a case, and a patient of another id only if it is named', async () => {
      const erased = await run('erase', '--case', 'F7', '--patient', 'P9', '--yes');
      expect(erased.code, erased.stderr).to.equal(0);
      expect(await tracesOf(storage)).to.deep.equal({ ...none, patient: whole.patient });
      const patient = await run('erase', '--patient', personId, '--yes');
      expect(patient.code, patient.stderr).to.equal(0);
      expect(await tracesOf(storage)).to.deep.equal(none);
    });

    it('is replayed at the next start on a database that was restored, before anything is served', async () => {
      expect((await erase('--yes')).code).to.equal(0);
      // As in a backup: stored in January and March.
      await savePerson(storage);
      expect(await tracesOf(storage)).to.deep.equal(whole);
      const logged: string[] = [];
      const log = logTo({ write: (line: string) => void logged.push(line) }, { level: 'warn' });
      const serve = () => start({ file: join(folder.path(), 'trefoil.yaml'), environment: {}, log });
      await inFolder(async () => {
        const running = await serve();
        await running.stop();
      });
      expect(await tracesOf(storage)).to.deep.equal(none);
      const replayed = logged.map((line) => JSON.parse(line)).find(({ msg }) => msg.includes('replayed'));
      expect(replayed).to.deep.include({ listed: 2 });
      expect(logged.join('')).not.to.include(personId);
    });

    it('does not erase again what was stored after the erasure', async () => {
      expect((await erase('--yes')).code).to.equal(0);
      const later = new Date(Date.now() + 1000);
      const repository = storage.repository(beacon);
      async function* alleles(): AsyncGenerator<never[]> {}
      await repository.importAlleles({ dataset: 'cardio', samples: [personId], alleles: alleles() }, later);
      const replayed = await run('erase', '--replay');
      expect(replayed.stdout, replayed.stderr).to.equal(
        [
          'Nothing to erase: 2 erasures on the list',
          'Stored after the erasure, and not erased:',
          '  PLUGIN  NUMBER  WHAT',
          '  beacon  1       samples of dataset cardio',
          '',
        ].join('\n'),
      );
      expect(await repository.samples('cardio')).to.deep.equal([otherId, personId].sort());
    });

    it('does not start, and does not erase, if the list cannot be read', async () => {
      await folder.write('erased.key', 'a key of this test');
      await folder.write('erased', '{"damaged"}\n');
      const sentence =
        `The list of erasures ${join(folder.path(), 'erased')} cannot be relied on: line 1 is damaged. ` +
        'Restore the list, or accept it as it is with `trefoil erasures accept`';
      const refused = await erase('--yes');
      expect([refused.code, refused.stderr.split('\n').at(-2)]).to.deep.equal([1, `trefoil: ${sentence}`]);
      expect(await tracesOf(storage)).to.deep.equal(whole);
      const checked = await run('check');
      expect(checked.code).to.equal(1);
      expect(checked.stderr).to.include(`${sentence}\n`);
      const log = logTo({ write: () => {} }, { level: 'warn' });
      await inFolder(async () => {
        const failed = await start({ file: join(folder.path(), 'trefoil.yaml'), environment: {}, log }).then(
          async (running) => void (await running.stop()),
          (error: Error) => error.message,
        );
        expect(failed).to.equal(sentence);
      });
    });

    if (engine.adapter === 'sqlite') {
      it('keeps the list in a folder beside that of the database file, and replays it on a backup', async () => {
        await configure({});
        const file = String(home.section.file);
        const place = `${dirname(file)}-erasures`;
        after(() => rm(place, { recursive: true, force: true }));
        expect((await run('backup', 'before.sqlite')).code).to.equal(0);
        expect((await erase('--yes')).code).to.equal(0);
        expect((await readdir(place)).toSorted()).to.deep.equal([
          'trefoil.sqlite.erasures',
          'trefoil.sqlite.erasures.key',
        ]);
        expect((await stat(place)).mode & 0o777).to.equal(0o700);
        expect((await run('check')).stderr).not.to.include('erasures');
        await storage.close();
        for (const ending of ['', '-wal', '-shm']) await rm(`${file}${ending}`, { force: true });
        await copyFile(join(folder.path(), 'before.sqlite'), file);
        storage = await home.open(contracts);
        expect(await tracesOf(storage)).to.deep.equal(whole);
        const replayed = await run('erase', '--replay', '--json');
        expect(replayed.code, replayed.stderr).to.equal(0);
        expect(JSON.parse(replayed.stdout)).to.deep.include({ listed: 2, purged: true });
        expect(await tracesOf(storage)).to.deep.equal(none);
        expect(await inFiles(file)).to.equal(false);
      });
    } else {
      it('refuses to erase without a list', async () => {
        await configure({});
        const refused = await erase('--yes');
        expect(refused.code).to.equal(1);
        expect(refused.stderr).to.match(
          /^trefoil: There is no place for the list of erasures, .*: set erasures\.file to/,
        );
        expect(await tracesOf(storage)).to.deep.equal(whole);
      });
    }

    /** Relative paths of the configuration are those of the folder. */
    async function inFolder(work: () => Promise<void>): Promise<void> {
      const before = process.cwd();
      process.chdir(folder.path());
      try {
        await work();
      } finally {
        process.chdir(before);
      }
    }
  });
}

/** Whether the id occurs in the database file, its log or the list. */
async function inFiles(file: string): Promise<boolean> {
  const names = await readdir(dirname(file));
  const texts = await Promise.all(names.map((name) => readFile(join(dirname(file), name), 'latin1')));
  expect(texts.some((text) => text.includes('matchmaker_patients'))).to.equal(true);
  return texts.some((text) => text.includes(personId));
}
