/** Cases on registered samples: what is stated of them, their checks and the runs that they cover. */
import assert from 'node:assert/strict';
import { type Case, type CaseContext, faults, property, type Random, same } from '../../../core/conformance.js';
import {
  type CheckOutcome,
  checksumOf,
  coverageSamples,
  type RegisteredSample,
  type RunBlock,
  recorded,
  registered,
  type SampleCheck,
  type SampleDescription,
  type SampleRepository,
} from '../contract.js';
import { at } from './build.js';

type Context = CaseContext<SampleRepository>;

const allOrNone = 'register adds samples and replaces what is stated of those that exist: all of them or none';
const outcomes = 'register returns whether each sample was added, moved, described or unchanged';
const keeps = 'moved: the sample is pending, has a new revision, and keeps its last check with the runs';
const recording =
  'record: ready replaces the check and all runs, and gives a new revision; failing and changed keep them';
const refused = 'record returns false, and changes nothing, unless the sample exists and still has the revision';
const pages = 'list: the next samples by id, ascending by code units';
const unchangedRuns = 'runs: unchanged, by chromosome in the order of `chromosomes`, then by start; all of one check';
const removing = 'remove removes samples with their checks and runs, all at once; returns how many existed';

function sample(id: string, fields: Partial<SampleDescription> = {}): SampleDescription {
  return { id, build: 'GRCh38', file: { path: `exomes/${id}.d4` }, sex: 'unknown', labels: {}, ...fields };
}

const described = sample('NA 12878-ärende', {
  case: 'family 1',
  sex: 'female',
  file: { path: 'https://storage.example.org/a b.d4?signature=%C3%A5', track: 'depth' },
  analysed: '2026-04-23',
  labels: { assay: 'WES', run: 'run 7', kit: '“Twist” v2', pipeline: 'raredisease 2.1', mapq: '20', group: 'g' },
});

function check(second: number, fields: Partial<SampleCheck> = {}): SampleCheck {
  return {
    at: at(second),
    fingerprint: '00f1c2d3e4b5a697',
    build: 'GRCh38',
    sex: 'female',
    depths: { x: 30.25, y: 0, autosomes: 31.5 },
    warnings: [{ code: 'capped', message: 'The depths of the file seem to be capped.' }],
    thresholds: [10, 20],
    covered: [2_900_000_000, 2_100_000_000],
    bytes: 7,
    ...fields,
  };
}

function block(chromosome: RunBlock['chromosome'], start: number, end: number, content: Uint8Array): RunBlock {
  return { chromosome, start, end, checksum: checksumOf(content), content };
}

/** Every value of a byte. */
const everyByte = Uint8Array.from({ length: 256 }, (_, i) => i);
const runs = [
  block('2', 0, 5, Uint8Array.of(1)),
  block('10', 0, 100, everyByte),
  block('10', 100, 133_797_422, Uint8Array.of(0, 255)),
  block('X', 0, 1, Uint8Array.of(7)),
];

async function only({ repository }: Pick<Context, 'repository'>, id: string): Promise<RegisteredSample> {
  const [found] = await repository.find([id]);
  assert.ok(found, `the sample "${id}" exists`);
  return found;
}

/** Records a successful check; the sample must be there. */
async function ready(context: Context, id: string, blocks = runs, found = check(1)): Promise<RegisteredSample> {
  const { revision } = await only(context, id);
  assert.ok(await context.repository.record(id, revision, { state: 'ready', check: found, runs: blocks }));
  return only(context, id);
}

/** Everything that a caller can see, without revisions. */
async function stateOf({ repository }: Pick<Context, 'repository'>): Promise<unknown> {
  const all = await repository.list({ limit: 1000 });
  return Promise.all(all.map(async ({ revision: _, ...one }) => ({ ...one, runs: await repository.runs(one.id) })));
}

/** Plain arrays, whose differences are readable. */
function shown(blocks: readonly RunBlock[]): unknown {
  return blocks.map(({ content, ...rest }) => ({ ...rest, content: [...content] }));
}

export const sampleCases: readonly Case<SampleRepository>[] = [
  {
    name: 'registered samples are returned unchanged, pending and without a check',
    promise: allOrNone,
    async run(context) {
      const { repository } = context;
      same(await repository.list({ limit: 10 }), []);
      same(await repository.register([described, sample('a')], at(1.234)), ['added', 'added']);
      const found = await repository.find(['nobody', described.id, 'a', described.id]);
      const since = { state: 'pending', registered: at(1.234), updated: at(1.234) };
      same(
        found.map(({ revision, ...rest }) => rest),
        [
          { ...described, ...since },
          { ...sample('a'), ...since },
        ],
      );
      assert.equal(new Set(found.map(({ revision }) => revision)).size, 2, 'revisions differ');
      same(await repository.runs('a'), []);
      same(await repository.find([]), []);
      same(await repository.register([], at(2)), []);
    },
  },
  {
    name: 'registering a sample again replaces what is stated of it',
    promise: outcomes,
    async run(context) {
      const { repository } = context;
      await repository.register([described, sample('a'), sample('b')], at(1));
      const [before] = await repository.find([described.id]);
      const corrected = { ...described, sex: 'male' as const, labels: { assay: 'WGS' } };
      const given = [corrected, sample('a'), sample('c'), sample('b', { build: 'GRCh37' })];
      same(await repository.register(given, at(2)), ['described', 'unchanged', 'added', 'moved']);
      const after = await only(context, described.id);
      same(after, { ...corrected, revision: before?.revision, state: 'pending', registered: at(1), updated: at(2) });
      same((await only(context, 'a')).updated, at(1), 'nothing changed');
      same((await only(context, 'b')).updated, at(2));
      const { case: _, analysed: __, ...plain } = corrected;
      same(await repository.register([{ ...plain, labels: {} }], at(3)), ['described']);
      same(Object.keys(await only(context, described.id)).includes('case'), false, 'omitted again');
    },
  },
  {
    name: 'a sample that is given twice is refused, and so is the whole list',
    promise: allOrNone,
    async run(context) {
      const { repository } = context;
      await repository.register([sample('a')], at(1));
      const before = await stateOf(context);
      const given = [sample('b'), sample('a', { sex: 'male' }), sample('b', { sex: 'male' })];
      await faults('invalid', repository.register(given, at(2)));
      same(await stateOf(context), before);
    },
  },
  {
    name: 'a transaction that fails registers and records nothing',
    promise: allOrNone,
    async run(context) {
      const { repository, storage } = context;
      await repository.register([sample('a')], at(1));
      await ready(context, 'a');
      const before = await stateOf(context);
      const failing = storage.transaction(async (scope) => {
        const inside = scope.repository(coverageSamples);
        await inside.register([sample('a', { file: { path: 'b.d4' } }), sample('b')], at(2));
        const { revision } = await only({ repository: inside }, 'a');
        assert.ok(await inside.record('a', revision, { state: 'ready', check: check(3), runs: [] }));
        same(await inside.runs('a'), []);
        throw new Error('no');
      });
      await assert.rejects(failing, { message: 'no' });
      same(await stateOf(context), before);
    },
  },
  {
    name: 'a successful check is returned with its runs, in order',
    promise: unchangedRuns,
    async run(context) {
      const { repository } = context;
      await repository.register([sample('a'), sample('b')], at(1));
      const { revision } = await only(context, 'a');
      const after = await ready(context, 'a', [...runs].reverse(), check(2.345));
      assert.notEqual(after.revision, revision);
      same(after, {
        ...sample('a'),
        revision: after.revision,
        state: 'ready',
        registered: at(1),
        updated: at(1),
        check: check(2.345),
      });
      same(shown(await repository.runs('a')), shown(runs));
      same(shown(await repository.runs('a', ['X', '10'])), shown(runs.slice(1)));
      same(await repository.runs('a', ['1', 'MT']), []);
      same(await repository.runs('a', []), []);
      same(await repository.runs('b'), []);
      same(await repository.runs('nobody'), []);
    },
  },
  {
    name: 'a further check replaces the check and all runs',
    promise: recording,
    async run(context) {
      const { repository } = context;
      await repository.register([sample('a'), sample('b')], at(1));
      await ready(context, 'a');
      await ready(context, 'b');
      const other = [block('3', 0, 9, Uint8Array.of(3))];
      const second = check(5, { fingerprint: 'ffff', warnings: [], thresholds: [10], covered: [1] });
      await ready(context, 'a', other, second);
      same((await only(context, 'a')).check, second);
      same(shown(await repository.runs('a')), shown(other));
      same(shown(await repository.runs('b')), shown(runs));
    },
  },
  {
    name: 'a failing or changed file keeps the last check and its runs',
    promise: recording,
    async run(context) {
      const { repository } = context;
      await repository.register([sample('a')], at(1));
      const { revision } = await ready(context, 'a');
      assert.ok(await repository.record('a', revision, { state: 'changed' }));
      same((await only(context, 'a')).state, 'changed');
      assert.ok(await repository.record('a', revision, { state: 'failing', reason: 'The file was not found.' }));
      const failed = await only(context, 'a');
      same([failed.state, failed.reason, failed.check], ['failing', 'The file was not found.', check(1)]);
      same(shown(await repository.runs('a')), shown(runs));
      const again = await ready(context, 'a', runs, check(9));
      same([again.state, 'reason' in again, again.check?.at], ['ready', false, at(9)]);
    },
  },
  {
    name: 'another file or build makes the sample pending, and the last check stays',
    promise: keeps,
    async run(context) {
      const { repository } = context;
      await repository.register([sample('a')], at(1));
      let before = await ready(context, 'a');
      const places: Partial<SampleDescription>[] = [
        { file: { path: 'other.d4' } },
        { file: { path: 'other.d4', track: 't' } },
        { file: { path: 'other.d4', track: 't' }, build: 'GRCh37' },
      ];
      for (const place of places) {
        await repository.record('a', before.revision, { state: 'failing', reason: 'no' });
        same(await repository.register([sample('a', place)], at(3)), ['moved']);
        const after = await only(context, 'a');
        assert.notEqual(after.revision, before.revision);
        const { reason: _, ...rest } = before;
        same(after, { ...rest, ...place, revision: after.revision, state: 'pending', updated: at(3) });
        same(shown(await repository.runs('a')), shown(runs));
        before = after;
      }
    },
  },
  {
    name: 'what was found of an earlier revision is not recorded',
    promise: refused,
    async run(context) {
      const { repository } = context;
      await repository.register([sample('a')], at(1));
      const { revision } = await only(context, 'a');
      await repository.register([sample('a', { file: { path: 'other.d4' } })], at(2));
      const all: CheckOutcome[] = [
        { state: 'ready', check: check(3), runs },
        { state: 'failing', reason: 'no' },
        { state: 'changed' },
      ];
      const before = await stateOf(context);
      for (const outcome of all) {
        same(await repository.record('a', revision, outcome), false);
        same(await repository.record('nobody', revision, outcome), false);
      }
      same(await stateOf(context), before);
      const moved = await only(context, 'a');
      await ready(context, 'a');
      same(await repository.record('a', moved.revision, { state: 'ready', check: check(9), runs: [] }), false);
      same(shown(await repository.runs('a')), shown(runs));
      await repository.remove(['a']);
      await repository.register([sample('a', { file: { path: 'other.d4' } })], at(4));
      same(await repository.record('a', moved.revision, { state: 'failing', reason: 'no' }), false, 'another sample');
      same((await only(context, 'a')).state, 'pending');
    },
  },
  {
    name: 'of two concurrent checks of one revision, one is recorded',
    promise: refused,
    async run(context) {
      const { repository } = context;
      const ids = Array.from({ length: 8 }, (_, i) => `s${i}`);
      await repository.register(
        ids.map((id) => sample(id)),
        at(1),
      );
      for (const id of ids) {
        const { revision } = await only(context, id);
        const one: CheckOutcome = { state: 'ready', check: check(2), runs: runs.slice(0, 2) };
        const other: CheckOutcome = { state: 'ready', check: check(3), runs: runs.slice(2) };
        const done = await Promise.all([one, other].map((outcome) => repository.record(id, revision, outcome)));
        assert.equal(done.filter(Boolean).length, 1, `one of two: ${done}`);
        const won = done[0] ? one : other;
        same((await only(context, id)).check, won.check);
        same(shown(await repository.runs(id)), shown(won.runs));
      }
    },
  },
  {
    name: 'of many who register one sample at once, one adds it',
    promise: outcomes,
    async run({ repository }) {
      const all = await Promise.all(
        Array.from({ length: 6 }, (_, i) => repository.register([sample('a'), sample(`own ${i}`)], at(1))),
      );
      same(
        all.map(([, own]) => own),
        Array.from({ length: 6 }, () => 'added'),
      );
      const shared = all.map(([first]) => first).sort();
      same(shared, ['added', ...Array.from({ length: 5 }, () => 'unchanged')]);
    },
  },
  {
    name: 'samples are listed by id and page by page',
    promise: pages,
    async run(context) {
      const { repository } = context;
      const ids = ['Z', 'a', 'a b', 'B', 'é', '10', '9', '\ud7ff', '-', 'a.'];
      const sorted = ['-', '10', '9', 'B', 'Z', 'a', 'a b', 'a.', 'é', '\ud7ff'];
      await repository.register(
        ids.map((id) => sample(id)),
        at(1),
      );
      const idsOf = async (page: Parameters<SampleRepository['list']>[0]) =>
        (await repository.list(page)).map(({ id }) => id);
      same(await idsOf({ limit: 100 }), sorted);
      same(await idsOf({ limit: 3 }), sorted.slice(0, 3));
      same(await idsOf({ limit: 3, after: '9' }), sorted.slice(3, 6));
      same(await idsOf({ limit: 100, after: 'A' }), sorted.slice(3), 'need not exist');
      same(await idsOf({ limit: 3, after: '\ud7ff' }), []);
      same(
        (await repository.find(ids)).map(({ id }) => id),
        sorted,
      );
    },
  },
  {
    name: 'samples are listed by state',
    promise: pages,
    async run(context) {
      const { repository } = context;
      await repository.register(
        ['d', 'c', 'b', 'a', 'e'].map((id) => sample(id)),
        at(1),
      );
      for (const id of ['a', 'b', 'd']) await ready(context, id);
      const mark = async (id: string, outcome: CheckOutcome) =>
        repository.record(id, (await only(context, id)).revision, outcome);
      await mark('b', { state: 'changed' });
      await mark('c', { state: 'failing', reason: 'no' });
      const inState = async (...states: RegisteredSample['state'][]) =>
        (await repository.list({ states, limit: 10 })).map(({ id }) => id).join('');
      same(await inState('ready'), 'ad');
      same(await inState('changed', 'pending'), 'be');
      same(await inState('failing', 'ready', 'failing'), 'acd');
      same(await inState(), '');
      same(
        (await repository.list({ states: ['ready'], after: 'a', limit: 10 })).map(({ id }) => id),
        ['d'],
      );
    },
  },
  {
    name: 'samples leave with everything, and others stay',
    promise: removing,
    async run(context) {
      const { repository } = context;
      await repository.register([sample('b')], at(1));
      await ready(context, 'b');
      const before = await stateOf(context);
      await repository.register([described, sample('a')], at(2));
      await ready(context, 'a');
      same(await repository.remove(['a', 'nobody', described.id, 'a']), 2);
      same(await stateOf(context), before);
      same(await repository.runs('a'), []);
      same(await repository.remove(['a']), 0);
      same(await repository.remove([]), 0);
      same(await repository.register([sample('a')], at(3)), ['added']);
      same(await repository.runs('a'), [], 'a new sample has none of the old runs');
    },
  },
  {
    name: 'thousands of samples, and megabytes of runs, are kept',
    promise: unchangedRuns,
    async run(context) {
      const { repository } = context;
      const ids = Array.from({ length: 3000 }, (_, i) => `s${String(i).padStart(4, '0')}`);
      const outcome = await repository.register(
        ids.map((id) => sample(id, { case: `case of ${id}` })),
        at(1),
      );
      same(
        outcome.filter((one) => one !== 'added'),
        [],
      );
      same(
        (await repository.find(ids)).map(({ id }) => id),
        ids,
      );
      same((await repository.list({ limit: 1, after: 's2998' }))[0]?.case, 'case of s2999');
      const content = Uint8Array.from({ length: 256_000 }, (_, i) => (i * 7919) >> 3);
      const many = Array.from({ length: 24 }, (_, i) => block('1', i * 1000, (i + 1) * 1000, content));
      await ready(context, 's0001', many);
      const found = await repository.runs('s0001', ['1']);
      same(
        found.map(({ start, end }) => [start, end]),
        many.map(({ start, end }) => [start, end]),
      );
      assert.ok(found.every((one) => Buffer.compare(one.content, content) === 0));
      same(await repository.remove(ids), 3000);
    },
  },
  {
    name: 'random changes leave what a plain model has',
    promise: recording,
    run: (context) =>
      property<Step>(context, { runs: 8, generate: randomSteps, check: (steps) => replay(context, steps) }),
  },
  {
    name: 'samples are there after closing and opening again',
    promise: allOrNone,
    needs: 'durable',
    async run(context) {
      const { repository, storage, again } = context;
      await repository.register([described, sample('a')], at(1));
      await ready(context, 'a');
      const before = await stateOf(context);
      await storage.close();
      same(await stateOf({ repository: (await again()).repository(coverageSamples) }), before);
    },
  },
];

type Step =
  | { verb: 'register'; ids: string[]; path: string; sex: SampleDescription['sex'] }
  | { verb: 'ready' | 'failing' | 'changed'; id: string; stale: boolean; number: number }
  | { verb: 'remove'; ids: string[] };

function randomSteps(random: Random): Step[] {
  const id = () => random.pick(ids);
  return random.list(1, 14, (): Step => {
    const verb = random.pick(['register', 'register', 'ready', 'ready', 'failing', 'changed', 'remove'] as const);
    if (verb === 'remove') return { verb, ids: random.list(1, 2, id) };
    if (verb !== 'register') return { verb, id: id(), stale: random.int(0, 4) === 0, number: random.int(1, 9) };
    const path = random.pick(['1.d4', '2.d4']);
    return { verb, ids: [...new Set(random.list(1, 3, id))], path, sex: random.pick(['male', 'female'] as const) };
  });
}

const ids = ['a', 'b', 'c', 'd'] as const;

/** Applies the steps to the emptied storage and to a model, and compares the two after each. */
async function replay({ repository }: Context, steps: readonly Step[]): Promise<void> {
  await repository.remove(ids);
  const model = new Map<string, { sample: RegisteredSample; runs: readonly RunBlock[] }>();
  for (const [i, step] of steps.entries()) {
    if (step.verb === 'register') {
      const given = step.ids.map((id) => sample(id, { file: { path: step.path }, sex: step.sex }));
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
    same(
      await stateOf({ repository }),
      expected.map(({ sample: { revision: _, ...rest }, runs: blocks }) => ({ ...rest, runs: blocks })),
    );
  }
}
