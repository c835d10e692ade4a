/** Rows of triage. */
import assert from 'node:assert/strict';
import type {
  Sighting,
  TriageEntry,
  TriageRepository,
  TriageRow,
  TriageWork,
} from '../../../plugins/matchmaker/contract.js';
import { cases, oddText, same } from '../core.js';
import { at } from './build.js';

export const idOf = (number: number) => `00000000-0000-4000-a000-${String(number).padStart(12, '0')}`;

/** A sighting of a patient by the submission 1; `id` is its number. */
export function sighting(id: number, patient: string, second: number, more: Partial<Sighting> = {}): Sighting {
  return {
    ...{ id: idOf(id), patient, at: at(second), submission: 1, owner: oddText, own: ['P-1', 'Case 1'] },
    node: { id: 'far', label: 'Far away' },
    contact: { name: 'Dr. Åse', href: 'mailto:ase@example.org' },
    score: { patient: 0.5 },
    genes: ['SCN1A'],
    terms: ['HP:0001250 Seizure'],
    stated: [{ gene: 'SCN1A', zygosity: 1 }],
    content: `content of ${patient}`,
    direction: 'found',
    ...more,
  };
}

export const entry = (second: number, text: string): TriageEntry => ({ at: at(second), by: 'ada', what: 'note', text });
export const work = (status: TriageWork['status'], ...history: TriageEntry[]): TriageWork => ({ status, history });

export const ids = (rows: readonly TriageRow[]) => rows.map(({ id }) => Number(id.slice(-12)));
const patients = (rows: readonly TriageRow[]) => rows.map(({ patient }) => patient);

async function found(repository: TriageRepository, more: Partial<Parameters<TriageRepository['submissions']>[0]> = {}) {
  return (await repository.submissions({ limit: 100, ...more }, 'ann')).map(({ submission }) => submission);
}

const again = 'seen: a counterpart that was seen before is the same row';

export const rowCases = cases<TriageRepository>({
  'seen notes counterparts; row and rows return them': {
    async 'a counterpart is returned as a search saw it'({ repository }) {
      const contact = { name: oddText, href: oddText, institution: oddText, email: ['a@b.se', oddText] };
      const reading = { higherThan: 99.71, pairs: 50_000, patients: 10_577 };
      const score = { patient: 0.1234567890123456, genotype: 0.1, phenotype: 0.0234567890123456, reading };
      const variant = { assembly: 'GRCh38', chromosome: 'X', start: 0, end: 1, reference: 'A', alternate: 'AT' };
      const stated = [{ gene: oddText, variant, zygosity: 2, mode: 'HP:0000006', origin: 'de novo' as const }];
      const { node, direction, ...rest } = sighting(1, oddText, 1.234, {
        ...{ contact, score, stated, genes: [], terms: [], purpose: 'research', owner: oddText, own: [oddText] },
        ...{ node: { id: oddText, label: oddText }, content: oddText },
      });
      await repository.seen([{ ...rest, node, direction }]);
      const { at: time, ...seen } = rest;
      const row: TriageRow = {
        ...{ ...seen, node: oddText, label: oddText, formerIds: [], found: true, asked: false },
        ...{ firstSeen: time, lastSeen: time, scores: [{ at: time, score }], revision: 1 },
        work: { status: 'new', history: [] },
      };
      same(await repository.row(idOf(1)), row);
      same(await repository.rows(1), [row]);
      same(await repository.rowsAbout(oddText, [oddText]), [row]);
      same(await found(repository, { owners: [oddText], node: oddText, text: oddText }), [1]);
      same(await repository.row(idOf(2)), undefined);
      same(await repository.rows(2), []);
      await repository.seen([]);
    },
  },
  [again]: {
    async 'a counterpart that is seen again is the same row'({ repository }) {
      await repository.seen([sighting(1, 'A', 1)]);
      await repository.seen([sighting(2, 'A', 2), sighting(3, 'B', 2)]);
      const changed = {
        score: { patient: 0.6 },
        content: 'other',
        genes: ['KCNQ2'],
        contact: { name: 'N', href: 'h' },
      };
      await repository.seen([sighting(4, 'A', 3, changed)]);
      await repository.seen([sighting(5, 'A', 2.5, { ...changed, direction: 'asked' })]);
      const [row, other] = await repository.rows(1);
      same([row?.id, other?.patient], [idOf(1), 'B']);
      same([row?.firstSeen, row?.lastSeen], [at(1), at(3)]);
      same(row?.scores, [
        { at: at(1), score: { patient: 0.5 } },
        { at: at(3), score: { patient: 0.6 } },
      ]);
      same([row?.genes, row?.contact.name, row?.found, row?.asked], [['KCNQ2'], 'N', true, true]);
    },
    async 'a counterpart under another id is the same row'({ repository }) {
      await repository.seen([sighting(1, 'A', 1, { content: 'x' })]);
      await repository.change(idOf(1), 1, work('follow-up'));
      await repository.seen([sighting(2, 'A2', 2, { content: 'x' })]);
      await repository.seen([sighting(3, 'A3', 3, { content: 'x' })]);
      const [row, ...others] = await repository.rows(1);
      same(others, []);
      same([row?.id, row?.patient, row?.formerIds, row?.work.status], [idOf(1), 'A3', ['A2', 'A'], 'follow-up']);
      await repository.seen([sighting(4, 'A', 4, { content: 'y' })]);
      const [back] = await repository.rows(1);
      same([back?.id, back?.patient, back?.formerIds], [idOf(1), 'A', ['A3', 'A2']]);
      await repository.seen([sighting(5, 'B', 5, { content: 'x' })]);
      same(ids(await repository.rows(1)), [5, 1], 'the content that it had is no longer its own');
    },
    async 'submissions and nodes have rows of their own'({ repository }) {
      const near = { node: { id: 'near', label: 'Near' } };
      await repository.seen([
        sighting(1, 'A', 1, { content: 'x' }),
        sighting(2, 'A', 1, { content: 'x', ...near }),
        sighting(3, 'A', 1, { content: 'x', submission: 2 }),
      ]);
      await repository.seen([sighting(4, 'B', 2, { content: 'x', ...near })]);
      same(ids(await repository.rows(1)), [2, 1]);
      same(patients(await repository.rows(1)), ['B', 'A']);
      same(ids(await repository.rows(2)), [3]);
    },
  },
  'scores: the first one and the latest scoresKept': {
    async 'the history of a score keeps its first value and the latest twenty'({ repository }) {
      for (let i = 0; i < 23; i++) await repository.seen([sighting(i, 'A', i, { score: { patient: i / 100 } })]);
      const scores = (await repository.row(idOf(0)))?.scores.map(({ score }) => score.patient * 100);
      same(scores?.map(Math.round), [0, ...Array.from({ length: 20 }, (_, i) => i + 3)]);
    },
  },
  'a row whose id is in the same search is only found by that id': {
    async 'patients of one search are several rows, whatever their content'({ repository }) {
      await repository.seen([sighting(1, 'A', 1, { content: 'x' }), sighting(2, 'B', 1, { content: 'x' })]);
      same(patients(await repository.rows(1)), ['A', 'B']);
      await repository.seen([sighting(3, 'C', 2, { content: 'z' })]);
      await repository.seen([sighting(4, 'D', 3, { content: 'z' })]);
      await repository.seen([sighting(5, 'C', 4, { content: 'z' }), sighting(6, 'D', 4, { content: 'z' })]);
      const rows = await repository.rows(1);
      same(ids(rows), [3, 5, 1, 2]);
      same(patients(rows), ['D', 'C', 'A', 'B']);
      same(rows[0]?.formerIds, [], 'an id is one patient’s');
      same(patients(await repository.rowsAbout('C')), ['C']);
    },
  },
  'seen: concurrent calls see each other’s rows': {
    async 'concurrent searches make one row'({ repository }) {
      for (let round = 0; round < 4; round++) {
        const submissions = [1, 2, 3];
        await Promise.all(
          [1, 2, 3, 4].map((call) => {
            const all = submissions.map((submission) =>
              sighting(round * 100 + call * 10 + submission, call % 2 ? `A${round}` : `B${round}`, round, {
                submission,
                content: `same ${round}`,
              }),
            );
            return repository.seen(call > 2 ? all.reverse() : all);
          }),
        );
        for (const submission of submissions) same((await repository.rows(submission)).length, round + 1);
      }
    },
  },
  'seen takes any number of sightings': {
    async 'thousands of counterparts are noted at once'({ repository }) {
      const all = (second: number) =>
        Array.from({ length: 1100 }, (_, i) => sighting(second * 10_000 + i, `P${i}`, second));
      await repository.seen(all(1));
      await repository.seen(all(2));
      const rows = await repository.rows(1);
      same(rows.length, 1100);
      same(new Set(rows.map(({ lastSeen }) => lastSeen.getTime())), new Set([at(2).getTime()]));
      same((await repository.submissions({ limit: 1 }, 'ann'))[0]?.statuses, { new: 1100 });
    },
  },
  'change: replaces what is noted if the row has this revision; seen leaves it': {
    async 'what people note is kept if they saw the latest revision'({ repository }) {
      await repository.seen([sighting(1, 'A', 1)]);
      const mail = { id: 'm', to: ['a@b.se'], subject: oddText, text: oddText, state: 'sent' as const };
      const sent: TriageEntry = { at: at(2.5), by: 'ada', name: 'Ada', what: 'mail', from: 'a', to: 'b', mail };
      const draft = { subject: oddText, text: oddText };
      const noted: TriageWork = { ...work('contacted', sent), assignee: oddText, draft };
      assert.equal(await repository.change(idOf(1), 1, noted), true);
      same(await found(repository, { assignee: oddText }), [1]);
      same((await repository.row(idOf(1)))?.work, noted);
      assert.equal(await repository.change(idOf(1), 1, work('solved')), false);
      assert.equal(await repository.change(idOf(9), 1, work('solved')), false);
      await repository.seen([sighting(2, 'A', 3, { score: { patient: 0.9 } })]);
      const row = await repository.row(idOf(1));
      same([row?.work, row?.revision, row?.lastSeen], [noted, 2, at(3)]);
      const outcomes = await Promise.all(
        ['x', 'y', 'z'].map((text) => repository.change(idOf(1), 2, work('solved', entry(4, text)))),
      );
      same(outcomes.filter(Boolean).length, 1);
      same((await repository.row(idOf(1)))?.revision, 3);
    },
  },
  'submissions: the one last seen first; of the same time, the greater number': {
    async 'submissions are listed by their latest row'({ repository }) {
      const of = (submission: number, second: number, owner = oddText) =>
        sighting(submission, 'A', second, { submission, owner });
      await repository.seen([of(1, 5), of(2, 9), of(3, 5), of(4, 7, 'bob')]);
      await repository.seen([sighting(11, 'B', 8, { submission: 1 })]);
      same(await found(repository), [2, 1, 4, 3]);
      same(await found(repository, { owners: [oddText] }), [2, 1, 3]);
      same(await found(repository, { owners: [] }), []);
      await repository.seen([of(3, 7)]);
      same(await found(repository, { limit: 2 }), [2, 1]);
      same(await found(repository, { after: { last: at(8), submission: 1 } }), [4, 3]);
      same(await found(repository, { after: { last: at(7), submission: 4 } }), [3]);
      same.each(await repository.submissions({ limit: 9 }, 'ann'), ({ last, owner }) => [last, owner], [
        [at(9), oddText],
        [at(8), oddText],
        [at(7), 'bob'],
        [at(7), oddText],
      ]);
    },
  },
  'submissions: those with at least one row that meets all conditions': {
    async 'submissions are selected by their rows'({ repository }) {
      const near = { id: 'near', label: 'Near' };
      await repository.seen([
        sighting(1, 'A', 1),
        sighting(2, 'B', 5, { node: near }),
        sighting(3, 'A', 3, { submission: 2 }),
      ]);
      await repository.change(idOf(2), 1, { ...work('solved'), assignee: 'bo' });
      same(await found(repository, { status: 'new' }), [2, 1]);
      same(await found(repository, { status: 'solved' }), [1]);
      same(await found(repository, { assignee: 'bo' }), [1]);
      same(await found(repository, { node: 'near', status: 'new' }), [], 'one row has to meet all conditions');
      same(await found(repository, { node: 'far' }), [2, 1]);
      same(await found(repository, { since: at(3) }), [1, 2]);
      same(await found(repository, { since: at(3.001) }), [1]);
      const [first] = await repository.submissions({ limit: 1, node: 'far', owners: [oddText] }, 'ann');
      same(first, { submission: 2, owner: oddText, last: at(3), statuses: { new: 1 }, unseen: 1 });
      const [one] = (await repository.submissions({ limit: 9, status: 'new' }, 'ann')).slice(1);
      same(one, { submission: 1, owner: oddText, last: at(1), statuses: { new: 1, solved: 1 }, unseen: 2 });
      const summaries = await repository.summaries([3, 1, 2], 'ann');
      same(
        summaries.sort((a, b) => a.submission - b.submission),
        [
          { submission: 1, last: at(5), statuses: { new: 1, solved: 1 }, unseen: 2 },
          { submission: 2, last: at(3), statuses: { new: 1 }, unseen: 1 },
          { submission: 3, statuses: {}, unseen: 0 },
        ],
      );
    },
  },
  'text: rows that have this text, in any case, in what textOf returns': {
    async 'rows are found by any text in them'({ repository }) {
      const contact = {
        name: 'Dr. ÅSE',
        href: 'mailto:x@y.se',
        institution: 'Inst',
        email: ['Mail_1@z.se', 'two@z.se'],
      };
      await repository.seen([sighting(1, 'Old%1', 1, { content: 'x', contact })]);
      await repository.seen([sighting(2, 'Newer', 2, { content: 'x', contact })]);
      await repository.seen([
        sighting(3, 'Other1', 1, { submission: 2, own: ['P-2'], genes: ['KCNQ2'], contact: { name: 'Bo', href: 'h' } }),
      ]);
      const texts = ['old%', 'newer', 'dr. åse', 'MAIL_1@', 'two@z', 'inst', 'x@y', 'case 1', 'p-1', 'scn1a'];
      for (const text of texts) same(await found(repository, { text }), [1], text);
      for (const text of ['FAR AWAY', 'far']) same(await found(repository, { text }), [1, 2], text);
      for (const text of ['P-2', 'kcnq2', 'other1']) same(await found(repository, { text }), [2], text);
      for (const text of ['o%1', 'mail-1', '_ther1', 'none', "'"]) same(await found(repository, { text }), [], text);
    },
  },
  'visit returns since when rows are new; looks less than visitMinutes apart are one visit': {
    async 'rows are new to a person until they were looked at'({ repository }) {
      const minutes = (count: number) => at(count * 60);
      await repository.seen([sighting(1, 'A', 0)]);
      const unseen = async (person: string) => (await repository.submissions({ limit: 1 }, person))[0]?.unseen;
      same(await unseen('ann'), 1);
      same(await repository.visit('ann', 1, minutes(10)), undefined);
      same(await unseen('ann'), 0);
      same(await unseen('bo'), 1);
      await repository.seen([sighting(2, 'B', 11 * 60)]);
      same(await unseen('ann'), 1);
      same(await repository.visit('ann', 1, minutes(39)), undefined, 'the same visit');
      same(await unseen('ann'), 0);
      same(await repository.visit('ann', 1, minutes(69)), minutes(39), 'another visit');
      await repository.seen([sighting(3, 'C', 69 * 60)]);
      same([await unseen('ann'), await unseen('bo')], [0, 3], 'as it was seen');
      same(await repository.visit('ann', 1, minutes(98)), minutes(39));
      same(await repository.visit('ann', 2, minutes(98)), undefined);
      same(await repository.visit('bo', 1, minutes(98)), undefined);
      same(await repository.visit('eve', 2, minutes(98)), undefined);
      same(await unseen('eve'), 3, 'a visit to the rows of another submission');
    },
  },
  'note adds an entry; notes returns them, oldest first': {
    async 'a submission has a history of its own'({ repository }) {
      same(await repository.notes(1), []);
      const entries = [entry(1, oddText), entry(2.345, 'two ä'), entry(3, 'three')];
      for (const one of entries) assert.equal(await repository.note(1, one), true);
      same(await repository.notes(1), entries);
      await Promise.all(['a', 'b', 'c'].map((text) => repository.note(2, entry(1, text))));
      same((await repository.notes(2)).map(({ text }) => text).sort(), ['a', 'b', 'c']);
    },
  },
  'forget: deletes all about a submission, for good, and the rows about a patient': {
    async 'a submission is forgotten for good'({ repository }) {
      await repository.seen([sighting(1, 'A', 1), sighting(2, 'B', 1), sighting(3, 'A', 1, { submission: 2 })]);
      await repository.note(1, entry(1, 'x'));
      await repository.visit('ann', 1, at(9));
      same(await repository.forget({ submission: 1 }), 2);
      same([await repository.rows(1), await repository.row(idOf(1)), await repository.notes(1)], [[], undefined, []]);
      same(ids(await repository.rowsAbout('A')), [3]);
      assert.equal(await repository.note(1, entry(1, 'x')), false);
      await repository.seen([sighting(4, 'A', 2), sighting(5, 'B', 2, { submission: 2 })]);
      same(await repository.rows(1), [], 'a search that found it before');
      same(ids(await repository.rows(2)), [5, 3]);
      same(await repository.visit('ann', 1, at(9000)), undefined, 'nobody was there before');
      same(await repository.forget({ submission: 1 }), 0);
    },
    async 'a counterpart is forgotten by any of its ids'({ repository, storage }) {
      const near = { node: { id: 'near', label: 'Near' } };
      const fill = () =>
        repository.seen([
          sighting(1, 'A', 1, { content: 'x' }),
          sighting(2, 'A', 1, near),
          sighting(3, 'A', 1, { submission: 2 }),
          sighting(4, 'B', 1),
        ]);
      await fill();
      await repository.seen([sighting(5, 'C', 2, { content: 'x' })]);
      same(ids(await repository.rowsAbout('A')), [1, 2, 3]);
      same(ids(await repository.rowsAbout('A', ['near'])), [2]);
      same(ids(await repository.rowsAbout('C', ['far', 'near'])), [1]);
      same([await repository.rowsAbout('a'), await repository.rowsAbout('A', [])], [[], []]);
      same(await repository.forget({ patient: 'A', nodes: ['near'] }), 1);
      same(ids(await repository.rows(1)), [1, 4]);
      same(await repository.forget({ patient: 'A', submission: 2 }), 2);
      same(ids(await repository.rows(1)), [4]);
      same(await repository.rows(2), []);
      const before = await storage.rowCounts?.();
      await fill();
      same(ids(await repository.rows(1)), [1, 2, 4], 'it may be seen again');
      same(await repository.forget({ patient: 'A' }), 2);
      same(await storage.rowCounts?.(), before, 'no row is left');
      same(await repository.forget({}), 0);
    },
  },
  'expire: deletes rows last seen before the time that no person has changed': {
    async 'rows that nobody works on expire'({ repository }) {
      await repository.seen([sighting(1, 'A', 1), sighting(2, 'B', 1), sighting(3, 'C', 2)]);
      await repository.change(idOf(2), 1, work('new', entry(1, 'x')));
      same(await repository.expire(at(1)), 0);
      same(await repository.expire(at(2)), 1);
      same(ids(await repository.rows(1)), [3, 2]);
      await repository.seen([sighting(4, 'A', 3)]);
      same(ids(await repository.rows(1)), [4, 3, 2]);
    },
  },
});
