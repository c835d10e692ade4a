/** Lists and batches longer than any limit that an engine or a driver has. */
import type { AlleleQuery, BeaconRepository } from '../../../plugins/beacon/contract.js';
import { cases, faults, same } from '../core.js';
import { answers, at, called, contentOf, dataset, exactly, filled, idsOf, load, small, totals } from './build.js';

const lists = 'lists and batches may be of any length';

export const volumeCases = cases<BeaconRepository>({
  [lists]: {
    async 'a batch of 33 000 alleles is stored completely'({ repository }) {
      const count = 33_000;
      const alleles = Array.from({ length: count }, (_, i) => called(small('1', i * 3, 'A', 'T'), [i % 2, 1]));
      const change = await filled(repository, ['s', 't'], alleles, { size: count });
      same(change, { alleles: count, calls: count, samples: 2 });
      await totals(repository, 'ds', { alleles: count, calls: count, samples: 2 });
      const last = small('1', (count - 1) * 3, 'A', 'T');
      await answers(repository, exactly(last), ['ds'], [{ dataset: 'ds', alleles: 1, calls: 1, samples: 1 }]);
      const everything = { assembly: 'GRCh37', contig: '1' } as const;
      const all = { dataset: 'ds', alleles: count, calls: count, samples: 2 };
      await answers(repository, everything, ['ds'], [all], 'results are never cut off');
      same((await repository.examples('ds', false, 50_000)).length, count);
    },
    async 'more than a thousand samples are loaded, listed and removed'({ repository }) {
      const name = (i: number) => `sample-${String(i).padStart(5, '0')}`;
      const samples = Array.from({ length: 1_200 }, (_, i) => name(i));
      const shared = small('1', 100, 'A', 'T');
      const few = Array.from({ length: 5 }, (_, i) => called(small('2', i, 'A', 'T'), [1_199 - i, 2]));
      await filled(repository, ['other'], [called(shared, [0, 1])]);
      const before = await contentOf(repository, 'ds');
      const common = called(shared, ...samples.map((_, i) => [i, (i % 2) + 1] as const));
      const added = { alleles: 5, calls: 600 + 1_200 + 10, samples: 1_200 };
      same(await load(repository, 'ds', samples, [common, ...few]), added);
      same(await repository.samples('ds'), ['other', ...samples]);
      await answers(repository, exactly(shared), ['ds'], [{ dataset: 'ds', alleles: 1, calls: 1_801, samples: 1_201 }]);
      const strangers = Array.from({ length: 40_000 }, (_, i) => `stranger-${i}`);
      same(await repository.removeSamples('ds', [...strangers, ...samples], at(2)), added);
      same(await contentOf(repository, 'ds'), before);
    },
    async 'a query may name 40 000 datasets'({ repository }) {
      const allele = small('1', 100, 'A', 'T');
      for (const id of ['zz', 'aa', 'mm']) await repository.addDataset(dataset(id), at(0));
      for (const id of ['zz', 'aa']) await load(repository, id, ['s'], [called(allele, [0, 1])]);
      const ids = ['zz', ...Array.from({ length: 40_000 }, (_, i) => `ds-${i}`), 'mm', 'aa'];
      const hits = ['aa', 'zz'].map((id) => ({ dataset: id, alleles: 1, calls: 1, samples: 1 }));
      same(await repository.search(exactly(allele), ids), hits);
      same(await repository.present(exactly(allele), ids), ['aa', 'zz']);
    },
    async 'one search returns many datasets'({ repository }) {
      const allele = small('1', 100, 'A', 'T');
      const ids = Array.from({ length: 60 }, (_, i) => `ds-${String(i).padStart(3, '0')}`);
      for (const id of ids) {
        await repository.addDataset(dataset(id), at(0));
        await load(repository, id, ['s', 't'], [called(allele, [0, 1]), called(allele, [1, 2])]);
      }
      const hits = ids.map((id) => ({ dataset: id, alleles: 1, calls: 3, samples: 2 }));
      same(await repository.search(exactly(allele), ids), hits);
      same(await repository.present(exactly(allele), ids), ids);
      const few = ids.slice(0, 30);
      const named = [...few, ...Array.from({ length: 400 }, (_, i) => `none-${i}`)];
      same(await repository.search(exactly(allele), named), hits.slice(0, 30), 'beside many that do not exist');
      same(await repository.present(exactly(allele), named), few, 'beside many that do not exist');
      same(await idsOf(repository), ids);
    },
  },
  'search throws an invalid fault beyond its limit; present names no more datasets than most': {
    async 'a search beyond its limit is refused, one that reaches it is not'({ repository }) {
      const count = 12_000;
      const alleles = Array.from({ length: count }, (_, i) => called(small('1', i, 'A', 'T'), [0, 1]));
      for (const id of ['a', 'b']) {
        await repository.addDataset(dataset(id), at(0));
        await load(repository, id, ['s'], alleles, { size: 5000 });
      }
      const within = (max: number): AlleleQuery => ({ assembly: 'GRCh37', contig: '1', start: { min: 0, max } });
      const hits = (size: number) => ['a', 'b'].map((id) => ({ dataset: id, alleles: size, calls: size, samples: 1 }));
      same(await repository.search(within(49), ['a', 'b'], { limit: 100 }), hits(50));
      await faults('invalid', repository.search(within(50), ['a', 'b'], { limit: 100 }));
      await faults('invalid', repository.search(within(count), ['a'], { limit: count - 1 }));
      same(await repository.search(within(count), ['a', 'b'], { limit: 2 * count }), hits(count));
      const rare: AlleleQuery = { ...within(count), alternate: 'G' };
      same(await repository.search(rare, ['a', 'b'], { limit: 1 }), [], 'alleles that do not match are not counted');
      same(await repository.present(within(count), ['a', 'b'], { most: 2 }), ['a', 'b']);
      same((await repository.present(within(count), ['a', 'b'], { most: 1 })).length, 1);
      same(await repository.present(within(count), ['a', 'b'], { most: 0 }), []);
      same(await repository.present(rare, ['a', 'b'], { most: 1 }), []);
    },
  },
  'a dataset has its totals over all published imports': {
    async 'more than a hundred imports into one dataset add up'({ repository }) {
      const allele = small('1', 100, 'A', 'T');
      const count = 120;
      await repository.addDataset(dataset('ds'), at(0));
      for (let i = 0; i < count; i++) {
        const own = called(small('2', i, 'A', 'T'), [0, 1]);
        same(await load(repository, 'ds', [`s${i}`], [called(allele, [0, 1]), own], { now: at(i) }), {
          alleles: i === 0 ? 2 : 1,
          calls: 2,
          samples: 1,
        });
      }
      await totals(repository, 'ds', { alleles: count + 1, calls: 2 * count, samples: count });
      await answers(repository, exactly(allele), ['ds'], [{ dataset: 'ds', alleles: 1, calls: count, samples: count }]);
    },
  },
});
