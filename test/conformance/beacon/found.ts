import {
  type Allele,
  type AlleleQuery,
  type BeaconRepository,
  byAllele,
  type Carrier,
  type FoundAllele,
  type NamedCarrier,
} from '../../../plugins/beacon/contract.js';
import { type Case, cases, faults, same } from '../core.js';
import { at, breakend, called, carried, dataset, exactly, filled, givingUp, load, small, structural } from './build.js';

const bounded = 'found throws an invalid fault beyond its limit, and reading ends there';

const chromosome: AlleleQuery = { assembly: 'GRCh37', contig: '1' };
const all = { limit: 1000 };

function withCarriers(allele: Allele, ...named: NamedCarrier[]): FoundAllele {
  const calls = named.reduce((sum, [, copies]) => sum + copies, 0);
  return { ...allele, calls, samples: named.length, named };
}

function unnamed({ named: _, ...allele }: FoundAllele): FoundAllele {
  return allele;
}

export const foundCases: readonly Case<BeaconRepository>[] = [
  ...cases<BeaconRepository>({
    'found returns every matching allele once, in the order of byAllele, with its calls and carriers': {
      async 'an allele of several imports is found once, with the calls and carriers of all'({ repository }) {
        const [shared, own] = [small('1', 100, 'A', 'C'), small('1', 100, 'A', 'CT')];
        for (const id of ['b', 'a', 'none']) await repository.addDataset(dataset(id), at(0));
        await repository.addDataset(dataset('newer', { assembly: 'GRCh38' }), at(0));
        await load(repository, 'a', ['z', 'y'], [called(own, [0, 1]), called(shared, [0, 2], [1, 1])]);
        await load(repository, 'a', ['Ä'], [called(shared, [0, 1])]);
        // What z has already stays as it is.
        await load(repository, 'a', ['z', 'x', 'B'], [called(shared, [0, 1], [1, 1], [2, 3])]);
        await load(repository, 'b', ['y'], [called(shared, [0, 2])]);
        await load(repository, 'none', ['y'], [called(small('2', 100, 'A', 'C'), [0, 2])]);
        await load(repository, 'newer', ['y'], [called(shared, [0, 2])]);
        const carriers: NamedCarrier[] = Object.entries({ B: 3, x: 1, y: 1, z: 2, Ä: 1 });
        const a = { dataset: 'a', alleles: [withCarriers(shared, ...carriers), withCarriers(own, ['z', 1])] };
        const b = { dataset: 'b', alleles: [withCarriers(shared, ['y', 2])] };
        const ids = ['b', 'nowhere', 'a', 'none', 'newer', 'b'];
        same(await repository.found(chromosome, ids, { ...all, carriers: true }), [a, b]);
        const counts = [a, b].map((each) => ({ ...each, alleles: each.alleles.map(unnamed) }));
        same(await repository.found(chromosome, ids, all), counts, 'carriers are named if asked for');
        same(await repository.found(exactly(own), ids, all), [
          { dataset: 'a', alleles: [unnamed(withCarriers(own, ['z', 1]))] },
        ]);
        same(await repository.found({ ...chromosome, contig: '3' }, ids, all), []);
        same(await repository.found(chromosome, [], all), []);
        await repository.removeSamples('a', ['z', 'B'], at(2));
        const left = carriers.filter(([name]) => !['z', 'B'].includes(name));
        const remaining = { dataset: 'a', alleles: [withCarriers(shared, ...left)] };
        same(await repository.found(chromosome, ['a'], { ...all, carriers: true }), [remaining], 'without them');
      },
      async 'thousands of alleles of several imports are found in order'({ repository }) {
        const count = 5100;
        const alleles = Array.from({ length: count }, (_, i) => small('1', i >> 1, 'A', i % 2 ? 'T' : 'C'));
        const by = (...carriers: Carrier[]) => alleles.map((allele) => called(allele, ...carriers));
        await filled(repository, ['s', 't'], by([0, 1], [1, 2]).toReversed(), { size: count });
        await load(repository, 'ds', ['u'], by([0, 1]), { size: count });
        await load(repository, 'ds', ['v'], by([0, 1]).slice(-100));
        const expected = alleles.map((allele, i) => ({
          ...allele,
          calls: i < 5000 ? 4 : 5,
          samples: i < 5000 ? 3 : 4,
        }));
        same(await repository.found(chromosome, ['ds'], { limit: count }), [{ dataset: 'ds', alleles: expected }]);
        await faults('invalid', repository.found(chromosome, ['ds'], { limit: count - 1 }));
        const [hit] = await repository.found(chromosome, ['ds'], { limit: 3 * count + 100, carriers: true });
        const carriers: NamedCarrier[] = Object.entries({ s: 1, t: 2, u: 1, v: 1 });
        same(hit?.alleles[5000]?.named, carriers);
        same(hit?.alleles[4999]?.named, carriers.slice(0, 3));
      },
    },
    'found returns the widest ranges, and the largest length, that imports of the present carriers gave': {
      async 'alleles are found with what imports of their carriers stated of them'({ repository }) {
        const plain = structural('1', 100, 200, 'DEL');
        const wide = { ...plain, startRange: { min: 95, max: 120 } };
        const late = { ...plain, startRange: { min: 90, max: 101 }, endRange: { min: 200, max: 205 } };
        const insertion = { ...structural('1', 300, 301, 'INS'), length: 50 };
        await filled(repository, ['a', 'b'], [called(wide, [0, 1]), called(insertion, [1, 1])]);
        await load(repository, 'ds', ['c'], [called(late, [0, 2]), called({ ...insertion, length: 70 }, [0, 1])]);
        await load(repository, 'ds', ['d'], [called(plain, [0, 1])]);
        const widest = { ...plain, startRange: { min: 90, max: 120 }, endRange: { min: 200, max: 205 } };
        const found = async (query: AlleleQuery) => (await repository.found(query, ['ds'], all))[0]?.alleles ?? [];
        same(await found(chromosome), [
          { ...widest, calls: 4, samples: 3 },
          { ...insertion, length: 70, calls: 2, samples: 2 },
        ]);
        same(await found({ ...chromosome, start: { min: 90, max: 99 } }), [], 'ranges do not matter to a query');
        await repository.removeSamples('ds', ['c'], at(2));
        same(await found(chromosome), [
          { ...wide, calls: 2, samples: 2 },
          { ...insertion, calls: 1, samples: 1 },
        ]);
      },
    },
    'found returns both records of a junction, and each of them once, from whichever end it is reached': {
      async 'both records of a junction are found, each once'({ repository }) {
        const here = breakend('1', 100, 'G]1:5001]', '1', 5000);
        const there = breakend('1', 5000, 'A]1:101]', '1', 100, 'A');
        const elsewhere = breakend('2', 300, 'G]1:101]', '1', 100);
        const other = breakend('2', 300, 'G]1:101]', '3', 100);
        await filled(repository, ['s', 't'], [called(there, [0, 1]), called(here, [0, 2], [1, 1])]);
        await load(repository, 'ds', ['u'], [called(elsewhere, [0, 1]), called(other, [0, 1]), called(here, [0, 1])]);
        const alleles = [
          withCarriers(here, ['s', 2], ['t', 1], ['u', 1]),
          withCarriers(there, ['s', 1]),
          withCarriers(elsewhere, ['u', 1]),
        ];
        for (const query of [chromosome, { ...chromosome, start: { min: 100, max: 100 } }]) {
          same(await repository.found(query, ['ds'], { ...all, carriers: true }), [{ dataset: 'ds', alleles }]);
          same(await repository.found(query, ['ds'], all), [{ dataset: 'ds', alleles: alleles.map(unnamed) }]);
        }
        const twice = [elsewhere, other].map((allele) => ({ ...allele, calls: 1, samples: 1 })).sort(byAllele);
        same(
          await repository.found({ ...chromosome, contig: '2' }, ['ds'], all),
          [{ dataset: 'ds', alleles: twice }],
          'breakends that differ by the contig of their mate alone, in order',
        );
      },
    },
    [bounded]: {
      async 'the alleles that are found are bounded, and so are carriers that are named'({ repository }) {
        const alleles = [100, 200, 300].map((start) => small('1', start, 'A', 'C'));
        const names = Array.from({ length: 7 }, (_, i) => `s${i}`);
        const carriers = names.map((_, i) => [i, 1] as const);
        for (const id of ['a', 'b']) {
          await repository.addDataset(dataset(id), at(0));
          await load(repository, id, names, carried(alleles, ...carriers));
        }
        const found = async (limit: number, ids = ['a', 'b'], carriers = false) =>
          (await repository.found(chromosome, ids, { limit, carriers })).map((each) => each.alleles.length);
        same(await found(6), [3, 3]);
        same(await found(3, ['a']), [3]);
        await faults('invalid', found(5));
        await faults('invalid', found(2, ['b']));
        same(await found(42, ['a', 'b'], true), [3, 3], 'as many carriers as are allowed');
        await faults('invalid', found(41, ['a', 'b'], true));
        await faults('invalid', found(20, ['b'], true));
        const single = await repository.found(exactly(alleles[0] as Allele), ['a', 'b'], { limit: 1, carriers: true });
        same.each(single, (each) => each.alleles[0]?.samples, [7, 7], 'no query is narrower than one allele');
      },
    },
  }),
  givingUp(
    'a caller that gives up gets its reason instead of alleles',
    "aborting the signal throws the signal's reason, and the storage stops working on the query",
    (repository, signal) => repository.found(chromosome, ['ds'], { ...all, signal }),
  ),
];
