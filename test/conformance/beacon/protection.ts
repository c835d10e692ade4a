/** What beacon-protection@1 promises. */
import {
  type AnswerRule,
  type Asking,
  beaconProtection,
  type ProtectionRepository,
  type Publishing,
  type Region,
} from '../../../plugins/beacon/contract.js';
import { type Case, cases, same, undone } from '../core.js';
import { at } from './build.js';
import { waitingCases } from './waiting.js';

/** Texts that are not what they look like: decomposed, in upper case, with a blank at the end. */
const nasty = (name: string) => `E\u0301 ${name} `;
export const [d, e] = [nasty('d'), nasty('e')];
const [w, x, y, z] = [nasty('w'), nasty('x'), nasty('y'), nasty('z')];
export const a = 'A\u030a ';

const totals = { alleles: 5, calls: 9, samples: 3 };
export const publishing: Publishing = { dataset: d, created: at(0), samples: ['b', 'Å', a], totals };

/** Of two people, each a carrier with 50 %, a yes has 1 − 0.5² = 75 %: it costs −log 0.75 ≈ 0.288 of −log 0.5 ≈ 0.693. */
export const rule: AnswerRule = { allowed: { budget: 0.5, least: 1 }, people: 2, share: 0.5 };
export const price = -Math.log(0.75);

/** Questions with other numbers are about regions that are not next to each other. */
export const ask = (event: string, carriers: readonly string[] = [a], account = x, dataset = d): Asking => ({
  ...{ dataset, account, event: nasty(event), carriers, region: regionAt(10 * (Number(event) || 20)) },
});

const regionAt = (first: number, last = first): Region => ({ contig: '1', first, last });

/** Of three people, each a carrier with 90 %: a yes costs −log(1 − 0.1³) ≈ 0.001, and 0.01 in a crowd of two. */
const cheap: AnswerRule = { allowed: { budget: 0.5, least: 1 }, people: 3, share: 0.9 };

let events = 0;

/** A question that was not asked before. */
const askAt = (region: number | Region, carriers: readonly string[] = [a], more: Partial<Asking> = {}): Asking => {
  const whole = typeof region === 'number' ? regionAt(region) : region;
  return { dataset: d, account: x, event: `new ${events++}`, carriers, region: whole, ...more };
};

/** Asks one after the other; `expected` has a sign for each answer: `+` for yes, `-` for no. */
type Turn = readonly [asked: readonly Asking[], expected: string, how?: AnswerRule, now?: Date];

async function asks(repository: ProtectionRepository, ...turns: readonly Turn[]): Promise<void> {
  for (const [asked, expected, how = rule, now = at(0)] of turns) {
    let signs = '';
    for (const one of asked) signs += (await repository.answer(one, how, now)) ? '+' : '-';
    same(signs, expected);
  }
}

/** Amounts to six digits. */
const digits = (amount: number) => amount.toFixed(6);

export async function spent(repository: ProtectionRepository, dataset = d) {
  const all = await repository.spending(dataset);
  return all.map((one) => [one.account, one.people, digits(one.spent), digits(one.most)]);
}

const consulting = 'answer notes who was consulted in each stretch of the region: they count there no longer';
const after =
  'with `after`, publish changes nothing unless that is the generation of what is published of this dataset';
const publication = 'publish replaces all that was published of the dataset';

/** A case of answers alone. */
function answering(name: string, promise: string, turns: () => readonly Turn[]): Case<ProtectionRepository> {
  return { name, promise, run: ({ repository }) => asks(repository, ...turns()) };
}

export const protectionCases: readonly Case<ProtectionRepository>[] = [
  ...waitingCases,
  ...cases<ProtectionRepository>({
    [publication]: {
      async 'what was published is returned unchanged, and the next publication replaces it'({ repository }) {
        same(await repository.publications(), []);
        same(await repository.published(d), undefined);
        same(await repository.publish({ ...publishing, dataset: e, samples: ['b'] }, at(2.5)), true);
        same(await repository.publish({ ...publishing, created: at(0.007) }, at(1.123)), true);
        same(await repository.published(d), { generation: 1, samples: [a, 'b', 'Å'], since: [1, 1, 1] });
        const ofD = { dataset: d, created: at(0.007), generation: 1, at: at(1.123), totals, people: 3 };
        const ofE = { dataset: e, created: at(0), generation: 1, at: at(2.5), totals, people: 1 };
        same(await repository.publications(), [ofD, ofE]);
        const more = { alleles: 2 ** 40, calls: 2 ** 41, samples: 2 };
        const next = { ...publishing, created: at(0.007), samples: ['c', 'b'], totals: more };
        same(await repository.publish(next, at(3)), true);
        same(await repository.published(d), { generation: 2, samples: ['b', 'c'], since: [1, 2] });
        same(await repository.published(e), { generation: 1, samples: ['b'], since: [1] });
        same(await repository.publications(), [{ ...ofD, generation: 2, at: at(3), totals: more, people: 2 }, ofE]);
        await repository.publish({ ...publishing, dataset: e, samples: [] }, at(4));
        same(await repository.published(e), { generation: 2, samples: [], since: [] });
      },
    },
    [after]: {
      async 'the first publication is made once, and anew for another dataset of the same id'({ repository }) {
        const names = [a, 'b', 'c'];
        const first = await Promise.all(
          names.map((name) => repository.publish({ ...publishing, samples: [name] }, at(1), { after: 0 })),
        );
        same(first.filter(Boolean).length, 1);
        same(await repository.published(d), { generation: 1, samples: names.filter((_, i) => first[i]), since: [1] });
        // In the same second.
        same(await repository.publish({ ...publishing, created: at(0.001) }, at(10), { after: 0 }), true);
        same(await repository.published(d), { generation: 1, samples: [a, 'b', 'Å'], since: [1, 1, 1] });
        same((await repository.publications())[0]?.created, at(0.001));
      },
      async 'what was read before a publication or an erasure is not published after it'({ repository }) {
        same(await repository.publish(publishing, at(1), { after: 1 }), false, 'nothing is published');
        same([await repository.published(d), await repository.publications()], [undefined, []]);
        await repository.publish(publishing, at(1));
        const next = { ...publishing, samples: [a, 'new'] };
        same(await repository.publish(next, at(2), { after: 1 }), true);
        same(await repository.publish(publishing, at(3), { after: 1 }), false);
        same(await repository.published(d), { generation: 2, samples: [a, 'new'], since: [1, 2] });
        // The publication that has read this name does not know that it is forgotten.
        await repository.forget(['loaded']);
        same(await repository.publish({ ...next, samples: [a, 'loaded'] }, at(4), { after: 2 }), false);
        same(await repository.published(d), { generation: 3, samples: [a, 'new'], since: [1, 2] });
        same(await repository.publish(next, at(4), { after: 3 }), true);
        same(await repository.publish({ ...next, created: at(9) }, at(10), { after: 4 }), false);
        same((await repository.publications())[0]?.created, at(0), 'another dataset of the same id');
      },
    },
    'samples of a publication that were to leave are to leave still': {
      async 'a sample that is published on is to leave still'({ repository }) {
        await repository.publish(publishing, at(1));
        await repository.withdraw(d, [a, 'b']);
        await repository.publish({ ...publishing, samples: [a, 'Å'] }, at(2));
        same(await repository.leaving(d), [a]);
        await repository.publish({ ...publishing, samples: ['Å'] }, at(3));
        await repository.publish({ ...publishing, samples: ['Å', a] }, at(4));
        same(await repository.leaving(d), []);
        await repository.withdraw(d, [a]);
        await repository.publish({ ...publishing, created: at(9) }, at(10));
        same(await repository.leaving(d), [], 'another dataset of the same id');
      },
    },
    'withdraw notes that published samples are to leave with the next publication; others are ignored': {
      async 'samples that are to leave stay published until the next publication'({ repository }) {
        await repository.withdraw(d, [a]);
        same(await repository.leaving(d), []);
        for (const dataset of [d, e]) await repository.publish({ ...publishing, dataset }, at(1));
        await repository.withdraw(d, ['Å', 'nobody', a, a]);
        await repository.withdraw(d, []);
        same([await repository.leaving(d), await repository.leaving(e)], [[a, 'Å'], []]);
        same(await repository.published(d), { generation: 1, samples: [a, 'b', 'Å'], since: [1, 1, 1] });
        await repository.publish({ ...publishing, samples: ['b'] }, at(2));
        same(await repository.leaving(d), []);
      },
    },
    'forget forgets all that is stored about samples, in all datasets': {
      async 'forgotten samples are published no longer, and nothing is spent of them'({ repository }) {
        await repository.publish(publishing, at(1));
        await repository.publish({ ...publishing, dataset: e, samples: ['b'] }, at(1));
        await asks(repository, [[ask('1', [a, 'b']), ask('1', [a], x, e)], '++']);
        await repository.forget([a, 'nobody']);
        same(await repository.published(d), { generation: 2, samples: ['b', 'Å'], since: [1, 1] });
        same(await repository.published(e), { generation: 2, samples: ['b'], since: [1] });
        const publications = await repository.publications();
        same.each(publications, ({ people }) => people, [2, 1]);
        same.each(publications, (one) => one.totals, [totals, totals]);
        same(await spent(repository), [[x, 1, digits(price), digits(price)]]);
        same(await spent(repository, e), []);
        // Who was consulted is forgotten with the sample.
        await asks(repository, [[askAt(10), askAt(10, ['b'])], '+-', cheap]);
      },
    },
    'drop forgets all that is stored about a dataset': {
      async 'of a dropped dataset nothing is left'({ repository, storage }) {
        const rows = await storage.rowCounts?.();
        for (const dataset of [d, e]) {
          await repository.publish({ ...publishing, dataset }, at(1));
          await repository.withdraw(dataset, [a]);
          await repository.count(dataset, [{ account: x, questions: 3, hits: 1 }]);
          await asks(repository, [[ask('1', [a], x, dataset), ask('2', [a], x, dataset)], '++']);
        }
        const left = async (id: string) => [
          ...[await repository.published(id), await repository.leaving(id)],
          ...[await repository.spending(id), await repository.tallies(id)],
        ];
        const before = await left(e);
        await repository.drop(d);
        await repository.drop('never');
        same(await repository.publications().then((all) => all.map(({ dataset }) => dataset)), [e]);
        same([await left(d), await left(e)], [[undefined, [], [], []], before]);
        await asks(repository, [[ask('1'), ask('2'), ask('3')], '++-']);
        await repository.publish({ ...publishing, samples: [a] }, at(1));
        same(
          [await repository.published(d), await repository.leaving(d)],
          [{ generation: 1, samples: [a], since: [1] }, []],
        );
        await repository.drop(d);
        // Nor is it known who was consulted.
        await asks(repository, [[askAt(30), askAt(10)], '++', cheap]);
        for (const dataset of [d, e]) await repository.drop(dataset);
        same(await storage.rowCounts?.(), rows);
      },
    },
    'answer decides by `decided` and charges the carriers; a no stores nothing': {
      async 'a yes costs its carriers, and those who cannot pay count no longer'({ repository }) {
        await asks(repository, [[ask('1'), ask('2'), ask('3'), ask('4', [])], '++--']);
        const both = digits(2 * price);
        same(await spent(repository), [[x, 1, both, both]]);
        // Budgets are by account and dataset.
        await asks(repository, [[ask('3', [a], y), ask('3', [a], x, e)], '++']);
        // Whoever has nothing left is no crowd.
        await asks(repository, [[ask('5', ['b'])], '+', rule, at(5.005)]);
        const last = (await repository.spending(d)).map((one) => [one.account, one.people, one.last]);
        same(last, [
          [x, 2, at(5.005)],
          [y, 1, at(0)],
        ]);
        await repository.publish(publishing, at(6));
        await repository.publish({ ...publishing, samples: ['b'] }, at(7));
        const [all, most] = [digits(2 * price - Math.log(0.5)), digits(-Math.log(0.5))];
        same((await spent(repository))[0], [x, 2, all, most], 'a publication gives nothing back');
        await asks(repository, [[ask('7')], '-']);
      },
      async 'too few carriers are a no, which costs nothing'({ repository }) {
        const three = { ...rule, allowed: { budget: 0.5, least: 3 }, people: 10, share: 0.5 };
        await asks(repository, [[ask('1', [a, 'b']), ask('2', [])], '--', three]);
        // Nor does one that is as good as known.
        await asks(repository, [[ask('8'), ask('9', [])], '+-', { ...rule, share: 1 }]);
        same(await repository.spending(d), []);
        await asks(repository, [[ask('2', [a, 'b', 'c'])], '+', three]);
        same.each(await spent(repository), ([, people]) => people, [3]);
      },
      async 'those who have spent their budgets make the crowd smaller, and answers about others cost more'({
        repository,
      }) {
        const often = { ...rule, share: 0.6 };
        // Three times −log(1 − 0.4²) ≈ 0.174 leave less than that of 0.693.
        await asks(repository, [[ask('1'), ask('2'), ask('3'), ask('4'), ask('5', ['b'])], '+++-+', often]);
        const [of3, one] = [-3 * Math.log(0.84), -Math.log(0.6)];
        same(await spent(repository), [[x, 2, digits(of3 + one), digits(Math.max(of3, one))]]);
      },
      async 'an answer that depends on newcomers is priced by their number'({ repository }) {
        const late = (older: readonly string[]) => ({ ...rule, people: 10, newcomers: [{ people: 2, older }] });
        await asks(repository, [[ask('1')], '+', late([])], [[ask('2', ['b'])], '+', late(['b'])]);
        const ofAll = -Math.log(1 - 0.5 ** 10);
        same(await spent(repository), [[x, 2, digits(price + ofAll), digits(price)]]);
      },
      async 'hundreds of carriers with any names pay together'({ repository }) {
        const names = Array.from({ length: 350 }, (_, i) => `S-${i} "\\' %_A\u030a😀 `);
        const many = { allowed: { budget: 0.5, least: 340 }, people: 700, share: 0.5 };
        await repository.publish({ ...publishing, samples: names }, at(0));
        same((await repository.published(d))?.samples, [...names].sort());
        await asks(repository, [[ask('1', names)], '+', many]);
        const [one] = await repository.spending(d);
        same([one?.people, (one?.most ?? 1) <= -Math.log(0.5)], [350, true]);
        await repository.withdraw(d, names.slice(0, 340));
        same((await repository.leaving(d)).length, 340);
        await repository.forget(names.slice(0, 345));
        same((await repository.spending(d))[0]?.people, 5);
      },
    },
    [consulting]: {
      async 'those who were consulted make the crowd of the region smaller, and answers about others cost more'({
        repository,
      }) {
        await asks(repository, [[askAt(10), askAt(10, ['b'])], '++', { ...rule, people: 3 }]);
        const first = -Math.log(1 - 0.5 ** 3);
        same(await spent(repository), [[x, 2, digits(first + price), digits(price)]]);
      },
    },
    'an event that is remembered for an account is not charged again: the answer is yes with enough carriers': {
      async 'a yes that was given is given again, without a charge, while there are enough carriers'({ repository }) {
        await asks(repository, [[ask('1'), ask('1'), ask('1'), ask('1')], '++++']);
        same(await spent(repository), [[x, 1, digits(price), digits(price)]]);
        await asks(repository, [[ask('2'), ask('3'), ask('1'), ask('1', [])], '+-+-']);
        // Each account pays, and in each dataset.
        await asks(repository, [[ask('1', [a], y), ask('2', [a], y), ask('3', [a], y)], '++-']);
        await asks(repository, [[ask('1', [a], x, e), ask('2', [a], x, e), ask('4', [a], x, e)], '++-']);
      },
    },
    'days after which half of what was spent is given back; nothing ever is if omitted': {
      async 'what was spent is given back by half in each half-life, and never without one'({ repository }) {
        const renewing = { ...rule, renewDays: 0.5 };
        const later = at(43_200);
        await asks(repository, [[ask('1'), ask('2'), ask('3')], '++-', renewing]);
        // Half of two prices: one more price makes two.
        await asks(repository, [[ask('4')], '-', rule, later], [[ask('5'), ask('6')], '+-', renewing, later]);
        same(await spent(repository), [[x, 1, digits(2 * price), digits(2 * price)]]);
        same((await repository.spending(d))[0]?.last, later);
      },
    },
    'concurrent answers, of any process, never spend more than the budget of a carrier': {
      async 'concurrent answers never spend more than a budget'({ repository }) {
        const asked = Array.from({ length: 12 }, (_, i) => ask(`${i}`, i % 2 === 0 ? [a, 'b'] : ['b', a]));
        const given = await Promise.all(asked.map((one) => repository.answer(one, rule, at(0))));
        same(given.filter(Boolean).length, 2);
        same(await spent(repository), [[x, 2, digits(4 * price), digits(2 * price)]]);
        const repeated = await Promise.all(asked.map(() => repository.answer(ask('one', [a], y), rule, at(0))));
        same(repeated.filter(Boolean).length, 12, 'one event');
        same((await spent(repository))[1], [y, 1, digits(price), digits(price)]);
      },
    },
    'answer stores its charges in one transaction': {
      async 'an answer in a transaction that fails costs nothing'({ storage, repository }) {
        await undone(storage, (scope) => asks(scope.repository(beaconProtection), [[ask('1')], '+']));
        same(await repository.spending(d), []);
        // Nor was anyone consulted.
        await asks(repository, [[ask('2'), askAt(10)], '++']);
      },
    },
    'published returns the published samples of a dataset in code-unit order; leaving, too': {
      async 'published samples are in code-unit order'({ repository }) {
        // In the order of code points the last two change places.
        const names = ['B', 'a', 'A\u030a', 'Å', '😀', '\uff5e'];
        await repository.publish({ ...publishing, samples: names }, at(1));
        await repository.withdraw(d, names);
        same((await repository.published(d))?.samples, [...names].sort());
        same(await repository.leaving(d), [...names].sort());
      },
    },
    'count adds to the tallies of a dataset; those that never asked have none': {
      async 'tallies of accounts are added up'({ repository }) {
        same(await repository.tallies(d), []);
        const count = (account: string, questions: number, hits: number) =>
          repository.count(d, [
            { account: z, questions: 1, hits: 0 },
            { account, questions, hits },
          ]);
        await Promise.all([count(x, 5, 1), count(y, 2, 2), count(x, 1, 0)]);
        await repository.count(e, [{ account: x, questions: 1, hits: 1 }]);
        await repository.count(e, []);
        const tallies = [
          { account: x, questions: 6, hits: 1 },
          { account: y, questions: 2, hits: 2 },
          { account: z, questions: 3, hits: 0 },
        ];
        same(await repository.tallies(d), tallies);
        await asks(repository, [[ask('1', [a], w), ask('2', [a], x)], '++']);
        same(await repository.tallies(d), tallies, 'an answer counts nothing');
        const one = { account: w, questions: 1, hits: 0 };
        await repository.count(d, [one]);
        same(await repository.tallies(d), [one, ...tallies]);
      },
    },
  }),
  answering('a person counts for one question about a stretch and those next to it', consulting, () => [
    [[ask('1'), ...[9, 10, 11].map((stretch) => askAt(stretch))], '+---', cheap],
    [[askAt(13), askAt({ ...regionAt(10), contig: '2' })], '++', cheap],
    [[askAt(10, [a], { account: y }), askAt(10, [a], { dataset: e })], '++', cheap],
    [[askAt(10, [a, 'b']), askAt(10, ['b'])], '+-', cheap],
    // The first question has the same answer again.
    [[ask('1')], '+', cheap],
  ]),
  answering('a question about a wide region consults people in each of its stretches', consulting, () => [
    [[askAt(regionAt(10, 12))], '+', cheap],
    [[regionAt(5, 9), regionAt(11), regionAt(13), regionAt(0, 249)].map((region) => askAt(region)), '----', cheap],
    [[askAt(regionAt(30, 40)), askAt(42)], '++', cheap],
  ]),
  answering('people are consulted by a no as well, unless it does not depend on them', consulting, () => [
    // A third price is too much.
    [[ask('1'), ask('2'), ask('3')], '++-'],
    [[askAt(30), askAt(40)], '-+', cheap],
    [[askAt(50, [a, 'b'], { account: y })], '-', { ...cheap, allowed: { budget: 0.5, least: 3 } }],
    [[askAt(50, ['b'], { account: y })], '-', cheap],
    // Too rare for everyone.
    [[askAt(60, ['b'], { account: y })], '-', { ...cheap, share: 0 }],
    [[askAt(60, ['b'], { account: y })], '+', cheap],
  ]),
  {
    name: 'two processes never spend more than a budget together',
    promise: 'concurrent answers, of any process, never spend more than the budget of a carrier',
    needs: 'concurrentWriters',
    async run({ repository, again }) {
      const other = (await again()).repository(beaconProtection);
      const asked = Array.from({ length: 12 }, (_, i) => ask(`${i}`, [a, 'b']));
      const given = await Promise.all(
        asked.map((one, i) => (i % 2 === 0 ? repository : other).answer(one, rule, at(0))),
      );
      same(given.filter(Boolean).length, 2);
      same(await spent(other), [[x, 2, digits(4 * price), digits(2 * price)]]);
    },
  },
];
