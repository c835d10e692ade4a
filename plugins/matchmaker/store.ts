/** matchmaker@1 above tables. Writers take turns, so that revisions become visible in their order. */
import { isDeepStrictEqual } from 'node:util';
import {
  type Conditions,
  defineStore,
  defineTable,
  Fault,
  integer,
  json,
  optional,
  type RowOf,
  small,
  type Tables,
  text,
  time,
} from '../../core/storage.js';
import {
  type Changes,
  countsOf,
  type Foreign,
  foreignPatient,
  isForeign,
  isPatient,
  type MatchmakerRepository,
  matchmaker,
  type Patient,
  type PatientFacts,
  type Saved,
  type StoredPatient,
  TallyChange,
  type Totals,
  totalsOf,
} from './contract.js';

const patients = defineTable({
  name: 'matchmaker_patients',
  columns: {
    ...{ id: text(), number: small(), version: small(), owner: text(), label: optional(text()), href: text() },
    ...{ created: time(), updated: time(), patient: json<Patient>() },
  },
  key: ['id'],
  indexes: [['number'], ['owner', 'number'], ['label'], ['href']],
  // A damaged patient is left out; it can be replaced and removed.
  sound: ({ patient }) => patient === undefined || isPatient(patient),
});

/** A single row, which a writer holds: the last number, the last revision, and the totals. */
const state = defineTable({
  name: 'matchmaker_state',
  columns: { id: small(), number: small(), revision: integer(), totals: json<Totals>() },
  key: ['id'],
  first: { id: 1, number: 0, revision: 0, totals: totalsOf({}) },
});

/** When each patient was last changed, and what is counted of it: nothing once it is removed. */
const feed = defineTable({
  name: 'matchmaker_feed',
  columns: { number: small(), revision: integer(), facts: optional(json<PatientFacts>()) },
  key: ['number'],
  indexes: [['revision']],
});

const tally = defineTable({ name: 'matchmaker_tally', columns: { key: text(), count: integer() }, key: ['key'] });

const clients = defineTable({
  name: 'matchmaker_clients',
  columns: { id: text(), url: optional(text()), contact: optional(text()), created: time() },
  key: ['id'],
});

type StoredPatientRow = RowOf<typeof patients.columns>;
/** What one writer does while it holds the state. */
interface Turn {
  inside: Tables;
  last: RowOf<typeof state.columns>;
  /** What is counted of changed patients now: nothing of those that were removed. */
  changed: Map<number, PatientFacts | undefined>;
}

const batchSize = 1000;

function storedOf({ number, version, owner, created, updated, patient }: StoredPatientRow): StoredPatient {
  return { number, version, owner, created, updated, patient };
}

/** Patients by id; of a damaged one what can be read. */
async function knownPatients(inside: Tables, ids: readonly string[]): Promise<ReadonlyMap<string, StoredPatient>> {
  const where = { id: { among: ids } };
  const whole = new Map((await inside.table(patients).find({ where })).map((row) => [row.id, row]));
  const all = await inside.table(patients).find({ where, without: ['patient'] });
  return new Map(
    all.map((row) => {
      const patient = { id: row.id, contact: { name: '', href: row.href } };
      return [row.id, storedOf(whole.get(row.id) ?? { ...row, patient })];
    }),
  );
}

async function put({ inside, changed }: Turn, stored: StoredPatient, facts: PatientFacts): Promise<StoredPatient> {
  const { id, label, contact } = stored.patient;
  await inside.table(patients).put({ ...stored, id, label, href: contact.href });
  changed.set(stored.number, facts);
  return stored;
}

/** Gives what was changed the next revisions, and counts it. */
async function note({ inside, last, changed }: Turn): Promise<void> {
  const change = new TallyChange(last.totals);
  const before = await inside.table(feed).find({ where: { number: { among: [...changed.keys()] } } });
  for (const { facts } of before) if (facts) change.count(facts, -1);
  for (const [number, facts] of changed) {
    last.revision += 1;
    if (facts) change.count(facts, 1);
    await inside.table(feed).put({ number, revision: last.revision, facts });
  }
  for (const [key, by] of change.keys) {
    const { count } = await inside.table(tally).put({ key, count: 0 }, []);
    change.moved(key, count, count + by);
    if (count + by > 0) await inside.table(tally).put({ key, count: count + by });
    else await inside.table(tally).remove({ key });
  }
  await inside.table(state).put(last);
}

export const store = defineStore<MatchmakerRepository>({
  contract: matchmaker,
  tables: [patients, state, feed, tally, clients],
  steps: { '001-patients': { tables: [patients, state, feed, tally, clients] } },
  repository(tables) {
    const find = async (where: Conditions<StoredPatientRow>, signal?: AbortSignal) =>
      (await tables.table(patients).find({ where, signal })).map(storedOf);

    /** Patients first: a caller that holds one may change it in the same transaction. */
    const inTurn = <Result>(where: Conditions<StoredPatientRow>, work: (turn: Turn) => Promise<Result>) =>
      tables.transaction(async (inside) => {
        await inside.table(patients).lock(where, { without: ['patient'] });
        const [last] = await inside.table(state).lock({ id: 1 });
        if (last === undefined) throw new Fault('internal', 'The state of the matchmaker is missing');
        const turn: Turn = { inside, last, changed: new Map() };
        const result = await work(turn);
        await note(turn);
        return result;
      });

    return {
      savePatients(saves) {
        const ids = saves.map(({ patient }) => patient.id);
        return inTurn({ id: { among: ids } }, async (turn) => {
          const before = await knownPatients(turn.inside, ids);
          const outcomes: (Saved | Foreign)[] = [];
          for (const { patient, facts, writer, at } of saves) {
            const stored = before.get(patient.id);
            if (stored === undefined) {
              const [number, { owner }] = [++turn.last.number, writer];
              const added = { number, version: 1, owner, created: at, updated: at, patient };
              outcomes.push({ outcome: 'inserted', stored: await put(turn, added, facts) });
            } else if (isForeign(stored, writer)) outcomes.push({ outcome: 'foreign' });
            else if (isDeepStrictEqual(stored.patient, JSON.parse(JSON.stringify(patient)))) {
              outcomes.push({ outcome: 'unchanged', stored });
            } else {
              const updated = { ...stored, version: stored.version + 1, updated: at, patient };
              outcomes.push({ outcome: 'updated', stored: await put(turn, updated, facts) });
            }
          }
          return outcomes;
        });
      },

      removePatient: (id, writer) =>
        inTurn({ id }, async ({ inside, changed }) => {
          const stored = (await knownPatients(inside, [id])).get(id);
          if (stored === undefined) return undefined;
          if (isForeign(stored, writer)) throw foreignPatient();
          await inside.table(patients).remove({ id });
          changed.set(stored.number, undefined);
          return stored;
        }),

      patient: async (id, owners) => (await find({ id, ...(owners && { owner: { among: owners } }) }))[0],

      held: (number) =>
        tables.transaction(async (inside) => (await inside.table(patients).lock({ number })).map(storedOf)[0]),

      patientsById: (ids) => find({ id: { among: ids } }),
      patientsByNumber: (numbers, { signal } = {}) => find({ number: { among: numbers } }, signal),

      async patients({ owner, label, after = 0, limit, signal }) {
        const own = { ...(owner !== undefined && { owner }), ...(label !== undefined && { label }) };
        const where = { ...own, number: { above: after } };
        return (await tables.table(patients).find({ where, order: ['number'], limit, signal })).map(storedOf);
      },

      async *changesSince(revision) {
        const last = (await tables.table(state).one({ id: 1 }, { latest: true }))?.revision ?? 0;
        if (revision > last) throw new Fault('conflict', 'The store is older than the state that was read before');
        for (let after = revision; after < last; ) {
          const changes = await tables.snapshot(async (moment): Promise<Changes> => {
            const where = { revision: { above: after, atMost: last } };
            const rows = await moment.table(feed).find({ where, order: ['revision'], limit: batchSize });
            const numbers = rows.map(({ number }) => number);
            const found = await moment.table(patients).find({ where: { number: { among: numbers } } });
            const saved = new Map(found.map((row) => [row.number, storedOf(row)]));
            return {
              revision: rows.length < batchSize ? last : (rows.at(-1) as (typeof rows)[number]).revision,
              saved: numbers.flatMap((number) => saved.get(number) ?? []),
              removed: numbers.filter((number) => !saved.has(number)),
            };
          });
          yield changes;
          after = changes.revision;
        }
      },

      counts: async () =>
        countsOf((await tables.table(state).one({ id: 1 }, { latest: true }))?.totals ?? totalsOf({})),

      recount: () =>
        tables.snapshot(async (moment) => {
          const totals = totalsOf({});
          const change = new TallyChange(totals);
          for await (const { facts } of moment.table(feed).each()) if (facts) change.count(facts, 1);
          for (const [key, count] of change.keys) change.moved(key, 0, count);
          return countsOf(totals);
        }),

      replaceFacts(given) {
        const where = { number: { among: given.map(({ number }) => number) } };
        return inTurn(where, async ({ inside, changed }) => {
          const rows = await inside.table(patients).find({ where, without: ['patient'] });
          const versions = new Map(rows.map(({ number, version }) => [number, version]));
          const same = given.filter(({ number, version }) => versions.get(number) === version);
          for (const { number, facts } of same) changed.set(number, facts);
          return same.length;
        });
      },

      async contacts() {
        const counts = new Map<string, number>();
        for (const { href } of await tables.table(patients).find({ order: ['href'], without: ['patient'] })) {
          counts.set(href, (counts.get(href) ?? 0) + 1);
        }
        return [...counts].map(([href, patients]) => ({ href, patients }));
      },

      replaceContact: (href, contact, submitter, now) =>
        inTurn({ href }, async (turn) => {
          const rows = await turn.inside.table(patients).find({ where: { href }, order: ['number'] });
          const numbers = rows.map(({ number }) => number);
          const counted = await turn.inside.table(feed).find({ where: { number: { among: numbers } } });
          const factsOf = new Map(counted.map(({ number, facts }) => [number, facts]));
          for (const { number, version, patient, ...row } of rows) {
            const facts = factsOf.get(number);
            const stored = storedOf({
              ...row,
              number,
              version: version + 1,
              updated: now,
              patient: { ...patient, contact },
            });
            if (facts) await put(turn, stored, { ...facts, submitter });
          }
          return turn.changed.size;
        }),

      async addClient(client) {
        if ((await tables.table(clients).add(client)) !== undefined) return;
        throw new Fault('conflict', `There is already a client with the id "${client.id}"`);
      },

      clients: () => tables.table(clients).find({ order: ['id'] }),
      removeClient: async (id) => (await tables.table(clients).remove({ id })) > 0,
    };
  },
});
