/** Removing samples is the exact inverse of adding them, and merging of imports changes no result, nor what a removal does later. */

import assert from 'node:assert/strict';
import type { BeaconRepository, CalledAllele } from '../../../plugins/beacon/contract.js';
import { cases, readDuring, same } from '../core.js';
import {
  answers,
  at,
  breakend,
  called,
  contentOf,
  dataset,
  exactly,
  filled,
  listed,
  load,
  noChange,
  small,
  stateOf,
  structural,
  totals,
} from './build.js';

const a = small('1', 100, 'A', 'T');
const b = small('1', 200, 'C', 'CAG');
const c = structural('2', 300, 9000, 'DEL');
const d = breakend('3', 50, 'G]4:71]', '4', 70);

const inverse = 'removeSamples removes samples exactly as if they had never been added';

export const removalCases = cases<BeaconRepository>({
  [inverse]: {
    async 'removing samples restores the state without them'({ repository }) {
      const stay = [called(a, [0, 2]), called(c, [1, 1]), called(d, [0, 1])];
      const leave = [called(a, [0, 1], [1, 2]), called(b, [0, 1]), called(c, [1, 1]), called(d, [1, 2])];
      for (const id of ['ds', 'other']) {
        await repository.addDataset(dataset(id), at(0));
        await load(repository, id, ['s', 't'], stay);
      }
      await load(repository, 'other', ['u', 'v'], leave);
      const [before, other] = [await contentOf(repository, 'ds'), await stateOf(repository, 'other')];
      for (const second of [5.005, 6]) {
        const added = await load(repository, 'ds', ['u', 'v', 'w'], leave);
        same(added, { alleles: 1, calls: 7, samples: 3 });
        const removed = await repository.removeSamples('ds', ['w', 'u', 'v'], at(second));
        same(removed, added, 'the removal returns what the import added');
        same(await contentOf(repository, 'ds'), before);
        same((await repository.dataset('ds'))?.updated, at(second));
      }
      same(await stateOf(repository, 'other'), other, 'another dataset with the same samples and alleles');
      same(await repository.removeSamples('ds', ['t', 's'], at(7)), { alleles: 3, calls: 4, samples: 2 });
      await totals(repository, 'ds', noChange);
      await load(repository, 'ds', ['s', 't'], stay);
      same(await contentOf(repository, 'ds'), before, 'removed samples can be added again');
    },
    async 'an allele that another sample carries stays'({ repository }) {
      await filled(repository, ['s', 't', 'u'], [called(a, [0, 1], [1, 2]), called(b, [0, 1])]);
      same(await repository.removeSamples('ds', ['s'], at(2)), { alleles: 1, calls: 2, samples: 1 });
      await totals(repository, 'ds', { alleles: 1, calls: 2, samples: 2 });
      await answers(repository, exactly(a), ['ds'], [{ dataset: 'ds', alleles: 1, calls: 2, samples: 1 }]);
      await answers(repository, exactly(b), ['ds'], []);
      same(await repository.removeSamples('ds', ['u'], at(2)), { ...noChange, samples: 1 }, 'without alleles');
      same(await repository.samples('ds'), ['t']);
    },
    async 'a sample of several imports is removed from all of them'({ repository }) {
      await filled(repository, ['s', 't'], [called(a, [0, 1], [1, 1])]);
      await load(repository, 'ds', ['s'], [called(a, [0, 2]), called(b, [0, 2])]);
      await load(repository, 'ds', ['u', 's'], [called(b, [0, 1]), called(c, [1, 1])]);
      await totals(repository, 'ds', { alleles: 3, calls: 6, samples: 3 });
      same(await repository.removeSamples('ds', ['s'], at(2)), { alleles: 1, calls: 4, samples: 1 });
      await totals(repository, 'ds', { alleles: 2, calls: 2, samples: 2 });
      await answers(repository, exactly(b), ['ds'], [{ dataset: 'ds', alleles: 1, calls: 1, samples: 1 }]);
      await answers(repository, exactly(c), ['ds'], []);
      const copies = await load(repository, 'ds', ['s'], [called(a, [0, 2])]);
      same(copies, { alleles: 0, calls: 2, samples: 1 }, 'added again with other copies, it has the new ones');
    },
  },
  'names that the dataset does not have are ignored': {
    async 'names that the dataset does not have are ignored'({ repository }) {
      await filled(repository, ['s', 't'], [called(a, [0, 1], [1, 1])]);
      const before = await stateOf(repository, 'ds');
      same(await repository.removeSamples('ds', [], at(2)), noChange);
      same(await repository.removeSamples('ds', ['S', 's ', '', '%', 'stranger'], at(2)), noChange);
      same(await stateOf(repository, 'ds'), before);
      const mixed = await repository.removeSamples('ds', ['stranger', 't', 't', 'another stranger'], at(3));
      same(mixed, { alleles: 0, calls: 1, samples: 1 }, 'a repeated name is removed once');
      await totals(repository, 'ds', { alleles: 1, calls: 1, samples: 1 });
    },
  },
  'a removal of samples is visible at once': {
    async 'a query during a removal sees the state before or after'({ repository }) {
      const alleles = Array.from({ length: 600 }, (_, i) => called(small('1', i, 'A', 'T'), [0, 1], [1, 1]));
      await filled(repository, ['s', 't'], alleles.slice(0, 300));
      await load(repository, 'ds', ['s', 't'], alleles.slice(300));
      const removing = repository.removeSamples('ds', ['s'], at(2));
      await readDuring(removing, async () => {
        const [hit] = await repository.search({ assembly: 'GRCh37', contig: '1' }, ['ds']);
        const seen = { calls: hit?.calls, samples: hit?.samples };
        const whole = seen.calls === 1200 || seen.calls === 600;
        if (!whole) same(seen, { calls: 1200, samples: 2 }, 'neither the state before nor the state after');
      });
      same(await removing, { alleles: 0, calls: 600, samples: 1 });
      await totals(repository, 'ds', { alleles: 600, calls: 600, samples: 1 });
    },
  },
});

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
