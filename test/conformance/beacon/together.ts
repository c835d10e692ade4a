/** What beacon@1 promises of calls that run at the same time. */
import { type BeaconRepository, beacon } from '../../../plugins/beacon/contract.js';
import { type Case, same } from '../core.js';
import { at, called, dataset, load, small } from './build.js';

const allele = called(small('1', 100, 'A', 'T'), [0, 1]);

export const togetherCases: readonly Case<BeaconRepository>[] = [
  {
    name: 'of several concurrent removals of a dataset, one succeeds',
    promise: 'removeDataset removes a dataset with all its alleles; returns false if it does not exist',
    async run({ repository }) {
      for (let i = 0; i < 5; i++) {
        await repository.addDataset(dataset('ds'), at(0));
        await load(repository, 'ds', ['a'], [allele]);
        const removed = await Promise.all([1, 2, 3].map(() => repository.removeDataset('ds')));
        same(removed.filter(Boolean).length, 1);
      }
    },
  },
  {
    name: 'a dataset that is replaced in a transaction is read as one of the two',
    promise:
      'samples, sampleFacts and batches return those of the dataset; writes of a transaction become visible together',
    async run({ storage, repository }) {
      const fill = async (inside: BeaconRepository, name: string) => {
        await inside.addDataset(dataset('ds'), at(0));
        await load(inside, 'ds', [name], [allele]);
        await inside.addBatches('ds', 'series', 0, [[name]]);
      };
      await fill(repository, 's0');
      for (let i = 1; i < 5; i++) {
        const replaced = storage.transaction(async (scope) => {
          const inside = scope.repository(beacon);
          same(await inside.removeDataset('ds'), true);
          await fill(inside, `s${i}`);
        });
        let isOver = false;
        const ended = replaced.finally(() => {
          isOver = true;
        });
        const seen: string[][] = [];
        const reading = async (read: () => Promise<string[]>) => {
          while (!isOver) {
            seen.push(await read());
            await new Promise((resolve) => setImmediate(resolve));
          }
        };
        await Promise.all([
          ended,
          reading(() => repository.samples('ds')),
          reading(async () => (await repository.sampleFacts('ds')).map(({ name }) => name)),
          reading(async () => (await repository.batches('ds', 'series')).flat()),
        ]);
        for (const names of seen) same(names, names[0] === `s${i}` ? [`s${i}`] : [`s${i - 1}`]);
      }
    },
  },
];
