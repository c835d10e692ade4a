/** Adds records of searches, many with few statements, and counts searches. */
import { jsonOf } from '../../../core/storage.js';
import type { MatchCounts, NewMatch } from '../../../plugins/matchmaker/contract.js';
import type { Database, Engine, Scalar } from '../binding.js';
import { refuseUnstorable } from '../rows.js';
import { type Form, formOf, keepForms } from './forms.js';
import { deleteHeld } from './records.js';
import { foundPatients, records } from './tables.js';

export function addMatches(database: Database, matches: readonly NewMatch[]): Promise<void> {
  return database.transaction(async (inside) => {
    await countSearches(inside, matches);
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
    `insert into ${foundPatients} (record, patient_id, form)
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

// Counts of searches.

const tally = 'matchmaker_matches_tally';
const genes = 'matchmaker_matches_genes';

/** If there are more rows than this, counting merges them into one. */
const loose = 1000;

/** Genes that are known to be counted, by storage: no gene is ever removed. */
const genesByEngine = new WeakMap<Engine, Set<string>>();
/** More than there are genes; clients may send others. */
const mostKnown = 100_000;

function knownGenes(engine: Engine): Set<string> {
  const genes = genesByEngine.get(engine) ?? new Set();
  genesByEngine.set(engine, genes);
  return genes;
}

/** Counts the searches requested of this node; our searches on other nodes and later findings do not count. */
async function countSearches(inside: Database, matches: readonly NewMatch[]): Promise<void> {
  const { engine } = inside;
  const counted = matches.filter(({ direction, key }) => direction === 'incoming' && key === undefined);
  if (counted.length === 0) return;
  const results = counted.flatMap((match) => match.results);
  const sent = results.reduce((sum, { patients }) => sum + patients.length, 0);
  await inside.later(`insert into ${tally} (requests, sent) values (?, ?)`, [counted.length, sent]);
  const known = knownGenes(engine);
  // In a fixed order, so that two of these cannot deadlock.
  const matched = [...new Set(counted.flatMap(({ matchedGenes }) => matchedGenes))]
    .filter((gene) => !known.has(gene))
    .sort();
  if (matched.length === 0) return;
  refuseUnstorable(matched);
  inside.onCommit(() => {
    if (known.size < mostKnown) for (const gene of matched) known.add(gene);
  });
  await inside.later(
    `insert into ${genes} (gene) select gene from ${engine.bound({ gene: 'text' })} q where true on conflict (gene) do nothing`,
    [engine.values.json(matched.map((gene) => [gene])) as string],
  );
}

export async function counts(database: Database): Promise<MatchCounts> {
  const { parseBig } = database.engine.values;
  const [[sums], [found]] = await Promise.all([
    database.query<{ number: unknown; requests: unknown; sent: unknown }>(
      'select count(*) as number, cast(coalesce(sum(requests), 0) as bigint) as requests, ' +
        `cast(coalesce(sum(sent), 0) as bigint) as sent from ${tally}`,
      [],
    ),
    database.query<{ number: unknown }>(`select count(*) as number from ${genes}`, []),
  ]);
  if (parseBig(sums?.number) > loose) await fold(database);
  return {
    requests: parseBig(sums?.requests),
    sent: parseBig(sums?.sent),
    uniqueGenes: parseBig(found?.number),
  };
}

/** Two concurrent merges take different rows: each writes back the sum of the rows that it took. */
async function fold(database: Database): Promise<void> {
  await database.transaction(async ({ write, engine }) => {
    const { parseBig } = engine.values;
    const taken = engine.skipLocked(write(tally).select('id', 'requests', 'sent'));
    const rows: { id: number; requests: unknown; sent: unknown }[] = await taken;
    if (rows.length === 0) return;
    let [requests, sent] = [0, 0];
    for (const row of rows) {
      requests += parseBig(row.requests);
      sent += parseBig(row.sent);
    }
    await engine
      .whereIn(
        write(tally),
        'id',
        rows.map(({ id }) => id),
      )
      .delete();
    await engine.append(write, tally, ['requests', 'sent'], [[requests, sent]]);
  });
}
