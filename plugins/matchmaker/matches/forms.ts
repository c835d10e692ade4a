/**
 * Found patients, each kept once for all records that found it in the same form on the same node. A form is identified by its
 * content, so that it never changes. Records are added without a lock on the forms that they refer to: each form notes the last
 * day on which it was found, and is deleted only if that is some days ago and no record refers to it. No transaction lasts that
 * long, so that none can refer to a form that another one deletes. Only an erasure deletes forms at once: a record that refers
 * to such a form has lost the patient, as is intended.
 */
import { createHash } from 'node:crypto';
import {
  type Cursor,
  defineTable,
  generated,
  json,
  jsonOf,
  optional,
  person,
  type RowOf,
  small,
  type Tables,
  text,
} from '../../../core/storage.js';
import { hasId, type Patient } from '../patients/patient.js';
import type { NewMatch } from './contract.js';

export const forms = defineTable({
  name: 'matchmaker_matches_patients',
  columns: {
    ...{
      id: generated(),
      digest: person(text(), 'as a digest, for some days'),
      node: text(),
      patientId: person(text()),
    },
    /** The last day on which it was found, in days since 1970. */
    seen: small(),
    document: person(json<Patient>()),
  },
  key: ['id'],
  unique: [['digest']],
  indexes: [['patientId']],
  // A damaged form is left out, and with it the patient from the records that found it.
  sound: ({ document }) => document === undefined || hasId(document),
});

/** Numbers of forms of which a record was deleted: perhaps no other record has them. */
export const loose = defineTable({ name: 'matchmaker_matches_loose', columns: { form: small() }, key: ['form'] });

/** The patients that each record found; `form` is absent if the record itself has the patient. */
export const found = defineTable({
  name: 'matchmaker_matches_found',
  columns: { record: small(), patientId: person(text()), form: optional(small()) },
  key: ['record', 'patientId'],
  indexes: [['patientId']],
});

/** A patient as a node returned it. */
export interface Form {
  digest: string;
  node: string;
  patient: Patient;
}

/** Days for which a form that was found is kept in any case. */
const heldDays = 2;

export function today(): number {
  return Math.floor(Date.now() / (24 * 60 * 60 * 1000));
}

/** Forms by patient and node: a server finds the same patients, as the same objects, in many searches. */
const formsByPatient = new WeakMap<Patient, Form>();

function formOfPatient(patient: Patient, node: string): Form {
  const before = formsByPatient.get(patient);
  if (before?.node === node) return before;
  const digest = createHash('sha256').update(JSON.stringify(node)).update(jsonOf(patient)).digest('base64url');
  const form = { digest, node, patient };
  formsByPatient.set(patient, form);
  return form;
}

/** The forms of the found patients by id: of several with one id, on different nodes, that of the first. */
export function formsOfMatch({ results }: NewMatch): Map<string, Form> {
  const forms = new Map<string, Form>();
  for (const { node, patients } of results) {
    for (const { patient } of patients)
      if (!forms.has(patient.id)) forms.set(patient.id, formOfPatient(patient, node.id));
  }
  return forms;
}

/** Numbers of stored forms by their digests. */
export type FormNumbers = ReadonlyMap<string, number>;

/** The number by which a record refers to a patient; undefined if its id is that of another form, or it could not be stored. */
export function numberOfForm(
  patient: Patient,
  node: string,
  forms: ReadonlyMap<string, Form>,
  numbers: FormNumbers,
): number | undefined {
  const { digest } = formOfPatient(patient, node);
  return forms.get(patient.id)?.digest === digest ? numbers.get(digest) : undefined;
}

/** Stores the forms that are not stored yet; `add` adds those that were not found today, in the order of their digests. */
export async function keepForms(inside: Tables, all: readonly Form[], add = addForms): Promise<FormNumbers> {
  const wanted = new Map(all.map((form) => [form.digest, form]));
  if (wanted.size === 0) return new Map();
  const seen = today();
  const there = await numbersIn(inside, [...wanted.keys()], seen);
  // In a fixed order, so that two of these cannot deadlock.
  const missing = [...wanted.values()].filter(({ digest }) => !there.has(digest)).sort(byDigest);
  return missing.length === 0 ? there : new Map([...there, ...(await add(inside, missing, seen))]);
}

async function numbersIn(inside: Tables, digests: readonly string[], seen: number): Promise<FormNumbers> {
  const where = { digest: { among: digests }, seen: { atLeast: seen } };
  const rows = await inside.table(forms).find({ where, without: ['document'] });
  return new Map(rows.map(({ digest, id }) => [digest, id]));
}

/** Adds forms, or notes that they were found on this day. */
async function addForms(inside: Tables, all: readonly Form[], seen: number): Promise<FormNumbers> {
  const rows = all.map(({ digest, node, patient }) => ({
    digest,
    node,
    patientId: patient.id,
    seen,
    document: patient,
  }));
  await inside.table(forms).addMany(rows);
  for (const { digest } of all) await inside.table(forms).change({ digest, seen: { below: seen } }, { seen });
  return numbersIn(
    inside,
    all.map(({ digest }) => digest),
    seen,
  );
}

const byDigest = (one: Form, other: Form) => (one.digest < other.digest ? -1 : 1);

/** The patients of these forms, by number; those of forms that are gone are missing. */
export async function patientsOfForms(
  tables: Tables,
  numbers: Iterable<number>,
): Promise<ReadonlyMap<number, Patient>> {
  const among = [...new Set(numbers)];
  if (among.length === 0) return new Map();
  const without = ['digest', 'node', 'patientId', 'seen'] as const;
  const rows = await tables.table(forms).find({ where: { id: { among } }, without });
  return new Map(rows.map(({ id, document }) => [id, document]));
}

/** Forgets what these records found, which are deleted. */
export async function loosen(inside: Tables, records: readonly number[]): Promise<void> {
  const where = { record: { among: records } };
  const without = ['record', 'patientId'] as const;
  const numbers = (await inside.table(found).find({ where, without })).flatMap(({ form }) => form ?? []);
  await inside.table(loose).addMany([...new Set(numbers)].map((form) => ({ form })));
  await inside.table(found).remove(where);
}

/** Deletes forms that no record has any more. */
export async function sweepForms(inside: Tables): Promise<void> {
  const before = { seen: { below: today() - heldDays } };
  const [stored, noted] = [inside.table(forms), inside.table(loose)];
  let after: Cursor<RowOf<typeof loose.columns>> | undefined;
  do {
    const { rows, next } = await noted.page({ order: ['form'], limit: 500, after });
    const among = rows.map(({ form }) => form);
    const there = await stored.find({ where: { id: { among } }, order: ['digest'], without: ['document'] });
    const kept = new Set<number>();
    // In the order in which they are added, so that the two cannot deadlock.
    for (const { id, patientId, seen } of there) {
      if (seen >= before.seen.below) kept.add(id);
      else if ((await inside.table(found).find({ where: { patientId, form: id }, limit: 1 })).length === 0) {
        await stored.remove({ id, ...before });
      }
    }
    // Records may also refer to forms that an erasure deleted.
    await noted.remove({ form: { among: among.filter((form) => !kept.has(form)) } });
    after = next;
  } while (after !== undefined);
}

/** Deletes all forms of a patient, or those that one node found. */
export async function deleteForms(inside: Tables, patientId: string, node: string | undefined): Promise<void> {
  const where = { patientId, ...(node !== undefined && { node }) };
  const among = (await inside.table(forms).find({ where, without: ['document'] })).map(({ id }) => id);
  await inside.table(loose).remove({ form: { among } });
  await inside.table(forms).remove(where);
}
