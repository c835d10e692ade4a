/** Deletes a patient's notices, its part of other notices, and its ids. */
import type { Knex } from 'knex';
import type { NoticesOf, ReportedMatch } from '../../../plugins/matchmaker/contract.js';
import type { Database, Engine } from '../binding.js';
import { type Document, documentIn } from './add.js';
import { outbox, pairs, told } from './migrations.js';

export async function forget(database: Database, patient: string, only?: NoticesOf, also?: 'pairs too'): Promise<void> {
  const { write, engine } = database;
  const { own = true, nodes } = only ?? {};
  const asMatch = (table: string): Knex.QueryBuilder => {
    const query = write(table).where({ other: patient });
    return nodes === undefined ? query : engine.whereIn(query, 'node', nodes);
  };
  await takeOut(database, asMatch(told).select('patient'), patient, nodes);
  await asMatch(told).delete();
  if (also) await asMatch(pairs).delete();
  else await asMatch(pairs).update({ node: null, other: null });
  if (!own) return;
  for (const table of [outbox, told]) await write(table).where({ patient }).delete();
  if (also) await write(pairs).where({ patient }).delete();
  else await write(pairs).where({ patient }).update({ patient: null });
}

/** Removes the patient from waiting notices to other submitters. */
async function takeOut(
  { write, engine }: Database,
  submitters: Knex.QueryBuilder,
  patient: string,
  nodes: readonly string[] | undefined,
): Promise<void> {
  const isMeant = ({ node, patient: { id } }: Pick<ReportedMatch, 'node' | 'patient'>) =>
    id === patient && (nodes?.includes(node.id) ?? true);
  const rows: { id: string; document: unknown }[] = await write(outbox)
    .select('id', 'document')
    .whereIn('patient', submitters);
  for (const { id, document } of rows) {
    const whole = readDocument(engine.values, document);
    if (whole === undefined) {
      // A damaged notice cannot be sent, and may name the patient.
      await write(outbox).where({ id }).delete();
      continue;
    }
    const matches = whole.matches.filter((match) => !isMeant(match));
    if (matches.length === whole.matches.length) continue;
    if (matches.length === 0) await write(outbox).where({ id }).delete();
    else
      await write(outbox)
        .where({ id })
        .update({ document: engine.values.json({ ...whole, matches }) });
  }
}

function readDocument(values: Engine['values'], stored: unknown): Document | undefined {
  try {
    return documentIn(values, stored);
  } catch {
    return undefined;
  }
}
