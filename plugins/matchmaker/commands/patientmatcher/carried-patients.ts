/**
 * Imports the patients of patientMatcher, with the checks that it did not make, and its records of searches that found a
 * patient.
 */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Finding, Findings, isDocument, type MongoDocument } from '../../../../core/migration.js';
import type { FieldFault } from '../../../../core/plugin.js';
import { trailOfCommand } from '../../audit/trail.js';
import {
  type MatchedPatient,
  type MatchmakerRepository,
  type MatchRecord,
  type MatchRepository,
  matchmakerMatches,
  type NewMatch,
  type NodeResult,
  type Patient,
  type Saved,
  type StoredPatient,
  thisNode,
} from '../../contract.js';
import { recordPages } from '../../matches/contract.js';
import { geneKey } from '../../patients/patient.js';
import { warningsOfPatient } from '../../patients/presentation.js';
import { readPatient } from '../../patients/reading.js';
import { savePatients } from '../../patients/saving.js';
import type { Resources } from '../../resources/resources.js';
import { dateValue, type ImportCounts, nameOfDocument, type PatientMatcherImport, textValue } from './documents.js';

export interface PatientsRequest extends PatientMatcherImport {
  resources: Resources;
  /** The client that owns them from now on. */
  owner: string;
  /** Replaces stored patients whose data differs. */
  update: boolean;
  /** Times at which patients are known to have been stored on that server, by id. */
  since: ReadonlyMap<string, Date>;
}

/** Saves all valid patients in one transaction. */
export async function carryPatients(
  request: PatientsRequest,
  documents: readonly MongoDocument[],
): Promise<ImportCounts> {
  const { context, dryRun, resources, owner, onProgress } = request;
  const notCarried = new Findings();
  const all = readPatients(documents, notCarried);
  const ids = all.map(({ id }) => id);
  const barred = await context.erasures.barred('patient', ids, context.now());
  for (const id of barred.keys()) notCarried.note('objects to being shared', id);
  const read = all.filter(({ id }) => !barred.has(id));
  const repository = await request.repository();
  const plan = await planOf(repository, read, request, notCarried);
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
    const name = nameOfDocument(document, i);
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

interface PatientPlan {
  added: Patient[];
  replaced: Patient[];
  unchanged: Patient[];
}

async function planOf(
  repository: Pick<MatchmakerRepository, 'patientsById'>,
  patients: readonly Patient[],
  { owner, update }: PatientsRequest,
  notCarried: Findings,
): Promise<PatientPlan> {
  const stored = new Map(
    (await repository.patientsById(patients.map(({ id }) => id))).map((each) => [each.patient.id, each]),
  );
  const plan: PatientPlan = { added: [], replaced: [], unchanged: [] };
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
    const reasons = warningsOfPatient(patient, resources, '').map((warning) =>
      reasonOf({ path: warning.path.replace(/^\./, ''), message: warning.message.replaceAll(/HP:\d{7}/g, 'a term') }),
    );
    for (const reason of new Set(reasons)) remarks.note(reason, patient.id);
  }
  return remarks.list();
}

// Imports patientMatcher's records of searches that found a patient, unless they are older than records are kept.

export interface MatchesRequest extends PatientMatcherImport {
  resources: Resources;
  /** Older records, in days, are not imported; 0 imports all. */
  retentionDays: number;
}

/** The records do not name the caller. No client can have this name, so that only owners of the patients see them. */
const unknownAsker = 'not recorded';
const day = 24 * 60 * 60 * 1000;

/** Adds each record by itself, and leaves those that exist. */
export async function carryMatches(
  request: MatchesRequest,
  documents: readonly MongoDocument[],
): Promise<ImportCounts> {
  const { context, dryRun, onProgress } = request;
  const [notCarried, remarks] = [new Findings(), new Findings()];
  const records = documents.flatMap((document, i) => {
    const name = nameOfDocument(document, i);
    const read = recordOf(document, name, (remark) => remarks.note(remark, name));
    if (typeof read !== 'string') return [read];
    notCarried.note(read, name);
    return [];
  });
  const kept = records.filter(({ id, created }) => {
    const isOver =
      request.retentionDays > 0 && created.getTime() < context.now().getTime() - request.retentionDays * day;
    if (isOver) notCarried.note(`is older than the ${request.retentionDays} days for which records are kept`, id.mongo);
    return !isOver;
  });
  const repository = await context.repository(matchmakerMatches);
  const there = await idsOf(
    repository,
    kept.map(({ patient }) => patient.id),
  );
  const added = kept.filter(({ id }) => !there.has(id.ours)).sort((a, b) => a.created.getTime() - b.created.getTime());
  if (!dryRun) {
    const queries = await (await request.repository()).patientsById(added.map(({ patient }) => patient.id));
    const stored = new Map(queries.map((each) => [each.patient.id, each]));
    for (const [i, { id, ...record }] of added.entries()) {
      context.signal.throwIfAborted();
      const query = stored.get(record.patient.id);
      // Another submitter may have used the id for another patient.
      const own = query?.patient.contact.href === record.patient.contact.href ? query : undefined;
      await repository.add(newMatch({ id: id.ours, ...record }, own, request.resources));
      onProgress?.((i + 1) / added.length, `${i + 1} records`);
    }
  }
  return {
    read: documents.length,
    added: added.length,
    unchanged: kept.length - added.length,
    left: documents.length - kept.length,
    notCarried: notCarried.list(),
    remarks: remarks.list(),
  };
}

/** When a search on that server first found each patient, by id: the patient was stored by then. */
export function firstFound(documents: readonly MongoDocument[], now: Date): Map<string, Date> {
  const first = new Map<string, Date>();
  for (const document of documents) {
    const created = dateValue(document.created);
    if (document.match_type !== 'internal' || created === undefined || created > now) continue;
    for (const result of Array.isArray(document.results) ? document.results : []) {
      for (const found of isDocument(result) && Array.isArray(result.patients) ? result.patients : []) {
        const id = isDocument(found) && isDocument(found.patient) ? found.patient.id : undefined;
        const before = typeof id === 'string' ? first.get(id) : undefined;
        if (typeof id === 'string' && (before === undefined || created < before)) first.set(id, created);
      }
    }
  }
  return first;
}

type ReadRecord = Omit<MatchRecord, 'id' | 'asker' | 'number'> & { id: { mongo: string; ours: string } };

/** The record in a document, or the reason why the document is not one. */
function recordOf(document: MongoDocument, name: string, remark: (text: string) => void): ReadRecord | string {
  const { match_type: type, data, results } = document;
  const created = dateValue(document.created);
  if (type !== 'internal' && type !== 'external')
    return 'is not a record of matches: its match_type is neither internal nor external';
  if (created === undefined) return 'has no date of creation';
  const query = storedPatient(isDocument(data) ? data.patient : undefined);
  if ('reasons' in query) return 'has an invalid query patient';
  const found = (Array.isArray(results) ? results : []).flatMap((result) => {
    const read = resultOf(result, type, remark);
    return read === undefined ? [] : [read];
  });
  if (found.length === 0) return 'found no patient';
  const errors = Array.isArray(document.errors) ? document.errors : [];
  return {
    id: { mongo: name, ours: uuidOf(name) },
    created,
    type,
    direction: type === 'internal' ? 'incoming' : 'outgoing',
    patient: query.patient,
    results: found,
    errors: type === 'external' ? errors.map((error) => errorOf(error, remark)) : [],
  };
}

function resultOf(result: unknown, type: MatchRecord['type'], remark: (text: string) => void): NodeResult | undefined {
  if (!isDocument(result) || !Array.isArray(result.patients)) return undefined;
  const patients = result.patients.flatMap((found): MatchedPatient[] => {
    const score = isDocument(found) && isDocument(found.score) ? found.score : {};
    const read = storedPatient(isDocument(found) ? found.patient : undefined);
    if (typeof score.patient === 'number' && Number.isFinite(score.patient) && 'patient' in read) {
      return [{ patient: read.patient, score: { ...score, patient: score.patient } }];
    }
    remark('omits found patients that are invalid or have no score');
    return [];
  });
  if (patients.length === 0) return undefined;
  return { node: type === 'internal' ? thisNode : nodeOfResult(result.node), patients };
}

/** An error message may contain anything, so only the failure itself is kept. */
function errorOf(error: unknown, remark: (text: string) => void): MatchRecord['errors'][number] {
  const node = isDocument(error) ? error.node : undefined;
  if (!isDocument(node)) remark('has an error without the name of its node');
  return { node: nodeOfResult(node), error: 'The search failed' };
}

function nodeOfResult(node: unknown): NodeResult['node'] {
  const { id, label } = isDocument(node) ? node : {};
  const named = textValue(id) ?? 'unknown';
  return { id: named, label: textValue(label) ?? named };
}

/** Always the same id for the same record. */
function uuidOf(name: string): string {
  const hex = createHash('sha256').update(`patientMatcher match ${name}`).digest('hex');
  const variant = ((Number.parseInt(hex[16] ?? '0', 16) & 3) | 8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

function newMatch(
  record: Omit<MatchRecord, 'asker' | 'number'>,
  own: StoredPatient | undefined,
  { genes }: Resources,
): NewMatch {
  const keysOf = ({ genomicFeatures = [] }: Patient) => genomicFeatures.map(({ gene }) => geneKey(gene, genes));
  const asked = new Set(keysOf(record.patient));
  const found = record.results.flatMap(({ patients }) => patients.flatMap(({ patient }) => keysOf(patient)));
  return {
    ...record,
    asker: (record.direction === 'outgoing' ? own?.owner : undefined) ?? unknownAsker,
    number: own?.number,
    matchedGenes: [...new Set(found.filter((key) => asked.has(key)))],
    // A record with a key is not a current query: it is not counted, and not compared with patients added later.
    key: record.id,
  };
}

const pageSize = 500;

/** The ids of all records of these patients. */
async function idsOf(repository: Pick<MatchRepository, 'matches'>, patients: readonly string[]): Promise<Set<string>> {
  const ids = new Set<string>();
  for (const patient of new Set(patients)) {
    for await (const records of recordPages(repository, { patient, limit: pageSize })) {
      for (const { id } of records) ids.add(id);
    }
  }
  return ids;
}
