/** Which structural alleles count as the one that is asked for, and those around it. */
import type { Allele, BeaconRepository, StructuralQuestion } from '../../../plugins/beacon/contract.js';
import { type Case, cases, same } from '../core.js';
import { at, breakend, called, dataset, facts, filled, listed, load, small, structural } from './build.js';
import { observed, sequence } from './observations.js';

const windows = 'isSimilar: a structural allele of its kind with both ends within the window of the question';
const insertions = 'isSimilar: an insertion with its place, and if both are known its length, within the window';
const sides = 'isSimilar: a breakend from either side, whatever its orientation';

const deletion: StructuralQuestion = { type: 'structural', contig: '3', start: 10_000, end: 11_001, kind: 'DEL' };
const insertion: StructuralQuestion = {
  type: 'structural',
  contig: '3',
  start: 500,
  end: 501,
  kind: 'INS',
  length: 300,
};

/** Loads each allele with one sample of its own, named after it; returns which of the samples answer a question. */
async function stock(repository: BeaconRepository, alleles: Record<string, Allele>, window?: number) {
  const names = Object.keys(alleles);
  const counting = window === undefined ? {} : { counting: { passOnly: false, window } };
  await repository.addDataset(dataset('ds', counting), at(0));
  const carried = names.map((name, i) => called(alleles[name] as Allele, [i, 1]));
  await load(repository, 'ds', names, carried);
  return async (question: StructuralQuestion, expected: string[]) => {
    const found = await observed(repository, question, { cases: names.length });
    const named = (found?.detail?.carrying ?? []).map((carrying) => carrying.case);
    same(named.sort(), expected.toSorted());
    same(found?.carriers, expected.length);
  };
}

export const similarCases = cases<BeaconRepository>({
  [windows]: {
    async 'both ends of a structural allele lie within the window of the question'({ repository, given }) {
      // From POS to END 1,000 bases: a fifth of it to each side, 200 bases.
      const finds = await stock(repository, {
        exact: structural('3', 10_000, 11_001, 'DEL'),
        'first border': structural('3', 9800, 11_201, 'DEL'),
        'last border': structural('3', 10_200, 10_801, 'DEL'),
        'start before': structural('3', 9799, 11_001, 'DEL'),
        'start after': structural('3', 10_201, 11_001, 'DEL'),
        'end before': structural('3', 10_000, 10_800, 'DEL'),
        'end after': structural('3', 10_000, 11_202, 'DEL'),
        elsewhere: structural('4', 10_000, 11_001, 'DEL'),
        duplication: structural('3', 10_000, 11_001, 'DUP'),
        subtype: structural('3', 10_000, 11_001, 'DEL:ME'),
        'spelled out': { ...small('3', 10_000, `A${'C'.repeat(1000)}`, 'A'), structural: true },
        small: small('3', 10_000, `A${'G'.repeat(1000)}`, 'A'),
      });
      const all = ['exact', 'first border', 'last border', 'subtype', 'spelled out'];
      await finds(deletion, all);
      given('question', 'the subtype alone');
      await finds({ ...deletion, kind: 'DEL:ME' }, ['subtype']);
      await finds({ ...deletion, kind: 'DUP' }, ['duplication']);
      await finds({ ...deletion, contig: '4' }, ['elsewhere']);
      await finds({ ...deletion, contig: 'X' }, []);
    },
  },
  'windowOf: half of the length below 1,000 bases, a fifth below 10,000, else a tenth, rounded, at most `most`': {
    async 'the window grows with the length of the question, up to that of the dataset'({ repository }) {
      // By question: the start, the length, and the window in bases of a dataset with 2,000 and with 500.
      const asked: [number, number, number, number][] = [
        [1_000_000, 100, 0, 0],
        [2_000_000, 300, 200, 200],
        [3_000_000, 500, 200, 200],
        [4_000_000, 999, 500, 500],
        [5_000_000, 1000, 200, 200],
        [6_000_000, 9999, 2000, 500],
        [7_000_000, 10_000, 1000, 500],
        [8_000_000, 50_000, 2000, 500],
      ];
      const around = asked.flatMap(([start, length, ...windows]) =>
        [...new Set(windows.flatMap((window) => [window, window + 1]))].map((by) =>
          structural('9', start - by, start + length + 1 + by, 'INV'),
        ),
      );
      for (const [which, window] of [2000, 500].entries()) {
        const id = `ds${window}`;
        const counting = window === 2000 ? {} : { counting: { passOnly: false, window } };
        await repository.addDataset(dataset(id, counting), at(0));
        const names = around.map((_, i) => `s${i}`);
        const alleles = around.map((allele, i) => called(allele, [i, 1]));
        await load(repository, id, names, alleles);
        for (const [start, length, ...windows] of asked) {
          const within = windows[which] ?? 0;
          const expected = around.filter((allele) => Math.abs(allele.start - start) <= within).length;
          const question = {
            type: 'structural' as const,
            contig: '9' as const,
            start,
            end: start + length + 1,
            kind: 'INV',
          };
          same((await observed(repository, question, { id }))?.carriers, expected, `${length} bases in ${id}`);
        }
      }
    },
  },
  'observe: with the window of the dataset’s counting, or defaultWindow': {
    async 'each dataset applies its own window'({ repository }) {
      const near = structural('3', 10_000 - 600, 60_000 + 600, 'DEL');
      for (const [id, window] of Object.entries({ a: 500, b: 5000, c: undefined })) {
        const counting = window === undefined ? {} : { counting: { passOnly: false, window } };
        await repository.addDataset(dataset(id, counting), at(0));
        await load(repository, id, ['s'], [called(near, [0, 1])]);
      }
      const question = { ...deletion, end: 60_000 };
      const [observations] = await repository.observe('GRCh37', [question], ['a', 'b', 'c']);
      same.each(observations ?? [], ({ carriers }) => carriers, [0, 1, 1]);
      await repository.updateDataset(dataset('a', { counting: { passOnly: false, window: 600 } }), at(2));
      same((await observed(repository, question, { id: 'a' }))?.carriers, 1, 'the new rule holds at once');
    },
  },
  'isSimilar: of its kind, or of one within it': {
    async 'a kind finds those within it, by any of their names, and none that it is part of'({ repository }) {
      const of = (kind: string) => structural('3', 10_000, 11_001, kind);
      const kinds = 'DEL DEL:ME DUP DUP:TANDEM TDUP INVDUP CNV INV INS:ME:ALU ALU STR:18'.split(' ');
      const finds = await stock(repository, Object.fromEntries(kinds.map((kind) => [kind, of(kind)])));
      const ask = (kind: string, expected: string[]) => finds({ ...deletion, kind }, expected);
      await ask('DEL', ['DEL', 'DEL:ME']);
      await ask('DUP', ['DUP', 'DUP:TANDEM', 'TDUP', 'INVDUP']);
      await ask('DUP:TANDEM', ['DUP:TANDEM', 'TDUP']);
      await ask('CNV', ['DEL', 'DEL:ME', 'DUP', 'DUP:TANDEM', 'TDUP', 'INVDUP', 'CNV']);
      await ask('INS', ['INS:ME:ALU', 'ALU']);
      await ask('STR', ['STR:18']);
      const around = { ...deletion, kind: 'CNV' };
      const near = await repository.nearby('ds', around, { reach: 10, limit: 20 });
      same(near.map(({ kind }) => kind).sort(), kinds.slice(0, 7).sort());
    },
  },
  [insertions]: {
    async 'insertions are compared by place and length'({ repository }) {
      const inserted = (start: number, length?: number): Allele => ({
        ...structural('3', start, start + 1, 'INS'),
        ...(length !== undefined && { length }),
      });
      // Half of 300 bases, rounded to hundreds: 200.
      const finds = await stock(repository, {
        exact: inserted(500, 300),
        border: inserted(300, 500),
        'other border': inserted(700, 100),
        'too long': inserted(501, 501),
        'too short': inserted(502, 99),
        'too far': inserted(701, 300),
        'of unknown length': inserted(503),
        'spelled out': { ...small('3', 500, 'A', `A${'C'.repeat(300)}`), structural: true },
        'spelled out, too short': { ...small('3', 500, 'A', `A${'C'.repeat(99)}`), structural: true },
        'long reference': { ...structural('3', 500, 900, 'INS'), length: 300 },
        mobile: { ...structural('3', 520, 521, 'INS:ME:ALU'), length: 300 },
      });
      const near = ['exact', 'border', 'other border', 'of unknown length', 'spelled out', 'long reference', 'mobile'];
      await finds(insertion, near);
      const { length: _, ...unknown } = insertion;
      // Without a length the window is 0.
      await finds(unknown, ['exact', 'spelled out', 'spelled out, too short', 'long reference']);
      await finds({ ...insertion, kind: 'INS:ME' }, ['mobile']);
    },
  },
  'Allele.length: bases that a structural insertion adds, if its record states them': {
    async 'an insertion comes back with its length, the largest that one import states'({ repository }) {
      const insert = structural('3', 500, 501, 'INS');
      await filled(repository, ['s'], [called({ ...insert, length: 300 }, [0, 1])]);
      same(await repository.examples('ds', true, 5), [{ ...insert, length: 300 }]);
      const twice = [called({ ...insert, length: 900 }, [0, 1]), called({ ...insert, length: 1000 }, [1, 1])];
      await load(repository, 'ds', ['t', 'u'], twice);
      const both = [called(insert, [0, 1]), called({ ...insert, startRange: { min: 490, max: 510 } }, [0, 1])];
      await load(repository, 'ds', ['v'], both);
      // Each sample's length is that of its own import.
      same((await observed(repository, insertion))?.carriers, 2, 's, and v of unknown length');
      same((await observed(repository, { ...insertion, length: 1000 }))?.carriers, 3, 't, u and v');
      same(await listed(repository, 'ds'), [{ ...insert, startRange: { min: 490, max: 510 }, length: 1000, calls: 4 }]);
      await repository.removeSamples('ds', ['t', 'u'], at(3));
      same((await observed(repository, { ...insertion, length: 1000 }))?.carriers, 1);
    },
  },
  [sides]: {
    async 'a junction is found from both of its sides'({ repository }) {
      // Breakends have no length: twice the dataset's window, 4,000 bases, to each side.
      const finds = await stock(repository, {
        here: breakend('5', 100_000, 'G]9:700001]', '9', 700_000),
        'other orientation': breakend('5', 100_100, '[9:700101[G', '9', 700_100),
        mate: breakend('9', 700_000, 'G]5:100001]', '5', 100_000),
        borders: breakend('5', 96_000, 'G]9:704001]', '9', 704_000),
        'borders of the mate': breakend('9', 696_000, 'G]5:104001]', '5', 104_000),
        'too far': breakend('5', 95_999, 'G]9:700001]', '9', 700_000),
        'far end too far': breakend('5', 100_000, 'G]9:704002]', '9', 704_001),
        'mate too far': breakend('9', 704_001, 'G]5:100001]', '5', 100_000),
        'another mate': breakend('5', 100_000, 'G]8:700001]', '8', 700_000),
        single: { ...breakend('5', 100_000, 'G.', '5', 0), end: 100_001, mate: undefined } as unknown as Allele,
        within: breakend('5', 100_000, 'G]5:700001]', '5', 700_000),
        'within, from the mate': breakend('5', 700_000, 'G]5:100001]', '5', 100_000),
        translocation: { ...breakend('5', 100_000, 'G]9:700001]', '9', 700_000, 'C'), kind: 'TRA' },
      });
      const question = {
        type: 'structural',
        contig: '5',
        start: 100_000,
        end: 700_000,
        kind: 'BND',
        mate: '9',
      } as const;
      const all = ['here', 'other orientation', 'mate', 'borders', 'borders of the mate', 'translocation'];
      await finds(question, all);
      await finds({ ...question, kind: 'TRA' }, all);
      await finds({ ...question, contig: '9', start: 700_000, end: 100_000, mate: '5' }, all);
      await finds({ ...question, mate: '5' }, ['within', 'within, from the mate']);
      await finds({ ...question, start: 700_000, end: 100_000, mate: '5' }, ['within', 'within, from the mate']);
      const { mate: _, ...alone } = question;
      await finds({ ...alone, end: 100_001 }, ['single']);
    },
  },
  'Observed: of a sample that comes again, the most copies': {
    async 'a sample with several similar alleles counts once, with the most copies'({ repository }) {
      const [one, two] = [structural('3', 9900, 11_000, 'DEL'), structural('3', 10_100, 11_100, 'DEL')];
      const family = facts({ s: { case: 'f' }, u: { case: 'f' } });
      await filled(repository, ['s', 't'], [called(one, [0, 1], [1, 1]), called(two, [0, 2])], { facts: family });
      await load(repository, 'ds', ['u', 's'], [called(two, [0, 1])], { facts: family });
      const found = { cases: 2, carriers: 3, homozygotes: 1, hemizygotes: 0, alleleCount: 4 };
      same(await observed(repository, deletion), {
        dataset: 'ds',
        notCalled: 0,
        ...found,
        of: { cases: 2, samples: 3 },
      });
      same((await observed(repository, sequence(small('3', 10_000, 'A', 'T'))))?.carriers, 0);
    },
  },
  'ploidyAt: copies of the base at the start of the question, by sex': {
    async 'a structural variant counts as the sex at its start says'({ repository }) {
      const lost = structural('X', 50_000_000, 50_001_000, 'DEL');
      const sexes = facts({ s: { sex: 'male' }, t: { sex: 'female' } });
      await filled(repository, ['s', 't'], [called(lost, [0, 2], [1, 2])], { facts: sexes });
      const { contig, start, end, kind } = lost;
      const found = { cases: 2, carriers: 2, homozygotes: 1, hemizygotes: 1, alleleCount: 3 };
      same(await observed(repository, { type: 'structural', contig, start, end, kind }), {
        dataset: 'ds',
        ...found,
        notCalled: 0,
        of: { cases: 2, samples: 2 },
      });
    },
  },
});

const promise =
  'nearby returns the structural alleles of the kind with both ends within reach, the nearest first, with their calls';

const exact: StructuralQuestion = { ...deletion, end: 11_000 };

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
      same(await repository.nearby('ds', exact, { reach: 1000, limit: 100 }), expected);
      same(await repository.nearby('ds', exact, { reach: 1000, limit: 3 }), expected.slice(0, 3), 'within the limit');
      same(await repository.nearby('ds', exact, { reach: 0, limit: 100 }), expected.slice(0, 2), 'without a reach');
      const first: StructuralQuestion = { ...exact, contig: '4', start: 5, end: 10_500 };
      same(
        await repository.nearby('ds', first, { reach: 10_000, limit: 9 }),
        [{ ...structural('4', 10_000, 11_000, 'DEL'), calls: 1 }],
        'beyond the beginning of a chromosome',
      );
      same(await repository.nearby('nowhere', exact, { reach: 1000, limit: 100 }), []);
      await repository.removeSamples('ds', ['a', 'c'], at(2));
      same(
        await repository.nearby('ds', exact, { reach: 1000, limit: 100 }),
        [{ ...found['three away'], calls: 1 }],
        'after samples were removed',
      );
    },
  },
];
