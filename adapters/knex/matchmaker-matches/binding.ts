/**
 * matchmaker-matches@1 on SQL: adds records of searches, many with few statements, counts searches, and finds the queries of
 * other nodes and clients.
 */
import { jsonOf } from '../../../core/storage.js';
import {
  hasId,
  type KeptQuery,
  type MatchCounts,
  type MatchRepository,
  matchmakerMatches,
  type NewMatch,
  type Patient,
} from '../../../plugins/matchmaker/contract.js';
import { type Database, defineBinding, type Engine, type Scalar } from '../binding.js';
import { intact, readRows, refuseUnstorable, type StoredRows } from '../rows.js';
import {
  type Form,
  formOfPatient,
  formRows,
  foundPatients,
  keepForms,
  migrations,
  ofOthers,
  patientsOfForms,
  records,
} from './forms.js';
import { deleteHeld, expireMatches, listMatches, recordRows, removeQueries, scrub } from './records.js';

// Adds records of searches, many with few statements, and counts searches.

function addMatches(database: Database, matches: readonly NewMatch[]): Promise<void> {
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
    for (const { patient } of patients)
      if (!forms.has(patient.id)) forms.set(patient.id, formOfPatient(patient, node.id));
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
      const { digest } = formOfPatient(one, node.id);
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

async function counts(database: Database): Promise<MatchCounts> {
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

// Queries of other nodes and clients.

async function hasQueries(database: Database): Promise<boolean> {
  const rows = await database.query(`select 1 as found from ${records} where ${ofOthers} limit 1`, []);
  return rows.length > 0;
}

async function latestQueries(database: Database): Promise<number[]> {
  const { engine } = database;
  const latest = `select max(number) as number from ${records} where ${ofOthers} group by asker, patient_id order by 1`;
  const [row] = await database.query<{ lists: unknown }>(engine.lists(latest, ['number']), []);
  return (engine.values.parseJson(row?.lists) as [number[]])[0];
}

interface QueryRow {
  number: number;
  asker: string;
  patient_number: number | null;
  /** The query alone: what a search found can be a thousand times as long. */
  patient: unknown;
}

const queryRows: StoredRows<QueryRow, KeptQuery> = {
  table: records,
  key: 'number',
  columns: ['number', 'asker', 'patient_number', 'patient'],
  read(values, { number, asker, patient_number: stored, patient: document }) {
    const patient = values.parseJson(document);
    intact(hasId(patient));
    return { number, asker, patient: patient as Patient, ...(stored === null ? {} : { stored }) };
  },
};

async function queries(database: Database, numbers: readonly number[], sought?: string): Promise<KeptQuery[]> {
  const { engine } = database;
  const rows = await database.query<QueryRow>(
    `select a.number, a.asker, a.patient_number, ${engine.member('a.document', 'patient')} as patient
     ${engine.lookUp(engine.bound({ number: 'integer' }), records, 'a.number = q.number')}`,
    [engine.values.json(numbers.map((number) => [number])) as string],
  );
  const kept = readRows(database, queryRows, rows);
  return sought === undefined ? kept : withFindings(database, kept, sought);
}

interface FindingRow {
  query: number;
  record: number;
  form: number | null;
}

/** Of records it reads no documents, and each form of the patient once. */
async function withFindings(database: Database, kept: readonly KeptQuery[], sought: string): Promise<KeptQuery[]> {
  const { engine } = database;
  const ofPatient = `from ${foundPatients} f where f.record = a.number and f.patient_id = ?`;
  const same = "a.direction = 'incoming' and a.type = 'internal' and a.asker = q.asker and a.patient_id = q.patient";
  const bound = engine.bound({ number: 'integer', asker: 'text', patient: 'text' });
  const rows = await database.query<FindingRow>(
    `select q.number as query, a.number as record, (select f.form ${ofPatient}) as form
     ${engine.lookUp(bound, records, `${same} and exists (select 1 ${ofPatient})`)}`,
    findingBindings(),
  );
  const forms = await patientsOfForms(
    database,
    rows.flatMap(({ form }) => form ?? []),
  );
  const findings = new Map(kept.map(({ number }) => [number, [] as { record: number; patient: Patient }[]]));
  for (const { query, record, form } of rows.sort((one, other) => other.record - one.record)) {
    const patient = form === null ? await inRecord(database, record, sought) : forms.get(form);
    if (patient) findings.get(query)?.push({ record, patient });
  }
  return kept.map((query) => ({ ...query, findings: findings.get(query.number) ?? [] }));

  function findingBindings(): Scalar[] {
    const asked = engine.values.json(kept.map(({ number, asker, patient }) => [number, asker, patient.id])) as string;
    return [sought, asked, sought];
  }
}

/** A patient in the document of its record, as records of earlier versions have it. */
async function inRecord(database: Database, number: number, sought: string): Promise<Patient | undefined> {
  const rows = await database.run(({ read }) => read(records).select(recordRows.columns).where({ number }));
  for (const { results } of readRows(database, recordRows, rows)) {
    for (const one of results.flatMap(({ patients }) => patients)) {
      if ('patient' in one && one.patient.id === sought) return one.patient;
    }
  }
  return undefined;
}

function repository(database: Database): MatchRepository {
  return {
    add: (...matches) => addMatches(database, matches),
    matches: (page) => listMatches(database, page),
    removeQueries: (patient, only) => removeQueries(database, patient, only),
    scrub: (patient, node) => scrub(database, patient, node),
    asked: () => hasQueries(database),
    latestQueries: () => latestQueries(database),
    queries: (numbers, found) => queries(database, numbers, found),
    expire: (before) => expireMatches(database, before),
    counts: () => counts(database),
  };
}

export default defineBinding({ contract: matchmakerMatches, migrations, rows: [recordRows, formRows], repository });
