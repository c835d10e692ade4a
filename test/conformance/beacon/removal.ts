/** Removing samples is the exact inverse of adding them. */
import type { BeaconRepository } from '../../../plugins/beacon/contract.js';
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
    async 'removals that overlap in time end with the right totals'({ repository }) {
      await filled(
        repository,
        ['s', 't', 'u', 'v'],
        [called(a, [0, 1], [1, 1], [2, 1], [3, 2]), called(b, [0, 1], [1, 2]), called(c, [2, 1])],
      );
      const changes = await Promise.all([
        repository.removeSamples('ds', ['s', 't'], at(2)),
        repository.removeSamples('ds', ['t', 'u'], at(2)),
      ]);
      await totals(repository, 'ds', { alleles: 1, calls: 2, samples: 1 });
      const [first, second] = changes.map(({ samples }) => samples);
      same((first ?? 0) + (second ?? 0), 3, 'each sample is removed once');
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
