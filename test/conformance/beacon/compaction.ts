/** Merging of imports: no result changes, neither at once nor when samples are removed later. */
import assert from 'node:assert/strict';
import type { BeaconRepository, CalledAllele } from '../../../plugins/beacon/contract.js';
import { cases, same } from '../core.js';
import { at, breakend, called, contentOf, dataset, listed, load, small, stateOf, structural, totals } from './build.js';

const promise =
  'compact merges imports; results of queries and exports, totals and updated do not change, nor what removing samples does';

/** Enough for adapters that merge eight imports at a time. */
const imports = 18;

const inside = breakend('2', 10, 'G]2:41]', '2', 40);

/** The samples and alleles of the n-th import: some are in all imports, some in several, some in one. */
function importOf(n: number): { samples: string[]; alleles: CalledAllele[] } {
  // Two samples come with several imports.
  const samples = n % 9 === 8 ? ['twice', `s${n}`] : [`s${n}`];
  const own = samples.length - 1;
  const copies = 1 + (n % 2);
  const widths = {
    startRange: { min: 90 - n, max: 110 },
    ...(n % 3 === 0 && { endRange: { min: 180, max: 210 + n } }),
  };
  const deletion = { ...structural('1', 100, 200, 'DEL'), ...(n % 4 > 0 && widths) };
  return {
    samples,
    alleles: [
      called(small('1', 5, 'A', 'C'), ...samples.map((_, i) => [i, copies] as const)),
      called(deletion, [own, 1]),
      called(inside, [own, copies]),
      called(breakend('3', 7, 'G[1:61[', '1', 60), [own, 1]),
      called(small('X', n % 7, 'A', 'T'), [own, 2]),
      called(small('10', 1000 * n, 'C', n % 5 === 0 ? 'CA' : 'G'), [0, 1], ...(own > 0 ? [[1, 1] as const] : [])),
    ],
  };
}

async function fill(repository: BeaconRepository, id: string, keep: (sample: string) => boolean = () => true) {
  await repository.addDataset(dataset(id), at(0));
  for (let n = 0; n < imports; n++) {
    const { samples, alleles } = importOf(n);
    const kept = samples.filter(keep);
    const carried = alleles.map(({ carriers, ...allele }) => {
      const named = carriers.map(([sample, copies]) => [kept.indexOf(samples[sample] ?? ''), copies] as const);
      return { ...allele, carriers: named.filter(([sample]) => sample >= 0) };
    });
    if (kept.length > 0) {
      await load(
        repository,
        id,
        kept,
        carried.filter(({ carriers }) => carriers.length > 0),
      );
    }
  }
}

async function merge(repository: BeaconRepository, id: string): Promise<void> {
  for (let left = 1, times = 0; left > 0; times++) {
    left = await repository.compact(id, async () => {});
    assert.ok(Number.isInteger(left) && left >= 0, 'the number of merges that are left');
    assert.ok(times < imports, 'merging ends');
  }
}

/** All that is there, in the terms of one dataset. */
async function everything(repository: BeaconRepository, id: string) {
  const exported = await listed(repository, id);
  const { dataset: described, ...content } = await contentOf(repository, id);
  const { alleleCount, callCount, sampleCount } = described ?? {};
  const found = await repository.search(
    { assembly: 'GRCh37', contig: '2', kinds: [{ kind: 'BND' }], overlaps: { start: 0, end: 100 } },
    [id],
  );
  const counts = found.map(({ dataset: _, ...counts }) => counts);
  const examples = await repository.examples(id, true, 3);
  return {
    ...{ ...content, exported, alleleCount, callCount, sampleCount, counts },
    examples: examples.map(({ alternate }) => alternate).sort(),
  };
}

export const compactionCases = cases<BeaconRepository>({
  [promise]: {
    async 'merging imports changes no result'({ repository }) {
      await fill(repository, 'ds');
      await fill(repository, 'other');
      const before = await everything(repository, 'ds');
      const [state, other] = [await stateOf(repository, 'ds'), await stateOf(repository, 'other')];
      await merge(repository, 'ds');
      same(await everything(repository, 'ds'), before);
      same(await stateOf(repository, 'ds'), state, 'the same dataset, updated when it was');
      same(await stateOf(repository, 'other'), other, 'another dataset');
      assert.ok(!(await repository.fragmented()).includes('ds'), 'nothing is left to merge');
      const never = () => assert.fail('there is nothing to merge');
      for (const id of ['ds', 'nowhere']) assert.equal(await repository.compact(id, never), 0, id);
      await repository.sweep(at(1_000_000));
      assert.equal(await repository.leftovers(), 0, 'what was merged takes no space');
    },
    async 'samples are removed after merging as if they had never been added'({ repository }) {
      const gone = ['twice', ...Array.from({ length: imports }, (_, n) => `s${n}`).filter((_, n) => n % 3 === 0)];
      await fill(repository, 'ds');
      await merge(repository, 'ds');
      for (const part of [gone.slice(0, 5), gone.slice(5)]) {
        await repository.removeSamples('ds', part, at(2));
        await merge(repository, 'ds');
      }
      await fill(repository, 'never', (sample) => !gone.includes(sample));
      same(await everything(repository, 'ds'), await everything(repository, 'never'));
    },
    async 'imports and removals during merging are kept'({ repository }) {
      await fill(repository, 'ds');
      const { alleleCount, callCount, sampleCount } = (await repository.dataset('ds')) ?? assert.fail();
      const removed = { alleles: 0, calls: 0, samples: 0 };
      const [, added] = await Promise.all([
        merge(repository, 'ds'),
        load(
          repository,
          'ds',
          ['new'],
          [called(small('1', 5, 'A', 'C'), [0, 2]), called(small('9', 5, 'A', 'C'), [0, 1])],
        ),
        ...['s1', 'twice', 's10'].map(async (sample) => {
          const { alleles, calls, samples } = await repository.removeSamples('ds', [sample], at(2));
          removed.alleles += alleles;
          removed.calls += calls;
          removed.samples += samples;
        }),
      ]);
      same(added, { alleles: 1, calls: 3, samples: 1 });
      await merge(repository, 'ds');
      await totals(repository, 'ds', {
        alleles: alleleCount + 1 - removed.alleles,
        calls: callCount + 3 - removed.calls,
        samples: sampleCount + 1 - 3,
      });
      same(removed.samples, 3);
    },
  },
  'an error of pause is thrown, and nothing is merged': {
    async 'a merge that is broken off leaves the imports as they were'({ repository }) {
      await fill(repository, 'ds');
      const before = await everything(repository, 'ds');
      const fragmented = await repository.fragmented();
      for (const turn of [1, 2, 4]) {
        const error = new Error('not now');
        let turns = 0;
        const work = repository.compact('ds', async () => {
          if (++turns === turn) throw error;
        });
        const thrown = await work.then(
          () => undefined,
          (reason: unknown) => reason,
        );
        assert.equal(thrown, turns >= turn ? error : undefined, `at turn ${turn}`);
        if (thrown) same(await repository.fragmented(), fragmented, 'what is left to merge');
        same(await everything(repository, 'ds'), before);
      }
    },
  },
});
