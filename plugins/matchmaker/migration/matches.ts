/** Imports patientMatcher's records of searches that found a patient, unless they are older than records are kept. */
import { createHash } from 'node:crypto';
import { Findings, isDocument, type MongoDocument } from '../../../core/migration.js';
import {
  type MatchedPatient,
  type MatchRecord,
  type MatchRepository,
  matchmakerMatches,
  type NewMatch,
  type NodeResult,
  type Patient,
  type StoredPatient,
  thisNode,
} from '../contract.js';
import { recordPages } from '../matches/pages.js';
import { geneKey } from '../patient/keys.js';
import type { Resources } from '../resources/resources.js';
import { type Carried, dateOf, type Migration, nameOf, textOf } from './documents.js';
import { storedPatient } from './patients.js';

export interface MatchesRequest extends Migration {
  resources: Resources;
  /** Older records, in days, are not imported; 0 imports all. */
  retentionDays: number;
}

/** The records do not name the caller. No client can have this name, so that only owners of the patients see them. */
const unknownAsker = 'not recorded';
const day = 24 * 60 * 60 * 1000;

/** Adds each record by itself, and leaves those that exist. */
export async function carryMatches(request: MatchesRequest, documents: readonly MongoDocument[]): Promise<Carried> {
  const { context, dryRun, onProgress } = request;
  const [notCarried, remarks] = [new Findings(), new Findings()];
  const records = documents.flatMap((document, i) => {
    const name = nameOf(document, i);
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
    const created = dateOf(document.created);
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
  const created = dateOf(document.created);
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
  return { node: type === 'internal' ? thisNode : nodeOf(result.node), patients };
}

/** An error message may contain anything, so only the failure itself is kept. */
function errorOf(error: unknown, remark: (text: string) => void): MatchRecord['errors'][number] {
  const node = isDocument(error) ? error.node : undefined;
  if (!isDocument(node)) remark('has an error without the name of its node');
  return { node: nodeOf(node), error: 'The search failed' };
}

function nodeOf(node: unknown): NodeResult['node'] {
  const { id, label } = isDocument(node) ? node : {};
  const named = textOf(id) ?? 'unknown';
  return { id: named, label: textOf(label) ?? named };
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
