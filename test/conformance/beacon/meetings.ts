/** What beacon@1 promises of calls that run at the same time. */
import { type BeaconRepository, beacon } from '../../../plugins/beacon/contract.js';
import { atMost, type Case, faults, gate, type Meeting, meet, meeting, readDuring, same } from '../core.js';
import { at, called, dataset, facts, filled, load, noChange, small, totals } from './build.js';

const a = called(small('1', 100, 'A', 'T'), [0, 1]);
const b = called(small('1', 200, 'A', 'T'), [0, 2]);

/** In a dataset `ds` with a sample `s`. */
function inDataset<Result>(callers: Meeting<BeaconRepository, Result>): Case<BeaconRepository> {
  return meeting(beacon, { before: (repository) => filled(repository, ['s'], [a]), ...callers });
}

const corrected = 'describeSamples corrects what is known of samples; all of it takes effect at once';
const own =
  'an import belongs to the dataset that it began with: if that is replaced during the import, nothing is imported';

export const meetingCases: readonly Case<BeaconRepository>[] = [
  inDataset({
    name: 'of several concurrent removals of a dataset, one succeeds',
    promise: 'removeDataset removes a dataset with all its alleles; returns false if it does not exist',
    first: (inside) => inside.removeDataset('ds'),
    other: (repository) => repository.removeDataset('ds'),
    check: async (repository, result) => same([await result, await repository.datasets()], [false, []]),
  }),
  inDataset({
    name: 'an update from a description that another caller is just replacing fails',
    promise: 'of several updates from one description, one succeeds',
    first: (inside) => inside.updateDataset(dataset('ds', { name: 'first' }), at(2)),
    other: (repository) => repository.updateDataset(dataset('ds', { name: 'other' }), at(3), dataset('ds')),
    check: async (repository, result) => same([await result, (await repository.dataset('ds'))?.name], [false, 'first']),
  }),
  inDataset({
    name: 'the totals are right after two imports of which one waited for the other',
    promise: 'two imports into one dataset may overlap in time; the totals are right after both',
    first: (inside) => load(inside, 'ds', ['t'], [a, b]),
    other: (repository) => load(repository, 'ds', ['t', 'u'], [called(b, [0, 2], [1, 2])]),
    async check(repository, result) {
      same(await result, { alleles: 0, calls: 2, samples: 1 });
      await totals(repository, 'ds', { alleles: 2, calls: 6, samples: 3 });
    },
  }),
  inDataset({
    name: 'removals that overlap in time end with the right totals',
    promise: 'removeSamples removes samples exactly as if they had never been added',
    first: (inside) => inside.removeSamples('ds', ['s', 't'], at(2)),
    other: (repository) => repository.removeSamples('ds', ['u', 's'], at(3)),
    async check(repository, result) {
      same(await result, noChange);
      await totals(repository, 'ds', noChange);
    },
  }),
  inDataset({
    name: 'a sample that is imported while it is being removed is added again',
    promise: 'removeSamples removes samples exactly as if they had never been added',
    first: (inside) => inside.removeSamples('ds', ['s'], at(2)),
    other: (repository) => load(repository, 'ds', ['s'], [a, b], { now: at(3) }),
    async check(repository, result) {
      same(await result, { alleles: 2, calls: 3, samples: 1 });
      await totals(repository, 'ds', { alleles: 2, calls: 3, samples: 1 });
      same((await repository.sampleFacts('ds'))[0]?.added, at(3));
    },
  }),
  inDataset({
    name: 'a sample that is removed while it is being imported is removed with what was imported',
    promise: 'removeSamples removes samples exactly as if they had never been added',
    first: (inside) => load(inside, 'ds', ['t', 's'], [called(b, [0, 1], [1, 1])]),
    other: (repository) => repository.removeSamples('ds', ['s'], at(2)),
    async check(repository, result) {
      same(await result, { alleles: 1, calls: 2, samples: 1 });
      await totals(repository, 'ds', { alleles: 1, calls: 1, samples: 1 });
    },
  }),
  inDataset({
    name: 'two corrections of a sample both take effect',
    promise: corrected,
    first: (inside) => inside.describeSamples('ds', facts({ s: { sex: 'male' } }), at(2)),
    other: (repository) => repository.describeSamples('ds', facts({ s: { case: 'f' } }), at(3)),
    async check(repository, result) {
      const [sample] = await repository.sampleFacts('ds');
      same([await result, sample?.sex, sample?.case], [1, 'male', 'f']);
    },
  }),
  inDataset({
    name: 'a sample is corrected from what an import is just saying of it',
    promise: corrected,
    first: (inside) => load(inside, 'ds', ['s'], [], { facts: facts({ s: { sex: 'male', case: 'f' } }) }),
    other: (repository) => repository.describeSamples('ds', facts({ s: { case: 'f' } }), at(3)),
    check: async (repository, result) =>
      same([await result, (await repository.sampleFacts('ds'))[0]?.sex], [0, 'male']),
  }),
  inDataset({
    name: 'batches that another caller is just adding are counted',
    promise: 'addBatches: of several callers that know the same batches, one succeeds',
    first: (inside) => inside.addBatches('ds', 'x', 0, [['s v']]),
    other: (repository) => repository.addBatches('ds', 'x', 0, [['t v']]),
    check: async (repository, result) => same([await result, await repository.batches('ds', 'x')], [false, [['s v']]]),
  }),
  inDataset({
    name: 'nothing is imported into a dataset that is just being removed',
    promise: own,
    first: (inside) => inside.removeDataset('ds'),
    other: (repository) => load(repository, 'ds', ['t'], [b]),
    async check(repository, result) {
      await faults(['not-found', 'conflict'], result);
      same(await repository.datasets(), []);
    },
  }),
  {
    name: 'nothing is imported into a dataset whose assembly is just changing',
    promise: own,
    async run({ storage, repository }) {
      await filled(repository, ['s'], [a]);
      const begun = gate();
      const alleles = (async function* () {
        begun.open();
        yield [b];
      })();
      const met = meet(
        storage,
        async (scope) => {
          const inside = scope.repository(beacon);
          await inside.removeSamples('ds', ['s'], at(2));
          await inside.updateDataset(dataset('ds', { assembly: 'GRCh38' }), at(2));
        },
        () => repository.importAlleles({ dataset: 'ds', samples: ['t'], alleles }, at(1)),
        // It has begun with the dataset as it was, however busy the machine is.
        () => atMost(3000, begun.passed),
      );
      await faults('conflict', met);
      await totals(repository, 'ds', { alleles: 0, calls: 0, samples: 0 });
    },
  },
  {
    name: 'a dataset that is replaced in a transaction is read as one of the two',
    promise:
      'samples, sampleFacts and batches return those of the dataset; writes of a transaction become visible together',
    async run({ storage, repository }) {
      const fill = async (inside: BeaconRepository, name: string) => {
        await inside.addDataset(dataset('ds'), at(0));
        await load(inside, 'ds', [name], [a]);
        await inside.addBatches('ds', 'series', 0, [[name]]);
      };
      await fill(repository, 's0');
      for (let i = 1; i < 5; i++) {
        const replaced = storage.transaction(async (scope) => {
          const inside = scope.repository(beacon);
          same(await inside.removeDataset('ds'), true);
          await fill(inside, `s${i}`);
        });
        const seen: string[][] = [];
        const reading = (read: () => Promise<string[]>) =>
          readDuring(replaced, async () => void seen.push(await read()));
        await Promise.all([
          reading(() => repository.samples('ds')),
          reading(async () => (await repository.sampleFacts('ds')).map(({ name }) => name)),
          reading(async () => (await repository.batches('ds', 'series')).flat()),
        ]);
        for (const names of seen) same(names, names[0] === `s${i}` ? [`s${i}`] : [`s${i - 1}`]);
      }
    },
  },
];
