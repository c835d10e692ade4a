/** Registrations killed while the values of a cohort are stored: samples and values change together, or not at all. */
import { expect } from 'chai';
import { KnownCohorts } from '../../../../plugins/coverage/cohorts/layout-regions.js';
import { storedCohorts } from '../../../../plugins/coverage/cohorts/values.js';
import { coverage, coverageCohorts, coverageSamples } from '../../../../plugins/coverage/contract.js';
import { steps, thorough } from '../../../support/steps.js';
import { sqlite, storages } from '../../../support/storages.js';
import { person } from '../registry/support.js';
import { useCommands } from '../support/commands.js';

const add = ['coverage', 'add', 'samples', '--sheet', 'samples.tsv'];
const tried = thorough ? steps.cohort : steps.cohort.filter((step) => step === 'coverage.cohort.added');

for (const engine of thorough ? storages : [sqlite]) {
  describe(`coverage: a cohort killed at a step (${engine.name})`, function () {
    this.timeout(120_000); // several processes
    const { folder, storage, run, runKilled } = useCommands(engine, (path) => ({ roots: [path] }));

    beforeEach(async () => {
      const rows = (async function* () {
        yield { genes: [{ ensembl: 'G', chromosome: '1' as const, start: 1_999_900, end: 2_000_100 }] };
      })();
      const accept = () => ({ source: 'test', checksum: 'c', read: 1, skipped: {} });
      await storage()
        .repository(coverage)
        .load({ sets: [{ kind: 'genes', build: 'GRCh38' }], rows, accept }, new Date());
      person(`${folder.path()}/a.d4`, 'female');
      await folder.write('samples.tsv', 'sample\tcoverage_file_path\tbuild\nA\ta.d4\tGRCh38\n');
    });

    /** Mean depth of the gene, and whether the registered sample is the one that has it. */
    async function mean(): Promise<number | undefined> {
      const cohorts = storage().repository(coverageCohorts);
      const regions = [{ chromosome: '1', start: 1_999_900, end: 2_000_100 }];
      const question = { build: 'GRCh38' as const, targets: [{ regions }], thresholds: [10] };
      const found = await storedCohorts(new KnownCohorts(cohorts)).values(question, new AbortController().signal);
      if (found.samples.length === 0) return undefined;
      const [sample] = await storage().repository(coverageSamples).find(['A']);
      const source = (await cohorts.state('GRCh38'))?.members[0]?.source ?? '';
      expect(source).to.include(sample?.check?.fingerprint);
      return found.targets.at(0)?.means[0];
    }

    for (const step of tried) {
      it(step, async () => {
        const isFirst = step === 'coverage.cohort.used';
        if (!isFirst) expect((await run(add)).code).to.equal(0);
        // Half of the gene is in the first run of `person`, with 12x and then with 9x.
        const before = isFirst ? undefined : 6;
        expect(await mean()).to.equal(before);
        person(`${folder.path()}/a.d4`, 'female', { depth: 9 });
        await runKilled(step, add);
        // The file is known to be another one: the values of the former do not count, and those of this one are not there.
        expect(await mean()).to.equal(undefined);
        const again = await run(add);
        expect(again.code, again.stderr).to.equal(0);
        expect(await mean()).to.equal(4.5);
      });
    }
  });
}
