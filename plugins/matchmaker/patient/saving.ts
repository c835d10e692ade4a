/** Saves patients, with their audit entries and whatever else belongs to it, in one transaction. */
import { type Erasures, Fault, gather, type StorageScope } from '../../../core/plugin.js';
import {
  type Foreign,
  foreignPatient,
  matchmaker,
  matchmakerAudit,
  type Patient,
  type PatientSave,
  type Saved,
  type Writer,
} from '../contract.js';
import type { GeneTable } from '../genes/gene-table.js';
import { factsOf } from './facts.js';

/** Runs inside the saving transaction, for patients that were added or changed. */
export type AfterSave = (saved: readonly Saved[], scope: StorageScope) => Promise<void>;

/** Patients that are saved in one statement. */
const portion = 500;

export interface SavingOptions {
  transaction<Result>(work: (scope: StorageScope) => Promise<Result>): Promise<Result>;
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
  { transaction, now, erasures, genes, afterSave, since }: SavingOptions,
  patients: readonly Patient[],
  writer: Writer,
): Promise<Saved[]> {
  await refuseObjecting(erasures, patients, now());
  const table = genes();
  const saves = patients.map((patient) => {
    const at = since?.(patient) ?? now();
    return { patient, facts: factsOf(patient, table), writer, at };
  });
  return transaction(async (scope) => (await saveWithin(scope, saves, { now, afterSave })).map(own));
}

/** Patients that are added in one transaction, which is then still short. */
const addedAtOnce = 100;

/**
 * Returns a function that adds or replaces one patient, and resolves once it is committed. Patients that arrive at the same
 * time share a transaction. Throws a `forbidden` fault if the patient belongs to another owner, or objects to sharing.
 */
export function addOne({
  transaction,
  now,
  erasures,
  afterSave,
}: Pick<SavingOptions, 'transaction' | 'now' | 'erasures' | 'afterSave'>): (
  patient: Patient,
  genes: GeneTable,
  writer: Writer,
) => Promise<Saved> {
  const save = gather<PatientSave, Saved | Foreign>({
    together: (saves) => transaction((scope) => saveWithin(scope, saves, { now, afterSave })),
    key: ({ patient }) => patient.id,
    most: addedAtOnce,
    groups: 2,
  });
  return async (patient, genes, writer) => {
    await refuseObjecting(erasures, [patient], now());
    return own(await save({ patient, facts: factsOf(patient, genes), writer, at: now() }));
  };
}

async function refuseObjecting(
  erasures: Pick<Erasures, 'barred'>,
  patients: readonly Patient[],
  now: Date,
): Promise<void> {
  const ids = patients.map(({ id }) => id);
  if ((await erasures.barred('patient', ids, now)).size === 0) return;
  throw new Fault('forbidden', 'A patient of this id objects to being shared, and is not stored');
}

/** Saves within the caller's transaction. Patients that a writer may not change are `foreign`; all others are saved. */
async function saveWithin(
  scope: StorageScope,
  saves: readonly PatientSave[],
  { now, afterSave }: Pick<SavingOptions, 'now' | 'afterSave'>,
): Promise<(Saved | Foreign)[]> {
  const outcomes: (Saved | Foreign)[] = [];
  for (let i = 0; i < saves.length; i += portion) {
    const some = saves.slice(i, i + portion);
    const saved = await scope.repository(matchmaker).savePatients(some);
    outcomes.push(...saved);
    const changed = saved.flatMap((one, k) => {
      const writer = some[k]?.writer;
      return writer && (one.outcome === 'inserted' || one.outcome === 'updated') ? [{ one, writer }] : [];
    });
    if (changed.length === 0) continue;
    const entries = changed.map(({ one, writer }) => ({
      at: now(),
      actor: writer.owner,
      action: 'add' as const,
      patient: one.stored.patient.id,
    }));
    await scope.repository(matchmakerAudit).add(entries);
    for (const then of afterSave) {
      await then(
        changed.map(({ one }) => one),
        scope,
      );
    }
  }
  return outcomes;
}

/** Throws a `forbidden` fault if the patient belongs to another owner. */
function own(outcome: Saved | Foreign): Saved {
  if (outcome.outcome === 'foreign') throw foreignPatient();
  return outcome;
}
