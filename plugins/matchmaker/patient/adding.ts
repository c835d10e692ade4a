/** Adding patients one by one, as clients do: those that come at the same time share a transaction. */
import { gather } from '../../../core/plugin.js';
import type { Foreign, Patient, PatientSave, Saved, Writer } from '../contract.js';
import type { GeneTable } from '../genes/gene-table.js';
import { factsOf } from './facts.js';
import { own, type SavingOptions, saveWithin } from './saving.js';

/** Patients in one transaction, which is then still a short one. */
const most = 100;

/**
 * A function that adds or replaces one patient. It answers once the patient is committed, and throws `forbidden` where
 * it is another owner's.
 */
export function addOne({
  transaction,
  now,
  afterSave,
}: Pick<SavingOptions, 'transaction' | 'now' | 'afterSave'>): (
  patient: Patient,
  genes: GeneTable,
  writer: Writer,
) => Promise<Saved> {
  const save = gather<PatientSave, Saved | Foreign>({
    together: (saves) => transaction((scope) => saveWithin(scope, saves, { now, afterSave })),
    key: ({ patient }) => patient.id,
    most,
    groups: 2,
  });
  return async (patient, genes, writer) =>
    own(await save({ patient, facts: factsOf(patient, genes), writer, at: now() }));
}
