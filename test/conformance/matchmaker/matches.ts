/** Records of searches. */
import assert from 'node:assert/strict';
import {
  type MatchRecord,
  type MatchRepository,
  type NewMatch,
  thisNode,
} from '../../../plugins/matchmaker/contract.js';
import { recordPages } from '../../../plugins/matchmaker/matches/contract.js';
import { type Case, cases, faultOf, giveUp, givingUp, oddText, same } from '../core.js';
import { at, match, patient } from './build.js';

function recordOf({ matchedGenes: _, ...record }: NewMatch): MatchRecord {
  return record;
}

async function recordsOf(repository: MatchRepository, id: string, asker?: string): Promise<string[]> {
  const { records } = await repository.matches({ patient: id, limit: 100, ...(asker === undefined ? {} : { asker }) });
  return records.map((record) => record.id);
}

/** Ids of the records of Q, page by page. */
async function pagesOf(repository: MatchRepository, limit: number): Promise<string[][]> {
  const pages: string[][] = [];
  for await (const records of recordPages(repository, { patient: 'Q', limit })) pages.push(records.map(({ id }) => id));
  return pages;
}

const asFound = 'a patient is listed as it was found, also if later searches found it in another form';
const together = 'searches that are added together are listed in their order, or none is added';
const newestFirst = 'records are listed newest first, in pages, also those of one asker';

export const recordCases: readonly Case<MatchRepository>[] = [
  ...cases<MatchRepository>({
    [givingUp]: {
      async 'aborted reads of records throw the reason'({ repository }) {
        for (let i = 0; i < 50; i++) await repository.add(match('Q', ['A', 'B']));
        await giveUp((signal) => repository.matches({ patient: 'A', limit: 40, signal }));
      },
    },
    'add counts a search, and keeps its record if it found a patient or failed': {
      async 'a record is returned for the query and for each patient it found'({ repository }) {
        const full = match('Q', ['A', 'B'], {
          created: at(1.234),
          number: 7,
          patient: patient(`Q${oddText}`, { label: oddText, _x: [1, null] }),
          asker: oddText,
          errors: [{ node: { id: oddText, label: oddText }, error: oddText }],
          type: 'external',
          direction: 'outgoing',
          alsoSharing: 3,
        });
        const odd = patient(oddText, { label: oddText });
        full.results.push({
          node: { id: oddText, label: oddText },
          patients: [{ patient: odd, score: { patient: 1 } }],
        });
        await repository.add(full);
        for (const id of [full.patient.id, 'A', 'B', oddText]) {
          same(await repository.matches({ patient: id, limit: 10 }), { records: [recordOf(full)] });
          same(await repository.matches({ patient: id, asker: oddText, limit: 10 }), { records: [recordOf(full)] });
        }
        same(await repository.matches({ patient: 'C', limit: 10 }), { records: [] });
      },
    },
    'searches without matches are only counted': {
      async 'a search without matches is counted and not recorded'({ repository }) {
        await repository.add(match('Q', []), match('Q', [], { results: [{ node: thisNode, patients: [] }] }));
        same(await repository.matches({ patient: 'Q', limit: 10 }), { records: [] });
        same(await repository.counts(), { requests: 2, sent: 0, uniqueGenes: 0 });
        assert.equal(await repository.removeQueries('Q'), 0);
      },
    },
    'matches: newest first: by time and, of the same time, the one added later first': {
      async 'records of the same time are listed in pages, the one added later first'({ repository }) {
        const all = Array.from({ length: 5 }, () => match('Q', ['A'], { created: at(10) }));
        for (const one of all) await repository.add(one);
        const [a, b, c, d, e] = all.map(({ id }) => id);
        same(await pagesOf(repository, 2), [[e, d], [c, b], [a]]);
      },
    },
    'matches: only records that come after this cursor, also if its record is deleted': {
      async 'a page continues after a record that was deleted meanwhile'({ repository }) {
        const all = [match('Q', ['A']), match('Q', ['A']), match('A', ['Q'])] as const;
        for (const one of all) await repository.add(one);
        const { next } = await repository.matches({ patient: 'Q', limit: 1 });
        assert.ok(next);
        same(next, { created: all[2].created, number: next.number });
        await repository.removeQueries('A');
        const { records } = await repository.matches({ patient: 'Q', limit: 5, after: next });
        same.each(records, ({ id }) => id, [all[1].id, all[0].id]);
      },
    },
    'removeQueries deletes the records in which the patient was the query': {
      async 'the queries of a patient are removed, and no other record that contains it'({ repository }) {
        const [own, others, found] = [match('Q', ['A']), match('Q', ['B'], { asker: 'bob' }), match('A', ['Q'])];
        for (const one of [own, others, found]) await repository.add(one);
        assert.equal(await repository.removeQueries('Q', { asker: 'bob' }), 1);
        same(await recordsOf(repository, 'Q'), [found.id, own.id]);
        same(await recordsOf(repository, 'B'), []);
        assert.equal(await repository.removeQueries('Q'), 1);
        same(await recordsOf(repository, 'Q'), [found.id]);
        same(await recordsOf(repository, 'A'), [found.id]);
        assert.equal(await repository.removeQueries('Q'), 0);
        assert.equal((await repository.counts()).requests, 3, 'what is deleted stays counted');
      },
    },
    'removeQueries: only the selected ones': {
      async 'only the queries of one patient are removed if others have its id'({ repository }) {
        const own = match('Q', ['A']);
        const stored = match('Q', ['B'], { asker: 'root', number: 7 });
        const others = [match('Q', ['C'], { asker: 'bob' }), match('Q', ['D'], { asker: 'bob', number: 8 })];
        const near = ['ADA', 'ada ', oddText];
        others.push(...near.map((asker) => match('Q', ['E'], { asker })));
        for (const one of [own, stored, ...others]) await repository.add(one);
        assert.equal(await repository.removeQueries('Q', { asker: 'ada', number: 7 }), 2);
        same(await recordsOf(repository, 'Q'), others.map(({ id }) => id).reverse());
        same(await recordsOf(repository, 'B'), []);
        for (const asker of near) assert.equal(await repository.removeQueries('Q', { asker }), 1, asker);
      },
    },
    'removeQueries: those of all patients that are or were stored here, or those of the asker less these': {
      async 'queries of stored patients are distinguished from others'({ repository }) {
        const here = [
          match('Q', ['A'], { number: 1, asker: 'root' }),
          match('Q', ['B'], { number: 9, asker: oddText }),
          match('Q', ['C'], { asker: oddText, type: 'external', direction: 'outgoing' }),
        ];
        const [own, others] = [match('Q', ['D'], { asker: 'ada' }), match('Q', ['E'], { asker: oddText })];
        const fill = async () => {
          await repository.removeQueries('Q');
          for (const one of [...here, own, others]) await repository.add(one);
        };
        await fill();
        assert.equal(await repository.removeQueries('Q', { stored: true }), 3);
        same(await recordsOf(repository, 'Q'), [others.id, own.id]);
        await fill();
        assert.equal(await repository.removeQueries('Q', { stored: true, asker: 'ada' }), 4);
        same(await recordsOf(repository, 'Q'), [others.id]);
        await fill();
        assert.equal(await repository.removeQueries('Q', { stored: false, asker: oddText }), 1);
        same(await recordsOf(repository, 'Q'), [...here, own].map(({ id }) => id).reverse());
      },
    },
    'expire deletes records made before the time': {
      async 'records expire by their age'({ repository }) {
        const old = match('Q', ['A'], { created: at(10) });
        const young = match('Q', ['A'], { created: at(20) });
        for (const one of [old, young]) await repository.add(one);
        assert.equal(await repository.expire(at(10)), 0);
        assert.equal(await repository.expire(at(20)), 1);
        same(await recordsOf(repository, 'A'), [young.id]);
        const many = Array.from({ length: 600 }, (_, i) => `P${i}`);
        await repository.add(match('Q', many, { created: at(15) }));
        assert.equal(await repository.expire(at(20)), 1, 'one that found many');
      },
    },
    'counts: searches on this node, patients returned, distinct genes': {
      async 'requests, patients sent and genes are counted, outgoing queries are not'({ repository }) {
        same(await repository.counts(), { requests: 0, sent: 0, uniqueGenes: 0 });
        await repository.add(match('Q', ['A', 'B'], { matchedGenes: ['G1', 'G2', 'G1'] }));
        await repository.add(match('Q', ['A'], { matchedGenes: ['G2', 'G3'] }));
        await repository.add(match('Q', ['A'], { direction: 'outgoing', type: 'external', matchedGenes: ['G4'] }));
        await repository.add(match('Q', ['A'], { key: 'later:1', matchedGenes: ['G5'] }));
        same(await repository.counts(), { requests: 2, sent: 3, uniqueGenes: 3 });
      },
    },
    'counts: since the store was created': {
      async 'counts are exact over thousands of concurrent searches'({ repository }) {
        for (let i = 0; i < 1100; i += 10) {
          await Promise.all(Array.from({ length: 10 }, () => repository.add(match('Q', [], { matchedGenes: ['G'] }))));
        }
        const looks = await Promise.all([repository.counts(), repository.counts(), repository.add(match('Q', ['A']))]);
        assert.equal(looks.length, 3);
        same(await repository.counts(), { requests: 1101, sent: 1, uniqueGenes: 1 });
      },
    },
    'a record with a key replaces the one with the same key, unless only that one found patients': {
      async 'of searches with one key the last record is kept, unless only the earlier one has matches'({
        repository,
      }) {
        const errors = [{ node: { id: 'n', label: 'N' }, error: 'away' }];
        const outgoing = { key: 'n:1.1', type: 'external', direction: 'outgoing' } as const;
        const [failed, first, later] = [
          match('Q', [], { ...outgoing, errors }),
          match('Q', ['A'], outgoing),
          match('Q', ['B'], outgoing),
        ];
        await repository.add(failed);
        same(await recordsOf(repository, 'Q'), [], 'one that only failed is not listed');
        await repository.add(first);
        same(await recordsOf(repository, 'Q'), [first.id]);
        await repository.add(match('Q', [], { ...outgoing, errors }));
        same(await recordsOf(repository, 'Q'), [first.id]);
        await repository.add(later);
        same(await recordsOf(repository, 'Q'), [later.id]);
        same(await recordsOf(repository, 'A'), []);
        for (const key of ['N:1.1 ', oddText, oddText.normalize(), oddText]) {
          await repository.add(match('Q', ['A'], { ...outgoing, key }));
        }
        assert.equal((await recordsOf(repository, 'Q')).length, 4);
        same(await repository.counts(), { requests: 0, sent: 0, uniqueGenes: 0 });
      },
      async 'concurrent searches with one key leave one record, which found patients'({ repository }) {
        const errors = [{ node: { id: 'n', label: 'N' }, error: 'away' }];
        for (const [i, before] of [[], [match('Q', [], { key: 'k1', errors })]].entries()) {
          await repository.add(...before);
          const all = ['A', '', 'B', 'C', ''].map((id) =>
            match('Q', id === '' ? [] : [id], { key: `k${i}`, ...(id === '' && { errors }) }),
          );
          const outcomes = await Promise.allSettled(all.map((one) => repository.add(one)));
          // An engine may refuse one that another was before.
          for (const outcome of outcomes) if (outcome.status === 'rejected') faultOf('conflict', outcome);
          const finders = all.filter(({ results }) => results.length > 0).map(({ id }) => id);
          if (outcomes.some(({ status }, n) => status === 'fulfilled' && all[n]?.errors.length === 0)) {
            const kept = await recordsOf(repository, 'Q');
            assert.equal(kept.length, i + 1, 'one record of each key');
            assert.ok(finders.includes(kept[0] ?? ''));
          }
        }
      },
    },
    'scrub removes a patient from the results of all records': {
      async 'a patient is removed from the results of searches'({ repository }) {
        const [both, only, query] = [match('Q', ['A', 'B']), match('Q', ['A']), match('A', ['B'])];
        for (const one of [both, only, query]) await repository.add(one);
        assert.equal(await repository.scrub('A'), 2);
        same(await recordsOf(repository, 'Q'), [both.id]);
        same(await recordsOf(repository, 'A'), [query.id]);
        const { records } = await repository.matches({ patient: 'Q', limit: 10 });
        same(
          records[0]?.results.map(({ patients }) => patients.map(({ patient }) => patient.id)),
          [['B']],
        );
        const many = Array.from({ length: 230 }, (_, i) => match(`M${i}`, ['Z', 'A']));
        await repository.add(...many);
        assert.equal(await repository.scrub('Z'), 230);
        same(await recordsOf(repository, 'Z'), []);
        const failed = { key: 'k', errors: [{ node: { id: 'n', label: 'N' }, error: 'away' }] };
        await repository.add(match('F', ['A'], failed), match('E', ['A'], { errors: failed.errors }));
        assert.equal(await repository.scrub('A'), 232);
        assert.equal(await repository.removeQueries('E'), 1, 'one with an error stays');
        assert.equal(await repository.removeQueries('M0'), 0, 'one with nothing does not');
        await repository.add(match('F', [], { ...failed, asker: 'bob' }));
        assert.equal(await repository.removeQueries('F', { asker: 'bob' }), 1, 'what is left found nobody');
      },
      async 'concurrent removals of patients from one record lose none, and count each record once'({ repository }) {
        for (let i = 0; i < 12; i++) await repository.add(match(`Q${i}`, ['A', 'B', 'C']));
        same(await Promise.all(['A', 'B'].map((id) => repository.scrub(id))), [12, 12]);
        for (const id of ['A', 'B']) same(await recordsOf(repository, id), []);
        const { records } = await repository.matches({ patient: 'C', limit: 100 });
        same(
          records.map(({ results }) => results.map(({ patients }) => patients.map(({ patient }) => patient.id))),
          records.map(() => [['C']]),
        );
        const counts = await Promise.all([repository.removeQueries('Q0'), repository.removeQueries('Q0')]);
        same(counts.sort(), [0, 1]);
      },
    },
    'scrub removes a patient from the results of all records, or from those of one node': {
      async 'a patient is removed from the results of one node, and stays in those of others'({ repository }) {
        const at = (id: string, ...patients: string[]) => ({
          node: { id, label: id },
          patients: match('', patients).results.flatMap(({ patients }) => patients),
        });
        const both = match('Q', [], { results: [at('here', 'A', 'B'), at('there', 'A')] });
        const [ours, theirs] = [
          match('Q', [], { results: [at('here', 'A')] }),
          match('Q', [], { results: [at('there', 'A')] }),
        ];
        // More than one batch of records, none of which is selected.
        const many = Array.from({ length: 120 }, () =>
          match('M', [], { results: [at('here', 'C'), at('there', 'A')] }),
        );
        await repository.add(...many);
        for (const one of [both, ours, theirs]) await repository.add(one);
        assert.equal(await repository.scrub('A', 'here'), 2);
        same(
          await recordsOf(repository, 'A'),
          [both, theirs, ...many]
            .map(({ id }) => id)
            .reverse()
            .slice(0, 100),
        );
        const { records } = await repository.matches({ patient: 'Q', limit: 10 });
        same.each(
          records,
          ({ id, results }) => [
            id,
            results.map(({ node, patients }) => [node.id, ...patients.map(({ patient }) => patient.id)]),
          ],
          [
            [theirs.id, [['there', 'A']]],
            [
              both.id,
              [
                ['here', 'B'],
                ['there', 'A'],
              ],
            ],
          ],
        );
        assert.equal(await repository.scrub('A', 'elsewhere'), 0);
        assert.equal(await repository.scrub('A', 'there'), 122);
        same(await recordsOf(repository, 'A'), []);
        same(await recordsOf(repository, 'B'), [both.id]);
      },
    },
    'queries: each with the number of its patient if it is stored here': {
      async 'a query of a stored patient is distinguished from others with its id'({ repository }) {
        await repository.add(match('Q', ['A'], { number: 7 }));
        await repository.add(match('Q', ['A'], { asker: oddText, patient: patient('Q', { label: oddText }) }));
        const queries = await repository.queries(await repository.latestQueries());
        same(queries.map((one) => [one.asker, one.stored, one.patient.label, one.findings]).sort(), [
          [oddText, undefined, oddText, undefined],
          ['ada', 7, undefined, undefined],
        ]);
      },
    },
    'queries: all searches on this node by the asker with a query of the same id that found the patient': {
      async 'a query is listed with the searches that found a patient, in the forms that they found'({ repository }) {
        const form = (label: string) => [
          { node: thisNode, patients: [{ patient: patient('A', { label }), score: { patient: 1 } }] },
        ];
        const external = { type: 'external', direction: 'outgoing' } as const;
        await repository.add(
          match('Q', ['A'], { results: form(oddText) }),
          match('Q', ['A'], { results: form('new') }),
          match('Q', ['A'], { results: form(oddText), key: 'later:1' }),
          match('Q', ['B']),
          match(oddText, ['A'], { asker: oddText }),
          match('R', ['A']),
          match('Q', ['A'], { ...external, results: form('elsewhere') }),
        );
        const latest = await repository.latestQueries();
        const found = async (id: string) =>
          (await repository.queries(latest, id))
            .map(({ asker, patient, findings }) => [asker, patient.id, findings?.map((one) => one.patient.label)])
            .sort();
        same(await found('A'), [
          [oddText, oddText, [undefined]],
          ['ada', 'Q', [oddText, 'new', oddText]],
          ['ada', 'R', [undefined]],
        ]);
        same(await found('C'), [
          [oddText, oddText, []],
          ['ada', 'Q', []],
          ['ada', 'R', []],
        ]);
        const [own] = (await repository.queries(latest, 'A')).filter(
          (one) => one.asker === 'ada' && one.patient.id === 'Q',
        );
        const records = own?.findings?.map(({ record }) => record) ?? [];
        const expected = [...records].sort((one, other) => other - one);
        same(records, expected, 'the newest record first');
        same.each(await repository.queries(records), (one) => one.patient.id, ['Q', 'Q', 'Q']);
        await repository.scrub('A', thisNode.id);
        same(
          (await found('A')).find(([asker, query]) => asker === 'ada' && query === 'Q')?.[2],
          [],
          'after the patient was removed from all results',
        );
      },
    },
    'queries: all searches that found the patient, as it was found': {
      async 'a patient of two nodes is still listed as found by the other one after it was removed from one'({
        repository,
      }) {
        const results = ['near', 'far'].map((id) => ({
          node: { id, label: id },
          patients: [{ patient: patient('A', { label: id }), score: { patient: 1 } }],
        }));
        results[0]?.patients.push({ patient: patient('B'), score: { patient: 1 } });
        await repository.add(match('Q', [], { results }), match('R', [], { results: results.slice(1) }));
        const found = async () => {
          const queries = await repository.queries(await repository.latestQueries(), 'A');
          return queries.map(({ findings }) => findings?.map((one) => one.patient.label)).sort();
        };
        same(await found(), [['far'], ['near']]);
        assert.equal(await repository.scrub('A', 'near'), 1);
        same(await found(), [['far'], ['far']]);
        assert.equal(await repository.scrub('B'), 1);
        assert.equal(await repository.scrub('A', 'far'), 2);
        same(await found(), []);
      },
    },
    'latestQueries: one for each asker and patient; queries: those that exist': {
      async 'the latest query of each asker and patient is listed'({ repository }) {
        assert.equal(await repository.asked(), false);
        const outgoing = { type: 'external', direction: 'outgoing' } as const;
        await repository.add(match('O', ['A'], outgoing), match('O', ['A'], { direction: 'outgoing' }));
        await repository.add(match('L', ['A'], { key: 'later:1' }));
        assert.equal(await repository.asked(), false);
        const label = (text: string) => ({ patient: { ...match('Q', []).patient, label: text } });
        await repository.add(match('Q', ['A'], label('old')));
        await repository.add(match('Q', ['A'], { asker: 'bob', ...label('bob') }));
        await repository.add(match('Q', ['A'], label('new')));
        assert.equal(await repository.asked(), true);
        const numbers = await repository.latestQueries();
        const queries = await repository.queries([...numbers, 99_999]);
        same(queries.map(({ number }) => number).sort(), [...numbers].sort());
        same(queries.map(({ asker, patient }) => [asker, patient.label]).sort(), [
          ['ada', 'new'],
          ['bob', 'bob'],
        ]);
      },
    },
  }),
  {
    name: asFound,
    promise: 'a found patient stays as it was found',
    async run({ repository }) {
      const forms = ['first', 'second', 'first', 'third'].map((label) =>
        patient('A', { label, _x: [null, { y: 'ä' }] }),
      );
      const all = forms.map((form, i) => {
        const patients = [
          { patient: form, score: { patient: 0.5 + i / 10, _why: [{ of: i, none: null }] } },
          { patient: patient('B'), score: { patient: 0.25 } },
        ];
        return match(`Q${i}`, [], { created: at(10 * (i + 1)), results: [{ node: thisNode, patients }] });
      });
      const [oldest] = all;
      await repository.add(...all.slice(0, 2));
      for (const one of all.slice(2)) await repository.add(one);
      const listed = async () => (await repository.matches({ patient: 'A', limit: 10 })).records;
      same(await listed(), all.map(recordOf).reverse());
      assert.ok(oldest);
      assert.equal(await repository.removeQueries(oldest.patient.id), 1);
      same(await listed(), all.slice(1).map(recordOf).reverse(), 'after one of two records with the form was deleted');
      assert.equal(await repository.expire(at(25)), 1);
      same(await listed(), all.slice(2).map(recordOf).reverse(), 'after a record with another form expired');
    },
  },
  {
    name: together,
    promise: 'add: all of the searches or none, in their order',
    async run({ repository }) {
      const time = { created: at(10) };
      const all = [
        match('Q', ['A', 'B'], time),
        match('Q', [], time),
        match('Q', ['A'], time),
        match('R', ['A'], time),
      ];
      await repository.add(...all);
      same(await recordsOf(repository, 'A'), [all[3]?.id, all[2]?.id, all[0]?.id]);
      same(await repository.counts(), { requests: 4, sent: 4, uniqueGenes: 0 });
      const errors = [{ node: { id: 'n', label: 'N' }, error: 'away' }];
      const outgoing = { ...time, type: 'external', direction: 'outgoing' } as const;
      const keyed = { ...outgoing, key: 'n:1.1' };
      const later = [match('K', ['A'], keyed), match('K', ['B'], keyed), match('K', [], { ...keyed, errors })] as const;
      const last = match('K', ['C'], outgoing);
      await repository.add(...later, last);
      same(await recordsOf(repository, 'K'), [last.id, later[1].id]);
      await assert.rejects(repository.add(match('S', ['A']), match('S', ['A'], { id: later[1].id })));
      same(await recordsOf(repository, 'S'), []);
      same(await repository.counts(), { requests: 4, sent: 4, uniqueGenes: 0 }, 'after searches of which one failed');
    },
  },
  {
    name: newestFirst,
    promise: 'matches: records of a patient, newest first, with the cursor of the last one if there are more',
    async run({ repository }) {
      const all = [
        match('Q', ['B'], { created: at(40) }),
        match('Q', ['Q', 'Q'], { created: at(30) }),
        match('A', ['Q'], { created: at(20), asker: 'bob' }),
        match('Q', ['A'], { created: at(10) }),
      ] as const;
      const [newest, second, bobs, oldest] = all;
      // An imported record may be older than those in the store.
      for (const one of [second, newest, oldest, bobs]) await repository.add(one);
      const ids = all.map(({ id }) => id);
      same(await recordsOf(repository, 'Q'), ids);
      same(await recordsOf(repository, 'Q', 'bob'), [bobs.id]);
      same(await recordsOf(repository, 'A'), [bobs.id, oldest.id]);
      assert.equal((await repository.matches({ patient: 'Q', limit: 4 })).next, undefined);
      same(await pagesOf(repository, 3), [ids.slice(0, 3), ids.slice(3)]);
      const expected = ids.map((id) => [id]);
      same(await pagesOf(repository, 1), expected);
    },
  },
];
