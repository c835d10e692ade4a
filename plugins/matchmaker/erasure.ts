/** Deletes patients, and erases a person: everything that is stored about it, and nothing about others whose id is the same. */
import { randomUUID } from 'node:crypto';
import { type Erasure, Fault, isFault, type StorageScope, step } from '../../core/plugin.js';
import type { Trail } from './audit/trail.js';
import {
  type AuditedOf,
  type MatchRecord,
  matchmaker,
  matchmakerAudit,
  matchmakerMail,
  matchmakerMatches,
  matchmakerNodes,
  matchmakerTriage,
  type NoticesOf,
  type QueriesOf,
  type StoredPatient,
  thisNode,
} from './contract.js';
import { recordPages } from './matches/contract.js';
import type { Submitter } from './patients/saving.js';

export interface ErasureOptions {
  transaction<Result>(work: (scope: StorageScope) => Promise<Result>): Promise<Result>;
  now(): Date;
  /** Whether the audit of the server records the erasure, in place of the matchmaker's trail. */
  isRecorded?: boolean;
  /** Whether people work with matches on this server. */
  triage?: boolean;
}

/** Which patient is meant: an id is unique on one node only. */
export type PatientScope =
  /** The one that is or was stored here. */
  | 'here'
  /** Every patient of this id, on any node. */
  | 'anybody'
  /** The one that a node of this name found, or that a client of this name asked about. */
  | { of: string };

/** The same, as each contract selects one of several patients with an id: all of them if a member is absent. */
interface PatientSelection {
  /** The patient that is stored here, if it is meant. */
  stored?: StoredPatient | undefined;
  /** The nodes and clients whose patients are meant. */
  nodes?: readonly string[];
  notices?: NoticesOf;
  queries?: QueriesOf;
  /** The node that found it, or the client that asked about it. */
  finder?: string;
  audited?: AuditedOf;
}

export function selectionOf(whose: PatientScope, stored: StoredPatient | undefined): PatientSelection {
  if (whose === 'anybody') return { stored };
  if (whose === 'here') {
    const nodes = nodeNamesOf(stored);
    return {
      ...{ stored, nodes, notices: { own: true, nodes }, finder: thisNode.id },
      queries: { stored: true, ...(stored && { asker: stored.owner }) },
      audited: { own: true, ...(stored && { owner: stored.owner }) },
    };
  }
  const { of } = whose;
  return {
    ...{ nodes: [of], notices: { own: false, nodes: [of] }, finder: of },
    ...{ queries: { stored: false, asker: of }, audited: { own: false, name: of } },
  };
}

export interface ErasedCounts {
  /** Whether a patient was stored here, and was removed. */
  patient: boolean;
  /** Records of matches that were deleted or changed. */
  records: number;
  /** Rows of matches with it that people work with. */
  rows: number;
  /** Entries of the audit trail that no longer name it. */
  entries: number;
  /** Records with other patients of this id, which stay: their number by the name of the node or client. */
  left: Record<string, number>;
}

/**
 * Returns the person that an id means, for `erasePatient` and for the other plugins. Without `whose` it is the patient of
 * this node if there is one, else the only one with the id; throws an `invalid` fault if there are several.
 */
export function personOfId(
  { transaction, triage = false }: Pick<ErasureOptions, 'transaction' | 'triage'>,
  id: string,
  whose?: PatientScope,
): Promise<{ whose: PatientScope; erasure: Erasure }> {
  return transaction(async (scope) => {
    if (whose !== undefined) return { whose, erasure: { id, holder: holderOf(whose), scope: 'all' } };
    const stored = await scope.repository(matchmaker).patient(id);
    const uses = await usesOf(scope, id, stored, triage);
    const chosen = choose(uses);
    const [other] = uses.others.keys();
    // An id that only another node or client uses is not a person of this institution.
    const holder = uses.here || other === undefined ? 'own' : { name: other };
    return { whose: chosen, erasure: { id, holder, scope: 'all' } };
  });
}

function holderOf(whose: PatientScope): Erasure['holder'] {
  if (typeof whose === 'object') return { name: whose.of };
  return whose === 'anybody' ? 'any' : 'own';
}

/**
 * Erases everything about a person, by the id of the patient: the patient, records in which it was the query or was found,
 * notifications. The audit trail keeps what was done, and that the person was erased, under a random pseudonym that cannot
 * be linked to the id.
 */
export async function erasePatient(
  { transaction, now, isRecorded = false, triage = false }: ErasureOptions,
  id: string,
  chosen: PatientScope,
): Promise<ErasedCounts> {
  const erased = await transaction(async (scope) => {
    const stored = await scope.repository(matchmaker).patient(id);
    const uses = await usesOf(scope, id, stored, triage);
    const named = typeof chosen === 'object' ? chosen.of : undefined;
    const selected = selectionOf(chosen, stored);
    const patient = named === undefined && (await forgetPatient(scope, id, stored));
    step('matchmaker.erase.forgotten');
    const matches = scope.repository(matchmakerMatches);
    await scope.repository(matchmakerMail).erase(id, selected.notices);
    const queries = await matches.removeQueries(id, selected.queries);
    const records = queries + (await matches.scrub(id, selected.finder));
    step('matchmaker.erase.removed');
    const about = { submission: selected.stored?.number, patient: id, nodes: selected.nodes };
    const rows = triage ? await scope.repository(matchmakerTriage).forget(about) : 0;
    if (named !== undefined && records === 0 && rows === 0) {
      throw new Fault('not-found', `No record has a patient of this id that "${named}" found or asked about`);
    }
    const left = chosen === 'anybody' ? {} : Object.fromEntries([...uses.others].filter(([name]) => name !== named));
    const audit = scope.repository(matchmakerAudit);
    const name = `erased-${randomUUID()}`;
    const entries = await audit.rename(id, name, selected.audited);
    step('matchmaker.erase.renamed');
    if (!isRecorded && (patient || records > 0 || rows > 0 || entries > 0)) {
      await audit.add([{ at: now(), actor: 'cli', action: 'erase', patient: name }]);
    }
    step('matchmaker.erase.audited');
    return { patient, records, rows, left, entries };
  });
  step('matchmaker.erase.committed');
  return erased;
}

async function forgetPatient(scope: StorageScope, id: string, stored: StoredPatient | undefined): Promise<boolean> {
  const removed = await scope.repository(matchmaker).removePatient(id, { owner: 'cli', all: true });
  for (const { number } of [stored, removed].filter((one) => one !== undefined)) {
    await scope.repository(matchmakerNodes).forget(number);
  }
  return removed !== undefined;
}

interface IdUses {
  /** Whether a patient of this node has or had the id. */
  here: boolean;
  /** Records, or rows if there are no records, by the name of the node that found such a patient, or of the client that asked about one. */
  others: ReadonlyMap<string, number>;
}

const pageSize = 500;

async function usesOf(
  scope: StorageScope,
  id: string,
  stored: StoredPatient | undefined,
  triage: boolean,
): Promise<IdUses> {
  const repository = scope.repository(matchmakerMatches);
  let here = stored !== undefined;
  const others = new Map<string, number>();
  for await (const records of recordPages(repository, { patient: id, limit: pageSize })) {
    for (const record of records) {
      for (const name of namesIn(record, id, stored)) {
        if (name === thisNode.id) here = true;
        else others.set(name, (others.get(name) ?? 0) + 1);
      }
    }
  }
  const rows = triage ? await scope.repository(matchmakerTriage).rowsAbout(id) : [];
  const named = new Set(others.keys());
  for (const { node } of rows) {
    if (nodeNamesOf(stored).includes(node)) here = true;
    else if (!named.has(node)) others.set(node, (others.get(node) ?? 0) + 1);
  }
  return { here, others };
}

/** The nodes and clients whose patients of the id a record has. */
export function namesIn(record: MatchRecord, id: string, stored: StoredPatient | undefined): Set<string> {
  const { patient, number, direction, asker, results } = record;
  const found = results.filter(({ patients }) => patients.some((one) => one.patient.id === id));
  const names = new Set(found.map(({ node }) => node.id));
  const isOurs = number !== undefined || direction === 'outgoing' || asker === stored?.owner;
  if (patient.id === id) names.add(isOurs ? thisNode.id : asker);
  return names;
}

function choose({ here, others }: IdUses): PatientScope {
  if (others.size === 0 || (!here && others.size === 1)) return 'anybody';
  if (here) return 'here';
  const names = [...others.keys()].sort().map((name) => `"${name}"`);
  throw new Fault(
    'invalid',
    `No patient of this id is stored here, but ${names.join(' and ')} have patients of this id, perhaps different persons: say which one to erase`,
  );
}

interface Deletion {
  /** Keeps the records in which the patient was the query. */
  leaveMatches?: boolean;
  /** Also removes the patient from the records in which others found it. */
  scrub: boolean;
  /** Whether people work with matches on this server. */
  triage: boolean;
}

interface DeletionCounts {
  patient: boolean;
  /** Records of matches that were deleted or changed. */
  records: number;
}

/**
 * Deletes a patient and the records of matches in which it was the query: its owner's, and those of others that asked with
 * this stored patient, but not those that asked about another patient with the same id. If no patient has the id, the
 * records of the writer's own queries with it are deleted. What people noted about it, and about matches with it, goes too.
 */
export function deletePatient(
  trail: Pick<Trail, 'transaction'>,
  id: string,
  { by, owner, all }: Submitter,
  { leaveMatches = false, scrub, triage }: Deletion,
): Promise<DeletionCounts> {
  const writer = { owner, all };
  return trail.transaction(async (scope) => {
    const removed = await scope.repository(matchmaker).removePatient(id, writer).catch(noneOfTheirs);
    const matches = scope.repository(matchmakerMatches);
    const asked = writer.all ? undefined : { asker: writer.owner };
    const only = removed ? { asker: removed.owner, number: removed.number } : asked;
    let records = leaveMatches ? 0 : await matches.removeQueries(id, only);
    if (removed) {
      await scope.repository(matchmakerNodes).forget(removed.number);
      await scope.repository(matchmakerMail).forget(id, { own: true, nodes: nodeNamesOf(removed) });
      if (scrub) records += await matches.scrub(id, thisNode.id);
      await scope.trace([{ by, action: 'delete', patients: [id] }]);
    }
    if (triage) {
      const nodes = removed ? nodeNamesOf(removed) : only && [only.asker];
      await scope.repository(matchmakerTriage).forget({ submission: removed?.number, patient: id, nodes });
    }
    return { patient: removed !== undefined, records };
  });
}

/** Another owner's patient is treated like one that does not exist. */
function noneOfTheirs(error: unknown): undefined {
  if (!isFault(error) || error.code !== 'forbidden') throw error;
}

/** The node names under which notifications mention a stored patient: this node's, and its owner's if it was the query. */
function nodeNamesOf(stored: Pick<StoredPatient, 'owner'> | undefined): string[] {
  return [thisNode.id, ...(stored ? [stored.owner] : [])];
}
