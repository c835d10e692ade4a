/** Repositories of records of matches, and of what matching needs, that break one promise. */
import {
  type MatchedPatient,
  type MatchRecord,
  type MatchRepository,
  matchmakerResources,
  type Patient,
  type ResourceRepository,
} from '../../../../plugins/matchmaker/contract.js';
import { sqlite } from '../../../support/storages.js';
import { matchmakerMatches } from '../../matchmaker.js';
import { type Damage, type Wrong, wrongRepository } from '../wrap.js';

const match = (does: string, fails: string, damage: Damage<MatchRepository>): Wrong =>
  wrongRepository(matchmakerMatches, does, fails, damage, sqlite);
const resource = (does: string, fails: string, damage: Damage<ResourceRepository>): Wrong =>
  wrongRepository(matchmakerResources, does, fails, damage);

const foundIn = ({ results }: Pick<MatchRecord, 'results'>): MatchedPatient[] =>
  results.flatMap(({ patients }) => patients);

const pages = 'records are listed newest first, in pages, also those of one asker';

export const wrongMatches: readonly Wrong[] = [
  match('lists the oldest first', pages, () => (right) => ({
    matches: async (page) => {
      const found = await right.matches(page);
      return { ...found, records: [...found.records].reverse() };
    },
  })),
  match('lists records for callers that gave up', 'aborted reads of records throw the reason', () => (right) => ({
    matches: ({ signal: _, ...page }) => right.matches(page),
  })),
  match('always promises another page', pages, () => (right) => ({
    matches: async (page) => ({ next: { created: new Date(0), number: 1 }, ...(await right.matches(page)) }),
  })),
  match(
    'goes on by time alone',
    'records of the same time are listed in pages, the one added later first',
    () => (right) => ({
      matches: ({ after, ...page }) =>
        right.matches(after === undefined ? page : { ...page, after: { ...after, number: 0 } }),
    }),
  ),
  match('deletes entries that are exactly as old as the given time', 'records expire by their age', () => (right) => ({
    expire: (before) => right.expire(new Date(before.getTime() + 1)),
  })),
  match(
    'lists a patient as it was found last',
    'a patient is listed as it was found, also if later searches found it in another form',
    () => {
      const latest = new Map<string, Patient>();
      return (right) => ({
        add: (...added) => {
          for (const { patient } of added.flatMap(foundIn)) latest.set(patient.id, patient);
          return right.add(...added);
        },
        matches: async (page) => {
          const { records, ...rest } = await right.matches(page);
          const found = records.flatMap(foundIn);
          for (const one of found) one.patient = latest.get(one.patient.id) ?? one.patient;
          return { records, ...rest };
        },
      });
    },
  ),
  match(
    'deletes a found patient from all records with one of them',
    'a patient is listed as it was found, also if later searches found it in another form',
    () => (right) => ({
      async removeQueries(patient, only) {
        const { records } = await right.matches({ patient, limit: 100 });
        const deleted = await right.removeQueries(patient, only);
        for (const { patient } of records.flatMap(foundIn)) await right.scrub(patient.id);
        return deleted;
      },
    }),
  ),
  match(
    'adds searches one after the other',
    'searches that are added together are listed in their order, or none is added',
    () => (right) => ({
      add: async (...added) => {
        for (const one of added) await right.add(one);
      },
    }),
  ),
  match(
    'takes a patient from all nodes',
    'a patient is removed from the results of one node, and stays in those of others',
    () => (right) => ({
      scrub: (patient) => right.scrub(patient),
    }),
  ),
  match(
    'knows of no query whose patient it is',
    'a query of a stored patient is distinguished from others with its id',
    () => (right) => ({
      queries: async (numbers) => (await right.queries(numbers)).map(({ stored: _, ...query }) => query),
    }),
  ),
  match(
    'has only the finding of the query’s own record',
    'a query is listed with the searches that found a patient, in the forms that they found',
    () => (right) => ({
      queries: async (numbers, found) =>
        (await right.queries(numbers, found)).map((query) => ({
          ...query,
          ...(query.findings && { findings: query.findings.filter(({ record }) => record === query.number) }),
        })),
    }),
  ),
  match(
    'counts our own questions',
    'requests, patients sent and genes are counted, outgoing queries are not',
    () => (right) => ({
      add: (...added) =>
        right.add(...added.map((one) => ({ ...one, direction: 'incoming', type: 'internal' }) as const)),
    }),
  ),
];

export const wrongResources: readonly Wrong[] = [
  resource('keeps only what was given last', 'only the given kinds are replaced', () => {
    let last: readonly string[] = [];
    return (right) => ({
      replace: (given) => {
        last = given.map(({ kind }) => kind);
        return right.replace(given);
      },
      load: async () => {
        const { revision, resources } = await right.load();
        return { revision, resources: resources.filter(({ kind }) => last.includes(kind)) };
      },
    });
  }),
];
