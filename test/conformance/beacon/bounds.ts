/** Bounds: of numbers, the same on every engine; of the work of a search; and lists beyond any limit of an engine or a driver. */
import {
  type Allele,
  type AlleleQuery,
  type BeaconRepository,
  type CalledAllele,
  farthest,
} from '../../../plugins/beacon/contract.js';
import { cases, faults, giveUp, same } from '../core.js';
import {
  answers,
  at,
  breakend,
  called,
  carried,
  contentOf,
  dataset,
  exactly,
  filled,
  idsOf,
  load,
  small,
  stateOf,
  structural,
  totals,
} from './build.js';

const beyond =
  'an import of positions or copies beyond their bounds is an invalid fault, and leaves everything as it was';

const snv = small('1', 100, 'A', 'T');

/** Imports of the samples s and t that must be refused, by what is wrong with them. */
const refused: Readonly<Record<string, readonly CalledAllele[]>> = {
  'an end beyond': [called(structural('1', 100, farthest + 1, 'DEL'), [0, 1])],
  'an end far beyond': [called(structural('1', 100, 99_999_999_999, 'DEL'), [0, 1])],
  'a start beyond': [called(structural('1', farthest + 1, farthest + 2, 'INS'), [0, 1])],
  'a mate beyond': [called(breakend('1', 100, 'G[2:2147483649[', '2', farthest + 1), [0, 1])],
  'a negative start': [called(structural('1', -1, 100, 'DEL'), [0, 1])],
  'half a position': [called(structural('1', 100, 200.5, 'DEL'), [0, 1])],
  'no number': [called(structural('1', 100, Number.NaN, 'DEL'), [0, 1])],
  'a range beyond': [called({ ...structural('1', 1, 9, 'DEL'), endRange: { min: 9, max: farthest + 1 } }, [0, 1])],
  'copies beyond': [called(snv, [0, farthest + 1])],
  'copies beyond in all': [called(snv, [0, farthest], [1, 1])],
  'copies beyond in all, of an allele that comes twice': [called(snv, [0, farthest]), called(snv, [1, 1])],
  'copies beyond in all, of one that comes again far away': [
    called(snv, [0, farthest]),
    called(small('1', 100_000_000, 'A', 'T'), [0, 1]),
    called(small('2', 100, 'A', 'T'), [0, 1]),
    called(snv, [1, 1]),
  ],
  'no copies': [called(snv, [0, 0])],
  'half a copy': [called(snv, [0, 1.5])],
};

export const boundCases = cases<BeaconRepository>({
  'positions and copies are whole numbers up to farthest; totals are exact far beyond': {
    async 'positions, copies and totals may be as large as the bounds allow'({ repository }) {
      const long = structural('1', 0, farthest, 'DEL');
      const far = breakend('2', 5, 'G[3:2147483648[', '3', farthest);
      const deletion = called({ ...long, endRange: { min: 0, max: farthest } }, [0, farthest]);
      const added = await filled(repository, ['s'], [deletion, called(far, [0, 300])]);
      same(added, { alleles: 2, calls: farthest + 300, samples: 1 });
      await load(repository, 'ds', ['t', 'u'], [called(long, [0, farthest - 1], [1, 1])]);
      await load(repository, 'ds', ['v'], [called(long, [0, farthest])]);
      await totals(repository, 'ds', { alleles: 2, calls: 3 * farthest + 300, samples: 4 });
      const reaching = { assembly: 'GRCh37', contig: '1', end: { min: farthest, max: farthest } } as const;
      await answers(repository, reaching, ['ds'], [{ dataset: 'ds', alleles: 1, calls: 3 * farthest, samples: 4 }]);
      const mate = { assembly: 'GRCh37', contig: '3', start: { min: farthest, max: farthest } } as const;
      await answers(repository, mate, ['ds'], [{ dataset: 'ds', alleles: 1, calls: 300, samples: 1 }]);
      same(await repository.removeSamples('ds', ['t'], at(2)), { alleles: 0, calls: farthest - 1, samples: 1 });
      await totals(repository, 'ds', { alleles: 2, calls: 2 * farthest + 301, samples: 3 });
    },
  },
  [beyond]: {
    async 'values beyond the bounds are refused, and nothing of the import stays'({ repository, given }) {
      await filled(repository, ['r'], [called(snv, [0, 1])]);
      const before = await stateOf(repository, 'ds');
      for (const [what, alleles] of Object.entries(refused)) {
        given('the import', what);
        await faults('invalid', load(repository, 'ds', ['s', 't'], alleles, { size: 1, now: at(2) }));
        same(await stateOf(repository, 'ds'), before);
      }
      same(await load(repository, 'ds', ['s'], [called(snv, [0, 1])]), { alleles: 0, calls: 1, samples: 1 });
    },
  },
});

const limit = 'limit bounds the carriers of all matching alleles, one for each allele and sample, however imported';

const here: AlleleQuery = { assembly: 'GRCh37', contig: '1', start: { min: 0, max: 1000 } };

/** Samples of a dataset that each carry all of these alleles: some imported one by one, some together. */
async function crowd(repository: BeaconRepository, id: string, alleles: readonly Allele[], one: number, more: number) {
  await repository.addDataset(dataset(id), at(0));
  for (let i = 0; i < one; i++) await load(repository, id, [`one${i}`], carried(alleles, [0, 1]));
  const names = Array.from({ length: more }, (_, i) => `more${i}`);
  const all = names.map((_, i): [number, number] => [i, 2]);
  await load(repository, id, names, carried(alleles, ...all));
}

export const limitCases = cases<BeaconRepository>({
  [limit]: {
    async 'a search counts the carriers of its alleles against the limit'({ repository }) {
      const alleles = [small('1', 100, 'A', 'C'), small('1', 200, 'A', 'C')];
      await crowd(repository, 'a', alleles, 12, 8);
      await crowd(repository, 'b', alleles, 1, 2);
      const hits = (ids: readonly string[]) =>
        ids.map((id) => {
          const [calls, samples] = id === 'a' ? [28, 20] : [5, 3];
          return { dataset: id, alleles: 2, calls: 2 * calls, samples };
        });
      for (const [ids, carriers] of [
        [['a'], 40],
        [['b'], 6],
        [['a', 'b'], 46],
      ] as const) {
        same(await repository.search(here, ids, { limit: carriers }), hits(ids), `${carriers} carriers are allowed`);
        await faults('invalid', repository.search(here, ids, { limit: carriers - 1 }));
      }
      same(await repository.present(here, ['a', 'b']), ['a', 'b'], 'present has no such limit');
    },
    async 'a search that matches a single allele ignores the limit'({ repository }) {
      const allele = small('1', 100, 'A', 'C');
      const junction = breakend('1', 300, 'G]2:501]', '2', 500);
      for (const id of ['a', 'b']) await crowd(repository, id, [allele, junction], 3, 4);
      const hit = { alleles: 1, calls: 11, samples: 7 };
      const both = ['a', 'b'].map((id) => ({ dataset: id, ...hit }));
      for (const one of [allele, junction]) same(await repository.search(exactly(one), ['a', 'b'], { limit: 1 }), both);
      await faults('invalid', repository.search(here, ['a'], { limit: 13 }));
    },
  },
  "aborting the signal throws the signal's reason, and the storage stops working on the search": {
    async 'an aborted search throws the reason, and leaves nothing behind'({ repository }) {
      const alleles = Array.from({ length: 15_000 }, (_, i) => called(small('1', i, 'A', 'C'), [0, 1]));
      await repository.addDataset(dataset('a'), at(0));
      await load(repository, 'a', ['s'], alleles);
      const everything: AlleleQuery = { assembly: 'GRCh37', contig: '1' };
      const hits = [{ dataset: 'a', alleles: 15_000, calls: 15_000, samples: 1 }];
      await giveUp(async (signal) => {
        const found = await repository.search(everything, ['a'], { signal });
        same(found, hits);
        return found;
      });
      await giveUp((signal) => repository.present({ ...everything, alternate: 'NNNNN' }, ['a'], { signal }));
      same(await repository.search(everything, ['a']), hits, 'aborting after the search has no effect');
    },
  },
});

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
