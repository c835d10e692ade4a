/** Adds records of searches: many with few statements. */
import { jsonOf } from '../../../core/storage.js';
import type { NewMatch } from '../../../plugins/matchmaker/contract.js';
import type { Database, Scalar } from '../binding.js';
import { type Form, formOf, keepForms } from './forms.js';
import { deleteHeld } from './records.js';
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
  await deleteHeld(inside, (query) => query.where({ number: row.number }));
  return true;
}

/** Records in one statement, whose text is prepared for each number of records. */
const insertedAtOnce = 8;

async function insert(inside: Database, matches: readonly NewMatch[]): Promise<void> {
  const { engine } = inside;
  const { json, time } = engine.values;
  const formsOf = new Map(matches.map((match) => [match, formsIn(match)]));
  const forms = [...formsOf.values()].flatMap((byPatient) => [...byPatient.values()]);
  const numbers = await keepForms(inside, forms);
  const links: Scalar[][] = [];
  for (let i = 0; i < matches.length; i += insertedAtOnce) {
    const some = matches.slice(i, i + insertedAtOnce);
    const rows = some.map((match): Scalar[] => {
      const { id, created, type, direction, asker, patient, number = null, key = null } = match;
      const document = documentText(match, formsOf.get(match), numbers);
      const isFinding = finds(match) ? 1 : 0;
      return [id, time(created) as Scalar, type, direction, asker, patient.id, number, isFinding, key, document];
    });
    await inside.later(insertion(rows.length), rows.flat());
    for (const match of some) {
      for (const [id, { digest }] of formsOf.get(match) ?? []) links.push([match.id, id, numbers.get(digest) ?? null]);
    }
  }
  if (links.length === 0) return;
  await inside.later(
    `insert into ${found} (record, patient_id, form)
     select a.number, q.patient_id, q.form
     ${engine.lookUp(engine.bound({ record: 'text', patient_id: 'text', form: 'integer' }), records, 'a.id = q.record')}`,
    [json(links) as string],
  );
}

function insertion(rows: number): string {
  const columns = 'id, created, type, direction, asker, patient_id, patient_number, found, search, document';
  const values = Array.from({ length: rows }, () => '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  return `insert into ${records} (${columns}) values ${values.join(', ')}`;
}

/** The forms of the found patients by id: of several with one id, on different nodes, that of the first. */
function formsIn({ results }: NewMatch): Map<string, Form> {
  const forms = new Map<string, Form>();
  for (const { node, patients } of results) {
    for (const { patient } of patients) if (!forms.has(patient.id)) forms.set(patient.id, formOf(patient, node.id));
  }
  return forms;
}

/**
 * The JSON text of a `Document`, of texts that are there already. It refers to the forms; a patient whose id is also that of
 * another form is in the record itself.
 */
function documentText(
  { patient, results, errors, alsoSharing }: NewMatch,
  forms: ReadonlyMap<string, Form> | undefined,
  numbers: ReadonlyMap<string, number>,
): string {
  const nodes = results.map(({ node, patients }) => {
    const findings = patients.map(({ patient: one, score }) => {
      const { digest } = formOf(one, node.id);
      const form = forms?.get(one.id)?.digest === digest ? numbers.get(digest) : undefined;
      const whose = form === undefined ? `"patient":${jsonOf(one)}` : `"form":${form}`;
      return `{${whose},"score":${jsonOf(score)}}`;
    });
    return `{"node":${jsonOf(node)},"patients":[${findings.join(',')}]}`;
  });
  const also = alsoSharing === undefined ? '' : `,"alsoSharing":${alsoSharing}`;
  return `{"patient":${jsonOf(patient)},"results":[${nodes.join(',')}],"errors":${jsonOf(errors)}${also}}`;
}
