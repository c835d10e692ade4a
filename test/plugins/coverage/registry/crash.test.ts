/** Registrations killed at each step: no sample is half registered, and the command can be run again. */
import { expect } from 'chai';
import { coverageSamples } from '../../../../plugins/coverage/contract.js';
import { runsOfBlock } from '../../../../plugins/coverage/samples/covered-runs.js';
import { steps, thorough } from '../../../support/steps.js';
import { sqlite, storages } from '../../../support/storages.js';
import { useCommands } from '../support/commands.js';
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
    const { folder, storage, run, runKilled } = useCommands(engine, (path) => ({ roots: [path] }));

    beforeEach(async () => {
      person(`${folder.path()}/a.d4`, 'female');
      await folder.write('samples.tsv', 'sample\tcoverage_file_path\tbuild\nA\ta.d4\tGRCh38\n');
    });

    /** Bases at 10x as the check says and as the runs have them; undefined if there is no sample. */
    async function covered(): Promise<[number, number] | undefined> {
      const samples = storage().repository(coverageSamples);
      const [sample] = await samples.find(['A']);
      if (sample === undefined) return undefined;
      let bases = 0;
      for (const block of await samples.runs('A')) {
        for (const { start, end, depthClass } of runsOfBlock(block, 1)) bases += depthClass === 1 ? end - start : 0;
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
        await runKilled(step, words);
        expect(await covered()).to.deep.equal(before);
        const again = await run(words);
        expect(again.code, again.stderr).to.equal(0);
        const after = coveredAt10 - 1_000_000;
        expect(await covered()).to.deep.equal(words === add ? [after, after] : undefined);
      });
    }
  });
}
