/** Cases on the checks of registered samples' files, and on the runs that the samples cover. */
import assert from 'node:assert/strict';
import {
  type CheckOutcome,
  coverageSamples,
  type RunBlock,
  type SampleDescription,
  type SampleRepository,
} from '../../../plugins/coverage/contract.js';
import { cases, faults, meet, oddText, readDuring, type StorageScope, same } from '../core.js';
import { at } from './build.js';
import { block, check, only, ready, recording, registerAll, runs, sample, stateOf } from './registered.js';

const keeps = 'moved: the sample is pending, has a new revision, and keeps its last check with the runs';
const refused = 'record returns false, and changes nothing, unless the sample exists and still has the revision';
const startingRuns =
  'runsFrom: the blocks that start in [start, end) of a chromosome, by id ascending: each sample as it is at one moment';

export const sampleCheckCases = cases<SampleRepository>({
  'runs: unchanged, by chromosome in the order of `chromosomes`, then by start; all of one check': {
    async 'a successful check is returned with its runs, in order'({ repository }) {
      await registerAll(repository, ['a', 'b']);
      const { revision } = await only(repository, 'a');
      const after = await ready(repository, 'a', [...runs].reverse(), check(2.345));
      assert.notEqual(after.revision, revision);
      same(after, {
        ...sample('a'),
        revision: after.revision,
        state: 'ready',
        registered: at(1),
        updated: at(1),
        check: check(2.345),
      });
      same(await repository.runs('a'), runs);
      same(await repository.runs('a', ['X', '10']), runs.slice(1));
      same(await repository.runs('a', ['1', 'MT']), []);
      same(await repository.runs('a', []), []);
      same(await repository.runs('b'), []);
      same(await repository.runs('nobody'), []);
    },
    async 'more blocks than one statement reads are returned, in order'({ repository }) {
      await registerAll(repository, ['a', 'b']);
      const of = (count: number) =>
        Array.from({ length: count }, (_, i) => block('3', i * 10, i * 10 + 10, Uint8Array.of(i % 251)));
      const [many, more] = [of(1203), of(700)];
      await ready(repository, 'a', many);
      await ready(repository, 'b', more);
      same(await repository.runs('a'), many);
      const found = await repository.runsFrom(['b', 'a'], '3', { start: 10, end: 12_020 });
      same.each(found, ({ sample: id, blocks }) => [id, blocks], [
        ['a', many.slice(1, 1202)],
        ['b', more.slice(1)],
      ]);
    },
  },
  'revisions: the revision and state of the samples of these ids, as find has them': {
    async 'revisions and states are those of the samples themselves'({ repository }) {
      const ids = ['é', 'b', 'B', 'a', 'nobody', 'b'];
      const compared = async () => {
        const found = await repository.find(ids);
        const expected = found.map(({ id, revision, state }) => ({ id, revision, state }));
        same(await repository.revisions(ids), expected);
        return found.map(({ id, state }) => `${id} ${state}`);
      };
      same(await compared(), []);
      await registerAll(repository, ['a', 'é', 'b', 'B']);
      same(await compared(), ['B pending', 'a pending', 'b pending', 'é pending']);
      await ready(repository, 'a');
      const { revision } = await ready(repository, 'b');
      await repository.record('b', revision, { state: 'changed' });
      await repository.remove(['é']);
      same(await compared(), ['B pending', 'a ready', 'b changed']);
      same(await repository.revisions([]), []);
    },
  },
  [startingRuns]: {
    async 'the blocks of many samples are returned by where they start'({ repository }) {
      const ids = ['B', 'a', 'b', 'é', 'without'];
      await registerAll(repository, ids);
      const [all, first, second] = [runs.slice(1, 3), runs.slice(1, 2), runs.slice(2, 3)];
      for (const id of ['é', 'b', 'a']) await ready(repository, id);
      await ready(repository, 'B', [...all].reverse());
      const revisions = new Map((await repository.find(ids)).map(({ id, revision }) => [id, revision]));
      const of = async (wanted: readonly string[], chromosome: RunBlock['chromosome'], start: number, end: number) =>
        (await repository.runsFrom(wanted, chromosome, { start, end })).map(({ sample: id, revision, blocks }) => {
          assert.equal(revision, revisions.get(id));
          return [id, blocks];
        });
      const everywhere = ['B', 'a', 'b', 'é'];
      const expected = everywhere.map((id) => [id, all]);
      same(await of(['é', 'without', 'b', 'nobody', 'a', 'B', 'a'], '10', 0, 101), expected);
      same(await of(['a'], '10', 0, 100), [['a', first]]);
      same(await of(['a'], '10', 1, 101), [['a', second]]);
      same(await of(['a'], '10', 1, 100), [], 'a block is where it starts');
      same(await of(['a'], '1', 0, 1000), []);
      same(await of([], '10', 0, 1000), []);
      const [before] = await repository.runsFrom(['a'], '2', { start: 0, end: 1 });
      await ready(repository, 'a', runs.slice(0, 1));
      const [after] = await repository.runsFrom(['a'], '2', { start: 0, end: 1 });
      assert.notEqual(after?.revision, before?.revision, 'another check, another revision');
      await repository.remove(['a']);
      same(await of(['a', 'b'], '2', 0, 1), [['b', runs.slice(0, 1)]]);
    },
    async 'runs that are read during a check are those of the revision before or after it'({ repository }) {
      await registerAll(repository, ['a']);
      // More than one statement reads.
      const of = (value: number) =>
        Array.from({ length: 501 }, (_, i) => block('3', i * 10, i * 10 + 10, Uint8Array.of(value)));
      const values = (blocks: readonly RunBlock[]) => `${[...new Set(blocks.map(({ content }) => content[0]))]}`;
      const span = { start: 0, end: 5010 };
      const known = new Map([[(await ready(repository, 'a', of(0))).revision, '0']]);
      for (let round = 1; round <= 2; round++) {
        const { revision } = await only(repository, 'a');
        const seen: [revision: string, values: string][] = [];
        const look = async () => {
          const all = values(await repository.runs('a'));
          assert.ok([`${round - 1}`, `${round}`].includes(all), all);
          for (const one of await repository.runsFrom(['a'], '3', span)) seen.push([one.revision, values(one.blocks)]);
        };
        const recorded = repository.record('a', revision, { state: 'ready', check: check(round), runs: of(round) });
        await Promise.all([readDuring(recorded, look), readDuring(recorded, look)]);
        known.set((await only(repository, 'a')).revision, `${round}`);
        for (const [at, found] of seen) same(found, known.get(at));
      }
    },
  },
  [recording]: {
    async 'a further check replaces the check and all runs'({ repository }) {
      await registerAll(repository, [oddText, 'b']);
      await ready(repository, oddText);
      await ready(repository, 'b');
      const other = [block('3', 0, 9, Uint8Array.of(3))];
      const second = check(5, { fingerprint: 'ffff', warnings: [], thresholds: [10], covered: [1] });
      await ready(repository, oddText, other, second);
      same((await only(repository, oddText)).check, second);
      same(await repository.runs(oddText), other);
      same(await repository.runs('b'), runs);
    },
    async 'a failing or changed file keeps the last check and its runs'({ repository }) {
      await registerAll(repository, ['a']);
      const { revision } = await ready(repository, 'a');
      assert.ok(await repository.record('a', revision, { state: 'changed' }));
      same((await only(repository, 'a')).state, 'changed');
      assert.ok(await repository.record('a', revision, { state: 'failing', reason: oddText }));
      const failed = await only(repository, 'a');
      same([failed.state, failed.reason, failed.check], ['failing', oddText, check(1)]);
      same(await repository.runs('a'), runs);
      assert.ok(await repository.record('a', revision, { state: 'changed' }));
      same('reason' in (await only(repository, 'a')), false);
      assert.ok(await repository.record('a', revision, { state: 'failing', reason: 'Again.' }));
      const again = await ready(repository, 'a', runs, check(9));
      same([again.state, 'reason' in again, again.check?.at], ['ready', false, at(9)]);
    },
    async 'what is stated while a check is recorded takes nothing of it back'({ repository, given, storage }) {
      const statements: [stated: SampleDescription, outcome: string][] = [
        [sample('a', { sex: 'male' }), 'described'],
        [sample('a', { build: 'GRCh37' }), 'moved'],
      ];
      for (const [stated, outcome] of statements) {
        for (const isChecked of [true, false]) {
          given('stated, and whether the check comes first', [stated, isChecked]);
          await repository.remove(['a']);
          await registerAll(repository, ['a']);
          const { revision } = await ready(repository, 'a', runs.slice(0, 1));
          const check9: CheckOutcome = { state: 'ready', check: check(9), runs: runs.slice(2) };
          const record = (scope: StorageScope) => scope.repository(coverageSamples).record('a', revision, check9);
          const register = async (scope: StorageScope) =>
            same(await scope.repository(coverageSamples).register([stated], at(2)), [outcome]);
          const isMoved = outcome === 'moved';
          if (isChecked) await meet(storage, record, () => register(storage));
          else same(await meet(storage, register, () => record(storage)), !isMoved);
          const recorded = isChecked || !isMoved;
          const after = await only(repository, 'a');
          same([after.sex, after.build], [stated.sex, stated.build]);
          same([after.state, after.check?.at], [isMoved ? 'pending' : 'ready', recorded ? at(9) : at(1)]);
          same(await repository.runs('a'), recorded ? runs.slice(2) : runs.slice(0, 1));
          assert.notEqual(after.revision, revision, 'a new check or place, a new revision');
        }
      }
    },
  },
  [keeps]: {
    async 'another file or build makes the sample pending, and the last check stays'({ repository }) {
      await registerAll(repository, ['a']);
      let before = await ready(repository, 'a');
      const places: Partial<SampleDescription>[] = [
        { file: { path: 'other.d4' } },
        { file: { path: 'other.d4', track: 't' } },
        { file: { path: 'other.d4', track: 't' }, build: 'GRCh37' },
      ];
      for (const place of places) {
        await repository.record('a', before.revision, { state: 'failing', reason: 'no' });
        same(await repository.register([sample('a', place)], at(3)), ['moved']);
        const after = await only(repository, 'a');
        assert.notEqual(after.revision, before.revision);
        const { reason: _, ...rest } = before;
        same(after, { ...rest, ...place, revision: after.revision, state: 'pending', updated: at(3) });
        same(await repository.runs('a'), runs);
        before = after;
      }
    },
  },
  [refused]: {
    async 'what was found of an earlier revision is not recorded'({ repository }) {
      await registerAll(repository, ['a']);
      const { revision } = await only(repository, 'a');
      await repository.register([sample('a', { file: { path: 'other.d4' } })], at(2));
      const all: CheckOutcome[] = [
        { state: 'ready', check: check(3), runs },
        { state: 'failing', reason: 'no' },
        { state: 'changed' },
      ];
      const before = await stateOf(repository);
      for (const outcome of all) {
        same(await repository.record('a', revision, outcome), false);
        same(await repository.record('nobody', revision, outcome), false);
      }
      same(await stateOf(repository), before);
      const moved = await only(repository, 'a');
      await ready(repository, 'a');
      same(await repository.record('a', moved.revision, { state: 'ready', check: check(9), runs: [] }), false);
      same(await repository.runs('a'), runs);
      await repository.remove(['a']);
      await repository.register([sample('a', { file: { path: 'other.d4' } })], at(4));
      same(await repository.record('a', moved.revision, { state: 'failing', reason: 'no' }), false, 'another sample');
      same((await only(repository, 'a')).state, 'pending');
    },
    async 'of two concurrent checks of one revision, one is recorded'({ repository, storage }) {
      await registerAll(repository, ['a']);
      const { revision } = await only(repository, 'a');
      const recording = (second: number, blocks: RunBlock[]) => (scope: StorageScope) =>
        scope.repository(coverageSamples).record('a', revision, { state: 'ready', check: check(second), runs: blocks });
      const other = () => recording(3, runs.slice(2))(storage);
      same(await meet(storage, recording(2, runs.slice(0, 2)), other), false);
      same((await only(repository, 'a')).check, check(2));
      same(await repository.runs('a'), runs.slice(0, 2));
    },
  },
  'record: two blocks that start at one place are a conflict fault': {
    async 'two blocks of one place are refused, and nothing is recorded'({ repository }) {
      await registerAll(repository, ['a']);
      const { revision } = await ready(repository, 'a');
      const before = await stateOf(repository);
      const twice = [
        block('1', 0, 5, Uint8Array.of(1)),
        block('1', 5, 9, Uint8Array.of(1)),
        block('1', 0, 9, Uint8Array.of(2)),
      ];
      await faults('conflict', repository.record('a', revision, { state: 'ready', check: check(5), runs: twice }));
      same(await stateOf(repository), before);
      same((await only(repository, 'a')).revision, revision);
    },
  },
});
