/** What beacon-protection@1 promises of calls that run at the same time. */
import type { AnswerRule, Asking, ProtectionRepository, Publishing } from '../../../plugins/beacon/contract.js';
import { type Case, same } from '../core.js';
import { at } from './build.js';

/** Each case is tried so often, since calls need not meet. */
const times = 8;

const rule: AnswerRule = { allowed: { budget: 0.5, least: 1 }, people: 2, share: 0.5 };
const price = -Math.log(0.75);

const publishing: Publishing = {
  dataset: 'd',
  created: at(0),
  samples: ['a', 'b', 'c'],
  totals: { alleles: 5, calls: 9, samples: 3 },
};

const names = Array.from({ length: 9 }, (_, i) => `s${i}`);

/** Questions about regions that are not next to each other. */
const ask = (number: number, carriers: readonly string[], account = 'x'): Asking => ({
  ...{ dataset: 'd', account, event: `${number}`, carriers },
  region: { contig: '1', first: 10 * number, last: 10 * number },
});

export const togetherCases: readonly Case<ProtectionRepository>[] = [
  {
    name: 'a sample that is withdrawn during a publication is to leave after it',
    promise: 'publish: those samples that were to leave are to leave still',
    async run({ repository }) {
      for (let i = 0; i < times; i++) {
        await repository.drop('d');
        await repository.publish(publishing, at(1));
        await Promise.all([repository.publish(publishing, at(2)), repository.withdraw('d', ['a', 'c'])]);
        same(await repository.leaving('d'), ['a', 'c']);
        same((await repository.published('d'))?.since, [1, 1, 1]);
      }
    },
  },
  {
    name: 'a sample that is forgotten during a publication is not published after it',
    promise: 'names that were read before a `forget` are not published after it',
    async run({ repository }) {
      for (let i = 0; i < times; i++) {
        await repository.drop('d');
        await repository.publish(publishing, at(1));
        const [published] = await Promise.all([
          repository.publish(publishing, at(2), { after: 1 }),
          repository.forget(['a', 'c']),
        ]);
        const generation = published ? 3 : 2;
        same(await repository.published('d'), { generation, samples: ['b'], since: [1] });
        same((await repository.publications())[0]?.people, 1);
      }
    },
  },
  {
    name: 'what is published shows one publication while another one runs',
    promise: 'published: the published samples of a dataset, and their generation',
    async run({ repository }) {
      await repository.publish({ ...publishing, samples: ['s1'] }, at(1));
      for (let i = 2; i < 2 + times; i++) {
        const publish = repository.publish({ ...publishing, samples: [`s${i}`] }, at(i));
        const seen = await Promise.all(names.map(() => repository.published('d')));
        await publish;
        for (const one of seen) same(one?.samples, [`s${one?.generation}`]);
      }
    },
  },
  {
    name: 'several erasures at the same time are all noted',
    promise: 'the generation increases by one with each publication and each `forget`',
    async run({ repository }) {
      await repository.publish({ ...publishing, samples: names }, at(1));
      await Promise.all(names.slice(1).map((name) => repository.forget([name])));
      same(await repository.published('d'), { generation: names.length, samples: ['s0'], since: [1] });
      same((await repository.publications())[0]?.people, 1);
    },
  },
  {
    name: 'answers, an erasure and the removal of a dataset run at the same time',
    promise: 'answer decides, stores its charges and notes who was consulted in one transaction',
    async run({ repository }) {
      // Enough for the whole crowd: what remains is the order in which calls hold what they change.
      const many = { ...rule, allowed: { budget: 1e-9, least: 1 } };
      for (let i = 0; i < times; i++) {
        await repository.drop('d');
        const asked = (number: number) => ask(number, number % 2 === 0 ? names : names.toReversed());
        await repository.answer(asked(1), many, at(0));
        const calls = [2, 3, 4].map((number) => repository.answer(asked(number), many, at(0)));
        same(await Promise.all([...calls.slice(0, 2), repository.forget(names), ...calls.slice(2)]), [
          ...[true, true, undefined, true],
        ]);
        await Promise.all([repository.answer(asked(5), many, at(0)), repository.drop('d')]);
        const [spending] = await repository.spending('d');
        same((spending?.most ?? 0) <= 1.01 * price, true, 'of what was asked before the removal nothing is left');
      }
    },
  },
  {
    name: 'tallies of the same accounts are counted at the same time',
    promise: 'count adds to the tallies of a dataset',
    async run({ repository }) {
      const tallies = names.map((account) => ({ account, questions: 2, hits: 1 }));
      const counts = Array.from({ length: times }, (_, i) => (i % 2 === 0 ? tallies : tallies.toReversed()));
      await Promise.all(counts.map((each) => repository.count('d', each)));
      same(
        await repository.tallies('d'),
        names.map((account) => ({ account, questions: 2 * times, hits: times })),
      );
    },
  },
];
