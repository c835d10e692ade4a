/** Saving patients, with all that belongs to it in the same transaction. */
import type { StorageScope } from '../../../core/plugin.js';
import {
  type MatchmakerRepository,
  matchmaker,
  matchmakerAudit,
  type Patient,
  type Saved,
  type Writer,
} from '../contract.js';
import type { GeneTable } from '../resources/contract.js';
import { factsOf } from './facts.js';

/** Runs inside the saving transaction, for a patient that was added or changed. */
export type AfterSave = (saved: Saved, scope: StorageScope) => Promise<void>;

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
  const saves = patients.map((patient) => ({ patient, facts: factsOf(patient, table), writer }));
  // In one order, so that two who save the same patients cannot wait for each other.
  const inOrder = [...saves].sort((a, b) => (a.patient.id < b.patient.id ? -1 : 1));
  const saved = await transaction(async (scope) => {
    const repository: MatchmakerRepository = scope.repository(matchmaker);
    const outcomes = new Map<string, Saved>();
    for (const save of inOrder) {
      const outcome = await repository.savePatient(save, since?.(save.patient) ?? now());
      outcomes.set(save.patient.id, outcome);
      if (outcome.outcome === 'unchanged') continue;
      for (const then of afterSave) await then(outcome, scope);
    }
    const changed = [...outcomes].filter(([, { outcome }]) => outcome !== 'unchanged');
    await scope
      .repository(matchmakerAudit)
      .add(changed.map(([patient]) => ({ at: now(), actor: writer.owner, action: 'add', patient })));
    return outcomes;
  });
  return patients.flatMap(({ id }) => saved.get(id) ?? []);
}
