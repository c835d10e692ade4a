/** Saving patients, with all that belongs to it in the same transaction. */
import type { StorageScope } from '../../../core/plugin.js';
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

/** Patients saved by one statement. */
const portion = 500;

export interface SavingOptions {
  transaction<Result>(work: (scope: StorageScope) => Promise<Result>): Promise<Result>;
  now(): Date;
  genes(): GeneTable;
  afterSave: readonly AfterSave[];
  /** Since when a new patient counts as stored, where that was elsewhere before; else now. */
  since?: ((patient: Patient) => Date | undefined) | undefined;
}

/** Saves all of the patients or, where one is refused, none; answers in their order. No id may come twice. */
export async function savePatients(
  { transaction, now, genes, afterSave, since }: SavingOptions,
  patients: readonly Patient[],
  writer: Writer,
): Promise<Saved[]> {
  const table = genes();
  const saves = patients.map((patient) => {
    const at = since?.(patient) ?? now();
    return { patient, facts: factsOf(patient, table), writer, at };
  });
  return transaction(async (scope) => (await saveWithin(scope, saves, { now, afterSave })).map(own));
}

/** Saves within a transaction of the caller's; who may not save a patient keeps none of the others from it. */
export async function saveWithin(
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

/** Throws `forbidden` where the patient is another owner's. */
export function own(outcome: Saved | Foreign): Saved {
  if (outcome.outcome === 'foreign') throw foreignPatient();
  return outcome;
}
