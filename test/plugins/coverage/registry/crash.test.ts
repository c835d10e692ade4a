/** Registrations killed at each step: no sample is half registered, and the command can be run again. */
import { expect } from 'chai';
import { tokens } from '../../../../core/auth/contract.js';
import { jobs } from '../../../../core/jobs/contract.js';
import type { Storage } from '../../../../core/storage.js';
import {
  coverage,
  coverageCohorts,
  coverageSamples,
  coverageSites,
  coverageTracks,
  type SampleRepository,
} from '../../../../plugins/coverage/contract.js';
import { runsOf } from '../../../../plugins/coverage/registry/covered-runs.js';
import { command } from '../../../support/command.js';
import { useFolder } from '../../../support/folder.js';
import { killedAt, steps, thorough } from '../../../support/steps.js';
import { type Home, sqlite, storages } from '../../../support/storages.js';
import { coveredAt10, person } from './support.js';

const add = ['coverage', 'add', 'samples', '--sheet', 'samples.tsv'];
const remove = ['coverage', 'delete', 'samples', '--sample', 'A', '--yes'];

/** The suite kills a check of a file that was replaced, between the deletion of the old runs and the end of the transaction. */
const all = [
  ...steps.register.map((step) => ({ step, words: add })),
  ...steps.check.map((step) => ({ step, words: add })),
  ...steps.unregister.map((step) => ({ step, words: remove })),
];
const tried = thorough ? all : all.filter(({ step }) => step === 'coverage.check.stored');

for (const engine of thorough ? storages : [sqlite]) {
  describe(`coverage: a registration killed at a step (${engine.name})`, function () {
    this.timeout(120_000); // several processes
    const folder = useFolder();
    let home: Home;
    let storage: Storage;
    let samples: SampleRepository;

    beforeEach(async () => {
      home = await engine.home();
      storage = await home.open([
        jobs,
        tokens,
        coverage,
        coverageSamples,
        coverageTracks,
        coverageCohorts,
        coverageSites,
      ]);
      await storage.migrate();
      samples = storage.repository(coverageSamples);
      person(`${folder.path()}/a.d4`, 'female');
      await folder.write('samples.tsv', 'sample\tcoverage_file_path\tbuild\nA\ta.d4\tGRCh38\n');
      const settings = { storage: home.section, plugins: { coverage: { roots: [folder.path()] } } };
      await folder.write('trefoil.yaml', JSON.stringify(settings));
    });
    afterEach(async () => {
      await storage.close();
      await home.discard();
    });

    const run = (words: readonly string[], how: Partial<ReturnType<typeof killedAt>> = {}) =>
      command([...words, '--config', 'trefoil.yaml'], { cwd: folder.path(), ...how });

    /** Bases at 10x as the check says and as the runs have them; undefined if there is no sample. */
    async function covered(): Promise<[number, number] | undefined> {
      const [sample] = await samples.find(['A']);
      if (sample === undefined) return undefined;
      let bases = 0;
      for (const block of await samples.runs('A')) {
        for (const { start, end, depthClass } of runsOf(block, 1)) bases += depthClass === 1 ? end - start : 0;
      }
      return [sample.check?.covered[0] ?? 0, bases];
    }

    for (const { step, words } of tried) {
      it(step, async () => {
        const isFirst = (steps.register as readonly string[]).includes(step);
        if (!isFirst) expect((await run(add)).code).to.equal(0);
        const before = isFirst ? undefined : [coveredAt10, coveredAt10];
        expect(await covered()).to.deep.equal(before);
        // The 12x of `person` becomes 9x, so that the file is another one and covers a megabase less.
        if (words === add) person(`${folder.path()}/a.d4`, 'female', { depth: 9 });
        const killed = await run(words, killedAt(step));
        expect(killed.signal, killed.stdout + killed.stderr).to.equal('SIGKILL');
        expect(await covered()).to.deep.equal(before);
        const again = await run(words);
        expect(again.code, again.stderr).to.equal(0);
        const after = coveredAt10 - 1_000_000;
        expect(await covered()).to.deep.equal(words === add ? [after, after] : undefined);
      });
    }
  });
}
