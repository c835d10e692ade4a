/** Two callers that meet: one writes and stays in its transaction while the other, which read before, wants to write too. */
import assert from 'node:assert/strict';
import {
  type MatchmakerRepository,
  type MatchRepository,
  matchmaker,
  matchmakerMatches,
  matchmakerTriage,
  type TriageRepository,
} from '../../../plugins/matchmaker/contract.js';
import { type Case, meet, same } from '../core.js';
import { at, match, patient, saveOne } from './build.js';
import { entry, idOf, ids, sighting, work } from './triage.js';

/** Rounds of two callers whose verbs cannot be held halfway. */
const meetings = 6;

const day = 24 * 60 * 60 * 1000;

/** Runs the work while the clock is some days fast. */
async function daysLater(days: number, work: () => Promise<void>): Promise<void> {
  const { now } = Date;
  Date.now = () => now() + days * day;
  try {
    await work();
  } finally {
    Date.now = now;
  }
}

const scrubbing = 'scrub removes a patient from the results of all records, or only from what one node found';

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
];

export const matchMeetings: readonly Case<MatchRepository>[] = [
  {
    name: 'two patients are removed from one record, the second while the first is still being removed',
    promise: scrubbing,
    async run({ storage, repository }) {
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
      same(
        records.map(({ results }) => results),
        [[of('near', 'A')]],
      );
      same(await repository.removeQueries('R'), 0, 'a record that has no patient is deleted');
    },
  },
  {
    name: 'a record is replaced while a patient is removed from its results',
    promise: 'a record with a key replaces the one with the same key',
    async run({ repository }) {
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
  {
    name: 'queries are removed while a patient is removed from their results',
    promise: 'removeQueries deletes the records in which the patient was the query; scrub changes all others',
    async run({ repository }) {
      for (let round = 0; round < meetings; round++) {
        await repository.add(match('Q', ['A', 'B']), match('Q', ['A', 'C']));
        const callers = [() => repository.removeQueries('Q'), () => repository.scrub('A')];
        const counts = await Promise.all((round % 2 === 0 ? callers : callers.reverse()).map((call) => call()));
        same(round % 2 === 0 ? counts[0] : counts[1], 2);
        for (const id of ['A', 'B']) same((await repository.matches({ patient: id, limit: 10 })).records, []);
      }
    },
  },
  {
    name: 'a patient that is found again, days later, stays while the last record that had it is deleted',
    promise:
      'expire deletes what was stored once for several records and is part of none; a patient stays as it was found',
    async run({ storage, repository }) {
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
        same(
          records.map(({ results }) => results),
          [again.results],
        );
      });
    },
  },
];

export const triageMeetings: readonly Case<TriageRepository>[] = [
  {
    name: 'a look that another one was just before continues its visit',
    promise: 'visit returns the end of the visit before; looks less than visitMinutes apart are one visit',
    async run({ storage, repository }) {
      const minutes = (count: number) => at(count * 60);
      await repository.visit('ann', 1, minutes(0));
      const since = await meet(
        storage,
        (scope) => scope.repository(matchmakerTriage).visit('ann', 1, minutes(60)),
        () => repository.visit('ann', 1, minutes(100)),
      );
      same(since, minutes(60));
      same(await repository.visit('ann', 1, minutes(101)), minutes(60));
    },
  },
  {
    name: 'a row on which a person begins to work while rows expire stays',
    promise: 'expire deletes rows last seen before the time that no person has changed',
    async run({ storage, repository }) {
      await repository.seen([sighting(1, 'A', 1), sighting(2, 'B', 1)]);
      let changed = false;
      const removed = await meet(
        storage,
        async (scope) => {
          changed = await scope.repository(matchmakerTriage).change(idOf(1), 1, work('solved', entry(1, 'x')));
        },
        () => repository.expire(at(9)),
      );
      assert.ok(changed);
      same([removed, ids(await repository.rows(1))], [1, [1]]);
      same((await repository.row(idOf(1)))?.work, work('solved', entry(1, 'x')));
      same(ids(await repository.rowsAbout('A')), [1]);
    },
  },
];
