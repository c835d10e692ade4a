/** The structural alleles around one that is asked for. */
import type { Allele, BeaconRepository, StructuralQuestion } from '../../../plugins/beacon/contract.js';
import { type Case, same } from '../core.js';
import { at, breakend, called, dataset, load, small, structural } from './build.js';

const promise =
  'nearby returns the structural alleles of the kind with both ends within reach, the nearest first, with their calls';

const deletion: StructuralQuestion = { type: 'structural', contig: '3', start: 10_000, end: 11_000, kind: 'DEL' };

export const nearbyCases: readonly Case<BeaconRepository>[] = [
  {
    name: 'the nearest structural alleles come first, with the calls of all imports',
    promise,
    async run({ repository }) {
      const found = {
        exact: structural('3', 10_000, 11_000, 'DEL'),
        'another spelling': { ...structural('3', 10_000, 11_000, 'DEL'), reference: 'T' },
        'three away': structural('3', 9999, 11_002, 'DEL'),
        'later start': structural('3', 10_004, 11_000, 'DEL:ME'),
        'spelled out': { ...small('3', 10_999, `A${'C'.repeat(999)}`, 'A'), structural: true },
        'both borders': structural('3', 9000, 12_000, 'DEL'),
      };
      const others = [
        structural('3', 8999, 11_000, 'DEL'),
        structural('3', 10_000, 12_001, 'DEL'),
        structural('4', 10_000, 11_000, 'DEL'),
        structural('3', 10_000, 11_000, 'DUP'),
        small('3', 10_000, `A${'G'.repeat(999)}`, 'A'),
        { ...breakend('3', 10_000, 'G[3:11001[', '3', 11_000), kind: 'DEL' },
      ];
      const ordered: Allele[] = Object.values(found);
      for (const id of ['ds', 'other']) await repository.addDataset(dataset(id), at(0));
      const all = [...others, ...ordered.toReversed()].map((allele) => called(allele, [0, 1]));
      await load(repository, 'ds', ['a'], all);
      // Stated by some imports only, and left out of the answer.
      const stated = { ...found['three away'], startRange: { min: 9000, max: 10_000 } };
      await load(repository, 'ds', ['b', 'c'], [called(stated, [0, 1], [1, 2])]);
      await load(repository, 'other', ['a'], [called(structural('3', 10_001, 11_000, 'DEL'), [0, 1])]);
      const expected = ordered.map((allele) => ({ ...allele, calls: allele === found['three away'] ? 4 : 1 }));
      same(await repository.nearby('ds', deletion, { reach: 1000, limit: 100 }), expected);
      same(
        await repository.nearby('ds', deletion, { reach: 1000, limit: 3 }),
        expected.slice(0, 3),
        'within the limit',
      );
      same(await repository.nearby('ds', deletion, { reach: 0, limit: 100 }), expected.slice(0, 2), 'without a reach');
      const first: StructuralQuestion = { ...deletion, contig: '4', start: 5, end: 10_500 };
      same(
        await repository.nearby('ds', first, { reach: 10_000, limit: 9 }),
        [{ ...structural('4', 10_000, 11_000, 'DEL'), calls: 1 }],
        'beyond the beginning of a chromosome',
      );
      same(await repository.nearby('nowhere', deletion, { reach: 1000, limit: 100 }), []);
      await repository.removeSamples('ds', ['a', 'c'], at(2));
      same(
        await repository.nearby('ds', deletion, { reach: 1000, limit: 100 }),
        [{ ...found['three away'], calls: 1 }],
        'after samples were removed',
      );
    },
  },
];
