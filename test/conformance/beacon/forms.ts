/** Another form for the alleles of a dataset: small insertions and deletions move, and forms of one change meet. */
import assert from 'node:assert/strict';
import {
  type AlignedForm,
  type Allele,
  alleleKey,
  type BeaconRepository,
  type CalledAllele,
  callOf,
  copiesOfCall,
  fractionOfCall,
  type MovedAllele,
  movedBy,
} from '../../../plugins/beacon/contract.js';
import { type Case, cases, property, same } from '../core.js';
import {
  at,
  breakend,
  called,
  dataset,
  exactly,
  filled,
  listed,
  load,
  noChange,
  small,
  stateOf,
  structural,
  throws,
  totals,
} from './build.js';
import { observed, sequence } from './observations.js';

/** Alleles begin at 9, 19, 29 … or, if they are stretches of `width` bases, at the last base of each. */
export function steppedForm(width = 10): AlignedForm {
  return {
    alignedTo: `every ${width}`,
    aligned(allele) {
      const start = Math.max(0, allele.start - ((allele.start + 1) % width));
      return { ...allele, start, end: start + allele.end - allele.start };
    },
  };
}

/** In the form, if one is given: as a load reads it. */
export function inForm<Stated extends Allele>(allele: Stated, form: AlignedForm | undefined): Stated {
  return (form && (movedBy(allele, form) as Stated | undefined)) ?? allele;
}

const form = steppedForm();
const insertion = (start: number) => small('1', start, 'A', 'AT');
const deletion = (start: number) => small('1', start, 'ACG', 'A');

const moving =
  'rewriteAlleles: small insertions and deletions move; structural alleles, and those of as many bases, stay';
const meeting =
  'rewriteAlleles: where forms of one change meet in a sample, it has the greater number of copies, never the sum';

/** What a dataset shows, without its id and dates. */
async function shown(repository: BeaconRepository, id: string) {
  const { dataset: described, facts, ...state } = await stateOf(repository, id);
  const { alleleCount, callCount, sampleCount, alignedTo } = described ?? {};
  const alleles = await listed(repository, id);
  const found = await repository.found({ assembly: 'GRCh37', contig: '1' }, [id], { limit: 1000, carriers: true });
  const questions = alleles.filter(({ structural: one }) => !one).map(sequence);
  const observations = await repository.observe('GRCh37', questions, [id], { carriers: true });
  return {
    ...{ ...state, alleleCount, callCount, sampleCount, alignedTo, alleles },
    found: found.flatMap((one) => one.alleles),
    notCalled: observations.map(([one]) => [one?.carriers, one?.homozygotes, one?.notCalled, one?.of]),
    counted: (await repository.observe('GRCh37', questions, [id])).map(([one]) => [one?.carriers, one?.cases]),
    facts: facts.map(({ name, searched }) => ({ name, searched })),
    fractions: (await repository.fractions(id, alleles)).map((one) => [...one].sort()),
  };
}

/** With carriers by their calls (`callOf`). */
function withCalls(allele: Allele, calls: readonly (readonly [number, number])[]): CalledAllele {
  const carriers = calls.map(([sample, call]) => [sample, copiesOfCall(call)] as const);
  const fractions = calls.flatMap(([sample, call]) => {
    const percent = fractionOfCall(call);
    return percent === undefined ? [] : [[sample, percent] as const];
  });
  return { ...called(allele, ...carriers), fractions };
}

export const formCases: readonly Case<BeaconRepository>[] = [
  ...cases<BeaconRepository>({
    [moving]: {
      async 'alleles are found where the form puts them, and nowhere else'({ repository }) {
        const stay = [
          small('1', 103, 'A', 'T'),
          small('1', 105, 'AC', 'TG'),
          insertion(109),
          structural('1', 113, 155, 'DEL'),
          { ...small('1', 117, 'CA', 'C'), structural: true },
          breakend('1', 104, 'G]2:71]', '2', 70),
        ];
        const move = [insertion(124), deletion(131)];
        await repository.addDataset(dataset('other'), at(0));
        await load(repository, 'other', ['s'], [called(insertion(124), [0, 1])]);
        const other = await stateOf(repository, 'other');
        await filled(
          repository,
          ['s', 't'],
          [...stay, ...move].map((one) => called(one, [0, 1], [1, 2])),
        );
        same(await repository.rewriteAlleles('ds', form, at(7)), { moved: 2, alleles: 0, calls: 0 });
        const { alignedTo, updated } = (await repository.dataset('ds')) ?? assert.fail();
        same([alignedTo, updated], [form.alignedTo, at(7)]);
        await totals(repository, 'ds', { alleles: 8, calls: 24, samples: 2 });
        same(
          (await listed(repository, 'ds')).map(alleleKey).sort(),
          [...stay, insertion(119), deletion(129)].map(alleleKey).sort(),
        );
        for (const one of move) {
          same(await repository.search(exactly(one), ['ds']), []);
          const [hit] = await repository.search(exactly(inForm(one, form)), ['ds']);
          same(hit, { dataset: 'ds', alleles: 1, calls: 3, samples: 2 });
        }
        same(await stateOf(repository, 'other'), other, 'another dataset with the same allele');
        for (const again of [form, form]) same(await repository.rewriteAlleles('ds', again, at(8)), undefined);
        same(await repository.rewriteAlleles('nowhere', form, at(8)), undefined);
        same((await repository.dataset('ds'))?.updated, at(7), 'it has the form already');
      },
      async 'an empty dataset takes the form, and leaves it with its assembly'({ repository }) {
        await repository.addDataset(dataset('ds'), at(0));
        same(await repository.rewriteAlleles('ds', form, at(1)), { moved: 0, ...{ alleles: 0, calls: 0 } });
        same((await repository.datasets()).find(({ id }) => id === 'ds')?.alignedTo, form.alignedTo);
        await repository.updateDataset(dataset('ds', { name: 'Renamed' }), at(2));
        same((await repository.dataset('ds'))?.alignedTo, form.alignedTo);
        await repository.updateDataset(dataset('ds', { assembly: 'GRCh38' }), at(3));
        same((await repository.dataset('ds'))?.alignedTo, undefined);
        await repository.removeDataset('ds');
        await repository.addDataset(dataset('ds'), at(4));
        same((await repository.dataset('ds'))?.alignedTo, undefined, 'of a dataset that is added again');
      },
      async 'is told of each allele that moves before anything of it is visible'({ repository }) {
        await filled(repository, ['s'], [called(insertion(124), [0, 1]), called(deletion(133), [0, 1])]);
        await load(repository, 'ds', ['t'], [called(insertion(121), [0, 1]), called(small('1', 7, 'A', 'T'), [0, 1])]);
        const before = await stateOf(repository, 'ds');
        const told = new Map<string, string>();
        const onMoved = async (moved: readonly MovedAllele[]) => {
          for (const { from, to } of moved) told.set(alleleKey(from), alleleKey(to));
          same(await stateOf(repository, 'ds'), before);
        };
        await repository.rewriteAlleles('ds', { ...form, onMoved }, at(1));
        same(
          [...told].sort(),
          [insertion(121), insertion(124), deletion(133)]
            .map((one) => [alleleKey(one), alleleKey(inForm(one, form))])
            .sort(),
        );
      },
    },
    [meeting]: {
      async 'forms of one import and of several count once in a sample'({ repository }) {
        await filled(
          repository,
          ['s', 't', 'u'],
          [
            called(insertion(121), [0, 1], [1, 2]),
            called(insertion(124), [0, 2], [1, 1]),
            called(insertion(119), [2, 1]),
          ],
        );
        await load(repository, 'ds', ['s', 't', 'v'], [called(insertion(126), [0, 1], [1, 3], [2, 1])]);
        await load(repository, 'ds', ['u'], [called(insertion(127), [0, 2]), called(small('1', 7, 'A', 'T'), [0, 1])]);
        await load(repository, 'ds', ['w'], [called(insertion(119), [0, 1])]);
        await totals(repository, 'ds', { alleles: 6, calls: 16, samples: 5 });
        same(await repository.rewriteAlleles('ds', form, at(1)), { moved: 4, alleles: 4, calls: 6 });
        await totals(repository, 'ds', { alleles: 2, calls: 10, samples: 5 });
        const asked = await repository.found(exactly(insertion(119)), ['ds'], { limit: 9, carriers: true });
        same(asked[0]?.alleles[0]?.named, [
          ['s', 2],
          ['t', 3],
          ['u', 2],
          ['v', 1],
          ['w', 1],
        ]);
        const counted = await observed(repository, sequence(insertion(119)));
        same([counted?.carriers, counted?.homozygotes], [5, 3]);
        same(await repository.removeSamples('ds', ['t'], at(2)), { alleles: 0, calls: 3, samples: 1 });
        same(await repository.removeSamples('ds', ['s', 'u', 'v', 'w'], at(2)), { alleles: 2, calls: 7, samples: 4 });
        await totals(repository, 'ds', noChange);
      },
      async 'what is stated of an allele stays with those who have no more copies of one that moves'({ repository }) {
        const stated = { ...insertion(119), startRange: { min: 110, max: 130 } };
        await filled(repository, ['s', 't', 'u'], [called(stated, [0, 1], [1, 2], [2, 1])]);
        await load(repository, 'ds', ['s', 't', 'u'], [called(insertion(123), [0, 1], [1, 1], [2, 2])]);
        await repository.rewriteAlleles('ds', form, at(1));
        await totals(repository, 'ds', { alleles: 1, calls: 5, samples: 3 });
        same((await listed(repository, 'ds'))[0]?.startRange, stated.startRange);
        await repository.removeSamples('ds', ['s', 't'], at(2));
        const [left] = await listed(repository, 'ds');
        same([left?.calls, left?.startRange], [2, undefined], 'of copies of an allele that moved nothing is stated');
      },
      async 'copies beyond the bounds of one row are kept'({ repository }) {
        const most = 2 ** 31 - 1;
        await filled(repository, ['s', 't'], [called(insertion(121), [0, most]), called(insertion(124), [1, most])]);
        await load(repository, 'ds', ['u'], [called(insertion(119), [0, most])]);
        await repository.rewriteAlleles('ds', form, at(1));
        await totals(repository, 'ds', { alleles: 1, calls: 3 * most, samples: 3 });
      },
      async 'a sample that was not called at one of the forms was not called at the new one'({ repository }) {
        const missed = (one: Allele, ...samples: number[]): CalledAllele => ({
          ...one,
          carriers: [],
          uncalled: samples,
        });
        await filled(
          repository,
          ['s', 't', 'u'],
          [
            { ...called(insertion(121), [0, 1]), uncalled: [1] },
            missed(insertion(124), 1, 2),
            missed(insertion(134), 0),
          ],
        );
        await load(repository, 'ds', ['u'], [called(insertion(119), [0, 1])]);
        await repository.rewriteAlleles('ds', form, at(1));
        const one = await observed(repository, sequence(insertion(119)));
        same([one?.carriers, one?.notCalled, one?.of.samples], [2, 1, 2]);
        same((await observed(repository, sequence(insertion(129))))?.notCalled, 1);
        same((await observed(repository, sequence(insertion(134))))?.notCalled, 0);
        await totals(repository, 'ds', { alleles: 1, calls: 2, samples: 3 });
      },
    },
    'rewriteAlleles: other calls run concurrently and are kept; imports of the old form throw a `conflict` fault from then on':
      {
        async 'imports and removals meanwhile are kept, in the new form'({ repository }) {
          await filled(repository, ['s', 't'], [called(insertion(121), [0, 1]), called(insertion(124), [1, 1])]);
          let turns = 0;
          const pause = async () => {
            if (++turns === 1) await load(repository, 'ds', ['u', 's'], [called(insertion(126), [0, 2], [1, 2])]);
            if (turns === 2) await repository.removeSamples('ds', ['t'], at(1));
          };
          const rewritten = await repository.rewriteAlleles('ds', { ...form, pause }, at(2));
          if (turns < 2) await repository.removeSamples('ds', ['t'], at(1));
          assert.ok(rewritten && turns > 0, 'the work was done');
          await totals(repository, 'ds', { alleles: 1, calls: 4, samples: 2 });
          same((await repository.search(exactly(insertion(119)), ['ds']))[0]?.samples, 2);
        },
        async 'an import in another form is refused, also if the form changes while it is read'({ repository }) {
          await filled(repository, ['s'], [called(insertion(121), [0, 1])]);
          const before = await stateOf(repository, 'ds');
          const add = (alignedTo?: string, first?: () => Promise<unknown>) => {
            const alleles = (async function* () {
              await first?.();
              yield [called(insertion(119), [0, 1])];
            })();
            const named = alignedTo === undefined ? {} : { alignedTo };
            return repository.importAlleles({ dataset: 'ds', samples: ['t'], alleles, ...named }, at(3));
          };
          await assert.rejects(add(form.alignedTo), { code: 'conflict' });
          same(await stateOf(repository, 'ds'), before);
          await assert.rejects(
            add(undefined, () => repository.rewriteAlleles('ds', form, at(2))),
            { code: 'conflict' },
          );
          await totals(repository, 'ds', { alleles: 1, calls: 1, samples: 1 });
          for (const other of [undefined, 'another']) await assert.rejects(add(other), { code: 'conflict' });
          same(await add(form.alignedTo), { alleles: 0, calls: 1, samples: 1 });
          await totals(repository, 'ds', { alleles: 1, calls: 2, samples: 2 });
        },
        async 'a dataset that is removed meanwhile leaves nothing'({ repository }) {
          await filled(repository, ['s'], [called(insertion(121), [0, 1])]);
          const pause = async () => void (await repository.removeDataset('ds'));
          same(await repository.rewriteAlleles('ds', { ...form, pause }, at(1)), undefined);
          await repository.sweep(at(1_000_000));
          same(await repository.leftovers(), 0);
        },
      },
    'rewriteAlleles: after any failure it has the old form': {
      async 'an error of pause or of onMoved is thrown, and changes nothing'({ repository }) {
        await filled(repository, ['s'], [called(insertion(121), [0, 1]), called(deletion(144), [0, 1])]);
        const before = await stateOf(repository, 'ds');
        const error = new Error('not now');
        const fail = async () => {
          throw error;
        };
        for (const failing of [{ pause: fail }, { onMoved: fail }]) {
          await throws(error, repository.rewriteAlleles('ds', { ...form, ...failing }, at(1)));
          same(await stateOf(repository, 'ds'), before);
        }
        await repository.sweep(at(1_000_000));
        same(await repository.leftovers(), 0);
      },
    },
  }),
  {
    name: 'any dataset that is rewritten is as if it had been loaded in the new form',
    promise: `${moving}; ${meeting}`,
    async run(context) {
      const { repository } = context;
      let next = 0;
      interface Loaded {
        samples: string[];
        alleles: CalledAllele[];
      }
      await property<Loaded>(context, {
        runs: 6,
        generate: (random) =>
          random.list(1, 6, () => {
            const samples = random.some(['a', 'b', 'c', 'd', 'e']);
            const alleles = random.list(0, 10, (): CalledAllele => {
              const made = random.pick([insertion, deletion, (start: number) => small('1', start, 'A', 'T')]);
              const carriers = samples.flatMap((_, i) => (random.chance(0.5) ? [[i, random.int(1, 3)] as const] : []));
              const fractions = carriers.flatMap(([sample]) =>
                random.chance(0.5) ? [[sample, random.int(0, 3)] as const] : [],
              );
              return { ...called(made(random.int(98, 125)), ...carriers), fractions };
            });
            return { samples, alleles };
          }),
        async check(loads) {
          const [stored, expected] = [`before${next}`, `after${next++}`];
          const copies = new Map<string, { allele: Allele; of: Map<string, number> }>();
          const firsts = new Map<string, number>();
          for (const id of [stored, expected]) await repository.addDataset(dataset(id), at(0));
          const names = [...new Set(loads.flatMap(({ samples }) => samples))];
          for (const { samples, alleles } of loads) {
            await load(repository, stored, samples, alleles);
            const percents = new Map<string, number>();
            for (const { fractions = [], ...allele } of alleles) {
              for (const [sample, percent] of fractions) {
                const key = `${samples[sample]} ${alleleKey(allele)}`;
                if (!percents.has(key)) percents.set(key, percent);
              }
            }
            for (const { carriers, fractions: _, ...allele } of alleles) {
              const { of } = copies.get(alleleKey(inForm(allele, form))) ?? { of: new Map<string, number>() };
              copies.set(alleleKey(inForm(allele, form)), { allele: inForm(allele, form), of });
              for (const [sample, count] of carriers) {
                // A sample keeps the first number of copies of each spelling, with the fraction of that load.
                const name = samples[sample] as string;
                const key = `${name} ${alleleKey(allele)}`;
                if (!firsts.has(key)) firsts.set(key, callOf(count, percents.get(key)));
                of.set(name, Math.max(of.get(name) ?? 0, firsts.get(key) ?? 0));
              }
            }
          }
          await repository.rewriteAlleles(expected, form, at(1));
          const aligned = [...copies.values()].map(({ allele, of }) =>
            withCalls(
              allele,
              [...of].map(([name, call]) => [names.indexOf(name), call] as const),
            ),
          );
          await load(repository, expected, names, aligned, { alignedTo: form.alignedTo });
          await repository.rewriteAlleles(stored, form, at(2));
          same(await shown(repository, stored), await shown(repository, expected));
          for (const name of names.slice(0, 2)) {
            for (const id of [stored, expected]) await repository.removeSamples(id, [name], at(3));
          }
          same(await shown(repository, stored), await shown(repository, expected));
          await repository.sweep(at(1_000_000));
          same(await repository.leftovers(), 0);
          for (const id of [stored, expected]) await repository.removeDataset(id);
        },
      });
    },
  },
];
