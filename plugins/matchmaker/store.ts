/** matchmaker@1 above tables: patients, and clients. */
import { isDeepStrictEqual } from 'node:util';
import {
  absent,
  defineStore,
  defineTable,
  Fault,
  firstRows,
  optional,
  type Tables,
  text,
  time,
  user,
  type Where,
} from '../../core/storage.js';
import {
  changesIn,
  countsIn,
  notePending,
  patients,
  recountIn,
  type StoredPatientRow,
  settleNow,
  storedOf,
  tablesOfChanges,
  without,
} from './changes.js';
import {
  type Foreign,
  foreignPatient,
  isFacts,
  isForeign,
  type MatchmakerRepository,
  matchmaker,
  type Patient,
  type PatientFacts,
  type PatientSave,
  type Saved,
  type StoredPatient,
} from './contract.js';

export { changesIn, type LookAtChanges, patients, type StoredPatientRow, storedOf } from './changes.js';

const named = user(text(), 'until the client is removed');

const clients = defineTable({
  name: 'matchmaker_clients',
  columns: { id: named, url: optional(text()), contact: optional(named), created: time() },
  key: ['id'],
});

const tablesOfContract = [...tablesOfChanges, clients];

/** Patients by id, held until the end of the transaction; of a damaged one what can be read. */
async function holdPatients(inside: Tables, ids: readonly string[]): Promise<ReadonlyMap<string, StoredPatient>> {
  const where = { id: { among: ids } };
  const all = await inside.table(patients).lock(where, { without: ['document', 'facts'] });
  if (all.length === 0) return new Map();
  const whole = new Map((await inside.table(patients).find({ where, without })).map((row) => [row.id, row]));
  return new Map(
    all.map((row) => {
      const document = { id: row.id, contact: { name: '', href: row.href } };
      return [row.id, storedOf(whole.get(row.id) ?? { ...row, document })];
    }),
  );
}

/** The columns derived from a patient's data. */
function dataOf(patient: Patient, facts: PatientFacts, updated: Date) {
  const { label, contact } = patient;
  return { label, href: contact.href, updated, document: patient, facts };
}

async function rewrite(
  inside: Tables,
  { number, version, owner, created }: StoredPatient,
  { patient, facts, at }: Pick<PatientSave, 'patient' | 'facts' | 'at'>,
): Promise<StoredPatient> {
  const { label = absent, ...data } = dataOf(patient, facts, at);
  await inside.table(patients).change({ number }, { ...data, label, version: version + 1 });
  return { number, version: version + 1, owner, created, updated: at, patient };
}

async function savePatient(inside: Tables, stored: StoredPatient, save: PatientSave): Promise<Saved | Foreign> {
  if (isForeign(stored, save.writer)) return { outcome: 'foreign' };
  if (isDeepStrictEqual(stored.patient, JSON.parse(JSON.stringify(save.patient)))) {
    return { outcome: 'unchanged', stored };
  }
  return { outcome: 'updated', stored: await rewrite(inside, stored, save) };
}

/** Adds the patients, but for those that another writer added meanwhile. */
async function addPatients(inside: Tables, saves: readonly PatientSave[]): Promise<Saved[]> {
  const rows = saves.map(({ patient, facts, writer: { owner }, at }) => {
    return { id: patient.id, version: 1, owner, created: at, ...dataOf(patient, facts, at) };
  });
  const added = await inside.table(patients).addMany(rows);
  const numbers = new Map(added.map(({ id, number }) => [id, number]));
  return saves.flatMap(({ patient, writer: { owner }, at }) => {
    const number = numbers.get(patient.id);
    if (number === undefined) return [];
    return [{ outcome: 'inserted', stored: { number, version: 1, owner, created: at, updated: at, patient } }];
  });
}

export const store = defineStore<MatchmakerRepository>({
  contract: matchmaker,
  tables: tablesOfContract,
  steps: { '002-clients': { replaces: ['001-patients'], tables: tablesOfContract } },
  repository(tables) {
    const find = async (where: Where<StoredPatientRow>, signal?: AbortSignal) =>
      (await tables.table(patients).find({ where, without, signal })).map(storedOf);

    return {
      savePatients(saves) {
        // In a fixed order, so that groups with common patients cannot deadlock.
        const inOrder = [...saves].sort((a, b) => (a.patient.id < b.patient.id ? -1 : 1));
        return tables.transaction(async (inside) => {
          const outcomes = new Map<string, Saved | Foreign>();
          for (let left = inOrder; left.length > 0; ) {
            const ids = left.map(({ patient }) => patient.id);
            const there = await holdPatients(inside, ids);
            for (const save of left) {
              const stored = there.get(save.patient.id);
              if (stored) outcomes.set(save.patient.id, await savePatient(inside, stored, save));
            }
            const missing = left.filter(({ patient }) => !there.has(patient.id));
            for (const saved of await addPatients(inside, missing)) outcomes.set(saved.stored.patient.id, saved);
            // Neither: another writer added it between the two statements; the next attempt sees it.
            left = missing.filter(({ patient }) => !outcomes.has(patient.id));
          }
          const changed = [...outcomes.values()].flatMap((saved) =>
            saved.outcome === 'inserted' || saved.outcome === 'updated' ? [saved.stored.number] : [],
          );
          await notePending(inside, changed);
          return saves.flatMap(({ patient }) => outcomes.get(patient.id) ?? []);
        });
      },

      removePatient: (id, writer) =>
        tables.transaction(async (inside) => {
          const stored = (await holdPatients(inside, [id])).get(id);
          if (stored === undefined) return undefined;
          if (isForeign(stored, writer)) throw foreignPatient();
          await inside.table(patients).remove({ number: stored.number });
          await settleNow(inside, stored.number);
          return stored;
        }),

      patient: async (id, owners) => (await find({ id, ...(owners && { owner: { among: owners } }) }))[0],

      held: (number) =>
        tables.transaction(
          async (inside) => (await inside.table(patients).lock({ number }, { without })).map(storedOf)[0],
        ),

      patientsById: (ids) => find({ id: { among: ids } }),
      patientsByNumber: (numbers, { signal } = {}) => find({ number: { among: numbers } }, signal),

      async patients({ owner, label, after, limit, signal }) {
        const where = { ...(owner !== undefined && { owner }), ...(label !== undefined && { label }) };
        const from = after === undefined ? undefined : { number: after };
        const page = { where, order: ['number'], limit, after: from, without, signal } as const;
        return (await firstRows(tables.table(patients), page)).map(storedOf);
      },

      changesSince: (revision) => changesIn(tables, revision),

      counts: () => countsIn(tables),
      recount: () => recountIn(tables),

      replaceFacts: (given) =>
        tables.transaction(async (inside) => {
          const replaced: number[] = [];
          for (const { number, version, facts } of given) {
            if ((await inside.table(patients).change({ number, version }, { facts })) > 0) replaced.push(number);
          }
          await notePending(inside, replaced);
          return replaced.length;
        }),

      async contacts() {
        const counts = new Map<string, number>();
        const some = { order: ['href'], without: ['document', 'facts'] } as const;
        for await (const { href } of tables.table(patients).each(some)) counts.set(href, (counts.get(href) ?? 0) + 1);
        return [...counts].map(([href, number]) => ({ href, patients: number }));
      },

      replaceContact: (href, contact, submitter, now) =>
        tables.transaction(async (inside) => {
          const replaced: number[] = [];
          for (const { facts, ...row } of await inside.table(patients).lock({ href })) {
            if (!isFacts(facts)) continue;
            const stored = storedOf(row);
            const patient = { ...stored.patient, contact };
            await rewrite(inside, stored, { patient, facts: { ...facts, submitter }, at: now });
            replaced.push(row.number);
          }
          await notePending(inside, replaced);
          return replaced.length;
        }),

      async addClient({ id, url, contact, created }) {
        if ((await tables.table(clients).add({ id, url, contact, created })) !== undefined) return;
        throw new Fault('conflict', `There is already a client with the id "${id}"`);
      },

      clients: () => tables.table(clients).find({ order: ['id'] }),
      removeClient: async (id) => (await tables.table(clients).remove({ id })) > 0,
    };
  },
});
