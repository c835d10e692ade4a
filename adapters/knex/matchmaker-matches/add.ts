/** Adds records of searches: many with few statements. */
import type { NewMatch } from '../../../plugins/matchmaker/contract.js';
import type { Database, Scalar } from '../binding.js';
import { refuseUnstorable } from '../values.js';
import { type Form, formOf, keepForms } from './forms.js';
import { type Document, deleteRecords } from './records.js';
import { found, records } from './tables.js';
import { count } from './tally.js';

export function addMatches(database: Database, matches: readonly NewMatch[]): Promise<void> {
  return database.transaction(async (inside) => {
    await count(inside, matches);
    for (const group of groupsOf(matches)) {
      const kept: NewMatch[] = [];
      for (const match of group) if (await isKept(inside, match)) kept.push(match);
      if (kept.length > 0) await insert(inside, kept);
    }
  });
}

/** In order; no group has two searches with one key. */
function groupsOf(matches: readonly NewMatch[]): NewMatch[][] {
  const groups: NewMatch[][] = [];
  const keys = new Set<string>();
  for (const match of matches) {
    const last = groups.at(-1);
    if (last !== undefined && (match.key === undefined || !keys.has(match.key))) last.push(match);
    else {
      groups.push([match]);
      keys.clear();
    }
    if (match.key !== undefined) keys.add(match.key);
  }
  return groups;
}

function finds({ results }: NewMatch): boolean {
  return results.some(({ patients }) => patients.length > 0);
}

async function isKept(inside: Database, match: NewMatch): Promise<boolean> {
  const isFree = match.key === undefined || (await makeWay(inside, match.key, finds(match)));
  return isFree && (finds(match) || match.errors.length > 0);
}

/** Deletes the record of the key, unless it found patients and the new one did not: then the new one is not stored. */
async function makeWay(inside: Database, search: string, isFinding: boolean): Promise<boolean> {
  const { write, engine } = inside;
  const [row] = await engine.forUpdate(write(records).where({ search }).select('number', 'found'));
  if (!row) return true;
  if (row.found === 1 && !isFinding) return false;
  await deleteRecords(inside, (query) => query.where({ number: row.number }));
  return true;
}

async function insert(inside: Database, matches: readonly NewMatch[]): Promise<void> {
  const { engine } = inside;
  const { json, time } = engine.values;
  const formsOf = new Map(matches.map((match) => [match, formsIn(match)]));
  const forms = [...formsOf.values()].flatMap((byPatient) => [...byPatient.values()]);
  const numbers = await keepForms(inside, forms);
  const rows = matches.map((match): Scalar[] => {
    const { id, created, type, direction, asker, patient, number = null, key = null } = match;
    refuseUnstorable([id, asker, patient.id, key]);
    const document = json(documentOf(match, formsOf.get(match), numbers)) as string;
    const isFinding = finds(match) ? 1 : 0;
    return [id, time(created) as Scalar, type, direction, asker, patient.id, number, isFinding, key, document];
  });
  const bound = engine.bound({
    ...{ id: 'text', created: 'time', type: 'text', direction: 'text', asker: 'text', patient_id: 'text' },
    ...{ patient_number: 'integer', found: 'integer', search: 'text', document: 'json' },
  });
  const columns = 'id, created, type, direction, asker, patient_id, patient_number, found, search, document';
  const inserted = await inside.query<{ number: number; id: string }>(
    `insert into ${records} (${columns}) select ${columns} from ${bound} q returning number, id`,
    [json(rows) as string],
  );
  const recordOf = new Map(inserted.map(({ number, id }) => [id, number]));
  const links = matches.flatMap((match) => {
    const record = recordOf.get(match.id);
    if (record === undefined) throw new Error('an insert returns the rows that it made');
    return [...(formsOf.get(match) ?? [])].map(([id, { digest }]): Scalar[] => [
      record,
      id,
      numbers.get(digest) ?? null,
    ]);
  });
  if (links.length === 0) return;
  await inside.query(
    `insert into ${found} (record, patient_id, form) select record, patient_id, form from
     ${engine.bound({ record: 'integer', patient_id: 'text', form: 'integer' })} q`,
    [json(links) as string],
  );
}

/** The forms of the found patients by id: of several with one id, on different nodes, that of the first. */
function formsIn({ results }: NewMatch): Map<string, Form> {
  const forms = new Map<string, Form>();
  for (const { node, patients } of results) {
    for (const { patient } of patients) if (!forms.has(patient.id)) forms.set(patient.id, formOf(patient, node.id));
  }
  return forms;
}

/** Refers to the forms; a patient whose id is also that of another form is stored in the record. */
function documentOf(
  { patient, results, errors }: NewMatch,
  forms: ReadonlyMap<string, Form> | undefined,
  numbers: ReadonlyMap<string, number>,
): Document {
  return {
    patient,
    results: results.map(({ node, patients }) => ({
      node,
      patients: patients.map(({ patient: one, score }) => {
        const { digest } = formOf(one, node.id);
        const form = forms?.get(one.id)?.digest === digest ? numbers.get(digest) : undefined;
        return form === undefined ? { patient: one, score } : { form, score };
      }),
    })),
    errors,
  };
}
