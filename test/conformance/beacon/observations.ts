/** How often, in whom and out of how many alleles of plain bases were seen. */
import assert from 'node:assert/strict';
import type {
  Allele,
  Assembly,
  BeaconRepository,
  Contig,
  Observation,
  ObservedCounts,
  ObservedQuestion,
  Requested,
  SequenceQuestion,
  Sex,
} from '../../../plugins/beacon/contract.js';
import { carriersByName, farthest } from '../../../plugins/beacon/contract.js';
import { type Case, cases, same } from '../core.js';
import { at, batches, called, carried, dataset, facts, filled, givingUp, load, small, structural } from './build.js';

const a = small('1', 100, 'A', 'T');
const b = small('1', 100, 'A', 'C');
const c = small('7', 500, 'G', 'GTT');

const counts = 'observe: how often the alleles of each question were seen, as Observed counts carriers';
const order = 'observe: for every question, in their order, every dataset that exists and has the assembly, by id';
const carriers = 'observe: with `carriers`, they are named, each with its most copies';
const corrected = 'describeSamples takes effect at once, and counts of observations follow';

export function sequence({ contig, start, reference, alternate }: Allele): SequenceQuestion {
  return { type: 'sequence', contig, start, reference, alternate };
}

export const unseen: ObservedCounts & Pick<Observation, 'notCalled'> = {
  notCalled: 0,
  cases: 0,
  carriers: 0,
  homozygotes: 0,
  hemizygotes: 0,
  alleleCount: 0,
};

/** What a dataset answers to one question. */
export async function observed(
  repository: BeaconRepository,
  question: ObservedQuestion,
  { id = 'ds', assembly = 'GRCh37', ...requested }: { id?: string; assembly?: Assembly } & Requested = {},
): Promise<Observation | undefined> {
  const [observations] = await repository.observe(assembly, [question], [id], requested);
  return observations?.[0];
}

export const observationCases: readonly Case<BeaconRepository>[] = [
  ...cases<BeaconRepository>({
    [counts]: {
      async 'an allele is counted by cases, carriers, homozygotes and copies'({ repository }) {
        const family = facts({ child: { case: 'f' }, mother: { case: 'f' }, father: { case: 'f' } });
        await filled(
          repository,
          ['child', 'mother', 'father', 'other'],
          [called(a, [0, 2], [1, 1], [2, 1], [3, 3]), called(b, [3, 1]), called(c, [1, 2], [2, 2])],
          { facts: family },
        );
        await load(repository, 'ds', ['later'], [called(a, [0, 1])]);
        const of = { cases: 3, samples: 5 };
        same(await repository.observe('GRCh37', [a, b, c].map(sequence), ['ds']), [
          // Three copies of a place that has two count twice.
          [{ dataset: 'ds', notCalled: 0, cases: 3, carriers: 5, homozygotes: 2, hemizygotes: 0, alleleCount: 7, of }],
          [{ dataset: 'ds', notCalled: 0, cases: 1, carriers: 1, homozygotes: 0, hemizygotes: 0, alleleCount: 1, of }],
          [{ dataset: 'ds', notCalled: 0, cases: 1, carriers: 2, homozygotes: 2, hemizygotes: 0, alleleCount: 4, of }],
        ]);
      },
    },
    'isAskedFor: an allele of the dataset answers a question of its bases if it matches them exactly': {
      async 'an allele is asked for by its place and bases, all of them'({ repository }) {
        await filled(repository, ['s'], [called(c, [0, 1])]);
        const asked = sequence(c);
        same((await observed(repository, asked))?.carriers, 1);
        const others: Partial<SequenceQuestion>[] = [
          { contig: '8' },
          { start: 499 },
          { start: 501 },
          { reference: 'C' },
          { reference: 'GT' },
          { alternate: 'GT' },
          { alternate: 'GTTT' },
          { start: 0 },
          { start: farthest },
          { start: farthest + 1 },
          { start: Number.MAX_SAFE_INTEGER },
        ];
        for (const other of others) {
          const { dataset: _, of, ...none } = (await observed(repository, { ...asked, ...other })) ?? {};
          same(none, unseen);
          same(of, { cases: 1, samples: 1 });
        }
      },
    },
    [order]: {
      async 'questions are answered in their order, by the datasets of the assembly'({ repository }) {
        same(await repository.observe('GRCh37', [sequence(a)], ['nowhere']), [[]]);
        for (const id of ['b', 'B', 'a', 'empty']) await repository.addDataset(dataset(id), at(0));
        await repository.addDataset(dataset('other', { assembly: 'GRCh38' }), at(0));
        await load(repository, 'a', ['s', 't'], [called(a, [0, 1], [1, 1])]);
        await load(repository, 'b', ['s'], [called(a, [0, 1]), called(c, [0, 1])]);
        await load(repository, 'B', ['s'], [called(c, [0, 2])]);
        await load(repository, 'other', ['s'], [called(a, [0, 1])]);
        const ids = ['other', 'b', 'nowhere', 'a', 'b', 'empty', 'B'];
        const seen = (answers: readonly (readonly Observation[])[]) =>
          answers.map((observations) => observations.map(({ dataset, alleleCount }) => `${dataset} ${alleleCount}`));
        same(seen(await repository.observe('GRCh37', [sequence(c), sequence(a), sequence(b), sequence(c)], ids)), [
          ['B 2', 'a 0', 'b 1', 'empty 0'],
          ['B 0', 'a 2', 'b 1', 'empty 0'],
          ['B 0', 'a 0', 'b 0', 'empty 0'],
          ['B 2', 'a 0', 'b 1', 'empty 0'],
        ]);
        same(seen(await repository.observe('GRCh38', [sequence(a)], ids)), [['other 1']]);
        same(await repository.observe('GRCh37', [], ids), []);
        same(await repository.observe('GRCh37', [sequence(a)], []), [[]]);
      },
      async 'thousands of questions are answered at once, each for itself'({ repository }) {
        const contigs: Contig[] = ['1', '2', 'X'];
        const alleles = Array.from({ length: 6000 }, (_, i) =>
          small(contigs[i % 3] ?? '1', 1000 + Math.floor(i / 6), i % 2 === 0 ? 'A' : 'C', 'G'),
        );
        const carried = alleles.flatMap((allele, i) =>
          i % 5 === 0 ? [] : [called(allele, [0, 1 + (i % 2)], [i % 7, 1])],
        );
        const once = carried.map(({ carriers, ...allele }) => called(allele, ...new Map(carriers)));
        await filled(repository, ['s0', 's1', 's2', 's3', 's4', 's5', 's6'], once, { size: 1000 });
        const asked = [...alleles.map(sequence), ...alleles.slice(0, 100).map(sequence)];
        const found = (await repository.observe('GRCh37', asked, ['ds'])).map(([observation]) => observation?.carriers);
        const expected = asked.map((_, n) => {
          const i = n % 6000;
          return i % 5 === 0 ? 0 : i % 7 === 0 ? 1 : 2;
        });
        same(found, expected);
        // A few of them, with many alleles in between.
        const few = [...alleles.keys()].filter((i) => i % 97 === 0).reverse();
        const sparse = await repository.observe(
          'GRCh37',
          few.map((i) => asked[i] as SequenceQuestion),
          ['ds'],
        );
        same(
          sparse.map(([observation]) => observation?.carriers),
          few.map((i) => expected[i]),
        );
      },
    },
    'ploidyAt: copies of a place, by sex; carriers count no more copies than a person of their sex has': {
      async 'copies on X, Y and MT are counted by sex and place'({ repository, given }) {
        // Of each: one carrier with one copy and one with two. Bounds of the regions from the assembly reports, zero-based.
        const one = (sex: Sex, cn: number, hemizygous = false): [Sex, ObservedCounts] => [
          sex,
          {
            cases: 2,
            carriers: 2,
            homozygotes: cn === 2 ? 1 : 0,
            hemizygotes: hemizygous ? 2 : 0,
            alleleCount: Math.min(1, cn) + Math.min(2, cn),
          },
        ];
        const diploid = (['female', 'male', 'unknown'] as const).map((sex) => one(sex, 2));
        const onX = [one('female', 2), one('male', 1, true), one('unknown', 2)];
        const onY = [one('female', 0), one('male', 1, true), one('unknown', 1)];
        const onMt = (['female', 'male', 'unknown'] as const).map((sex) => one(sex, 1));
        const places: [Assembly, Contig, number, [Sex, ObservedCounts][]][] = [
          ['GRCh37', '1', 100_000, diploid],
          ['GRCh37', 'X', 59_999, onX],
          ['GRCh37', 'X', 60_000, diploid],
          ['GRCh37', 'X', 2_699_519, diploid],
          ['GRCh37', 'X', 2_699_520, onX],
          ['GRCh37', 'X', 154_931_042, onX],
          ['GRCh37', 'X', 154_931_043, diploid],
          ['GRCh37', 'X', 155_260_559, diploid],
          ['GRCh37', 'X', 155_260_560, onX],
          ['GRCh37', 'Y', 9_999, onY],
          ['GRCh37', 'Y', 10_000, diploid],
          ['GRCh37', 'Y', 2_649_519, diploid],
          ['GRCh37', 'Y', 2_649_520, onY],
          ['GRCh37', 'Y', 59_034_048, onY],
          ['GRCh37', 'Y', 59_034_049, diploid],
          ['GRCh37', 'Y', 59_363_566, onY],
          ['GRCh37', 'MT', 8_992, onMt],
          ['GRCh38', 'X', 9_999, onX],
          ['GRCh38', 'X', 10_000, diploid],
          ['GRCh38', 'X', 2_781_478, diploid],
          ['GRCh38', 'X', 2_781_479, onX],
          ['GRCh38', 'X', 155_701_381, onX],
          ['GRCh38', 'X', 155_701_382, diploid],
          ['GRCh38', 'X', 156_030_894, diploid],
          ['GRCh38', 'X', 156_030_895, onX],
          ['GRCh38', 'Y', 10_000, diploid],
          ['GRCh38', 'Y', 2_781_479, onY],
          ['GRCh38', 'Y', 56_887_901, onY],
          ['GRCh38', 'Y', 56_887_902, diploid],
          ['GRCh38', 'Y', 57_217_415, onY],
          ['GRCh38', 'MT', 0, onMt],
        ];
        for (const assembly of ['GRCh37', 'GRCh38'] as const) {
          const here = places.filter(([of]) => of === assembly);
          const alleles = here.map(([, contig, start]) => small(contig, start, 'A', 'T'));
          for (const sex of ['female', 'male', 'unknown'] as const) {
            const id = `${assembly}-${sex}`;
            await repository.addDataset(dataset(id, { assembly }), at(0));
            await load(repository, id, ['s', 't'], carried(alleles, [0, 1], [1, 2]), {
              facts: facts({ s: { sex }, t: { sex } }),
            });
            const answers = await repository.observe(assembly, alleles.map(sequence), [id]);
            for (const [i, [, contig, start, expected]] of here.entries()) {
              given('place', { assembly, contig, start, sex });
              const { dataset: _, of: _of, notCalled: _notCalled, ...found } = answers[i]?.[0] ?? {};
              same(found, new Map(expected).get(sex));
            }
          }
        }
      },
    },
    'of: cases and samples in which alleles of the kind were searched for': {
      async 'samples that were not searched for a kind do not count among those that could show it'({ repository }) {
        const deletion = structural('7', 500, 900, 'DEL');
        const family = facts({ s: { case: 'f' }, t: { case: 'f' }, u: { case: 'f' } });
        const only = (kind: 'small' | 'structural') => ({ small: kind === 'small', structural: kind === 'structural' });
        await filled(repository, ['s', 't'], [called(c, [0, 1])], { facts: family, searched: () => only('small') });
        await load(repository, 'ds', ['u'], [called(deletion, [0, 1])], {
          facts: family,
          searched: () => only('structural'),
        });
        await load(repository, 'ds', ['v'], [called(c, [0, 1])]);
        const { contig, start, end, kind } = deletion;
        const asked = { type: 'structural' as const, contig, start, end, kind };
        same((await observed(repository, sequence(c)))?.of, { cases: 2, samples: 3 });
        same((await observed(repository, asked))?.of, { cases: 2, samples: 2 });
        await load(repository, 'ds', ['s'], [], { searched: () => only('structural') });
        same((await observed(repository, asked))?.of, { cases: 2, samples: 3 });
      },
    },
    'detail: who the carriers are; without `cases` there is none': {
      async 'cases are named newest first, as many as are asked for'({ repository }) {
        await repository.addDataset(dataset('ds'), at(0));
        const x = small('X', 50_000_000, 'A', 'G');
        const trio = facts({
          child: { case: 'trio', sex: 'male' },
          mother: { case: 'trio', sex: 'female' },
          single: { sex: 'female' },
          boy: { sex: 'male' },
        });
        await load(repository, 'ds', ['mother', 'none'], [called(x, [0, 1])], { facts: trio, now: at(1) });
        await load(repository, 'ds', ['single', 'Single'], [called(x, [0, 2], [1, 1])], { facts: trio, now: at(2) });
        await load(repository, 'ds', ['boy'], [called(x, [0, 2])], { facts: trio, now: at(3) });
        await load(repository, 'ds', ['child'], [called(x, [0, 1])], { facts: trio, now: at(4) });
        const carrying = [
          { case: 'trio', homozygous: false, hemizygous: true, added: at(4) },
          { case: 'boy', homozygous: false, hemizygous: true, added: at(3) },
          { case: 'Single', homozygous: false, hemizygous: false, added: at(2) },
          { case: 'single', homozygous: true, hemizygous: false, added: at(2) },
        ];
        const detail = { first: at(1), last: at(4), casesCalledTwice: 2, casesHemizygous: 2, carrying };
        const whole = {
          ...{ dataset: 'ds', notCalled: 0, cases: 4, carriers: 5, homozygotes: 1, hemizygotes: 2, alleleCount: 6 },
          of: { cases: 5, samples: 6 },
        };
        same(await observed(repository, sequence(x), { cases: 10 }), { ...whole, detail });
        const two = { ...detail, carrying: carrying.slice(0, 2) };
        same(await observed(repository, sequence(x), { cases: 2 }), { ...whole, detail: two });
        same(await observed(repository, sequence(x), { cases: 0 }), { ...whole, detail: { ...detail, carrying: [] } });
        const without = await observed(repository, sequence(x));
        same(without, whole);
        assert.ok(!('detail' in (without ?? {})), 'no detail without `cases`');
        const none = { casesCalledTwice: 0, casesHemizygous: 0, carrying: [] };
        same((await observed(repository, sequence(a), { cases: 1 }))?.detail, none);
      },
    },
    [corrected]: {
      async 'a corrected sample counts as what it is now'({ repository }) {
        const x = small('X', 50_000_000, 'A', 'G');
        await filled(repository, ['s', 't'], [called(x, [0, 2], [1, 1])], { now: at(1) });
        const before = { cases: 2, carriers: 2, homozygotes: 1, hemizygotes: 0, alleleCount: 3 };
        const of = { cases: 2, samples: 2 };
        same(await observed(repository, sequence(x)), { dataset: 'ds', notCalled: 0, ...before, of });
        await repository.describeSamples('ds', facts({ s: { sex: 'male' } }), at(2));
        const male = { cases: 2, carriers: 2, homozygotes: 0, hemizygotes: 1, alleleCount: 2 };
        same(await observed(repository, sequence(x)), { dataset: 'ds', notCalled: 0, ...male, of });
        await repository.describeSamples('ds', facts({ s: { case: 'f' }, t: { case: 'f' } }), at(3));
        const family = { ...male, cases: 1, of: { cases: 1, samples: 2 } };
        same(await observed(repository, sequence(x)), { dataset: 'ds', notCalled: 0, ...family });
        await load(repository, 'ds', ['s'], [], { facts: facts({ s: { sex: 'unknown' } }), now: at(4) });
        same(await observed(repository, sequence(x)), { dataset: 'ds', notCalled: 0, ...family, ...before, cases: 1 });
      },
    },
    'removeSamples removes samples exactly as if they had never been added': {
      async 'removed samples are observed no more, and added again they count anew'({ repository }) {
        await filled(repository, ['s', 't'], [called(a, [0, 2], [1, 1])], { now: at(1) });
        const before = await observed(repository, sequence(a), { cases: 5 });
        await load(repository, 'ds', ['u'], [called(a, [0, 2])], { now: at(2) });
        same((await observed(repository, sequence(a)))?.alleleCount, 5);
        await repository.removeSamples('ds', ['u'], at(3));
        same(await observed(repository, sequence(a), { cases: 5 }), before);
        await repository.removeSamples('ds', ['s', 't'], at(4));
        same(await observed(repository, sequence(a)), { dataset: 'ds', ...unseen, of: { cases: 0, samples: 0 } });
        await repository.removeDataset('ds');
        await repository.addDataset(dataset('ds'), at(5));
        await load(repository, 'ds', ['s'], [called(a, [0, 1])], { now: at(6) });
        same((await observed(repository, sequence(a), { cases: 1 }))?.detail?.first, at(6));
      },
    },
    'Observed: of a sample that comes again, the most copies': {
      async 'a sample with an allele in two records counts once'({ repository }) {
        // Without the bases that they share, the deletions are one: as a record with SVTYPE and as a record without.
        const plain = small('5', 1001, 'CT', 'C');
        const stated = { ...small('5', 1000, 'ACTG', 'ACG'), structural: true };
        await filled(repository, ['s', 't'], [called(plain, [0, 1], [1, 1]), called(stated, [0, 2])]);
        await load(repository, 'ds', ['u'], [called(stated, [0, 1])]);
        const found = { cases: 3, carriers: 3, homozygotes: 1, hemizygotes: 0, alleleCount: 4 };
        same(await observed(repository, sequence(plain)), {
          dataset: 'ds',
          notCalled: 0,
          ...found,
          of: { cases: 3, samples: 3 },
        });
      },
    },
    [carriers]: {
      async 'carriers are named on request, each with its most copies'({ repository }) {
        const deletion = structural('1', 1000, 5000, 'DEL');
        const similar = { ...deletion, start: 1010, end: 5010 };
        const x = small('X', 31_000_000, 'G', 'A');
        const all = [called(a, [0, 2], [2, 1]), called(x, [1, 2]), called(deletion, [2, 1]), called(similar, [2, 2])];
        await filled(repository, ['z', 'm', 'b'], all);
        await load(repository, 'ds', ['a', 'b'], [called(a, [0, 1], [1, 1]), called(b, [0, 1])]);
        const { contig, start, end, kind } = deletion;
        const asked = { type: 'structural' as const, contig, start, end, kind };
        const questions = [sequence(a), sequence(b), sequence(c), sequence(x), asked];
        const found = await repository.observe('GRCh37', questions, ['ds'], { carriers: true });
        same.each(found, ([one]) => [one?.carriers, one?.named && carriersByName(one.named)], [
          [3, [['a', 1], ['b', 1], ['z', 2]]],
          [1, [['a', 1]]],
          [0, []],
          [1, [['m', 2]]],
          [1, [['b', 2]]],
        ]); // biome-ignore format: a line for each question
        assert.ok(!('named' in ((await observed(repository, sequence(a))) ?? {})), 'no names without `carriers`');
      },
    },
    'importAlleles: visible all at once or, after any failure, not at all': {
      async 'an import is observed whole or not at all'({ repository }) {
        await filled(repository, ['s'], [called(a, [0, 1])]);
        const before = await observed(repository, sequence(a), { cases: 5 });
        let meanwhile: Observation | undefined;
        const alleles = (async function* () {
          yield* batches([called(a, [0, 1], [1, 1])]);
          yield* batches(Array.from({ length: 300 }, (_, i) => called(small('2', i, 'A', 'T'), [0, 1])));
          meanwhile = await observed(repository, sequence(a), { cases: 5 });
        })();
        const said = facts({ s: { case: 'f' }, t: { case: 'f' } });
        await repository.importAlleles({ dataset: 'ds', samples: ['s', 't'], alleles, facts: said }, at(2));
        same(meanwhile, before);
        const after = await observed(repository, sequence(a));
        same(
          { cases: after?.cases, carriers: after?.carriers, of: after?.of },
          { cases: 1, carriers: 2, of: { cases: 1, samples: 2 } },
        );
      },
    },
  }),
  givingUp(
    'observing that is given up throws the reason',
    'observe: aborting throws the signal’s reason',
    (repository, signal) => repository.observe('GRCh37', [sequence(a)], ['ds'], { signal }),
  ),
];
