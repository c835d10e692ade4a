/** Commands killed at each step: the dataset is as before or as after, and the command can be run again. */
import { expect } from 'chai';
import { tokens } from '../../../core/auth/contract.js';
import { erasures } from '../../../core/erasures/contract.js';
import { jobs } from '../../../core/jobs/contract.js';
import type { Storage } from '../../../core/storage.js';
import { type BeaconRepository, beacon, beaconGenes } from '../../../plugins/beacon/contract.js';
import { command } from '../../support/command.js';
import { useFolder } from '../../support/folder.js';
import { arrivals, killedAt, steps, thorough } from '../../support/steps.js';
import { type Home, storages } from '../../support/storages.js';
import { beaconBin, type Outcome } from '../../support/trefoil.js';
import { countOrphans } from './support/orphans.js';
import { dataset, load } from './support/serve.js';
import { vcf } from './support/vcf.js';

const first = vcf({ samples: ['a'], records: ['1 1 . A C . . . GT 0/1', '1 2 . A C . . . GT 1/1'] });
/** Unordered, with an allele that `a` already has and a breakend. */
const second = vcf({
  samples: ['a', 'b'],
  records: [
    '1 5 . A G . . . GT 0/1 0/1',
    '2 7 . A A[3:9[ . . SVTYPE=BND GT 0/0 0/1',
    '1 1 . A C . . . GT 0/1 1/1',
    '1 5 . A G . . . GT 0/1 0/1',
  ],
});
/** Alleles, calls and samples: 1:1 once and 1:2 twice in a. */
const before = [2, 3, 1];
/** And 1:5 once in each, 1:1 twice in b, and the breakend once in b. */
const after = [4, 8, 2];
/** b alone: 1:5 once, 1:1 twice, the breakend once. */
const rest = [3, 4, 1];
interface Change {
  name: string;
  words: string[];
  /** The totals of the dataset; undefined if it does not exist. */
  from: number[];
  to: number[] | undefined;
  steps: readonly string[];
}

const changes: Change[] = [
  {
    name: 'a load',
    words: ['add', 'variants', '--ds', 'ds', '--vcf', 'second.vcf'],
    from: before,
    to: after,
    // The sweep removes the segment staged first, which its reduced copy replaces.
    steps: [...steps.load, ...steps.publish, ...steps.sweep],
  },
  {
    name: 'a deletion of samples',
    words: ['delete', 'variants', '--ds', 'ds', '--sample', 'a', '--yes'],
    from: after,
    to: rest,
    steps: [
      ...steps.load.slice(0, -1),
      ...steps.removal,
      // Only a load has `reduced` and `counted`: here the totals of the two segments are counted.
      ...steps.publish.slice(2),
      ...steps.sweep,
    ],
  },
  {
    name: 'a deletion of a dataset',
    words: ['delete', 'dataset', '--id', 'ds', '--yes'],
    from: after,
    to: undefined,
    steps: [...steps.removalOfDataset, ...steps.sweep],
  },
];

/** The suite kills a load at the steps that make it visible. */
const published = changes.slice(0, 1).map((change) => ({ ...change, steps: steps.publish }));

for (const engine of storages) {
  for (const change of thorough ? changes : published) {
    describe(`beacon: ${change.name} killed at a step (${engine.name})`, function () {
      this.timeout(120_000); // several processes
      const folder = useFolder();
      let home: Home;
      let storage: Storage;
      let repository: BeaconRepository;
      beforeEach(async () => {
        home = await engine.home();
        storage = await home.open([erasures, jobs, tokens, beacon, beaconGenes]);
        await storage.migrate();
        repository = storage.repository(beacon);
        await repository.addDataset(dataset('ds'), new Date());
        await load(repository, 'ds', [await folder.write('first.vcf', first)]);
        const path = await folder.write('second.vcf', second);
        if (change.from !== before) await load(repository, 'ds', [path]);
        await folder.write('trefoil.yaml', JSON.stringify({ storage: home.section, plugins: { beacon: {} } }));
      });
      afterEach(async () => {
        await storage.close();
        await home.discard();
      });

      const run = (words: readonly string[], how: Partial<ReturnType<typeof killedAt>> = {}): Promise<Outcome> =>
        command([...words, '--config', 'trefoil.yaml'], { cwd: folder.path(), script: beaconBin, ...how });
      async function totals(): Promise<number[] | undefined> {
        const found = await repository.dataset('ds');
        return found && [found.alleleCount, found.callCount, found.sampleCount];
      }

      // In the suite one engine is killed at each second step, and the other at those between.
      const tried = change.steps.filter((_, i) => thorough || i % storages.length === storages.indexOf(engine));
      for (const step of tried) {
        // Once a command ends before an arrival, it would not be killed at any later one.
        let isReached = true;
        for (let arrival = 1; arrival <= arrivals; arrival++) {
          it(`${step}, arrival ${arrival}`, async function () {
            if (!isReached) this.skip();
            const killed = await run(change.words, killedAt(step, arrival));
            isReached = killed.signal === 'SIGKILL';
            if (arrival === 1) expect(killed.signal, killed.stdout + killed.stderr).to.equal('SIGKILL');
            const seen = await totals();
            expect([change.from, change.to]).to.deep.include(seen);
            if (/committed|sweep/.test(step)) expect(seen, 'what was committed').to.deep.equal(change.to);
            const verified = await run(['verify']);
            expect(verified.code, verified.stdout + verified.stderr).to.equal(0);

            // Once a sample or a dataset is deleted, a second command would find nothing to delete.
            if (seen?.join() === change.from.join()) {
              const { code, stderr } = await run(change.words);
              expect(code, stderr).to.equal(0);
            }
            expect(await totals()).to.deep.equal(change.to);
            await repository.sweep(new Date(Date.now() + 60_000));
            expect(await repository.leftovers()).to.equal(0);
            expect(await countOrphans(home.section)).to.equal(0);
            if (change.to === undefined) return;
            const [alleles, calls, samples] = change.to;
            expect(await repository.recount('ds')).to.deep.equal({ alleles, calls, samples });
            // A sample without facts has no date.
            const dated = (await repository.sampleFacts('ds')).filter(({ added }) => added !== undefined);
            expect(dated.length).to.equal(samples);
          });
        }
      }
    });
  }
}
