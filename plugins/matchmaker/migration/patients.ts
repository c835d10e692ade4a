/** Imports patients of patientMatcher, with the checks that it did not make. */
import { isDeepStrictEqual } from 'node:util';
import { type Finding, Findings, type MongoDocument } from '../../../core/migration.js';
import type { FieldFault } from '../../../core/plugin.js';
import { trailOfCommand } from '../audit/trail.js';
import type { MatchmakerRepository, Patient, Saved } from '../contract.js';
import { warningsOf } from '../patient/present.js';
import { savePatients } from '../patient/saving.js';
import { readPatient } from '../patient/schema.js';
import type { Resources } from '../resources/resources.js';
import { type Carried, type Migration, nameOf } from './documents.js';

export interface PatientsRequest extends Migration {
  resources: Resources;
  /** The client that owns them from now on. */
  owner: string;
  /** Replaces stored patients whose data differs. */
  update: boolean;
  /** Times at which patients are known to have been stored on that server, by id. */
  since: ReadonlyMap<string, Date>;
}

/** Saves all valid patients in one transaction. */
export async function carryPatients(request: PatientsRequest, documents: readonly MongoDocument[]): Promise<Carried> {
  const { context, dryRun, resources, owner, onProgress } = request;
  const notCarried = new Findings();
  const all = readPatients(documents, notCarried);
  const ids = all.map(({ id }) => id);
  const barred = await context.erasures.barred('patient', ids, context.now());
  for (const id of barred.keys()) notCarried.note('objects to being shared', id);
  const read = all.filter(({ id }) => !barred.has(id));
  const repository = await request.repository();
  const plan = await compared(repository, read, request, notCarried);
  const saved = [...plan.added, ...plan.replaced];
  if (!dryRun && saved.length > 0) {
    let done = 0;
    const { now, erasures } = context;
    const afterSave = [
      async (some: readonly Saved[]) => {
        done += some.length;
        onProgress?.(done / saved.length, `${done} patients`);
      },
    ];
    const fresh = new Set(plan.added);
    const since = (patient: Patient) => (fresh.has(patient) ? request.since.get(patient.id) : undefined);
    const options = { trail: trailOfCommand(context), now, erasures, genes: () => resources.genes, afterSave, since };
    await savePatients(options, saved, { owner, all: false, by: { owner, isOperator: true, because: 'command line' } });
  }
  return {
    read: documents.length,
    added: plan.added.length,
    replaced: plan.replaced.length,
    unchanged: plan.unchanged.length,
    left: documents.length - saved.length - plan.unchanged.length,
    notCarried: notCarried.list(),
    remarks: remarksOn([...saved, ...plan.unchanged], resources),
  };
}

function readPatients(documents: readonly MongoDocument[], notCarried: Findings): Patient[] {
  const patients = new Map<string, Patient>();
  for (const [i, document] of documents.entries()) {
    const name = nameOf(document, i);
    const read = storedPatient(document);
    if ('reasons' in read) for (const reason of read.reasons) notCarried.note(reason, name);
    else if (patients.has(read.patient.id)) notCarried.note('has the id of another patient in the file', name);
    else patients.set(read.patient.id, read.patient);
  }
  return [...patients.values()];
}

/** The patient in a document, or all reasons why it is invalid. */
export function storedPatient(document: unknown): { patient: Patient } | { reasons: string[] } {
  // Patients are stored as JSON, which turns dates and ids of the document into text.
  const { _id: key, ...rest } = JSON.parse(JSON.stringify(document ?? {})) as MongoDocument;
  if (rest.id !== undefined && key !== undefined && rest.id !== key)
    return { reasons: ['has an id that differs from its _id'] };
  const read = readPatient({ ...rest, id: rest.id ?? key }, '');
  return 'patient' in read ? read : { reasons: [...new Set(read.faults.map(reasonOf))] };
}

/** `features.*.id …`: the same text for all patients with the fault, without their data. */
function reasonOf({ path, message }: FieldFault): string {
  return `${path.replace(/(^|\.)\d+(?=\.|$)/g, '$1*')} ${message}`.trim();
}

interface Plan {
  added: Patient[];
  replaced: Patient[];
  unchanged: Patient[];
}

async function compared(
  repository: Pick<MatchmakerRepository, 'patientsById'>,
  patients: readonly Patient[],
  { owner, update }: PatientsRequest,
  notCarried: Findings,
): Promise<Plan> {
  const stored = new Map(
    (await repository.patientsById(patients.map(({ id }) => id))).map((each) => [each.patient.id, each]),
  );
  const plan: Plan = { added: [], replaced: [], unchanged: [] };
  for (const patient of patients) {
    const here = stored.get(patient.id);
    if (!here) plan.added.push(patient);
    else if (isDeepStrictEqual(here.patient, patient)) plan.unchanged.push(patient);
    else if (here.owner !== owner) notCarried.note('is already stored for another client', patient.id);
    else if (update) plan.replaced.push(patient);
    else notCarried.note('is already stored with other data; --update replaces them', patient.id);
  }
  return plan;
}

function remarksOn(patients: readonly Patient[], resources: Resources): Finding[] {
  const remarks = new Findings();
  for (const patient of patients) {
    // The same remark on several of its features counts once.
    const reasons = warningsOf(patient, resources, '').map((warning) =>
      reasonOf({ path: warning.path.replace(/^\./, ''), message: warning.message.replaceAll(/HP:\d{7}/g, 'a term') }),
    );
    for (const reason of new Set(reasons)) remarks.note(reason, patient.id);
  }
  return remarks.list();
}
