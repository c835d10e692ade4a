/** Cases on the checks of registered samples' files, and on the runs that the samples cover. */
import assert from 'node:assert/strict';
import type {
  CheckOutcome,
  RunBlock,
  SampleDescription,
  SampleRepository,
} from '../../../plugins/coverage/contract.js';
import { type Case, same } from '../core.js';
import { at } from './build.js';
import { block, check, only, ready, recording, runs, sample, shown, stateOf } from './registered.js';

const keeps = 'moved: the sample is pending, has a new revision, and keeps its last check with the runs';
const refused = 'record returns false, and changes nothing, unless the sample exists and still has the revision';
const unchangedRuns = 'runs: unchanged, by chromosome in the order of `chromosomes`, then by start; all of one check';
const sameRevisions = 'revisions: the revision and state of the samples of these ids, as find has them';
const startingRuns =
  'runsFrom: the blocks that start in [start, end) of a chromosome, by id ascending: each sample as it is at one moment';

export const sampleCheckCases: readonly Case<SampleRepository>[] = [
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
    name: 'revisions and states are those of the samples themselves',
    promise: sameRevisions,
    async run(context) {
      const { repository } = context;
      const ids = ['é', 'b', 'B', 'a', 'nobody', 'b'];
      const compared = async () => {
        const found = await repository.find(ids);
        same(
          await repository.revisions(ids),
          found.map(({ id, revision, state }) => ({ id, revision, state })),
        );
        return found.map(({ id, state }) => `${id} ${state}`);
      };
      same(await compared(), []);
      await repository.register(
        ['a', 'é', 'b', 'B'].map((id) => sample(id)),
        at(1),
      );
      same(await compared(), ['B pending', 'a pending', 'b pending', 'é pending']);
      await ready(context, 'a');
      const { revision } = await ready(context, 'b');
      await repository.record('b', revision, { state: 'changed' });
      await repository.remove(['é']);
      same(await compared(), ['B pending', 'a ready', 'b changed']);
      same(await repository.revisions([]), []);
    },
  },
  {
    name: 'the blocks of many samples are returned by where they start',
    promise: startingRuns,
    async run(context) {
      const { repository } = context;
      const ids = ['B', 'a', 'b', 'é', 'without'];
      await repository.register(
        ids.map((id) => sample(id)),
        at(1),
      );
      const [all, first, second] = [runs.slice(1, 3), runs.slice(1, 2), runs.slice(2, 3)];
      for (const id of ['é', 'b', 'a']) await ready(context, id);
      await ready(context, 'B', [...all].reverse());
      const revisions = new Map((await repository.find(ids)).map(({ id, revision }) => [id, revision]));
      const of = async (wanted: readonly string[], chromosome: RunBlock['chromosome'], start: number, end: number) =>
        (await repository.runsFrom(wanted, chromosome, { start, end })).map(({ sample: id, revision, blocks }) => {
          assert.equal(revision, revisions.get(id));
          return [id, shown(blocks)];
        });
      const everywhere = ['B', 'a', 'b', 'é'];
      same(
        await of(['é', 'without', 'b', 'nobody', 'a', 'B', 'a'], '10', 0, 101),
        everywhere.map((id) => [id, shown(all)]),
      );
      same(await of(['a'], '10', 0, 100), [['a', shown(first)]]);
      same(await of(['a'], '10', 1, 101), [['a', shown(second)]]);
      same(await of(['a'], '10', 1, 100), [], 'a block is where it starts');
      same(await of(['a'], '1', 0, 1000), []);
      same(await of([], '10', 0, 1000), []);
      const [before] = await repository.runsFrom(['a'], '2', { start: 0, end: 1 });
      await ready(context, 'a', runs.slice(0, 1));
      const [after] = await repository.runsFrom(['a'], '2', { start: 0, end: 1 });
      assert.notEqual(after?.revision, before?.revision, 'another check, another revision');
      await repository.remove(['a']);
      same(await of(['a', 'b'], '2', 0, 1), [['b', shown(runs.slice(0, 1))]]);
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
];
