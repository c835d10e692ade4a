/** Imports become visible completely or not at all, and block no other call. */
import assert from 'node:assert/strict';
import { type BeaconRepository, beacon, type CalledAllele, type Import } from '../../../plugins/beacon/contract.js';
import { atMost, type Case, cases, faults, gate, oddText, readDuring, reopening, same } from '../core.js';
import {
  at,
  type BeaconContext,
  batches,
  called,
  contentOf,
  dataset,
  filled,
  givingUp,
  load,
  small,
  stateOf,
  throws,
  totals,
} from './build.js';
import { sequence } from './observations.js';

const allele = (start: number) => small('1', start, 'A', 'T');
const everything = { assembly: 'GRCh37', contig: '1' } as const;

const whole = 'an import becomes visible all at once or, after any failure, not at all';
const meanwhile = 'other calls run during an import and see the state before';
const aborting = "aborting throws the signal's reason and leaves everything as it was";
const sweeping = 'sweep gives up idle imports; results of other calls do not change';

function many(count: number, from = 0, samples = 1): CalledAllele[] {
  return Array.from({ length: count }, (_, i) =>
    called(allele(from + i), ...Array.from({ length: samples }, (_, s) => [s, 1] as const)),
  );
}

/** An import that is half-way, where it pauses until `goOn` is called. */
async function held(
  repository: BeaconRepository,
  id: string,
  samples: readonly string[],
  [first, second]: readonly [CalledAllele[], CalledAllele[]],
  more: Pick<Import, 'signal' | 'searched'> = {},
) {
  const [halfway, goOn] = [gate(), gate()];
  const alleles = (async function* () {
    yield* batches(first);
    halfway.open();
    await goOn.passed;
    yield* batches(second);
  })();
  const importing = repository.importAlleles({ dataset: id, samples, alleles, ...more }, at(2));
  await Promise.race([halfway.passed, importing]);
  return { importing, goOn: goOn.open };
}

/** An import whose source fails half-way. */
function failing(samples: readonly string[], alleles: CalledAllele[]): Import {
  const source = (async function* () {
    yield* batches(alleles, 50);
    throw new Error('the file ends in the middle of a line');
  })();
  return { dataset: 'ds', samples, alleles: source };
}

const hourLater = () => new Date(Date.now() + 3_600_000);

/** Fails if the work does not end although nothing that it waits for is missing. */
async function soon<Result>(work: Promise<Result>, what: string): Promise<Result> {
  let settled = false;
  const watched = work.finally(() => {
    settled = true;
  });
  watched.catch(() => {});
  await atMost(10_000, watched);
  assert.ok(settled, `${what} waits for the import`);
  return watched;
}

/** `read` returns the number of carriers of an allele in each of the datasets. */
function showsOneMoment(
  name: string,
  promise: string,
  read: (
    repository: BeaconRepository,
    ids: readonly string[],
  ) => Promise<readonly { dataset: string; samples: number }[]>,
): Case<BeaconRepository> {
  const run = async ({ repository, given }: BeaconContext) => {
    const ids = ['a', 'b'];
    for (const id of ids) await repository.addDataset(dataset(id), at(0));
    // The second import begins when the first is published, in one order and then in the other.
    let first = 'a';
    const writing = async () => {
      for (let i = 0; i < 16; i++) {
        first = i < 8 ? 'a' : 'b';
        for (const id of first === 'a' ? ids : ids.toReversed()) await load(repository, id, [`s${i}`], many(1));
      }
    };
    await readDuring(writing(), async () => {
      const leading = first;
      const hits = await read(repository, ids);
      if (leading !== first) return;
      const samplesOf = (id: string) => hits.find((hit) => hit.dataset === id)?.samples ?? 0;
      const [ahead, behind] = leading === 'a' ? [samplesOf('a'), samplesOf('b')] : [samplesOf('b'), samplesOf('a')];
      given('samples seen', { first: leading, ahead, behind });
      assert.ok(ahead >= behind && ahead <= behind + 1, 'an import is seen without the one before it');
    });
  };
  return { name, promise, run };
}

const oneMoment = 'search and found show one moment: a later import is never seen without an earlier one';

export const visibilityCases: readonly Case<BeaconRepository>[] = [
  ...cases<BeaconRepository>({
    [whole]: {
      async 'a query during an import sees the state before or after, never a part'({ repository }) {
        await filled(repository, ['s'], many(3));
        const before = { alleles: 3, calls: 3, samples: 1 };
        const after = { alleles: 1503, calls: 3003, samples: 3 };
        const seen: unknown[] = [];
        const look = async () => {
          const [hit] = await repository.search(everything, ['ds']);
          const stored = await repository.dataset('ds');
          seen.push(hit && { alleles: hit.alleles, calls: hit.calls, samples: hit.samples });
          seen.push(stored && { alleles: stored.alleleCount, calls: stored.callCount, samples: stored.sampleCount });
          same(await repository.samples('ds').then(({ length }) => length === 1 || length === 3), true, 'samples');
        };
        const looked = many(1500, 1000, 2);
        const request = {
          dataset: 'ds',
          samples: ['t', 'u'],
          alleles: (async function* () {
            for await (const batch of batches(looked, 300)) {
              yield batch;
              await look();
            }
          })(),
        };
        const importing = repository.importAlleles(request, at(2));
        await readDuring(importing, look);
        same(await importing, { alleles: 1500, calls: 3000, samples: 2 });
        for (const each of seen) {
          const legal =
            JSON.stringify(each) === JSON.stringify(before) || JSON.stringify(each) === JSON.stringify(after);
          if (!legal) same(each, before, 'a query during the import saw neither the state before nor the state after');
        }
        await totals(repository, 'ds', after);
      },
      async 'an import whose source fails half-way leaves nothing behind'({ repository }) {
        await filled(repository, ['s'], many(2));
        const before = await stateOf(repository, 'ds');
        const broken = failing(['s', 't'], many(250, 1, 2));
        await assert.rejects(repository.importAlleles(broken, at(2)), /in the middle of a line/);
        same(await stateOf(repository, 'ds'), before);
        same(await load(repository, 'ds', ['s', 't'], many(250, 1, 2)), { alleles: 249, calls: 499, samples: 1 });
        await totals(repository, 'ds', { alleles: 251, calls: 501, samples: 2 }, 'the same import can be run again');
      },
      async 'an import whose dataset is removed during the import leaves nothing behind'({ repository }) {
        await repository.addDataset(dataset('ds'), at(0));
        const { importing, goOn } = await held(repository, 'ds', ['t'], [many(50), many(50, 50)]);
        await soon(repository.removeDataset('ds'), 'removeDataset');
        goOn();
        await faults(['not-found', 'conflict'], importing);
        assert.equal(await repository.dataset('ds'), undefined);
        same(await repository.search(everything, ['ds']), []);
      },
    },
    [aborting]: {
      async 'an aborted import throws the reason and leaves nothing behind'({ repository }) {
        await filled(repository, ['s'], many(2));
        const before = await stateOf(repository, 'ds');
        const stop = new AbortController();
        const reason = new Error('the operator aborted the load');
        const { importing, goOn } = await held(repository, 'ds', ['t'], [many(100, 10), many(100, 200)], {
          signal: stop.signal,
        });
        stop.abort(reason);
        goOn();
        await throws(reason, importing);
        same(await stateOf(repository, 'ds'), before);
      },
    },
    [meanwhile]: {
      async 'other calls run during an import'({ repository, given }) {
        await repository.addDataset(dataset('ds'), at(0));
        await repository.addDataset(dataset('other'), at(0));
        await load(repository, 'ds', ['s', 'gone'], many(5, 0, 2));
        const { importing, goOn } = await held(repository, 'ds', ['t'], [many(150), many(150, 150)]);
        try {
          const calls: Record<string, () => Promise<unknown>> = {
            datasets: () => repository.datasets(),
            search: () => repository.search(everything, ['ds', 'other']),
            recount: () => repository.recount('ds'),
            addDataset: () => repository.addDataset(dataset('new'), at(3)),
            updateDataset: () => repository.updateDataset(dataset('ds', { name: 'renamed' }), at(3)),
            'an import into another dataset': () => load(repository, 'other', ['t'], many(3)),
            'an import into the same dataset': () => load(repository, 'ds', ['u'], many(3)),
            removeSamples: () => repository.removeSamples('ds', ['gone'], at(4)),
            removeDataset: () => repository.removeDataset('new'),
          };
          for (const [name, call] of Object.entries(calls)) {
            given('meanwhile', name);
            await soon(call(), name);
          }
          await totals(repository, 'ds', { alleles: 5, calls: 8, samples: 2 }, 'without its alleles');
        } finally {
          goOn();
        }
        same(await importing, { alleles: 295, calls: 300, samples: 1 });
        await totals(repository, 'ds', { alleles: 300, calls: 308, samples: 3 });
        same((await repository.dataset('ds'))?.name, 'renamed');
      },
    },
    'an import belongs to the dataset that it began with: if that is replaced during the import, nothing is imported': {
      async 'an import stays with the dataset that it began with'({ repository, given }) {
        const replaced: Record<string, (id: string) => Promise<unknown>> = {
          'removed and added again': async (id) => {
            await repository.removeDataset(id);
            // In the same millisecond.
            await repository.addDataset(dataset(id), at(0));
          },
          'removed and added again with another assembly': async (id) => {
            await repository.removeDataset(id);
            await repository.addDataset(dataset(id, { assembly: 'GRCh38' }), at(3));
          },
          'of another assembly now': (id) => repository.updateDataset(dataset(id, { assembly: 'GRCh38' }), at(3)),
        };
        for (const [i, [how, replace]] of Object.entries(replaced).entries()) {
          given('the dataset is', how);
          const id = `ds${i}`;
          await repository.addDataset(dataset(id), at(0));
          const { importing, goOn } = await held(repository, id, ['t'], [many(50), many(50, 50)]);
          await soon(replace(id), 'replacing the dataset');
          goOn();
          await faults(['not-found', 'conflict'], importing);
          await totals(repository, id, { alleles: 0, calls: 0, samples: 0 });
          const stored = await repository.dataset(id);
          for (const assembly of ['GRCh37', 'GRCh38'] as const) {
            same(await repository.search({ ...everything, assembly }, [id]), [], `${assembly} of ${stored?.assembly}`);
          }
        }
      },
    },
    [sweeping]: {
      async 'sweeping changes no result, and stops no running import'({ repository }) {
        assert.equal(await repository.sweep(new Date()), 0, 'an empty store');
        await filled(repository, ['s'], many(20));
        const before = await stateOf(repository, 'ds');
        const { importing, goOn } = await held(repository, 'ds', ['t'], [many(50), many(50, 50)]);
        assert.equal(await repository.sweep(new Date(0)), 0, 'nothing has been idle since 1970');
        same(await stateOf(repository, 'ds'), before);
        goOn();
        same(await importing, { alleles: 80, calls: 100, samples: 1 });
        await totals(repository, 'ds', { alleles: 100, calls: 120, samples: 2 });
        assert.equal(await repository.sweep(hourLater()), 0, 'nothing was left behind');
        await totals(repository, 'ds', { alleles: 100, calls: 120, samples: 2 });
      },
    },
    'sweep gives up idle imports: such an import is complete, or throws a `conflict` fault and adds nothing': {
      async 'an import that a sweep gave up is complete or absent'({ repository, given }) {
        const late = () => repository.sweep(hourLater());
        // Alleles that the dataset has already, with the same carrier or another; swept half-way, or once all are passed.
        const rounds = ['s', 't'].flatMap((sample) => [false, true].map((atEnd) => ({ sample, atEnd })));
        for (const [i, { sample, atEnd }] of rounds.entries()) {
          given('sample, and whether the sweep is at the end', [sample, atEnd]);
          const id = `ds${i}`;
          await repository.addDataset(dataset(id), at(0));
          await load(repository, id, ['s'], many(20));
          const before = await contentOf(repository, id);
          // More than is read at once, where what is there already is left out.
          const all = atEnd && sample === 's' ? 12_000 : 300;
          let swept: Promise<unknown> | undefined;
          const searched = () => {
            if (atEnd) swept = late();
            return { small: true, structural: true };
          };
          const { importing, goOn } = await held(repository, id, [sample], [many(150), many(all - 150, 150)], {
            searched,
          });
          if (!atEnd) await late();
          same(await contentOf(repository, id), before);
          goOn();
          const [outcome] = await Promise.allSettled([importing]);
          await swept;
          if (outcome.status === 'rejected') {
            await faults('conflict', importing);
            same(await contentOf(repository, id), before, 'the failed import left nothing');
            await load(repository, id, [sample], many(all));
          }
          const expected = sample === 's' ? { calls: all, samples: 1 } : { calls: all + 20, samples: 2 };
          await totals(repository, id, { alleles: all, ...expected });
        }
        await late();
        assert.equal(await late(), 0, 'nothing is left to sweep');
      },
    },
    'sweep gives up imports of these samples: such an import is complete, or throws a `conflict` fault and adds nothing':
      {
        async 'those of others go on, with sample names of any length and number'({ repository }) {
          await filled(repository, ['s'], many(20));
          const own = await held(repository, 'ds', ['t', oddText], [many(50), many(50, 50)]);
          const other = await held(repository, 'ds', ['u'], [many(50), many(50, 50)]);
          const before = await contentOf(repository, 'ds');
          const names = Array.from({ length: 1200 }, (_, i) => `none ${i}`);
          await repository.sweep(new Date(0), [...names, oddText]);
          same(await contentOf(repository, 'ds'), before);
          own.goOn();
          const [outcome] = await Promise.allSettled([own.importing]);
          if (outcome.status === 'rejected') {
            await faults('conflict', own.importing);
            same(await contentOf(repository, 'ds'), before, 'the failed import left nothing');
          }
          other.goOn();
          await other.importing;
          const others = outcome.status === 'rejected' ? 0 : 2;
          same((await repository.samples('ds')).length, 2 + others);
          await repository.sweep(hourLater());
          assert.equal(await repository.leftovers(), 0);
        },
      },
    'leftovers are 0 if nothing is running and a sweep has ended': {
      async 'no invisible data takes space for good'({ repository }) {
        const left = async () => {
          await repository.sweep(hourLater());
          return repository.leftovers();
        };
        assert.equal(await left(), 0, 'an empty store');
        await filled(repository, ['s', 't'], many(20, 0, 2));
        await load(repository, 'ds', ['s', 't', 'u'], many(30, 0, 3));
        assert.equal(await left(), 0, 'after two imports, the second with alleles of the first');
        await repository.removeSamples('ds', ['s'], at(2));
        assert.equal(await left(), 0, 'after removing a sample');
        await assert.rejects(repository.importAlleles(failing(['v'], many(250)), at(3)));
        assert.equal(await left(), 0, 'after an import that failed');
        const { importing, goOn } = await held(repository, 'ds', ['w'], [many(50), many(50, 50)]);
        await repository.removeDataset('ds');
        goOn();
        await faults(['not-found', 'conflict'], importing);
        assert.equal(await left(), 0, 'after an import whose dataset was removed');
      },
    },
  }),
  givingUp('an import that was aborted before it began does nothing', aborting, (repository, signal) =>
    load(repository, 'ds', ['t'], many(3), { signal }),
  ),
  showsOneMoment('a search over several datasets shows one moment', oneMoment, (repository, ids) =>
    repository.search(everything, ids),
  ),
  showsOneMoment('alleles found in several datasets show one moment', oneMoment, async (repository, ids) => {
    const found = await repository.found(everything, ids, { limit: 1 });
    return found.map(({ dataset, alleles: [allele] }) => ({ dataset, samples: allele?.samples ?? 0 }));
  }),
  showsOneMoment(
    'observations of several datasets and questions show one moment',
    'observe: all as of one moment',
    async (repository, ids) => {
      const question = sequence(allele(0));
      const [one, , two] = await repository.observe('GRCh37', [question, sequence(allele(1)), question], ids);
      same(two, one, 'one question as another');
      for (const { of, carriers } of one ?? []) same(of.samples, carriers, 'of all samples');
      return (one ?? []).map(({ dataset, carriers }) => ({ dataset, samples: carriers }));
    },
  ),
  reopening(
    'an import is still visible after closing and reopening the storage',
    whole,
    beacon,
    (repository) => filled(repository, ['s', 't'], many(100, 0, 2)),
    (repository) => stateOf(repository, 'ds'),
  ),
];
