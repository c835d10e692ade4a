/** Cases on registered samples: what is stated of them, their checks and the runs that they cover. */
import assert from 'node:assert/strict';
import {
  type CheckOutcome,
  coverageSamples,
  type RegisteredSample,
  type SampleRepository,
} from '../../../plugins/coverage/contract.js';
import { type Case, cases, faults, imitations, lookalikes, originals, reopening, same, undone } from '../core.js';
import { at } from './build.js';
import { findingCases } from './findings.js';
import { randomSampleCases } from './random-samples.js';
import { block, check, described, only, ready, registerAll, sample, stateOf } from './registered.js';
import { sampleCheckCases } from './sample-checks.js';

const allOrNone = 'register adds samples and replaces what is stated of those that exist: all of them or none';
const outcomes = 'register returns whether each sample was added, moved, described or unchanged';

export const sampleCases: readonly Case<SampleRepository>[] = [
  ...cases<SampleRepository>({
    [allOrNone]: {
      async 'registered samples are returned unchanged, pending and without a check'({ repository }) {
        same(await repository.list({ limit: 10 }), []);
        same(await repository.register([described, sample('a')], at(1.234)), ['added', 'added']);
        const found = await repository.find(['nobody', described.id, 'a', described.id]);
        const since = { state: 'pending', registered: at(1.234), updated: at(1.234) };
        same.each(found, ({ revision, ...rest }) => rest, [
          { ...described, ...since },
          { ...sample('a'), ...since },
        ]);
        assert.equal(new Set(found.map(({ revision }) => revision)).size, 2, 'revisions differ');
        same(await repository.runs('a'), []);
        same(await repository.find([]), []);
        same(await repository.register([], at(2)), []);
      },
      async 'a sample that is given twice is refused, and so is the whole list'({ repository }) {
        await registerAll(repository, ['a']);
        const before = await stateOf(repository);
        const given = [sample('b'), sample('a', { sex: 'male' }), sample('b', { sex: 'male' })];
        await faults('invalid', repository.register(given, at(2)));
        same(await stateOf(repository), before);
      },
      async 'a transaction that fails registers and records nothing'({ repository, storage }) {
        await registerAll(repository, ['a']);
        await ready(repository, 'a');
        const before = await stateOf(repository);
        await undone(storage, async (scope) => {
          const inside = scope.repository(coverageSamples);
          await inside.register([sample('a', { file: { path: 'b.d4' } }), sample('b')], at(2));
          const { revision } = await only(inside, 'a');
          assert.ok(await inside.record('a', revision, { state: 'ready', check: check(3), runs: [] }));
          same(await inside.runs('a'), []);
        });
        same(await stateOf(repository), before);
      },
    },
    'find: with beginnings only those with a file whose place begins with one of these': {
      async 'samples are found by the beginnings of their files, if any are named'({ repository }) {
        const paths = {
          a: '/data/é/a.d4',
          b: '/data/x/../é/./b.d4',
          c: 'é/c.d4',
          d: 'HTTPS://Storage.example.org/e/d.d4?key=1#x',
          e: 's3://Data/e.d4',
          f: '/data/é%/f.d4',
        };
        const all = Object.entries(paths).map(([id, path]) => sample(id, { file: { path } }));
        await repository.register(all, at(1));
        const under = async (...begins: string[]) =>
          (await repository.find([...Object.keys(paths), 'nobody'], begins)).map(({ id }) => id).join('');
        same(await under('/data/é/'), 'ab');
        same(await under('/data/é/', 'é/', 'https://storage.example.org/e/'), 'abcd');
        same(await under('s3://Data/', 'S3://', '/data/_/', '/DATA/', 'data/'), 'e');
        same([await under(), await under('')], ['', 'abcdef']);
        await repository.register([sample('a', { file: { path: '/elsewhere/a.d4' } })], at(2));
        same([await under('/data/é/'), await under('/elsewhere/')], ['b', 'a'], 'it moves with the file');
        same(await repository.find(['a', 'nobody'], ['/elsewhere/']), await repository.find(['a']));
      },
    },
    'ids are compared as they are': {
      async 'samples whose ids look alike are different ones'({ repository }) {
        // As far as ids may have such characters.
        const [own, others, ids] = [originals, imitations, lookalikes].map((texts) =>
          texts.filter((id) => /^[ -\ud7ff]+$/.test(id)).sort(),
        ) as [string[], string[], string[]];
        await registerAll(repository, own);
        for (const id of own) await ready(repository, id);
        const before = await stateOf(repository);
        const [{ revision: known } = { revision: '' }] = await repository.revisions(own);
        for (const id of others) {
          same(await repository.find([id]), []);
          same(await repository.find([id], ['']), []);
          same(await repository.revisions([id]), []);
          same(await repository.runs(id), []);
          same(await repository.runsFrom([id], '10', { start: 0, end: 200 }), []);
          same(await repository.record(id, known, { state: 'changed' }), false);
          same(await repository.remove([id]), 0);
        }
        same(await stateOf(repository), before);
        await repository.remove(own);
        await registerAll(repository, ids);
        for (const [i, id] of ids.entries()) {
          const { revision } = await ready(repository, id, [block('1', i, i + 1, Uint8Array.of(i))]);
          same.each(await repository.runs(id), ({ start }) => start, [i]);
          const [found, ...others] = await repository.runsFrom([id], '1', { start: 0, end: 99 });
          same([found?.sample, found?.revision, found?.blocks.length, others], [id, revision, 1, []]);
          same(await repository.revisions([id]), [{ id, revision, state: 'ready' }]);
          same(await repository.register([sample(id, { sex: 'male', case: id, analysed: id })], at(2)), ['described']);
          same((await only(repository, id)).case, id);
          same((await repository.list({ states: ['ready'], limit: 99 })).length, i + 1);
        }
        for (const id of ids) {
          same(await repository.record(id, 'no revision', { state: 'changed' }), false);
          same(await repository.remove([id]), 1);
          same(await repository.runs(id), []);
          same(await repository.find([id]), []);
        }
        same(await repository.list({ limit: 9 }), []);
      },
    },
    [outcomes]: {
      async 'registering a sample again replaces what is stated of it'({ repository }) {
        await repository.register([described, sample('a'), sample('b')], at(1));
        const [before] = await repository.find([described.id]);
        const corrected = { ...described, sex: 'male' as const, labels: { assay: 'WGS' } };
        const given = [corrected, sample('a'), sample('c'), sample('b', { build: 'GRCh37' })];
        same(await repository.register(given, at(2)), ['described', 'unchanged', 'added', 'moved']);
        const after = await only(repository, described.id);
        same(after, { ...corrected, revision: before?.revision, state: 'pending', registered: at(1), updated: at(2) });
        same((await only(repository, 'a')).updated, at(1), 'nothing changed');
        same((await only(repository, 'b')).updated, at(2));
        const { case: _, analysed: __, ...plain } = corrected;
        same(await repository.register([{ ...plain, labels: {} }], at(3)), ['described']);
        same(Object.keys(await only(repository, described.id)).includes('case'), false, 'omitted again');
        const uniques = [{ path: 'a.q1.d4', quality: 1 }, { path: 'a.q1.d4', quality: 20 }, undefined, undefined];
        for (const [i, unique] of uniques.entries()) {
          const given = sample('a', unique && { unique });
          same(await repository.register([given], at(4 + i)), [['moved', 'described', 'moved', 'unchanged'][i]]);
          same((await only(repository, 'a')).unique, unique);
        }
      },
      async 'of many who register one sample at once, one adds it'({ repository }) {
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
    'remove removes samples with their checks and runs, all at once; returns how many existed': {
      async 'samples that are registered and removed at once are counted once'({ repository, storage }) {
        const before = await storage.rowCounts?.();
        const ids = Array.from({ length: 4 }, (_, i) => `s${i}`);
        for (let round = 0; round < 6; round++) {
          await registerAll(repository, ids);
          for (const id of ids) await ready(repository, id);
          const removed = await Promise.all([[...ids].reverse(), ids, ids].map((some) => repository.remove(some)));
          const found = removed.reduce((sum, n) => sum + n, 0);
          same(found, ids.length);
          if (round === 0) same(await storage.rowCounts?.(), before, 'no row is left');
          const [outcomes, gone] = await Promise.all([
            repository.register([sample('both'), sample('other')], at(2)),
            repository.remove(['both', 'other']),
            repository.register([sample('other'), sample('both')], at(2)),
            repository.remove(['other', 'both']),
          ]);
          assert.ok(
            outcomes.every((one) => one === 'added' || one === 'unchanged'),
            `${outcomes}`,
          );
          assert.ok(gone <= 2);
          await repository.remove(['both', 'other']);
          same(await stateOf(repository), []);
        }
      },
      async 'samples leave with everything, and others stay'({ repository }) {
        await repository.register([sample('b')], at(1));
        await ready(repository, 'b');
        const before = await stateOf(repository);
        await repository.register([described, sample('a')], at(2));
        await ready(repository, 'a');
        same(await repository.remove(['a', 'nobody', described.id, 'a']), 2);
        same(await stateOf(repository), before);
        same(await repository.runs('a'), []);
        same(await repository.remove(['a']), 0);
        same(await repository.remove([]), 0);
        same(await repository.register([sample('a')], at(3)), ['added']);
        same(await repository.runs('a'), [], 'a new sample has none of the old runs');
      },
    },
    'list: the next samples by id, ascending by code units': {
      async 'samples are listed by id and page by page'({ repository }) {
        const ids = ['Z', 'a', 'a b', 'B', 'é', '10', '9', '\ud7ff', '-', 'a.'];
        const sorted = ['-', '10', '9', 'B', 'Z', 'a', 'a b', 'a.', 'é', '\ud7ff'];
        await registerAll(repository, ids);
        const idsOf = async (page: Parameters<SampleRepository['list']>[0]) =>
          (await repository.list(page)).map(({ id }) => id);
        same(await idsOf({ limit: 100 }), sorted);
        same(await idsOf({ limit: 3 }), sorted.slice(0, 3));
        same(await idsOf({ limit: 3, after: '9' }), sorted.slice(3, 6));
        same(await idsOf({ limit: 100, after: 'A' }), sorted.slice(3), 'need not exist');
        same(await idsOf({ limit: 3, after: '\ud7ff' }), []);
        same.each(await repository.find(ids), ({ id }) => id, sorted);
      },
      async 'samples are listed by state'({ repository }) {
        await registerAll(repository, ['d', 'c', 'b', 'a', 'e']);
        for (const id of ['a', 'b', 'd']) await ready(repository, id);
        const mark = async (id: string, outcome: CheckOutcome) =>
          repository.record(id, (await only(repository, id)).revision, outcome);
        await mark('b', { state: 'changed' });
        await mark('c', { state: 'failing', reason: 'no' });
        const inState = async (...states: RegisteredSample['state'][]) =>
          (await repository.list({ states, limit: 10 })).map(({ id }) => id).join('');
        same(await inState('ready'), 'ad');
        same(await inState('changed', 'pending'), 'be');
        same(await inState('failing', 'ready', 'failing'), 'acd');
        same(await inState(), '');
        same.each(await repository.list({ states: ['ready'], after: 'a', limit: 10 }), ({ id }) => id, ['d']);
      },
    },
    'runs: unchanged, by chromosome in the order of `chromosomes`, then by start; all of one check': {
      async 'thousands of samples, and megabytes of runs, are kept'({ repository }) {
        const ids = Array.from({ length: 3000 }, (_, i) => `s${String(i).padStart(4, '0')}`);
        await registerAll(repository, ids);
        same.each(await repository.find(ids), ({ id }) => id, ids);
        same((await repository.list({ limit: 1, after: 's2998' }))[0]?.id, 's2999');
        const content = Uint8Array.from({ length: 256_000 }, (_, i) => (i * 7919) >> 3);
        const many = Array.from({ length: 24 }, (_, i) => block('1', i * 1000, (i + 1) * 1000, content));
        await ready(repository, 's0001', many);
        const found = await repository.runs('s0001', ['1']);
        same(
          found.map(({ start, end }) => [start, end]),
          many.map(({ start, end }) => [start, end]),
        );
        assert.ok(found.every((one) => Buffer.compare(one.content, content) === 0));
        same(await repository.remove(ids), 3000);
      },
    },
  }),
  ...sampleCheckCases,
  ...findingCases,
  ...randomSampleCases,
  reopening(
    'samples are there after closing and opening again',
    allOrNone,
    coverageSamples,
    async (repository) => {
      await repository.register([described, sample('a')], at(1));
      await ready(repository, 'a');
    },
    stateOf,
  ),
];
