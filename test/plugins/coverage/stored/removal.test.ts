/** How kept reports end: with their time, with a person, by a command; and which tables there are without them. */
import { expect } from 'chai';
import { tokens } from '../../../../core/auth/contract.js';
import { jobs } from '../../../../core/jobs/contract.js';
import type { Erasure } from '../../../../core/plugin.js';
import type { Contract } from '../../../../core/storage.js';
import {
  coverageCohorts,
  coverageReports,
  coverageSamples,
  coverageTracks,
  type KeptFacts,
} from '../../../../plugins/coverage/contract.js';
import { coverageEraser } from '../../../../plugins/coverage/eraser.js';
import { expireReports } from '../../../../plugins/coverage/register.js';
import { createKeptReports } from '../../../../plugins/coverage/report/kept/kept.js';
import { searchWord } from '../../../../plugins/coverage/report/kept/search.js';
import { coverageServer } from '../../../crash/changes/coverage.js';
import { command } from '../../../support/command.js';
import { dealt } from '../../../support/dealt.js';
import { faultOf } from '../../../support/fault.js';
import { useFolder } from '../../../support/folder.js';
import { killedAt, thorough } from '../../../support/steps.js';
import { quiet, sqlite, storages } from '../../../support/storages.js';
import { useOnce } from '../../../support/use.js';

const contracts = [...coverageServer.contracts, coverageReports];
const at = (day: number) => new Date(Date.UTC(2026, 0, day));

const facts: KeptFacts = {
  ...{ software: '0.2.0', language: 'en', page: 'report', build: 'GRCh38', level: 10, thresholds: [10], sets: [] },
  ...{ samples: [{ name: 'child', registration: 'S1', file: 's1.d4' }], genes: 1, missing: 0, shared: [], parts: {} },
};
const idOf = (name: string) => name.padEnd(24, '-');

for (const engine of dealt(storages, 'postgres')) {
  describe(`kept reports end (${engine.name})`, function () {
    this.timeout(60_000); // commands are processes
    const folder = useFolder();
    const home = useOnce(
      () => engine.home(),
      (home) => home.discard(),
    );
    const storage = useOnce(() => home.open(contracts));
    before(async () => {
      await storage.migrate();
    });
    beforeEach(async () => {
      const settings = { storage: home.section, plugins: { coverage: { reports: { days: 10 } } } };
      await folder.write('trefoil.yaml', JSON.stringify(settings));
    });
    afterEach(async () => {
      const all = await storage.repository(coverageReports).list({ words: [], limit: 100 });
      await storage.repository(coverageReports).remove(all.map(({ report }) => report.id));
    });

    async function keep(name: string, day: number, people: string[], genes: string[] = []): Promise<void> {
      const words = [
        ...people.flatMap((one) => [searchWord('person', one), searchWord('sample', one)]),
        ...genes.map((one) => searchWord('gene', one)),
      ];
      await storage.repository(coverageReports).keep({ id: idOf(name), made: at(day), facts }, words, {
        json: [Uint8Array.of(1)],
      });
    }
    const left = async () => {
      const all = await storage.repository(coverageReports).list({ words: [], limit: 100 });
      return all.map(({ report: { id } }) => id.replace(/-+$/, '')).sort();
    };
    const run = (words: string[], how: Partial<ReturnType<typeof killedAt>> = {}) =>
      command([...words, '--config', 'trefoil.yaml'], { cwd: folder.path(), ...how });

    it('with a person who is erased, whole, and not with one whose sharing ends', async () => {
      await keep('alone', 1, ['S1']);
      await keep('trio', 2, ['S1', 'S2', 'S3']);
      await keep('later', 9, ['S1']);
      await keep('other', 3, ['S2']);
      await keep('named', 3, ['s1']);
      const kept = storage.repository(coverageReports);
      const registry = {
        samples: storage.repository(coverageSamples),
        followers: [],
        transaction: storage.transaction.bind(storage),
        changed: async () => undefined,
      };
      const eraser = coverageEraser({
        registry,
        cohorts: storage.repository(coverageCohorts),
        tracks: storage.repository(coverageTracks),
        kept,
      });
      const erase = (fields: Partial<Erasure>): Erasure => ({ id: 'S1', holder: 'own', scope: 'all', ...fields });
      const reports = (all: readonly { what: string }[]) => all.filter(({ what }) => what === 'kept reports');
      const stays = 'the clinical record: what was reported';
      const sharing = erase({ id: 'S2', scope: 'sharing' });
      expect(reports(await eraser.find([erase({ before: at(9) }), sharing]))).to.deep.equal([
        { what: 'kept reports', count: 2 },
        { what: 'kept reports', count: 1, stays },
      ]);
      for (const nobody of [erase({ names: 'patient' }), erase({ holder: { name: 'node' } }), erase({ id: 'S' })]) {
        expect(reports(await eraser.erase([nobody]))[0]).to.include({ count: 0 });
      }
      await eraser.erase([sharing]);
      expect(await left()).to.deep.equal(['alone', 'later', 'named', 'other', 'trio']);
      await eraser.erase([erase({ before: at(9) })]);
      expect(await left()).to.deep.equal(['later', 'named', 'other']);
      await eraser.erase([erase({})]);
      expect(await left()).to.deep.equal(['named', 'other']);
    });

    it('with their time, at the start and every hour', async () => {
      for (const day of [1, 9, 10, 11]) await keep(`d${day}`, day, ['S1']);
      const hooks: (() => Promise<void>)[] = [];
      const logged: unknown[] = [];
      const hook = (work: () => Promise<void>) => void hooks.push(work);
      const log = { ...quiet, info: (fields: object) => void logged.push(fields) };
      const repository = storage.repository(coverageReports);
      expireReports({ now: () => at(20), log, onReady: hook, onClose: hook }, repository, { days: 10 });
      for (const work of hooks) await work();
      expect(await left()).to.deep.equal(['d10', 'd11']);
      expect(logged).to.deep.equal([{ reports: 2 }]);
    });

    it('before they are kept, if a person was erased meanwhile', async () => {
      const barred = new Map([['S1', { reason: 'erasure' as const, at: at(5) }]]);
      const erasures = {
        barred: async (_: string, ids: readonly string[], since: Date) =>
          ids.includes('S1') && since < at(5) ? barred : new Map(),
        objecting: async () => new Set<string>(),
      };
      const repository = storage.repository(coverageReports);
      const { keep: keepOne } = createKeptReports({
        ...{ repository, erasures, all: false },
        transaction: storage.transaction.bind(storage),
      });
      const json = async function* () {
        yield '{}';
      };
      const { parts: _, ...known } = facts;
      const page = { view: { page: 'report' } as never, fields: {} };
      const one = (day: number) =>
        keepOne({ id: idOf(`d${day}`), made: at(day), facts: known, words: [], json: json(), page, file: page });
      expect((await faultOf(one(4))).message).to.include('was erased meanwhile');
      await one(6);
      expect(await left()).to.deep.equal(['d6']);
    });

    it('not with the setting, which a configuration without it is told', async () => {
      const unclaimed = async (own: readonly Contract[]) => {
        const other = await home.open(own);
        try {
          return await other.unclaimed?.();
        } finally {
          await other.close();
        }
      };
      // Neither migrations nor empty tables are data, and tables of coverage-reports are not those of coverage.
      expect(await unclaimed(coverageServer.contracts)).to.deep.equal([]);
      await keep('left', 1, ['S1']);
      expect(await unclaimed(coverageServer.contracts)).to.deep.equal(['coverage-reports@1']);
      expect(await unclaimed([jobs, tokens])).to.deep.equal(['coverage-reports@1']);
      expect(await unclaimed(contracts)).to.deep.equal([]);
    });

    // Commands are processes; what they store is the same on every engine.
    if (engine !== sqlite && !thorough) return;

    it('by a command, which lists them by gene, panel and sample', async () => {
      await keep('first', 1, ['S1'], ['HGNC:7']);
      await keep('second', 2, ['S2'], ['HGNC:8']);
      const listed = await run(['coverage', 'list', 'reports', '--gene', 'HGNC:7']);
      expect(listed.code, listed.stderr).to.equal(0);
      expect(listed.stdout).to.match(
        /^MADE +ID +PAGE +SAMPLES +PANEL +GENES +NOT MEASURED +GENE\n2026-01-01 00:00 +first-+ +report +S1 +- +1 +0 +measured\n$/,
      );
      expect(listed.stderr).to.include('HGNC:7 is not a gene of the loaded gene sets');
      const bySample = await run(['coverage', 'list', 'reports', '--sample', 'S2', '--json']);
      const { reports } = JSON.parse(bySample.stdout) as { reports: { id: string }[] };
      expect(reports.map(({ id }) => id)).to.deep.equal([idOf('second')]);
      const missing = await run(['coverage', 'delete', 'reports', '--id', 'none', '--yes']);
      expect([missing.code, missing.stderr]).to.deep.equal([1, 'trefoil: There is no kept report none\n']);
      const deleted = await run(['coverage', 'delete', 'reports', '--id', idOf('first'), '--yes']);
      expect([deleted.code, deleted.stdout]).to.deep.equal([0, 'Deleted 1 report\n']);
      expect(await left()).to.deep.equal(['second']);
      const killed = await run(
        ['coverage', 'delete', 'reports', '--id', idOf('second'), '--yes'],
        killedAt('coverage.report.removed'),
      );
      expect(killed.signal).to.equal('SIGKILL');
      expect(await left()).to.deep.equal(['second']);
      expect(await storage.repository(coverageReports).content(idOf('second'), 'json')).to.have.lengthOf(1);
    });

    it('not when a configuration no longer keeps them, as check and an erasure say', async () => {
      await keep('left', 1, ['S1']);
      const erasures = { file: 'erased' };
      const settings = { storage: home.section, demo: false, erasures, plugins: { coverage: {} } };
      await folder.write('none.yaml', JSON.stringify(settings));
      const none = (words: string[]) => command([...words, '--config', 'none.yaml'], { cwd: folder.path() });
      const warning =
        'Warning: the storage has data of coverage-reports@1, which this configuration does not use: they are not served, expired or erased';
      const checked = await none(['check']);
      expect([checked.code, checked.stderr]).to.deep.equal([0, `${warning}\n`]);
      const { advice } = JSON.parse((await none(['check', '--json'])).stdout);
      expect(advice).to.deep.equal([warning.slice('Warning: '.length)]);
      const erased = await none(['erase', '--sample', 'S1', '--yes']);
      expect(erased.code).to.equal(1);
      expect(erased.stderr).to.equal(`${warning}\ntrefoil: Nothing is stored under "S1"\n`);
      expect(await left()).to.deep.equal(['left']);
      expect((await run(['check'])).stderr).to.equal('');
    });

    it('are refused by the commands of a server that keeps none, which has no table of them', async () => {
      const other = await engine.home();
      try {
        await folder.write('none.yaml', JSON.stringify({ storage: other.section, plugins: { coverage: {} } }));
        const migrated = await command(['migrate', '--config', 'none.yaml'], { cwd: folder.path() });
        expect(migrated.code, migrated.stderr).to.equal(0);
        expect(migrated.stdout).to.include('coverage-sites@1').and.not.to.include('coverage-reports@1');
        const listed = await command(['coverage', 'list', 'reports', '--config', 'none.yaml'], { cwd: folder.path() });
        expect(listed.code).to.equal(1);
        expect(listed.stderr).to.equal(
          'trefoil: This server keeps no reports: the setting plugins.coverage.reports is missing\n',
        );
      } finally {
        await other.discard();
      }
    });
  });
}
