/**
 * The promises of reviews@1 as cases of the conformance kit: statements supersede each other, findings are reconciled with what was
 * computed, and what a person decided stays.
 *
 *     describeContract({ describe, it }, subject, reviews, reviewCases);
 */
import assert from 'node:assert/strict';
import {
  alleleKey,
  type Baseline,
  type CaseKey,
  type ComputedFinding,
  type ComputedGroupRow,
  type NewStatement,
  type ReviewRepository,
  reasons,
  reviews,
  type Touched,
} from '../../plugins/reviews/contract.js';
import { store } from '../../plugins/reviews/store.js';
import { at, type Case, cases, faults, lookalikes, meet, oddText, onlyOne, type Store, same, undone } from './core.js';

export { reviews } from '../../plugins/reviews/contract.js';

/** For adapters with tables: what the plugin brings in `stores`. */
export const reviewStores: readonly Store[] = [store];

const allele = { chromosome: '7', start: 100, reference: 'A', alternate: 'T' } as const;

const statement = (name: string, fields: Partial<NewStatement> = {}): NewStatement => ({
  case: name,
  revision: 1,
  persons: [{ role: 'proband', isAffected: true, sample: `sample-${name}`, sex: 'female' }],
  build: 'GRCh38',
  panel: { panel: 'iem', version: '4.2' },
  thresholds: [20, 10],
  releases: { ClinVar: '2026-01' },
  terms: ['HP:0001250'],
  conclusion: 'negative',
  alleles: [],
  reviewer: 'anna',
  decided: at(1),
  recontact: 'yes',
  ...fields,
});

const baseline: Baseline = {
  taken: at(3),
  pathogenic: { '7-101-A-T': [{ by: oddText, release: '1', significance: 'Pathogenic', stars: 2 }] },
  ...{ passing: ['7-101-A-T 5'], deNovo: [], trans: [] },
  ...{ calls: { s: 'x' }, coverage: {}, holes: [{ hgnc: 5, chromosome: '7', start: 1, end: 9, site: 'A>T' }] },
  ...{ recurrent: [], common: [], matches: ['m'], terms: [], unknown: { classes: 'no-sets' } },
};

const finding = (id: string, fields: Partial<ComputedFinding> = {}): ComputedFinding => ({
  id,
  reason: 'panel',
  priority: 4,
  gene: { hgnc: 5, symbol: 'ABAT' },
  evidence: { before: { panel: 'iem@4.2' }, now: { panel: 'iem@5.0' }, unknown: [] },
  rests: 'r1',
  ...fields,
});

const group = (id: string, fields: Partial<ComputedGroupRow> = {}): ComputedGroupRow => ({
  id,
  kind: 'hole',
  ...{ subject: 'ABAT', hgnc: 5, assay: 'WES', release: 'MANE 1.5', cases: 2, panels: ['iem'] },
  ...{ evidence: { before: {}, now: {}, unknown: [] }, rests: 'r1' },
  ...fields,
});

const all = { limit: 100 };

/** Group rows of one kind are replaced together. */
const kindOf = (name: string) => (['hole', 'name', 'transcript'] as const)[lookalikes.indexOf(name) % 3] ?? 'hole';

/** A case that was looked at. */
async function looked(repository: ReviewRepository, name: string, fields: Partial<NewStatement> = {}): Promise<void> {
  const one = statement(name, fields);
  await repository.put(one, at(2));
  assert.equal(await repository.takeBaseline(one, one.revision, baseline), true);
}

const found = (repository: ReviewRepository, key: CaseKey, findings: readonly ComputedFinding[], second = 10) =>
  repository.replaceFindings([{ ...key, revision: 1, gathered: at(second), reasons, findings }], at(second));

const statesOf = async (repository: ReviewRepository) =>
  (await repository.findings(all)).map(({ id, state }) => `${id} ${state}`).sort();

const later = { outcome: 'later', reason: 'wait', by: 'bo', at: at(20), until: at(40) } as const;
const closed = { outcome: 'no change', reason: oddText, by: 'bo', at: at(20) } as const;

const statementCases = cases<ReviewRepository>({
  'put stores a statement; find returns the newest with its baseline, or one of a revision': {
    async 'cases, owners and ids are told apart to the last code unit'({ repository }) {
      for (const name of lookalikes) {
        const key = { owner: name, case: name };
        await looked(repository, name, { owner: name, reviewer: name, patient: name });
        await found(repository, key, [finding(name)]);
        await repository.replaceGroups(kindOf(name), [group(name, { owner: name, kind: kindOf(name) })], at(10));
        await repository.hold({ id: name, owner: name, found: at(1), byReason: {}, cases: 1, watched: 1 });
        same((await repository.find(key))?.reviewer, name);
      }
      same((await repository.list({ ...all, after: { owner: '', case: '' } })).length, lookalikes.length);
      for (const name of lookalikes) {
        const key = { owner: name, case: name };
        same.each(await repository.findings({ ...all, case: key }), ({ id }) => id, [name], name);
        same.each(await repository.list({ ...all, owners: [name] }), (one) => one.case, [name], name);
        same.each(await repository.list({ ...all, touched: { patients: [name] } }), (one) => one.case, [name], name);
        same.each(await repository.held([name]), ({ id }) => id, [name], name);
        same([(await repository.countOpen([name])).get('panel'), await repository.settle(name)], [1, true], name);
        assert.equal(await repository.decide('finding', name, 1, closed), true, name);
        const again = { ...key, revision: 1, gathered: at(11), reasons, findings: [finding(name, { rests: 'r2' })] };
        same(await repository.replaceFindings([again], at(11)), [{ ...key, opened: [name], gone: [] }], name);
        await repository.put(statement(name, { owner: name, revision: 2, reviewer: `${name}2` }), at(12));
        same((await repository.find(key, 1))?.reviewer, name, name);
      }
      for (const name of lookalikes) assert.equal(await repository.remove([{ owner: name, case: name }]), 1, name);
    },
    async 'a statement is returned as it was put'({ repository }) {
      const whole = statement(oddText, {
        owner: 'cardio',
        patient: 'P 1',
        report: 'r'.repeat(24),
        panel: { panel: 'iem', version: '4.2', byPhenotype: true },
        alleles: [{ ...allele, zygosity: 'heterozygous', class: 'uncertain', isBasis: false }],
        ...{ keepUntil: at(500), recontact: at(300) },
      });
      for (const one of [whole, statement('a')]) {
        await repository.put(one, at(2));
        same(await repository.find(one), { ...one, stored: at(2), isLookedAt: false });
        assert.equal(await repository.takeBaseline(one, 1, baseline), true);
        same(await repository.find(one, 1), { ...one, stored: at(2), isLookedAt: true, baseline });
      }
      for (const key of [{ case: oddText }, { owner: 'cardio', case: 'a' }, { case: 'A' }, { case: 'a ' }]) {
        assert.equal(await repository.find(key), undefined, JSON.stringify(key));
      }
    },
    async 'a statement supersedes the one before it, which is read without its baseline'({ repository }) {
      await looked(repository, 'a');
      await found(repository, { case: 'a' }, [finding('f')]);
      const next = statement('a', { revision: 2, conclusion: 'solved', reviewer: 'bo' });
      await repository.put(next, at(5));
      same(await repository.find(next), { ...next, stored: at(5), isLookedAt: false });
      same(await repository.find(next, 1), { ...statement('a'), stored: at(2), isLookedAt: false });
      assert.equal(await repository.find(next, 3), undefined);
      same(await statesOf(repository), ['f gone']);
      same(await repository.findings(all).then(([one]) => one?.revision), 2);
      await repository.put(statement('a', { revision: 3 }), at(6));
      same(await repository.findings(all).then(([one]) => one?.revision), 2);
      await repository.put(statement('a', { revision: 4, recontact: 'no' }), at(7));
      same(await statesOf(repository), []);
    },
    async 'a statement of another revision than the next is refused'({ repository, storage }) {
      await faults('conflict', repository.put(statement('a', { revision: 2 }), at(2)));
      await looked(repository, 'a');
      for (const revision of [1, 3]) await faults('conflict', repository.put(statement('a', { revision }), at(5)));
      const tried = [1, 2, 3].map((i) => statement('a', { revision: 2, reviewer: `bo ${i}` }));
      const won = onlyOne('conflict', await Promise.allSettled(tried.map((one) => repository.put(one, at(5)))));
      same((await repository.find({ case: 'a' }))?.reviewer, tried[won]?.reviewer);
      const first = [1, 2, 3].map((i) => statement('b', { reviewer: `bo ${i}` }));
      onlyOne('conflict', await Promise.allSettled(first.map((one) => repository.put(one, at(5)))));
      await undone(storage, (scope) => scope.repository(reviews).put(statement('c'), at(5)));
      assert.equal(await repository.find({ case: 'c' }), undefined);
    },
  },
  'list: the newest statements by owner and case; watched: those that are watched at this time, with their baselines': {
    async 'statements are listed in order, by page, and by what touches them'({ repository }) {
      await looked(repository, 'b', { patient: 'p', alleles: [{ ...allele, isBasis: true }] });
      await looked(repository, 'a', { owner: 'x', panel: { panel: 'lung', version: '1' } });
      await looked(repository, 'c', { conclusion: 'solved' });
      await repository.put(
        statement('c', { revision: 2, persons: [{ role: 'proband', isAffected: true, sample: 's', sex: 'male' }] }),
        at(4),
      );
      const names = async (more: object = {}) => (await repository.list({ ...all, ...more })).map((one) => one.case);
      same(await names(), ['b', 'c', 'a']);
      same(await names({ limit: 2 }), ['b', 'c']);
      same(await names({ after: { case: 'c' } }), ['a']);
      same(await names({ owners: [undefined] }), ['b', 'c']);
      same(await names({ owners: ['x', 'y'] }), ['a']);
      same(await names({ owners: [] }), []);
      same(await names({ conclusion: 'solved' }), []);
      const key = alleleKey(allele);
      const touched: [Touched, string[]][] = [
        [{ samples: ['sample-b', 'nobody'] }, ['b']],
        [{ samples: ['s'] }, ['c']],
        [{ samples: ['sample-c'] }, ['c']],
        [{ panels: ['lung'] }, ['a']],
        [{ patients: ['p'], panels: ['lung'] }, ['b', 'a']],
        [{ alleles: [{ build: 'GRCh38', key }] }, ['b']],
        [{ alleles: [{ build: 'GRCh37', key }] }, []],
        [{ patients: ['sample-b'] }, []],
        [{}, []],
      ];
      for (const [by, expected] of touched) same(await names({ touched: by }), expected, JSON.stringify(by));
    },
    async 'statements are watched until their time'({ repository }) {
      await looked(repository, 'a', { recontact: at(50) });
      await repository.put(statement('b'), at(2));
      await looked(repository, 'c', { recontact: 'no' });
      const watched = async (second: number, touched?: Touched) => {
        const names: string[] = [];
        for await (const one of repository.watched(at(second), touched)) {
          names.push(one.case);
          same(one, await repository.find(one));
        }
        return names.sort();
      };
      same(await watched(49), ['a', 'b']);
      same(await watched(50), ['b']);
      same(await watched(0, { samples: ['sample-a', 'sample-c'] }), ['a']);
      same([await repository.countWatched(at(49)), await repository.countWatched(at(50))], [2, 1]);
      await repository.put(statement('d', { owner: 'north' }), at(2));
      const unlooked = (...owners: (string | undefined)[]) =>
        repository.countWatched(at(49), { ...(owners.length > 0 && { owners }), unlooked: true });
      same([await unlooked(), await unlooked('north'), await unlooked('north', undefined)], [2, 1, 2]);
      same(await repository.countWatched(at(49), { owners: [undefined] }), 2);
    },
  },
  'takeBaseline returns false, and changes nothing, unless this revision is the newest without one': {
    async 'a baseline is kept once'({ repository }) {
      await repository.put(statement('a'), at(2));
      assert.equal(await repository.takeBaseline({ case: 'a' }, 2, baseline), false);
      assert.equal(await repository.takeBaseline({ owner: 'x', case: 'a' }, 1, baseline), false);
      const tried = [baseline, { ...baseline, matches: [] }];
      const kept = await Promise.all(tried.map((one) => repository.takeBaseline({ case: 'a' }, 1, one)));
      same(kept.filter(Boolean), [true]);
      same((await repository.find({ case: 'a' }))?.baseline, tried[kept.indexOf(true)]);
      await repository.put(statement('a', { revision: 2 }), at(4));
      assert.equal(await repository.takeBaseline({ case: 'a' }, 1, baseline), false);
    },
  },
  'remove removes cases with all statements and findings; expire those that are to be kept until before this time': {
    async 'a case is removed, and no other'({ repository }) {
      for (const name of ['a', 'b']) await looked(repository, name);
      await looked(repository, 'a', { owner: 'x' });
      await found(repository, { case: 'a' }, [finding('f')]);
      const others = ['a', 'c'].map((name) => ({ case: name, shared: ['HP:1'] }));
      const recurrent = (own: typeof others) => ({ before: {}, now: {}, unknown: [], others: own });
      const common = finding('g', { reason: 'recurrence', evidence: recurrent(others) });
      await found(repository, { case: 'b' }, [common, finding('i'), { ...common, id: 'j', evidence: recurrent([]) }]);
      await found(repository, { owner: 'x', case: 'a' }, [{ ...common, id: 'h' }]);
      same(await repository.remove([{ case: 'a' }, { case: 'nothing' }]), 1);
      const left = (await repository.findings(all)).map(({ id, revision, evidence }) => [
        id,
        revision,
        evidence.others,
      ]);
      same(left, [
        ['g', 2, others.slice(1)],
        ['h', 1, others],
        ['i', 1, undefined],
        ['j', 1, []],
      ]);
      same(await repository.remove([]), 0);
      same(await repository.find({ case: 'a' }), undefined);
      same(await statesOf(repository), ['g open', 'h open', 'i open', 'j open']);
      same((await repository.list({ ...all, touched: { panels: ['iem'] } })).length, 2);
      // The name is free again, and nothing of the former case is there.
      await repository.put(statement('a'), at(9));
      same(await repository.find({ case: 'a' }, 2), undefined);
    },
    async 'cases expire when their time is over'({ repository }) {
      for (let i = 0; i < 120; i++) await repository.put(statement(`c${i}`, { keepUntil: at(100) }), at(2));
      await repository.put(statement('kept', { keepUntil: at(101) }), at(2));
      await repository.put(statement('good'), at(2));
      same(await repository.expire(at(100)), 0);
      same(await repository.expire(new Date(at(100).getTime() + 1)), 120);
      same.each(await repository.list(all), (one) => one.case, ['good', 'kept']);
    },
  },
});

const findingCases = cases<ReviewRepository>({
  'replaceFindings: new findings are open, of others the evidence is replaced, those not computed any more are gone': {
    async 'findings are reconciled with what was computed'({ repository }) {
      await looked(repository, 'a', { owner: 'x' });
      const key = { owner: 'x', case: 'a' };
      const copies = { 'sample-a': 1, [oddText]: 'unknown' } as const;
      const partners = [{ ...allele, start: 200, class: oddText, phase: 'unknown', copies }] as const;
      const pair = { before: {}, now: { panel: 'iem@5.0' }, partners, unknown: ['phase'] } as const;
      const alleles = { allele: { ...allele, frequency: 0, origin: 'de novo', copies }, evidence: pair } as const;
      const second = finding('g', { reason: 'raised', priority: 1, ...alleles });
      same(await found(repository, key, [finding('f'), second]), [{ ...key, opened: ['f', 'g'], gone: [] }]);
      const stored = { ...key, panel: 'iem', found: at(10), state: 'open', revision: 1 } as const;
      same(await repository.findings(all), [
        { ...second, ...stored },
        { ...finding('f'), ...stored },
      ]);
      same(await found(repository, key, [finding('f'), second], 11), [{ ...key, opened: [], gone: [] }]);
      same(await repository.findings(all), [
        { ...second, ...stored },
        { ...finding('f'), ...stored },
      ]);
      // Reasons that were not looked at stay.
      const changed = finding('f', { priority: 2, rests: 'r2' });
      const only = { ...key, revision: 1, gathered: at(12), reasons: ['panel'] as const, findings: [changed] };
      await repository.replaceFindings([only], at(12));
      same(await repository.findings(all), [
        { ...second, ...stored },
        { ...changed, ...stored, revision: 2 },
      ]);
      same(await found(repository, key, [second], 13), [{ ...key, opened: [], gone: ['f'] }]);
      same(await found(repository, key, [second], 14), [{ ...key, opened: [], gone: [] }]);
      same(await found(repository, key, [changed, second], 15), [{ ...key, opened: ['f'], gone: [] }]);
      same(await statesOf(repository), ['f open', 'g open']);
    },
    async 'what was decided does not return unless its evidence changes'({ repository }) {
      await looked(repository, 'a');
      const [one, two] = [finding('f'), finding('g')];
      await found(repository, { case: 'a' }, [one, two]);
      assert.equal(await repository.decide('finding', 'f', 1, closed), true);
      assert.equal(await repository.decide('finding', 'g', 1, later), true);
      await found(repository, { case: 'a' }, [one, two], 30);
      same(await statesOf(repository), ['f decided', 'g later']);
      same(
        (await repository.findings(all)).map(({ decision }) => decision),
        [
          { ...closed, rests: 'r1' },
          { ...later, rests: 'r1' },
        ],
      );
      await found(repository, { case: 'a' }, [], 31);
      same(await statesOf(repository), ['f gone', 'g gone']);
      await found(repository, { case: 'a' }, [finding('f', { priority: 1 }), two], 39);
      same(await statesOf(repository), ['f decided', 'g later']);
      same(await found(repository, { case: 'a' }, [finding('f', { rests: 'r2' }), two], 40), [
        { case: 'a', opened: ['f', 'g'], gone: [] },
      ]);
      same(
        (await repository.findings(all)).map((own) => own.decision?.outcome),
        ['no change', 'later'],
      );
    },
    async 'findings of evidence that was gathered earlier than that of the stored ones are left out'({ repository }) {
      for (const name of ['a', 'b']) await looked(repository, name);
      await found(repository, { case: 'a' }, [], 20);
      const of = (name: string, second: number) => ({
        ...{ case: name, revision: 1, gathered: at(second), reasons, findings: [finding(`f${name}`)] },
      });
      same(await repository.replaceFindings([of('a', 19), of('b', 19)], at(21)), [
        { case: 'b', opened: ['fb'], gone: [] },
      ]);
      same(await repository.replaceFindings([of('a', 20)], at(21)), [{ case: 'a', opened: ['fa'], gone: [] }]);
    },
    async 'cases of another revision, or that were not looked at, are left out'({ repository, storage }) {
      for (const name of ['a', 'b']) await looked(repository, name);
      await repository.put(statement('c'), at(2));
      await repository.put(statement('b', { revision: 2 }), at(4));
      const of = (name: string, owner?: string) => ({
        ...{
          ...(owner && { owner }),
          case: name,
          revision: 1,
          gathered: at(10),
          reasons,
          findings: [finding(`f${name}`)],
        },
      });
      const computed = [of('a'), of('b'), of('c'), of('nothing'), of('a', 'x')];
      same(await repository.replaceFindings(computed, at(10)), [{ case: 'a', opened: ['fa'], gone: [] }]);
      same(await statesOf(repository), ['fa open']);
      // A statement that is superseded meanwhile gets none.
      const put = (scope: Pick<typeof storage, 'repository'>) =>
        scope.repository(reviews).put(statement('a', { revision: 2 }), at(12));
      same(await meet(storage, put, () => found(repository, { case: 'a' }, [finding('new')], 13)), []);
      same(await statesOf(repository), ['fa gone']);
    },
  },
  'decide returns false, and changes nothing, if it is missing, gone, or has another revision': {
    async 'of several decisions of one revision one is kept'({ repository, storage }) {
      await looked(repository, 'a');
      await found(repository, { case: 'a' }, [finding('f'), finding('g')]);
      for (const [id, revision] of [
        ['f', 2],
        ['nothing', 1],
      ] as const) {
        assert.equal(await repository.decide('finding', id, revision, closed), false);
      }
      assert.equal(await repository.decide('group', 'f', 1, closed), false);
      const decided = [1, 2, 3].map((i) => repository.decide('finding', 'f', 1, { ...closed, by: `bo ${i}` }));
      same((await Promise.all(decided)).filter(Boolean), [true]);
      assert.equal(await repository.decide('finding', 'f', 2, { ...closed, outcome: 'reopened' }), true);
      await found(repository, { case: 'a' }, [finding('f')], 30);
      assert.equal(await repository.decide('finding', 'g', 2, closed), false);
      // A decision that comes while findings are computed again is not lost.
      const compute = (scope: Pick<typeof storage, 'repository'>) =>
        found(scope.repository(reviews), { case: 'a' }, [finding('f', { rests: 'r2' })], 31);
      same(await meet(storage, compute, () => repository.decide('finding', 'f', 3, closed)), false);
      same(await statesOf(repository), ['f open', 'g gone']);
      const decide = (scope: Pick<typeof storage, 'repository'>) =>
        scope.repository(reviews).decide('finding', 'f', 4, closed);
      const changed = finding('f', { rests: 'r2', priority: 1 });
      await meet(storage, decide, () => found(repository, { case: 'a' }, [changed], 32));
      same(await statesOf(repository), ['f decided', 'g gone']);
    },
  },
  'findings: by priority, then those found first, then by id': {
    async 'findings are selected, in order and by page'({ repository }) {
      await looked(repository, 'a', { owner: 'x', patient: 'p' });
      await looked(repository, 'b', { panel: { panel: 'lung', version: '1' } });
      const other = finding('b', { reason: 'match', gene: { hgnc: 7, symbol: 'B' } });
      await found(repository, { owner: 'x', case: 'a' }, [finding('c'), finding('d', { priority: 1 })], 10);
      await found(repository, { case: 'b' }, [other, { ...other, id: 'a' }], 11);
      await repository.decide('finding', 'a', 1, later);
      const ids = async (more: object) => (await repository.findings({ ...all, ...more })).map(({ id }) => id).join('');
      same(await ids({}), 'dcab');
      same(await ids({ limit: 2 }), 'dc');
      const [, second] = await repository.findings(all);
      same(await ids({ after: second }), 'ab');
      same(await ids({ owners: ['x'] }), 'dc');
      same(await ids({ owners: [undefined] }), 'ab');
      same(await ids({ ids: ['b', 'c', 'none'] }), 'cb');
      same(await ids({ case: { case: 'b' } }), 'ab');
      same(await ids({ case: { case: 'a' } }), '');
      same(await ids({ owners: ['x'], case: { case: 'b' } }), '');
      same(await ids({ states: ['open', 'gone'] }), 'dcb');
      same(await ids({ reasons: ['match', 'calls'] }), 'ab');
      same(await ids({ panel: 'lung' }), 'ab');
      same(await ids({ gene: 5 }), 'dc');
      same(await ids({ touched: { patients: ['p'] } }), 'dc');
      same(await ids({ foundFrom: at(11) }), 'ab');
      same(await ids({ foundBefore: at(11) }), 'dc');
      same(await ids({ foundFrom: at(10), foundBefore: at(11) }), 'dc');
      const open = await repository.countOpen();
      same([open.get('panel'), open.get('match'), open.get('calls')], [2, 1, 0]);
      same((await repository.countOpen(['x'])).get('match'), 0);
    },
    async 'yields are counted by year and reason'({ repository }) {
      for (const name of ['a', 'b']) await looked(repository, name);
      const next = 366 * 24 * 3600;
      await found(repository, { case: 'a' }, [finding('f'), finding('g')]);
      await found(repository, { case: 'b' }, [finding('h', { reason: 'calls' })], next);
      await repository.decide('finding', 'f', 1, { ...closed, outcome: 'reopened' });
      await repository.decide('finding', 'h', 1, { ...closed, outcome: 'reopened' });
      await repository.put(statement('a', { revision: 2, conclusion: 'solved' }), at(50));
      const [first, second] = [
        { reason: 'panel', year: 2026 },
        { reason: 'calls', year: 2027 },
      ] as const;
      same(await repository.yields(), [
        { ...first, findings: 2, reopened: 1, solved: 1 },
        { ...second, findings: 1, reopened: 1, solved: 0 },
      ]);
      same(await repository.yields(['x']), []);
    },
  },
});

const furtherCases = cases<ReviewRepository>({
  'replaceGroups reconciles rows of one kind, in the same way; groups: by number of cases, descending, then by id': {
    async 'group rows are reconciled and decided'({ repository }) {
      const name = group('n', { kind: 'name', cases: 1, owner: 'x' });
      await repository.replaceGroups('hole', [group('a'), group('b', { cases: 3 })], at(10));
      await repository.replaceGroups('name', [name], at(10));
      const stored = { found: at(10), state: 'open', revision: 1 } as const;
      same(await repository.groups({}), [
        { ...group('b', { cases: 3 }), ...stored },
        { ...group('a'), ...stored },
        { ...name, ...stored },
      ]);
      assert.equal(await repository.decide('group', 'a', 1, closed), true);
      assert.equal(await repository.decide('group', 'a', 1, closed), false);
      await repository.replaceGroups('hole', [group('a', { cases: 4 })], at(11));
      const states = async (more: object = {}) => {
        return (await repository.groups(more)).map(({ id, state }) => `${id} ${state}`);
      };
      same(await states(), ['a decided', 'b gone', 'n open']);
      await repository.replaceGroups('hole', [group('a', { rests: 'r2' })], at(12));
      same(await states({ states: ['open'] }), ['a open', 'n open']);
      same(await states({ owners: ['x'] }), ['n open']);
      same(await states({ ids: ['b'] }), ['b gone']);
      same((await repository.groups({ ids: ['a'] }))[0]?.found, at(12));
      // As those of cases: what is gone counts once, returns as it was, and comes back when its time has come.
      const [b, whole] = [group('b', { cases: 4 }), group('a', { cases: 4, rests: 'r2' })];
      await repository.replaceGroups('hole', [whole, b], at(13));
      same(await states({ ids: ['a', 'b'] }), ['a open', 'b open']);
      assert.equal(await repository.decide('group', 'b', 3, later), true);
      for (const [second, state, revision] of [
        [39, 'later', 4],
        [40, 'open', 5],
        [41, 'open', 5],
      ] as const) {
        await repository.replaceGroups('hole', [whole, b], at(second));
        same.each(await repository.groups({ ids: ['b'] }), (one) => [one.state, one.revision], [[state, revision]]);
      }
      for (const second of [42, 43]) await repository.replaceGroups('hole', [whole], at(second));
      same.each(await repository.groups({ ids: ['b'] }), (one) => [one.state, one.revision], [['gone', 6]]);
    },
  },
  'hold adds a held change unless it was agreed to; settle returns false if there is none that waits': {
    async 'a held change waits for a person'({ repository }) {
      const change = { id: 'panel iem@5.0', found: at(1), byReason: { panel: 7 }, cases: 7, watched: 100 };
      const other = { ...change, id: 'set', owner: 'x', found: at(2) };
      for (const one of [change, other]) await repository.hold(one);
      await repository.hold({ ...change, found: at(3), cases: 8 });
      same(await repository.held(), [other, { ...change, cases: 8 }]);
      same(await repository.held(['x']), [other]);
      const agreed = { by: 'bo', at: at(4) };
      const settled = await Promise.all([1, 2].map(() => repository.settle(change.id, agreed)));
      same(settled.filter(Boolean), [true]);
      await repository.hold({ ...change, cases: 9 });
      assert.equal(await repository.settle(change.id), false);
      assert.equal(await repository.settle('set'), true);
      assert.equal(await repository.settle('set'), false);
      same(await repository.held(), [{ ...change, cases: 8, agreed }]);
    },
  },
});

export const reviewCases: readonly Case<ReviewRepository>[] = [...statementCases, ...findingCases, ...furtherCases];
