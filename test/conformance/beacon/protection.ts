/** What beacon-protection@1 promises. */
import {
  type AnswerRule,
  type Asking,
  beaconProtection,
  type ProtectionRepository,
  type Publishing,
  type Region,
} from '../../../plugins/beacon/contract.js';
import { type Case, same } from '../core.js';
import { at } from './build.js';

const totals = { alleles: 5, calls: 9, samples: 3 };
const publishing: Publishing = { dataset: 'd', created: at(0), samples: ['b', 'Å', 'a'], totals };

/** Of two people, each a carrier with 50 %, a yes has 1 − 0.5² = 75 %: it costs −log 0.75 ≈ 0.288 of −log 0.5 ≈ 0.693. */
const rule: AnswerRule = { allowed: { budget: 0.5, least: 1 }, people: 2, share: 0.5 };
const price = -Math.log(0.75);

/** Questions with other numbers are about regions that are not next to each other. */
const ask = (event: string, carriers: readonly string[] = ['a'], account = 'x', dataset = 'd'): Asking => ({
  ...{ dataset, account, event, carriers, region: regionAt(10 * (Number(event) || 20)) },
});

const regionAt = (first: number, last = first): Region => ({ contig: '1', first, last });

/** Of three people, each a carrier with 90 %: a yes costs −log(1 − 0.1³) ≈ 0.001, and 0.01 in a crowd of two. */
const cheap: AnswerRule = { allowed: { budget: 0.5, least: 1 }, people: 3, share: 0.9 };

let events = 0;

/** A question that was not asked before. */
const askAt = (region: Region, carriers: readonly string[] = ['a'], more: Partial<Asking> = {}): Asking => ({
  ...{ dataset: 'd', account: 'x', event: `new ${events++}`, carriers, region, ...more },
});

/** Asks one after the other. */
async function answers(repository: ProtectionRepository, asked: readonly Asking[], how = rule): Promise<boolean[]> {
  const all: boolean[] = [];
  for (const one of asked) all.push(await repository.answer(one, how, at(0)));
  return all;
}

/** Amounts to six digits. */
async function spent(repository: ProtectionRepository, dataset = 'd') {
  const digits = (amount: number) => amount.toFixed(6);
  const all = await repository.spending(dataset);
  return all.map((one) => [one.account, one.people, digits(one.spent), digits(one.most)]);
}

const charging = 'answer decides by `decided` and charges the carriers; a no stores nothing';
const consulting = 'answer notes who was consulted in each stretch of the region: they count there no longer';
const after =
  'with `after`, publish changes nothing unless that is the generation of what is published of this dataset';
const publication = 'publish replaces all that was published of the dataset';

export const protectionCases: readonly Case<ProtectionRepository>[] = [
  {
    name: 'what was published is returned unchanged, and the next publication replaces it',
    promise: publication,
    async run({ repository }) {
      same(await repository.publications(), []);
      same(await repository.published('d'), undefined);
      same(await repository.publish({ ...publishing, dataset: 'e', samples: [] }, at(2.5)), true);
      same(await repository.publish(publishing, at(1.123)), true);
      same(await repository.published('d'), { generation: 1, samples: ['a', 'b', 'Å'], since: [1, 1, 1] });
      same(await repository.published('e'), { generation: 1, samples: [], since: [] });
      const d = { dataset: 'd', created: at(0), generation: 1, at: at(1.123), totals, people: 3 };
      const e = { dataset: 'e', created: at(0), generation: 1, at: at(2.5), totals, people: 0 };
      same(await repository.publications(), [d, e]);
      const more = { alleles: 2 ** 40, calls: 2 ** 41, samples: 2 };
      same(await repository.publish({ ...publishing, samples: ['c', 'b'], totals: more }, at(3)), true);
      same(await repository.published('d'), { generation: 2, samples: ['b', 'c'], since: [1, 2] });
      same(await repository.publications(), [{ ...d, generation: 2, at: at(3), totals: more, people: 2 }, e]);
    },
  },
  {
    name: 'the first publication is made once, and anew for another dataset of the same id',
    promise: after,
    async run({ repository }) {
      const first = await Promise.all(
        ['a', 'b', 'c'].map((name) => repository.publish({ ...publishing, samples: [name] }, at(1), { after: 0 })),
      );
      same(first.filter(Boolean).length, 1);
      const [begun] = ['a', 'b', 'c'].filter((_, i) => first[i]);
      same(await repository.published('d'), { generation: 1, samples: [begun], since: [1] });
      same(await repository.publish({ ...publishing, created: at(9) }, at(10), { after: 0 }), true);
      same(await repository.published('d'), { generation: 1, samples: ['a', 'b', 'Å'], since: [1, 1, 1] });
      same(
        (await repository.publications()).map(({ created }) => created),
        [at(9)],
      );
    },
  },
  {
    name: 'what was read before a publication or an erasure is not published after it',
    promise: after,
    async run({ repository }) {
      same(await repository.publish(publishing, at(1), { after: 1 }), false, 'nothing is published');
      same(await repository.published('d'), undefined);
      await repository.publish(publishing, at(1));
      const next = { ...publishing, samples: ['a', 'new'] };
      same(await repository.publish(next, at(2), { after: 1 }), true);
      same(await repository.publish(publishing, at(3), { after: 1 }), false);
      same(await repository.published('d'), { generation: 2, samples: ['a', 'new'], since: [1, 2] });
      // The publication that has read this name does not know that it is forgotten.
      await repository.forget(['loaded']);
      same(await repository.publish({ ...next, samples: ['a', 'loaded'] }, at(4), { after: 2 }), false);
      same((await repository.published('d'))?.samples, ['a', 'new']);
      const { generation = 0 } = (await repository.published('d')) ?? {};
      same(await repository.publish(next, at(4), { after: generation }), true);
      same(await repository.publish({ ...next, created: at(9) }, at(10), { after: generation + 1 }), false);
      same(
        (await repository.publications()).map(({ created }) => created),
        [at(0)],
        'another dataset of the same id',
      );
    },
  },
  {
    name: 'a sample that is published on is to leave still',
    promise: 'samples of a publication that were to leave are to leave still',
    async run({ repository }) {
      await repository.publish(publishing, at(1));
      await repository.withdraw('d', ['a', 'b']);
      await repository.publish({ ...publishing, samples: ['a', 'Å'] }, at(2));
      same(await repository.leaving('d'), ['a']);
      await repository.publish({ ...publishing, samples: ['Å'] }, at(3));
      await repository.publish({ ...publishing, samples: ['Å', 'a'] }, at(4));
      same(await repository.leaving('d'), []);
      await repository.withdraw('d', ['a']);
      await repository.publish({ ...publishing, created: at(9) }, at(10));
      same(await repository.leaving('d'), [], 'another dataset of the same id');
    },
  },
  {
    name: 'samples that are to leave stay published until the next publication',
    promise: 'withdraw notes that published samples are to leave with the next publication; others are ignored',
    async run({ repository }) {
      await repository.withdraw('d', ['a']);
      same(await repository.leaving('d'), []);
      await repository.publish(publishing, at(1));
      await repository.publish({ ...publishing, dataset: 'e' }, at(1));
      await repository.withdraw('d', ['Å', 'nobody', 'a', 'a']);
      await repository.withdraw('d', []);
      same(await repository.leaving('d'), ['a', 'Å']);
      same(await repository.leaving('e'), []);
      same(await repository.published('d'), { generation: 1, samples: ['a', 'b', 'Å'], since: [1, 1, 1] });
      await repository.publish({ ...publishing, samples: ['b'] }, at(2));
      same(await repository.leaving('d'), []);
    },
  },
  {
    name: 'forgotten samples are published no longer, and nothing is spent of them',
    promise: 'forget forgets all that is stored about samples, in all datasets',
    async run({ repository }) {
      await repository.publish(publishing, at(1));
      await repository.publish({ ...publishing, dataset: 'e', samples: ['b'] }, at(1));
      await answers(repository, [ask('1', ['a', 'b']), ask('1', ['a'], 'x', 'e')]);
      await repository.forget(['a', 'nobody']);
      same(await repository.published('d'), { generation: 2, samples: ['b', 'Å'], since: [1, 1] });
      same(await repository.published('e'), { generation: 2, samples: ['b'], since: [1] });
      same(
        (await repository.publications()).map(({ people, totals: of }) => [people, of]),
        [
          [2, totals],
          [1, totals],
        ],
      );
      same(await spent(repository), [['x', 1, price.toFixed(6), price.toFixed(6)]]);
      same(await spent(repository, 'e'), []);
      const again = [askAt(regionAt(10)), askAt(regionAt(10), ['b'])];
      same(await answers(repository, again, cheap), [true, false], 'who was consulted is forgotten with the sample');
    },
  },
  {
    name: 'of a dropped dataset nothing is left',
    promise: 'drop forgets all that is stored about a dataset',
    async run({ repository }) {
      await repository.publish(publishing, at(1));
      await repository.publish({ ...publishing, dataset: 'e' }, at(1));
      await repository.count('d', [{ account: 'x', questions: 3, hits: 1 }]);
      await answers(repository, [ask('1'), ask('2'), ask('1', ['a'], 'x', 'e')]);
      await repository.drop('d');
      await repository.drop('never');
      same(
        (await repository.publications()).map(({ dataset }) => dataset),
        ['e'],
      );
      same([await repository.published('d'), await repository.leaving('d')], [undefined, []]);
      same([await repository.spending('d'), await repository.tallies('d')], [[], []]);
      same((await spent(repository, 'e')).length, 1);
      same(await answers(repository, [ask('1'), ask('2'), ask('3')]), [true, true, false], 'events are forgotten, too');
    },
  },
  {
    name: 'a yes costs its carriers, and those who cannot pay count no longer',
    promise: charging,
    async run({ repository }) {
      same(await answers(repository, [ask('1'), ask('2'), ask('3'), ask('4', [])]), [true, true, false, false]);
      same(await spent(repository), [['x', 1, (2 * price).toFixed(6), (2 * price).toFixed(6)]]);
      same(await answers(repository, [ask('3', ['a'], 'y'), ask('3', ['a'], 'x', 'e')]), [true, true], 'by account');
      same(
        (await spent(repository)).map(([account]) => account),
        ['x', 'y'],
      );
      same(
        (await repository.spending('d')).map(({ last }) => last),
        [at(0), at(0)],
      );
    },
  },
  {
    name: 'too few carriers are a no, which costs nothing',
    promise: charging,
    async run({ repository }) {
      const three = { ...rule, allowed: { budget: 0.5, least: 3 }, people: 10, share: 0.5 };
      same(await answers(repository, [ask('1', ['a', 'b']), ask('2', [])], three), [false, false]);
      same(await repository.spending('d'), []);
      same(await answers(repository, [ask('3', ['a', 'b', 'c'])], three), [true]);
      same(
        (await spent(repository)).map(([, people]) => people),
        [3],
      );
    },
  },
  {
    name: 'those who have spent their budgets make the crowd smaller, and answers about others cost more',
    promise: charging,
    async run({ repository }) {
      const often = { ...rule, share: 0.6 };
      // Three times −log(1 − 0.4²) ≈ 0.174 leave less than that of 0.693.
      same(await answers(repository, [ask('1'), ask('2'), ask('3'), ask('4')], often), [true, true, true, false]);
      same(await answers(repository, [ask('5', ['b'])], often), [true]);
      const [[, people, sum, most] = []] = await spent(repository);
      same([people, most], [2, Math.max(-3 * Math.log(0.84), -Math.log(0.6)).toFixed(6)]);
      same(sum, (-3 * Math.log(0.84) - Math.log(0.6)).toFixed(6));
    },
  },
  {
    name: 'a person counts for one question about a stretch and those next to it',
    promise: consulting,
    async run({ repository }) {
      const inTurn = [9, 10, 11].map((stretch) => askAt(regionAt(stretch)));
      same(await answers(repository, [ask('1'), ...inTurn], cheap), [true, false, false, false]);
      const elsewhere = [
        askAt(regionAt(13)),
        askAt({ ...regionAt(10), contig: '2' }),
        askAt(regionAt(10), ['a'], { account: 'y' }),
        askAt(regionAt(10), ['a'], { dataset: 'e' }),
      ];
      same(await answers(repository, elsewhere, cheap), [true, true, true, true]);
      const withOthers = [askAt(regionAt(10), ['a', 'b']), askAt(regionAt(10), ['b'])];
      same(await answers(repository, withOthers, cheap), [true, false], 'b counts once');
      same(await answers(repository, [ask('1')], cheap), [true], 'the first question has the same answer again');
    },
  },
  {
    name: 'a question about a wide region consults people in each of its stretches',
    promise: consulting,
    async run({ repository }) {
      same(await answers(repository, [askAt(regionAt(10, 12))], cheap), [true]);
      const later = [regionAt(5, 9), regionAt(11), regionAt(13), regionAt(0, 249)].map((region) => askAt(region));
      same(await answers(repository, later, cheap), [false, false, false, false]);
      same(await answers(repository, [askAt(regionAt(30, 40)), askAt(regionAt(42))], cheap), [true, true]);
    },
  },
  {
    name: 'people are consulted by a no as well, unless it does not depend on them',
    promise: consulting,
    async run({ repository }) {
      const unpaid = [ask('1'), ask('2'), ask('3')];
      same(await answers(repository, unpaid), [true, true, false], 'a third price is too much');
      same(await answers(repository, [askAt(regionAt(30)), askAt(regionAt(40))], cheap), [false, true]);
      const three = { ...cheap, allowed: { budget: 0.5, least: 3 } };
      const y = { account: 'y' };
      same(await answers(repository, [askAt(regionAt(50), ['a', 'b'], y)], three), [false]);
      same(await answers(repository, [askAt(regionAt(50), ['b'], y)], cheap), [false]);
      same(await answers(repository, [askAt(regionAt(60), ['b'], y)], { ...cheap, share: 0 }), [false]);
      same(await answers(repository, [askAt(regionAt(60), ['b'], y)], cheap), [true], 'too rare for everyone');
    },
  },
  {
    name: 'those who were consulted make the crowd of the region smaller, and answers about others cost more',
    promise: consulting,
    async run({ repository }) {
      const three = { ...rule, people: 3 };
      const both = [askAt(regionAt(10)), askAt(regionAt(10), ['b'])];
      same(await answers(repository, both, three), [true, true]);
      const [first, second] = [-Math.log(1 - 0.5 ** 3), price];
      same(await spent(repository), [['x', 2, (first + second).toFixed(6), second.toFixed(6)]]);
    },
  },
  {
    name: 'a yes that was given is given again, without a charge, while there are enough carriers',
    promise: 'an event that is remembered for an account is not charged again: the answer is yes with enough carriers',
    async run({ repository }) {
      same(await answers(repository, [ask('1'), ask('1'), ask('1'), ask('1')]), [true, true, true, true]);
      same(await spent(repository), [['x', 1, price.toFixed(6), price.toFixed(6)]]);
      same(await answers(repository, [ask('2'), ask('3'), ask('1')]), [true, false, true]);
      same(await answers(repository, [ask('1', [])]), [false], 'without carriers');
      same(await answers(repository, [ask('1', ['a'], 'y'), ask('2', ['a'], 'y')]), [true, true]);
      same(await answers(repository, [ask('3', ['a'], 'y')]), [false], 'each account pays');
    },
  },
  {
    name: 'what was spent is given back by half in each half-life, and never without one',
    promise: 'days after which half of what was spent is given back; nothing ever is if omitted',
    async run({ repository }) {
      const renewing = { ...rule, renewDays: 10 };
      const later = at(10 * 86_400);
      same(await answers(repository, [ask('1'), ask('2'), ask('3')], renewing), [true, true, false]);
      // Half of two prices: one more price makes two.
      same(await repository.answer(ask('4'), rule, later), false);
      same(await repository.answer(ask('5'), renewing, later), true);
      same(await repository.answer(ask('6'), renewing, later), false);
      same(await spent(repository), [['x', 1, (2 * price).toFixed(6), (2 * price).toFixed(6)]]);
      same(
        (await repository.spending('d')).map(({ last }) => last),
        [later],
      );
    },
  },
  {
    name: 'concurrent answers never spend more than a budget',
    promise: 'concurrent answers, of any process, never spend more than the budget of a carrier',
    async run({ repository }) {
      const asked = Array.from({ length: 12 }, (_, i) => ask(`${i}`, i % 2 === 0 ? ['a', 'b'] : ['b', 'a']));
      const given = await Promise.all(asked.map((one) => repository.answer(one, rule, at(0))));
      same(given.filter(Boolean).length, 2);
      same(await spent(repository), [['x', 2, (4 * price).toFixed(6), (2 * price).toFixed(6)]]);
      const repeated = await Promise.all(asked.map(() => repository.answer(ask('one', ['a'], 'y'), rule, at(0))));
      same(repeated.filter(Boolean).length, 12, 'one event');
      same((await spent(repository))[1], ['y', 1, price.toFixed(6), price.toFixed(6)]);
    },
  },
  {
    name: 'two processes never spend more than a budget together',
    promise: 'concurrent answers, of any process, never spend more than the budget of a carrier',
    needs: 'concurrentWriters',
    async run({ repository, again }) {
      const other = (await again()).repository(beaconProtection);
      const asked = Array.from({ length: 12 }, (_, i) => ask(`${i}`, ['a', 'b']));
      const given = await Promise.all(
        asked.map((one, i) => (i % 2 === 0 ? repository : other).answer(one, rule, at(0))),
      );
      same(given.filter(Boolean).length, 2);
      same(await spent(other), [['x', 2, (4 * price).toFixed(6), (2 * price).toFixed(6)]]);
    },
  },
  {
    name: 'an answer in a transaction that fails costs nothing',
    promise: 'answer stores its charges in one transaction',
    async run({ storage, repository }) {
      const failing = storage.transaction(async (scope) => {
        const inside = scope.repository(beaconProtection);
        same(await inside.answer(ask('1'), rule, at(0)), true);
        throw new Error('stop');
      });
      same((await Promise.allSettled([failing]))[0]?.status, 'rejected');
      same(await repository.spending('d'), []);
      same(await answers(repository, [ask('2'), askAt(regionAt(10))]), [true, true], 'nor was anyone consulted');
    },
  },
  {
    name: 'hundreds of carriers with any names pay together',
    promise: charging,
    async run({ repository }) {
      const names = Array.from({ length: 350 }, (_, i) => `s-${i} "\\' %_Å😀`);
      const many = { allowed: { budget: 0.5, least: 340 }, people: 700, share: 0.5 };
      await repository.publish({ ...publishing, samples: names }, at(0));
      same((await repository.published('d'))?.samples, [...names].sort());
      same(await answers(repository, [ask('1', names)], many), [true]);
      const [one] = await repository.spending('d');
      same(one?.people, 350);
      same((one?.most ?? 1) <= -Math.log(0.5), true);
      await repository.withdraw('d', names.slice(0, 340));
      same((await repository.leaving('d')).length, 340);
      await repository.forget(names.slice(0, 345));
      same((await repository.spending('d'))[0]?.people, 5);
    },
  },
  {
    name: 'published samples are in code-unit order',
    promise: 'published returns the published samples of a dataset in code-unit order; leaving, too',
    async run({ repository }) {
      // In the order of code points the last two change places.
      const names = ['B', 'a', 'A\u030a', 'Å', '😀', '\uff5e'];
      await repository.publish({ ...publishing, samples: names }, at(1));
      await repository.withdraw('d', names);
      same((await repository.published('d'))?.samples, [...names].sort());
      same(await repository.leaving('d'), [...names].sort());
    },
  },
  {
    name: 'tallies of accounts are added up',
    promise: 'count adds to the tallies of a dataset',
    async run({ repository }) {
      same(await repository.tallies('d'), []);
      const count = (account: string, questions: number, hits: number) =>
        repository.count('d', [
          { account: 'z', questions: 1, hits: 0 },
          { account, questions, hits },
        ]);
      await Promise.all([count('x', 5, 1), count('y', 2, 2), count('x', 1, 0)]);
      await repository.count('e', [{ account: 'x', questions: 1, hits: 1 }]);
      await repository.count('e', []);
      same(await repository.tallies('d'), [
        { account: 'x', questions: 6, hits: 1 },
        { account: 'y', questions: 2, hits: 2 },
        { account: 'z', questions: 3, hits: 0 },
      ]);
      await answers(repository, [ask('1', ['a'], 'w'), ask('2', ['a'], 'x')]);
      same(
        (await repository.tallies('d')).map(({ account, questions }) => [account, questions]),
        [
          ['x', 6],
          ['y', 2],
          ['z', 3],
        ],
        'an answer counts nothing',
      );
    },
  },
];
