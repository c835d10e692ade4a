/** Two callers that meet: one writes and stays in its transaction while the other, which read before, wants to write too. */
import {
  type MatchmakerRepository,
  type MatchRepository,
  matchmaker,
  matchmakerMatches,
  matchmakerTriage,
  type TriageRepository,
} from '../../../plugins/matchmaker/contract.js';
import { type Case, type CaseContext, cases, daysLater, meet, same } from '../core.js';
import { at, match, patient, saveOne } from './build.js';
import { entry, idOf, ids, sighting, work } from './triage.js';

/** Rounds of two callers whose verbs cannot be held halfway. */
const meetings = 6;

export const patientMeetings: readonly Case<MatchmakerRepository>[] = [
  {
    name: 'a contact is replaced in the patient that another caller has just changed, not in the one before',
    promise: 'replaceContact replaces the contact of every patient with this contact address, and nothing else of it',
    async run({ storage, repository }) {
      const { stored } = await saveOne(repository, patient('P', { label: 'before' }), 1);
      await saveOne(repository, patient('R'), 1);
      const contact = { name: 'Dr. Strange', href: 'mailto:strange@example.org' };
      const elsewhere = { name: 'Other', href: 'https://other.example/' };
      const replaced = await meet(
        storage,
        async (scope) => {
          const inside = scope.repository(matchmaker);
          await saveOne(inside, patient('P', { label: 'after' }), 2);
          await saveOne(inside, patient('R', { contact: elsewhere }), 2);
        },
        () => repository.replaceContact(stored.patient.contact.href, contact, contact.href, at(3)),
      );
      same(replaced, 1, 'the other patient has another address by now');
      const last = await repository.patient('P');
      same([last?.version, last?.patient], [3, patient('P', { label: 'after', contact })]);
      same((await repository.patient('R'))?.patient, patient('R', { contact: elsewhere }));
      same(await repository.counts(), await repository.recount());
    },
  },
  {
    name: 'patients that two callers begin to count at once are counted once',
    promise: 'counts are exact',
    async run({ storage, repository }) {
      await saveOne(repository, patient('P'), 1);
      const counted = await meet(
        storage,
        (scope) => scope.repository(matchmaker).counts(),
        async () => {
          await saveOne(repository, patient('Q'), 2);
          return repository.counts();
        },
      );
      same([counted.cases, counted.features], [2, { total: 2, unique: 1 }]);
      same(await repository.counts(), await repository.recount());
    },
  },
];

export const matchMeetings = cases<MatchRepository>({
  'scrub removes a patient from the results of all records, or only from what one node found': {
    async 'two patients are removed from one record, the second while the first is still being removed'({
      storage,
      repository,
    }) {
      const of = (id: string, ...found: string[]) => ({
        node: { id, label: id },
        patients: found.map((one) => ({ patient: patient(one, { label: id }), score: { patient: 1 } })),
      });
      const [both, two] = [
        match('Q', [], { results: [of('near', 'A', 'B'), of('far', 'A')] }),
        match('R', [], { results: [of('near', 'B'), of('far', 'A')] }),
      ];
      await repository.add(both, two);
      const changed = await meet(
        storage,
        (scope) => scope.repository(matchmakerMatches).scrub('A', 'far'),
        () => repository.scrub('B'),
      );
      same(changed, 2);
      const { records } = await repository.matches({ patient: 'Q', limit: 10 });
      same.each(records, ({ results }) => results, [[of('near', 'A')]]);
      same(await repository.removeQueries('R'), 0, 'a record that has no patient is deleted');
    },
  },
  'a record with a key replaces the one with the same key': {
    async 'a record is replaced while a patient is removed from its results'({ repository }) {
      for (let round = 0; round < meetings; round++) {
        const key = `k${round}`;
        await repository.add(match('Q', ['A', 'B'], { key }));
        const later = match('Q', ['C'], { key });
        const callers: (() => Promise<unknown>)[] = [() => repository.add(later), () => repository.scrub('A')];
        await Promise.all((round % 2 === 0 ? callers : callers.reverse()).map((call) => call()));
        const { records } = await repository.matches({ patient: 'Q', limit: 100 });
        same([records.length, records[0]?.id], [round + 1, later.id]);
      }
      same((await repository.matches({ patient: 'A', limit: 10 })).records, []);
    },
  },
  'removeQueries deletes the records in which the patient was the query; scrub changes all others': {
    async 'queries are removed while a patient is removed from their results'({ repository }) {
      for (let round = 0; round < meetings; round++) {
        await repository.add(match('Q', ['A', 'B']), match('Q', ['A', 'C']));
        const callers = [() => repository.removeQueries('Q'), () => repository.scrub('A')];
        const counts = await Promise.all((round % 2 === 0 ? callers : callers.reverse()).map((call) => call()));
        same(round % 2 === 0 ? counts[0] : counts[1], 2);
        for (const id of ['A', 'B']) same((await repository.matches({ patient: id, limit: 10 })).records, []);
      }
    },
  },
  'expire deletes what was stored once for several records and is part of none; a patient stays as it was found': {
    async 'a patient that is found again, days later, stays while the last record that had it is deleted'({
      storage,
      repository,
    }) {
      await repository.add(match('Q', ['A', 'B']));
      await daysLater(5, async () => {
        const again = match('R', ['A', 'B']);
        const removed = await meet(
          storage,
          (scope) => scope.repository(matchmakerMatches).add(again),
          () => repository.removeQueries('Q'),
        );
        same(removed, 1);
        const { records } = await repository.matches({ patient: 'A', limit: 10 });
        same.each(records, ({ results }) => results, [again.results]);
      });
    },
  },
});

type Verb<Result> = (repository: TriageRepository) => Promise<Result>;

const triage = <Result>(
  { storage, repository }: CaseContext<TriageRepository>,
  first: Verb<unknown>,
  second: Verb<Result>,
) =>
  meet(
    storage,
    (scope) => first(scope.repository(matchmakerTriage)),
    () => second(repository),
  );

const noted = work('solved', entry(1, 'x'));
const seen = (id: number, patient: string, second: number, submission = 1) => {
  return ({ seen }: TriageRepository) => seen([sighting(id, patient, second, { submission })]);
};

export const triageMeetings = cases<TriageRepository>({
  'visit returns the end of the visit before; looks less than visitMinutes apart are one visit': {
    async 'concurrent looks are noted as if one came after the other'(context) {
      const { repository } = context;
      for (const [person, first, second] of [['ann', 60, 100] as const, ['bo', 100, 60] as const]) {
        const look = (minute: number) => (of: TriageRepository) => of.visit(person, 1, at(minute * 60));
        await look(0)(repository);
        const since = await triage(context, look(first), look(second));
        if (first < second) same(since, at(60 * 60), 'of the second look');
        same(await look(101)(repository), at(60 * 60), 'whichever look came first');
      }
    },
  },
  'expire: deletes rows that no person has changed; change: returns whether the row had this revision': {
    async 'a row that a person changes while rows expire stays'(context) {
      const { repository } = context;
      const [change, expire] = [
        (of: TriageRepository) => of.change(idOf(1), 1, noted),
        (of: TriageRepository) => of.expire(at(9)),
      ];
      await seen(1, 'A', 1)(repository);
      await seen(2, 'B', 1)(repository);
      same(await triage(context, change, expire), 1);
      same((await repository.row(idOf(1)))?.work, noted);
      for (const rows of [await repository.rows(1), await repository.rowsAbout('A')]) same(ids(rows), [1]);
      await repository.forget({ patient: 'A' });
      await seen(1, 'A', 1)(repository);
      same(await triage(context, expire, change), false);
      for (const rows of [await repository.rows(1), await repository.rowsAbout('A')]) same(rows, []);
    },
  },
  'seen: what people noted stays': {
    async 'what a person notes while searches see the rows stays'(context) {
      const { repository } = context;
      for (const id of [1, 2]) {
        const [again, change] = [seen(9, `P${id}`, 2), (of: TriageRepository) => of.change(idOf(id), 1, noted)];
        await seen(id, `P${id}`, 1)(repository);
        if (id === 1) await triage(context, change, again);
        else same(await triage(context, again, change), true);
        const row = await repository.row(idOf(id));
        same([row?.work, row?.revision, row?.lastSeen], [noted, 2, at(2)]);
      }
    },
  },
  'forget: deletes all about a submission, for good': {
    async 'a submission that is forgotten while searches see it has no rows afterwards'(context) {
      const { repository } = context;
      for (const submission of [1, 2, 3, 4]) {
        const forget = (of: TriageRepository) => of.forget({ submission });
        const note = (of: TriageRepository) => of.note(submission, entry(1, 'x'));
        const other = submission > 2 ? note : seen(submission * 10, 'B', 2, submission);
        await seen(submission, 'A', 1, submission)(repository);
        await (submission % 2 === 0 ? triage<unknown>(context, forget, other) : triage(context, other, forget));
        same([await repository.rows(submission), await repository.notes(submission)], [[], []]);
        same(await repository.rowsAbout('B'), []);
      }
    },
  },
  'expire and forget delete rows; seen adds one for a counterpart that has none': {
    async 'a row that is deleted while a search sees it again is another row'(context) {
      const { repository } = context;
      const expire = (of: TriageRepository) => of.expire(at(5));
      const forget = (of: TriageRepository) => of.forget({ patient: 'A' });
      const there = async () => {
        const rows = ids(await repository.rows(1));
        same(ids(await repository.rowsAbout('A')), rows);
        return rows;
      };
      for (const remove of [expire, forget]) {
        await seen(1, 'A', 1)(repository);
        await triage(context, remove, seen(2, 'A', 6));
        same(await there(), [2], 'another row');
        await forget(repository);
        await seen(1, 'A', 1)(repository);
        same(await triage(context, seen(2, 'A', 6), remove), remove === expire ? 0 : 1);
        same(await there(), remove === expire ? [1] : []);
        await forget(repository);
      }
    },
  },
});
