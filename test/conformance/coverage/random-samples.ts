/** Random changes of registered samples, compared with a plain model. */
import {
  type CheckOutcome,
  type RegisteredSample,
  type RunBlock,
  registered,
  type SampleDescription,
  type SampleRepository,
} from '../../../plugins/coverage/contract.js';
import { type Case, property, type Random, same } from '../core.js';
import { at } from './build.js';
import { block, check, recording, sample, stateOf } from './registered.js';

export const randomSampleCases: readonly Case<SampleRepository>[] = [
  {
    name: 'random changes leave what a plain model has',
    promise: recording,
    run: (context) =>
      property<Step>(context, { runs: 8, generate: randomSteps, check: (steps) => replay(context.repository, steps) }),
  },
];

type Step =
  | ({ verb: 'register'; ids: string[]; path: string } & Pick<SampleDescription, 'sex' | 'unique'>)
  | { verb: 'ready' | 'failing' | 'changed'; id: string; stale: boolean; number: number }
  | { verb: 'remove'; ids: string[] };

function randomSteps(random: Random): Step[] {
  const id = () => random.pick(ids);
  return random.list(1, 14, (): Step => {
    const verb = random.pick(['register', 'register', 'ready', 'ready', 'failing', 'changed', 'remove'] as const);
    if (verb === 'remove') return { verb, ids: random.list(1, 2, id) };
    if (verb !== 'register') return { verb, id: id(), stale: random.int(0, 4) === 0, number: random.int(1, 9) };
    const path = random.pick(['1.d4', '2.d4']);
    const second = random.chance(0.5) && { path: random.pick(['1.q.d4', '2.q.d4']), quality: random.int(1, 2) };
    const given = { path, sex: random.pick(['male', 'female'] as const), ...(second && { unique: second }) };
    return { verb, ids: [...new Set(random.list(1, 3, id))], ...given };
  });
}

const ids = ['a', 'b', 'c', 'd'] as const;

/** Applies the steps to the emptied storage and to a model, and compares the two after each. */
async function replay(repository: SampleRepository, steps: readonly Step[]): Promise<void> {
  await repository.remove(ids);
  const model = new Map<string, { sample: RegisteredSample; runs: readonly RunBlock[] }>();
  for (const [i, step] of steps.entries()) {
    if (step.verb === 'register') {
      const { path, sex, unique } = step;
      const given = step.ids.map((id) => sample(id, { file: { path }, sex, ...(unique && { unique }) }));
      const expected = given.map((one) => {
        const known = model.get(one.id);
        const result = registered(one, known?.sample, '', at(i));
        model.set(one.id, { sample: result.sample, runs: known?.runs ?? [] });
        return result.outcome;
      });
      same(await repository.register(given, at(i)), expected);
    } else if (step.verb === 'remove') {
      same(await repository.remove(step.ids), [...new Set(step.ids)].filter((id) => model.delete(id)).length);
    } else {
      const { id, stale, number } = step;
      const [stored] = await repository.find([id]);
      const blocks = [block('4', 0, number, Uint8Array.of(number))];
      const outcome: CheckOutcome =
        step.verb === 'ready'
          ? { state: 'ready', check: check(number), runs: blocks }
          : step.verb === 'failing'
            ? { state: 'failing', reason: `reason ${number}` }
            : { state: 'changed' };
      const done = await repository.record(id, stale ? 'another revision' : (stored?.revision ?? ''), outcome);
      const known = model.get(id);
      same(done, known !== undefined && !stale);
      if (done && known) {
        const after = recorded(known.sample, outcome, '');
        model.set(id, { sample: after, runs: step.verb === 'ready' ? blocks : known.runs });
      }
    }
    const expected = [...model.values()].sort((a, b) => (a.sample.id < b.sample.id ? -1 : 1));
    const wanted = expected.map(({ sample: { revision: _, ...rest }, runs: blocks }) => ({ ...rest, runs: blocks }));
    same(await stateOf(repository), wanted);
  }
}

/** The sample after a check with this outcome. `revision` is a text that none ever had. */
function recorded(sample: RegisteredSample, outcome: CheckOutcome, revision: string): RegisteredSample {
  const { reason: _, ...rest } = sample;
  switch (outcome.state) {
    case 'ready':
      return { ...rest, state: 'ready', revision, check: outcome.check };
    case 'failing':
      return { ...rest, state: 'failing', reason: outcome.reason };
    case 'changed':
      return { ...rest, state: 'changed' };
  }
}
