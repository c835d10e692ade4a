/** Random calls of beacon-protection@1. */
import {
  type AccountTally,
  type AnswerRule,
  type Asking,
  beaconProtection,
  type ProtectionRepository,
  type Publishing,
} from '../../../../plugins/beacon/contract.js';
import { at } from '../../../conformance/beacon/build.js';
import type { Random } from '../../../conformance/core.js';
import { type History, nasty } from './history.js';

const datasets = ['d', 'D', 'e-1'];

type ProtectionStep =
  | { verb: 'publish'; publishing: Omit<Publishing, 'created'> & { created: number }; now: number; after?: number }
  | { verb: 'withdraw'; dataset: string; samples: readonly string[] }
  | { verb: 'forget'; samples: readonly string[] }
  | { verb: 'drop'; dataset: string }
  | { verb: 'answer'; asking: Asking; rule: AnswerRule; day: number }
  | { verb: 'count'; dataset: string; tallies: readonly AccountTally[] };

const verbs = [
  'publish',
  'publish',
  'withdraw',
  'forget',
  'drop',
  'answer',
  'answer',
  'answer',
  'answer',
  'count',
] as const;

function protectionStep(random: Random): ProtectionStep {
  const dataset = random.pick(datasets);
  const samples = [...new Set(random.list(0, 5, () => random.pick(nasty)))];
  const accounts = [...new Set(random.list(0, 3, () => random.pick(nasty)))];
  const verb = random.pick(verbs);
  switch (verb) {
    case 'publish': {
      const totals = { alleles: random.int(0, 2 ** 40), calls: random.int(0, 9), samples: samples.length };
      const publishing = { dataset, created: random.int(0, 1), samples, totals };
      return { verb, publishing, now: random.int(0, 9), ...(random.chance(0.5) && { after: random.int(0, 3) }) };
    }
    case 'withdraw':
      return { verb, dataset, samples };
    case 'forget':
      return { verb, samples: samples.slice(0, 2) };
    case 'drop':
      return { verb, dataset };
    case 'count':
      return {
        ...{ verb, dataset },
        tallies: accounts.map((account) => ({ account, questions: random.int(0, 2), hits: random.int(0, 1) })),
      };
    case 'answer': {
      const first = random.pick([0, 10, 11, 12, 100]);
      const region = { contig: random.pick(['1', 'X'] as const), first, last: first + random.pick([0, 0, 1, 3]) };
      const [account, event] = [random.pick(nasty), random.pick(nasty)];
      return {
        verb,
        asking: { dataset, account, event, carriers: samples, region },
        rule: ruleOf(random, samples),
        day: random.int(0, 3),
      };
    }
  }
}

/** Prices are far from one another: an adapter may round what many people have spent up by little. */
function ruleOf(random: Random, samples: readonly string[]): AnswerRule {
  const newcomers = random.chance(0.3) && { newcomers: [{ people: random.int(1, 4), older: samples.slice(0, 1) }] };
  return {
    allowed: { budget: random.pick([0.5, 0.2, 0.05]), least: random.int(1, 2) },
    people: random.int(2, 6),
    share: random.pick([0, 0.2, 0.5, 0.9, 1]),
    ...newcomers,
    ...(random.chance(0.3) && { renewDays: random.pick([1, 2]) }),
  };
}

function runProtection(repository: ProtectionRepository, step: ProtectionStep): Promise<unknown> {
  switch (step.verb) {
    case 'publish': {
      const { publishing, now, after } = step;
      const given = { ...publishing, created: at(publishing.created) };
      return repository.publish(given, at(now), after === undefined ? undefined : { after });
    }
    case 'withdraw':
      return repository.withdraw(step.dataset, step.samples);
    case 'forget':
      return repository.forget(step.samples);
    case 'drop':
      return repository.drop(step.dataset);
    case 'count':
      return repository.count(step.dataset, step.tallies);
    case 'answer':
      return repository.answer(step.asking, step.rule, at(86_400 * step.day));
  }
}

async function lookAtProtection(repository: ProtectionRepository): Promise<unknown> {
  const digits = (amount: number) => amount.toFixed(9);
  const each = datasets.map(async (dataset) => [
    await repository.published(dataset),
    await repository.leaving(dataset),
    await repository.tallies(dataset),
    (await repository.spending(dataset)).map((one) => ({ ...one, spent: digits(one.spent), most: digits(one.most) })),
  ]);
  return [await repository.publications(), ...(await Promise.all(each))];
}

export const protectionHistories: History<ProtectionRepository, ProtectionStep> = {
  contract: beaconProtection,
  steps: (random) => random.list(3, 25, () => protectionStep(random)),
  perform: runProtection,
  all: lookAtProtection,
  async clear(repository) {
    for (const dataset of datasets) await repository.drop(dataset);
  },
};
