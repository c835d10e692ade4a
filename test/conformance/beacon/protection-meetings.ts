/** What beacon-protection@1 promises of calls that run at the same time. */
import { beaconProtection, type ProtectionRepository } from '../../../plugins/beacon/contract.js';
import { type Case, cases, type Meeting, meeting, same } from '../core.js';
import { at } from './build.js';
import { a, ask, d, price, publishing, rule, spent } from './protection.js';

/** Rounds of calls that cannot be held halfway. */
const times = 8;

const names = Array.from({ length: 9 }, (_, i) => `s${i}`);

/** Begins with a publication; neither caller may fail. */
function published<Result>(callers: Meeting<ProtectionRepository, Result>): Case<ProtectionRepository> {
  return meeting(beaconProtection, {
    ...callers,
    async before(repository) {
      await repository.publish(publishing, at(1));
      await callers.before?.(repository);
    },
    async check(repository, result) {
      await result;
      await callers.check(repository, result);
    },
  });
}

export const protectionMeetings: readonly Case<ProtectionRepository>[] = [
  ...cases<ProtectionRepository>({
    'published: the published samples of a dataset, and their generation': {
      async 'what is published shows one publication while another one runs'({ repository }) {
        await repository.publish({ ...publishing, samples: ['s1'] }, at(1));
        for (let i = 2; i < 2 + times; i++) {
          const publish = repository.publish({ ...publishing, samples: [`s${i}`] }, at(i));
          const seen = await Promise.all(names.map(() => repository.published(d)));
          await publish;
          for (const one of seen) same(one?.samples, [`s${one?.generation}`]);
        }
      },
    },
    'answer decides, stores its charges and notes who was consulted in one transaction': {
      async 'answers, an erasure and the removal of a dataset run at the same time'({ repository }) {
        // Enough for the whole crowd: what remains is the order in which calls hold what they change.
        const many = { ...rule, allowed: { budget: 1e-9, least: 1 } };
        for (let i = 0; i < times; i++) {
          await repository.drop(d);
          const asked = (number: number) => ask(`${number}`, number % 2 === 0 ? names : names.toReversed());
          await repository.answer(asked(1), many, at(0));
          const calls = [2, 3, 4].map((number) => repository.answer(asked(number), many, at(0)));
          same(await Promise.all([...calls.slice(0, 2), repository.forget(names), ...calls.slice(2)]), [
            ...[true, true, undefined, true],
          ]);
          await Promise.all([repository.answer(asked(5), many, at(0)), repository.drop(d)]);
          const [spending] = await repository.spending(d);
          same((spending?.most ?? 0) <= 1.01 * price, true, 'of what was asked before the removal nothing is left');
        }
      },
    },
    'count adds to the tallies of a dataset': {
      async 'tallies of the same accounts are counted at the same time'({ repository }) {
        const tallies = names.map((account) => ({ account, questions: 2, hits: 1 }));
        const counts = Array.from({ length: times }, (_, i) => (i % 2 === 0 ? tallies : tallies.toReversed()));
        await Promise.all(counts.map((each) => repository.count(d, each)));
        const expected = names.map((account) => ({ account, questions: 2 * times, hits: times }));
        same(await repository.tallies(d), expected);
      },
    },
  }),
  published({
    name: 'a publication that runs decides which generation another one comes after',
    promise:
      'with `after`, publish changes nothing and returns false unless that is the generation of what is published',
    first: (inside) => inside.publish({ ...publishing, samples: ['b'] }, at(2)),
    other: (repository) => repository.publish(publishing, at(3), { after: 1 }),
    check: async (repository, isPublished) => {
      same(await isPublished, false);
      same(await repository.published(d), { generation: 2, samples: ['b'], since: [1] });
    },
  }),
  published({
    name: 'a sample that is withdrawn during a publication is to leave after it',
    promise: 'publish: those samples that were to leave are to leave still',
    first: (inside) => inside.publish(publishing, at(2)),
    other: (repository) => repository.withdraw(d, [a, 'Å']),
    check: async (repository) => {
      same(await repository.leaving(d), [a, 'Å']);
      same((await repository.published(d))?.since, [1, 1, 1]);
    },
  }),
  published({
    name: 'a publication that waits for a withdrawal knows of it',
    promise: 'publish: those samples that were to leave are to leave still',
    first: (inside) => inside.withdraw(d, [a, 'Å']),
    other: (repository) => repository.publish(publishing, at(2)),
    check: async (repository) => same(await repository.leaving(d), [a, 'Å']),
  }),
  published({
    name: 'a sample that is forgotten during a publication is not published after it',
    promise: 'names that were read before a `forget` are not published after it',
    first: (inside) => inside.publish({ ...publishing, samples: [a, 'b', 'Å', 'new'] }, at(2), { after: 1 }),
    other: (repository) => repository.forget([a, 'Å', 'new']),
    check: async (repository) => {
      same(await repository.published(d), { generation: 3, samples: ['b'], since: [1] });
      same((await repository.publications())[0]?.people, 1);
    },
  }),
  published({
    name: 'several erasures at the same time are all noted',
    promise: 'the generation increases by one with each publication and each `forget`',
    first: (inside) => inside.forget([a]),
    other: (repository) => repository.forget(['b']),
    check: async (repository) => {
      same(await repository.published(d), { generation: 3, samples: ['Å'], since: [1] });
      same((await repository.publications())[0]?.people, 1);
    },
  }),
  published({
    name: 'an answer that waits for an erasure knows nothing of what is forgotten',
    promise: 'forget forgets all that is stored about samples; they are published no longer',
    before: (repository) => repository.answer(ask('1'), rule, at(0)),
    first: (inside) => inside.forget([a]),
    other: (repository) => repository.answer({ ...ask('2'), region: ask('1').region }, rule, at(0)),
    check: async (repository, isYes) => {
      const paid = price.toFixed(6);
      same([await isYes, await spent(repository)], [true, [[ask('1').account, 1, paid, paid]]]);
    },
  }),
  published({
    name: 'an answer is decided by what another one is just spending',
    promise: 'concurrent answers, of any process, never spend more than the budget of a carrier',
    first: async (inside) => {
      for (const event of ['1', '2']) await inside.answer(ask(event), rule, at(0));
    },
    other: (repository) => repository.answer(ask('3'), rule, at(0)),
    check: async (repository, isYes) => {
      same(await isYes, false);
      const paid = (2 * price).toFixed(6);
      same(await spent(repository), [[ask('1').account, 1, paid, paid]]);
    },
  }),
  published({
    name: 'a question that is just being answered has the same answer at once, without another charge',
    promise: 'an event that is remembered for an account is not charged again',
    first: async (inside) => {
      for (const event of ['1', '2']) await inside.answer(ask(event), rule, at(0));
    },
    other: (repository) => repository.answer(ask('2'), rule, at(0)),
    check: async (_, isYes) => same(await isYes, true),
  }),
];
