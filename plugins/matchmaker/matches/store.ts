/** matchmaker-matches@1 above tables. */
import {
  absent,
  boolean,
  type Conditions,
  defineStore,
  defineTable,
  Fault,
  firstRows,
  generated,
  integer,
  json,
  optional,
  type RowOf,
  small,
  type Tables,
  text,
  time,
} from '../../../core/storage.js';
import {
  type KeptQuery,
  type MatchRecord,
  type MatchRepository,
  matchmakerMatches,
  type NewMatch,
  type NodeResult,
  type QueriesOf,
} from './contract.js';

/** A single row. */
const counts = defineTable({
  name: 'matchmaker_matches_counts',
  columns: { id: small(), requests: integer(), sent: integer() },
  key: ['id'],
  first: { id: 1, requests: 0, sent: 0 },
});

const genes = defineTable({ name: 'matchmaker_matches_genes', columns: { gene: text() }, key: ['gene'] });

/** `patientId` and `patientNumber` are those of the query; `search` is the key of the search, if it has one. */
const records = defineTable({
  name: 'matchmaker_matches_records',
  columns: {
    ...{ number: generated(), id: text(), created: time(), type: text(), direction: text(), asker: text() },
    ...{ patientId: text(), patientNumber: optional(small()), search: optional(text()), isFinding: boolean() },
    document: json<Pick<MatchRecord, 'patient' | 'results' | 'errors' | 'alsoSharing'>>(),
  },
  key: ['number'],
  unique: [['id'], ['search']],
  indexes: [['created'], ['patientId'], ['direction', 'type', 'asker', 'patientId']],
});

/** Ids of the patients that records found. */
const found = defineTable({
  name: 'matchmaker_matches_found',
  columns: { record: small(), patient: text() },
  key: ['record', 'patient'],
  indexes: [['patient']],
});

type MatchRow = RowOf<typeof records.columns>;
type MatchConditions = Conditions<MatchRow>;

const without = ['document'] as const;
/** Searches on this node. */
const ours = { direction: 'incoming', type: 'internal' };
/** Queries by clients: later records for the same query have a key. */
const ofOthers = { ...ours, search: absent } as const;

const isFound = (patient: string, { patients }: NodeResult) => patients.some((one) => one.patient.id === patient);

function recordOf({ id, created, type, direction, asker, patientNumber: number, document }: MatchRow): MatchRecord {
  const { type: kind, direction: way } = { type, direction } as Pick<MatchRecord, 'type' | 'direction'>;
  return { id, created, type: kind, direction: way, asker, ...(number !== undefined && { number }), ...document };
}

async function count(inside: Tables, matches: readonly NewMatch[]): Promise<void> {
  const counted = matches.filter(({ direction, key }) => direction === 'incoming' && key === undefined);
  const sent = counted.flatMap(({ results }) => results.flatMap(({ patients }) => patients)).length;
  await inside.table(counts).change({ id: 1 }, { requests: { plus: counted.length }, sent: { plus: sent } });
  const matched = new Set(counted.flatMap(({ matchedGenes }) => matchedGenes));
  await inside.table(genes).addMany([...matched].map((gene) => ({ gene })));
}

async function add(inside: Tables, match: NewMatch): Promise<void> {
  const { id, created, type, direction, asker, number: patientNumber, key: search } = match;
  const { patient, errors, alsoSharing } = match;
  const results = match.results.filter(({ patients }) => patients.length > 0);
  const isFinding = results.length > 0;
  for (;;) {
    const before = search === undefined ? undefined : await inside.table(records).one({ search }, { without });
    if (before?.isFinding && !isFinding) return;
    if (before) await remove(inside, { number: before.number });
    if (!isFinding && errors.length === 0) return;
    const added = await inside.table(records).add({
      ...{ id, created, type, direction, asker, patientId: patient.id, patientNumber, search, isFinding },
      document: { patient, results, errors, alsoSharing },
    });
    if (added !== undefined) {
      const ids = new Set(results.flatMap(({ patients }) => patients.map((one) => one.patient.id)));
      return inside.table(found).append([...ids].map((each) => ({ record: added.number, patient: each })));
    }
    // Another caller recorded the same search meanwhile.
    if (search === undefined || (await inside.table(records).count({ search })) === 0) {
      throw new Fault('conflict', `There is already a record with the id "${id}"`);
    }
  }
}

async function remove(inside: Tables, where: MatchConditions | readonly MatchConditions[]): Promise<number> {
  const among = (await inside.table(records).find({ where, without })).map(({ number }) => number);
  const removed = await inside.table(records).remove({ number: { among } });
  await inside.table(found).remove({ record: { among } });
  return removed;
}

function selected(only: QueriesOf | undefined): MatchConditions[] {
  if (only === undefined) return [{}];
  if (!('stored' in only)) {
    return [{ asker: only.asker }, ...(only.number === undefined ? [] : [{ patientNumber: only.number }])];
  }
  if (!only.stored) return [{ asker: only.asker, direction: 'incoming', patientNumber: absent }];
  const stored: MatchConditions[] = [{ direction: 'outgoing' }, { patientNumber: { above: 0 } }];
  return only.asker === undefined ? stored : [...stored, { asker: only.asker }];
}

/** Takes the patient out of the results, also without the node, and returns whether it was in them. */
async function takeOut(inside: Tables, row: MatchRow, patient: string, node: string | undefined): Promise<boolean> {
  const { number, document } = row;
  const isMeant = (result: NodeResult) => (node ?? result.node.id) === result.node.id && isFound(patient, result);
  if (!document.results.some(isMeant)) return false;
  const results = document.results
    .map((result) =>
      isMeant(result) ? { ...result, patients: result.patients.filter((one) => one.patient.id !== patient) } : result,
    )
    .filter(({ patients }) => patients.length > 0);
  if (results.length === 0 && document.errors.length === 0) await remove(inside, { number });
  else {
    const changed = { document: { ...document, results }, isFinding: results.length > 0 };
    await inside.table(records).change({ number }, changed);
    if (!results.some((result) => isFound(patient, result)))
      await inside.table(found).remove({ record: number, patient });
  }
  return true;
}

async function withFindings(moment: Tables, query: KeptQuery, sought: string): Promise<KeptQuery> {
  const where = { ...ours, asker: query.asker, patientId: query.patient.id };
  const rows = await moment.table(records).find({ where, order: ['number'], descending: true });
  const findings = rows.flatMap(({ number, document }) => {
    const patients = document.results.flatMap((result) => result.patients.map(({ patient }) => patient));
    const patient = patients.find(({ id }) => id === sought);
    return patient ? [{ record: number, patient }] : [];
  });
  return { ...query, findings };
}

export const store = defineStore<MatchRepository>({
  contract: matchmakerMatches,
  tables: [counts, genes, records, found],
  steps: { '001-records': { tables: [counts, genes, records, found] } },
  repository: (tables) => ({
    add: (...matches) =>
      tables.transaction(async (inside) => {
        await count(inside, matches);
        for (const match of matches) await add(inside, match);
      }),

    matches: ({ patient, asker, after, limit, signal }) =>
      tables.snapshot(
        async (moment) => {
          const finders = await moment.table(found).find({ where: { patient } });
          const all = { isFinding: true, ...(asker !== undefined && { asker }) };
          const number = { among: finders.map(({ record }) => record) };
          const rows = await firstRows(moment.table(records), {
            where: [
              { ...all, patientId: patient },
              { ...all, number },
            ],
            ...{ order: ['created', 'number'], descending: true, limit: limit + 1, after },
          });
          const page = rows.slice(0, limit);
          const last = rows.length > limit ? page.at(-1) : undefined;
          const next = last && { created: last.created, number: last.number };
          return { records: page.map(recordOf), ...(next && { next }) };
        },
        { signal },
      ),

    removeQueries: (patient, only) =>
      tables.transaction((inside) =>
        remove(
          inside,
          selected(only).map((one) => ({ ...one, patientId: patient })),
        ),
      ),

    scrub: (patient, node) =>
      tables.transaction(async (inside) => {
        const finders = await inside.table(found).find({ where: { patient } });
        let changed = 0;
        for (const row of await inside
          .table(records)
          .lock({ number: { among: finders.map(({ record }) => record) } })) {
          if (await takeOut(inside, row, patient, node)) changed += 1;
        }
        return changed;
      }),

    asked: async () => (await tables.table(records).one(ofOthers, { without })) !== undefined,

    async latestQueries() {
      const rows = await tables.table(records).find({ where: ofOthers, order: ['number'], without });
      return [...new Map(rows.map((row) => [JSON.stringify([row.asker, row.patientId]), row.number])).values()];
    },

    queries: (numbers, sought) =>
      tables.snapshot(async (moment) => {
        const rows = await moment.table(records).find({ where: { number: { among: numbers } } });
        const kept = rows.map(({ number, asker, patientNumber: stored, document: { patient } }): KeptQuery => {
          return { number, asker, patient, ...(stored !== undefined && { stored }) };
        });
        if (sought === undefined) return kept;
        return Promise.all(kept.map((query) => withFindings(moment, query, sought)));
      }),

    expire: (before) => tables.transaction((inside) => remove(inside, { created: { below: before } })),

    counts: () =>
      tables.snapshot(async (moment) => {
        const { requests = 0, sent = 0 } = (await moment.table(counts).one({ id: 1 })) ?? {};
        return { requests, sent, uniqueGenes: await moment.table(genes).count() };
      }),
  }),
});
