/** Cases on what comparisons of registered samples found. */
import assert from 'node:assert/strict';
import {
  coverageSamples,
  type NewFinding,
  type RegisteredSample,
  type SampleRepository,
} from '../../../plugins/coverage/contract.js';
import { type Case, cases, oddText, same, undone } from '../core.js';
import { at } from './build.js';
import { only, ready, registerAll, sample } from './registered.js';

const calls = (dataset: string): NewFinding<'calls'> => ({
  figures: { dataset, outcome: 'fits', places: 187, own: 0.93, best: -0.125 },
});

/** Ready samples a, b and c. */
async function three(repository: SampleRepository): Promise<[RegisteredSample, RegisteredSample, RegisteredSample]> {
  await registerAll(repository, ['a', 'b', 'c']);
  return [await ready(repository, 'a', []), await ready(repository, 'b', []), await ready(repository, 'c', [])];
}

export const findingCases: readonly Case<SampleRepository>[] = cases<SampleRepository>({
  'note keeps what a comparison of one kind found, in the place of what it found before': {
    async 'findings are returned unchanged, for the sample and for the other that they name'({ repository }) {
      const [a, b, c] = await three(repository);
      const nested = {
        other: { id: b.id, revision: b.revision },
        figures: { inner: oddText, share: 0.5, places: 300 },
      };
      assert.ok(await repository.note(a, 'nested', [nested, {}]));
      assert.ok(await repository.note(a, 'calls', [calls(oddText)]));
      assert.ok(await repository.note(c, 'calls', [calls('1')]));
      const ofA = [
        { sample: 'a', kind: 'calls', ...calls(oddText) },
        { sample: 'a', kind: 'nested', ...nested },
        { sample: 'a', kind: 'nested' },
      ];
      same(await repository.findings(['a']), ofA);
      same(await repository.findings(['b', 'nobody']), [ofA[1]]);
      same(await repository.findings(['c', 'b', 'a', 'c']), [...ofA, { sample: 'c', kind: 'calls', ...calls('1') }]);
      same(await repository.findings([]), []);
      assert.ok(await repository.note(a, 'nested', [{}]));
      same(await repository.findings(['b']), []);
      assert.ok(await repository.note(a, 'calls', []));
      same(await repository.findings(['a']), [{ sample: 'a', kind: 'nested' }]);
    },
    async 'nothing is noted of a sample that is gone, not ready, or of another revision'({ repository }) {
      const [a, b] = await three(repository);
      assert.ok(await repository.note(a, 'calls', [calls('1')]));
      assert.ok(!(await repository.note({ ...a, revision: b.revision }, 'calls', [])));
      assert.ok(!(await repository.note({ ...a, id: 'nobody' }, 'calls', [calls('2')])));
      assert.ok(await repository.record('b', b.revision, { state: 'changed' }));
      assert.ok(!(await repository.note(b, 'calls', [calls('3')])));
      same(await repository.findings(['a', 'b', 'nobody']), [{ sample: 'a', kind: 'calls', ...calls('1') }]);
    },
    async 'a transaction that fails notes nothing'({ repository, storage }) {
      const [a] = await three(repository);
      await repository.note(a, 'calls', [calls('1')]);
      await undone(storage, async (scope) => {
        const inside = scope.repository(coverageSamples);
        await inside.note(a, 'calls', [calls('2'), calls('3')]);
        same((await inside.findings(['a'])).length, 2);
      });
      same(await repository.findings(['a']), [{ sample: 'a', kind: 'calls', ...calls('1') }]);
    },
  },
  'findings: only what still holds: all samples that it names are ready and have the revisions that were compared': {
    async 'a finding ends with the check of either sample'({ repository }) {
      const [a, b, c] = await three(repository);
      const of = ({ id, revision }: typeof b) => ({ other: { id, revision } });
      await repository.note(a, 'nested', [of(b), of(c)]);
      const others = async () => (await repository.findings(['a'])).map(({ other }) => other?.id);
      await ready(repository, 'b', []);
      same(await others(), ['c']);
      await repository.record('c', c.revision, { state: 'failing', reason: 'gone' });
      same([await others(), await repository.findings(['c'])], [[], []]);
      await repository.note(a, 'nested', [of(await only(repository, 'b'))]);
      same(await others(), ['b']);
      await repository.register([sample('a', { case: 'F1' })], at(9));
      same(await others(), ['b'], 'a description changes nothing');
      await ready(repository, 'a', []);
      same(await repository.findings(['a', 'b', 'c']), []);
    },
  },
  'remove: samples with their checks, runs and all findings that name them': {
    async 'nothing names a sample that was removed, also if it is registered again'({ repository }) {
      const [a, b, c] = await three(repository);
      const of = ({ id, revision }: typeof b) => ({ other: { id, revision } });
      await repository.note(a, 'nested', [of(b), of(c)]);
      await repository.note(b, 'nested', [of(a)]);
      await repository.note(c, 'nested', [{}]);
      await repository.remove(['b']);
      const left = [
        { sample: 'a', kind: 'nested', ...of(c) },
        { sample: 'c', kind: 'nested' },
      ];
      same(await repository.findings(['a', 'b', 'c']), left);
      await registerAll(repository, ['b']);
      await ready(repository, 'b', []);
      same(await repository.findings(['a', 'b', 'c']), left);
    },
  },
});
