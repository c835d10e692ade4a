/**
 * Saves patients, with their audit entries and whatever else belongs to it, in one transaction, and queues the searches for
 * similar patients that saving sets off.
 */
import { z } from 'zod';
import { type Erasures, Fault, gather, type Jobs, type StorageScope } from '../../../core/plugin.js';
import type { ActingParty, TracedScope, Trail } from '../audit/trail.js';
import {
  type Foreign,
  foreignPatient,
  isReal,
  matchmaker,
  matchmakerMatches,
  matchmakerNodes,
  type Patient,
  type PatientSave,
  type Saved,
  thisNode,
  type Writer,
} from '../contract.js';
import type { GeneTable } from '../resources/genes.js';
import { factsOfPatient, isSample } from './patient.js';

/** Who adds or changes patients. */
export interface Submitter extends Writer {
  by: ActingParty;
}

/** Runs inside the saving transaction, for patients that were added or changed. */
export type AfterSave = (saved: readonly Saved[], scope: StorageScope) => Promise<void>;

/** Patients that are saved in one statement. */
const portion = 500;

export interface SavingOptions {
  trail: Pick<Trail, 'transaction'>;
  now(): Date;
  /** The people who may not be stored. */
  erasures: Pick<Erasures, 'barred'>;
  genes(): GeneTable;
  afterSave: readonly AfterSave[];
  /** When a new patient was first stored, if that was in another system; now if undefined. */
  since?: ((patient: Patient) => Date | undefined) | undefined;
}

/**
 * Saves all of the patients, or none: throws a `forbidden` fault if one belongs to another owner, or objects to sharing. Outcomes are in the order of
 * the patients. No id may occur twice.
 */
export async function savePatients(
  { trail, now, erasures, genes, afterSave, since }: SavingOptions,
  patients: readonly Patient[],
  { by, owner, all }: Submitter,
): Promise<Saved[]> {
  const writer = { owner, all };
  await refuseObjecting(erasures, patients, now());
  const table = genes();
  const saves = patients.map((patient) => {
    const at = since?.(patient) ?? now();
    return { save: { patient, facts: factsOfPatient(patient, table), writer, at }, by };
  });
  return trail.transaction(async (scope) => (await saveWithin(scope, saves, { afterSave })).map(ownPatient));
}

/** Patients that are added in one transaction, which is then still short. */
const addedAtOnce = 100;

/**
 * Returns a function that adds or replaces one patient, and resolves once it is committed. Patients that arrive at the same
 * time share a transaction. Throws a `forbidden` fault if the patient belongs to another owner, or objects to sharing.
 */
export function addOne({
  trail,
  now,
  erasures,
  afterSave,
}: Pick<SavingOptions, 'trail' | 'now' | 'erasures' | 'afterSave'>): (
  patient: Patient,
  genes: GeneTable,
  submitter: Submitter,
) => Promise<Saved> {
  const add = gather<PatientSubmission, Saved | Foreign>({
    together: (submissions) => trail.transaction((scope) => saveWithin(scope, submissions, { afterSave })),
    key: ({ save }) => save.patient.id,
    most: addedAtOnce,
    groups: 2,
  });
  return async (patient, genes, { by, owner, all }) => {
    const writer = { owner, all };
    await refuseObjecting(erasures, [patient], now());
    return ownPatient(await add({ save: { patient, facts: factsOfPatient(patient, genes), writer, at: now() }, by }));
  };
}

interface PatientSubmission {
  save: PatientSave;
  by: ActingParty;
}

async function refuseObjecting(
  erasures: Pick<Erasures, 'barred'>,
  patients: readonly Patient[],
  now: Date,
): Promise<void> {
  const [by] = (await objectingAmong(erasures, patients, now)).values();
  if (by === undefined) return;
  const which = by === 'id' ? 'of this id' : 'with this `_sample`';
  throw new Fault('forbidden', `A patient ${which} objects to being shared, and is not stored`);
}

/** The patients who object to sharing, by id: under their own, or under that of their sample. */
export async function objectingAmong(
  erasures: Pick<Erasures, 'barred'>,
  patients: readonly Patient[],
  now: Date,
): Promise<ReadonlyMap<string, 'id' | '_sample'>> {
  const ids = patients.map(({ id }) => id);
  const samples = patients.flatMap(({ _sample }) => (isSample(_sample) ? [_sample] : []));
  const [byId, bySample] = await Promise.all([
    erasures.barred('patient', ids, now),
    samples.length === 0 ? new Map() : erasures.barred('sample', samples, now),
  ]);
  const found = new Map<string, 'id' | '_sample'>();
  for (const { id, _sample } of patients) {
    if (byId.has(id)) found.set(id, 'id');
    else if (isSample(_sample) && bySample.has(_sample)) found.set(id, '_sample');
  }
  return found;
}

/** Saves within the caller's transaction. Patients that a writer may not change are `foreign`; all others are saved. */
async function saveWithin(
  scope: TracedScope,
  submissions: readonly PatientSubmission[],
  { afterSave }: Pick<SavingOptions, 'afterSave'>,
): Promise<(Saved | Foreign)[]> {
  const outcomes: (Saved | Foreign)[] = [];
  for (let i = 0; i < submissions.length; i += portion) {
    const some = submissions.slice(i, i + portion);
    const saved = await scope.repository(matchmaker).savePatients(some.map(({ save }) => save));
    outcomes.push(...saved);
    const changed: Saved[] = [];
    const added = new Map<ActingParty, string[]>();
    for (const [k, one] of saved.entries()) {
      const by = some[k]?.by;
      if (by === undefined || one.outcome === 'foreign' || one.outcome === 'unchanged') continue;
      changed.push(one);
      const ids = added.get(by);
      if (ids) ids.push(one.stored.patient.id);
      else added.set(by, [one.stored.patient.id]);
    }
    if (changed.length === 0) continue;
    await scope.trace([...added].map(([by, patients]) => ({ by, action: 'add', patients })));
    for (const then of afterSave) await then(changed, scope);
  }
  return outcomes;
}

/** Throws a `forbidden` fault if the patient belongs to another owner. */
function ownPatient(outcome: Saved | Foreign): Saved {
  if (outcome.outcome === 'foreign') throw foreignPatient();
  return outcome;
}

// What saving a patient sets off: a search for similar patients, in the background.

export const searchKind = 'matchmaker.search';

/** Numbers only: a job holds no data that outlives its patient. */
const question = z.strictObject({ number: z.int(), version: z.int() });

export const searchPayload = z.strictObject({ patients: z.array(question) });
export type SearchPayload = z.output<typeof searchPayload>;

/** Patients in one job, few so that little is repeated after a crash. */
const patientsPerJob = 50;

/**
 * Queues searches in the transaction that saves patients: of all if a node is connected, or if new patients are compared with
 * earlier queries and there are any; else of those that are compared with stored patients.
 */
export function searchAfterSave(
  jobs: Pick<Jobs, 'enqueue'>,
  { indirect, within }: { indirect: boolean; within: boolean },
): AfterSave {
  return async (all, scope) => {
    const compared = within ? all.filter(({ stored }) => isReal(stored)) : [];
    const others = async () =>
      (await scope.repository(matchmakerNodes).connected()) ||
      (indirect && (await scope.repository(matchmakerMatches).asked()));
    const saved = compared.length < all.length && (await others()) ? all : compared;
    for (const owner of new Set(saved.map(({ stored }) => stored.owner))) {
      const patients = saved
        .filter(({ stored }) => stored.owner === owner)
        .map(({ stored: { number, version } }) => ({ number, version }));
      for (let i = 0; i < patients.length; i += patientsPerJob) {
        const payload: SearchPayload = { patients: patients.slice(i, i + patientsPerJob) };
        await jobs.enqueue(searchKind, payload, { owner, scope });
      }
    }
  };
}

/**
 * For commands, which run no jobs: notes that servers are to query every enabled node with the patients, and to compare them
 * with those that are stored here.
 */
export function queryLater({ within }: { within: boolean }): AfterSave {
  return async (saved, scope) => {
    const nodes = scope.repository(matchmakerNodes);
    const ids = (await nodes.nodes()).filter(({ enabled }) => enabled).map(({ id }) => id);
    for (const { stored } of saved) await nodes.owe(within && isReal(stored) ? [...ids, thisNode.id] : ids, stored);
  };
}
