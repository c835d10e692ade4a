/** matchmaker-matches@1 above tables. */
import {
  absent,
  defineStore,
  defineTable,
  Fault,
  firstRows,
  generated,
  integer,
  jsonOf,
  type NewRowOf,
  type Tables,
  text,
} from '../../../core/storage.js';
import {
  type MatchCounts,
  type MatchCursor,
  type MatchPage,
  type MatchRecord,
  type MatchRepository,
  matchmakerMatches,
  type NewMatch,
  type NodeResult,
} from './contract.js';
import {
  type Form,
  type FormNumbers,
  forms,
  formsOfMatch,
  found,
  keepForms,
  loose,
  numberOfForm,
  sweepForms,
} from './forms.js';
import {
  drop,
  type MatchRow,
  ours,
  placeOnly,
  queriesIn,
  records,
  removeOlder,
  removeQueries,
  resultsOf,
  scrubIn,
} from './records.js';

// Bindings see stores only.
export { type Form, type FormNumbers, forms, found, keepForms, today } from './forms.js';
export { placeOnly, type QueryFinder, queriesIn, records } from './records.js';

/** One row for each call, merged into one from time to time: with a counter, searches would wait for each other. */
export const tally = defineTable({
  name: 'matchmaker_matches_tally',
  columns: { id: generated(), requests: integer(), sent: integer() },
  key: ['id'],
});

export const genes = defineTable({ name: 'matchmaker_matches_genes', columns: { gene: text() }, key: ['gene'] });

/** In the order in which transactions hold their rows. */
const tablesOfContract = [records, found, forms, loose, tally, genes];

const without = ['document'] as const;
/** Queries by clients: later records for the same query have a key, and would keep it longer than its own retention time. */
const ofOthers = { ...ours, search: absent } as const;
/** The same as literals, so that the partial index of SQL applies. */
export const ofOthersInSql = "direction = 'incoming' and type = 'internal' and search is null";

// Adds records of searches, and counts searches.

/** What an adapter may do by statements of its own, since searches wait for it. */
export interface WaysToAdd {
  count(inside: Tables, matches: readonly NewMatch[]): Promise<void>;
  keep(inside: Tables, forms: readonly Form[]): Promise<FormNumbers>;
  /** Returns those of which another caller has added the key meanwhile. */
  insert(inside: Tables, records: readonly NewRecord[]): Promise<readonly NewMatch[]>;
}

/** The searches requested of this node; our searches on other nodes and later findings do not count. */
export function countedIn(matches: readonly NewMatch[]): Omit<MatchCounts, 'uniqueGenes'> & { genes: Set<string> } {
  const counted = matches.filter(({ direction, key }) => direction === 'incoming' && key === undefined);
  const sent = counted.flatMap(({ results }) => results.flatMap(({ patients }) => patients)).length;
  return { requests: counted.length, sent, genes: new Set(counted.flatMap(({ matchedGenes }) => matchedGenes)) };
}

async function count(inside: Tables, matches: readonly NewMatch[]): Promise<void> {
  const { requests, sent, genes: matched } = countedIn(matches);
  if (requests === 0) return;
  await inside.table(tally).append([{ requests, sent }]);
  await inside.table(genes).addMany([...matched].map((gene) => ({ gene })));
}

export function isFinding({ results }: NewMatch): boolean {
  return results.some(({ patients }) => patients.length > 0);
}

/** See `MatchRepository.add`. */
export async function addMatches(
  inside: Tables,
  matches: readonly NewMatch[],
  ways: WaysToAdd = { count, keep: keepForms, insert },
): Promise<void> {
  await ways.count(inside, matches);
  for (const group of groupsOf(matches)) {
    for (let left: readonly NewMatch[] = group; left.length > 0; ) {
      const kept: NewMatch[] = [];
      for (const match of left) if (await isKept(inside, match)) kept.push(match);
      left = kept.length > 0 ? await ways.insert(inside, await recordsOf(inside, kept, ways.keep)) : [];
    }
  }
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

/** Deletes the record of its key, unless only that one found patients: then the new one is not stored. */
async function isKept(inside: Tables, match: NewMatch): Promise<boolean> {
  const { key: search, errors } = match;
  const [before] = search === undefined ? [] : await inside.table(records).lock({ search }, { without });
  if (before?.found === 1 && !isFinding(match)) return false;
  if (before) await drop(inside, [before]);
  return isFinding(match) || errors.length > 0;
}

/** A record as it is added: its document as JSON text, and what it found. */
export interface NewRecord {
  match: NewMatch;
  /** The columns besides the document. */
  row: Omit<NewRowOf<typeof records.columns>, 'document'>;
  document: string;
  found: { patientId: string; form: number | undefined }[];
}

async function recordsOf(inside: Tables, matches: readonly NewMatch[], keep: WaysToAdd['keep']): Promise<NewRecord[]> {
  const formsOf = matches.map(formsOfMatch);
  const numbers = await keep(
    inside,
    formsOf.flatMap((byPatient) => [...byPatient.values()]),
  );
  return matches.map((match, i) => {
    const byPatient = formsOf[i] as ReadonlyMap<string, Form>;
    const { id, created, type, direction, asker, patient, number: patientNumber, key: search } = match;
    return {
      match,
      row: {
        ...{ id, created, type, direction, asker, patientId: patient.id, patientNumber, search },
        found: isFinding(match) ? 1 : 0,
      },
      document: documentText(match, byPatient, numbers),
      found: [...byPatient].map(([patientId, { digest }]) => ({ patientId, form: numbers.get(digest) })),
    };
  });
}

/** The JSON text of a `RecordDocument`, of texts that are there already. */
function documentText(
  { patient, results, errors, alsoSharing }: NewMatch,
  byPatient: ReadonlyMap<string, Form>,
  numbers: FormNumbers,
): string {
  const nodes = results.map(({ node, patients }) => {
    const findings = patients.map(({ patient: one, score }) => {
      const form = numberOfForm(one, node.id, byPatient, numbers);
      const whose = form === undefined ? `"patient":${jsonOf(one)}` : `"form":${form}`;
      return `{${whose},"score":${jsonOf(score)}}`;
    });
    return `{"node":${jsonOf(node)},"patients":[${findings.join(',')}]}`;
  });
  const also = alsoSharing === undefined ? '' : `,"alsoSharing":${alsoSharing}`;
  return `{"patient":${jsonOf(patient)},"results":[${nodes.join(',')}],"errors":${jsonOf(errors)}${also}}`;
}

async function insert(inside: Tables, all: readonly NewRecord[]): Promise<readonly NewMatch[]> {
  const taken: NewMatch[] = [];
  for (const { match, row, document, found: findings } of all) {
    const added = await inside.table(records).add({ ...row, document: JSON.parse(document) as MatchRow['document'] });
    if (added !== undefined) {
      await inside.table(found).append(findings.map((finding) => ({ record: added.number, ...finding })));
    } else if (match.key === undefined || (await inside.table(records).count({ search: match.key })) === 0) {
      throw new Fault('conflict', `There is already a record with the id "${match.id}"`);
    } else taken.push(match);
  }
  return taken;
}

/** If there are more rows than this, counting merges them into one. */
const mostTallied = 1000;

/** Of two concurrent merges, the second finds no row of the first: each writes back the sum of the rows that it held. */
function fold(tables: Tables): Promise<void> {
  return tables.transaction(async (inside) => {
    const some = await inside.table(tally).find({ order: ['id'], limit: 10 * mostTallied });
    const held = await inside.table(tally).lock({ id: { among: some.map(({ id }) => id) } });
    if (held.length === 0) return;
    await inside.table(tally).remove({ id: { among: held.map(({ id }) => id) } });
    const sumOf = (name: 'requests' | 'sent') => held.reduce((sum, row) => sum + row[name], 0);
    await inside.table(tally).append([{ requests: sumOf('requests'), sent: sumOf('sent') }]);
  });
}

// Lists records.

const newest = { order: ['created', 'number'], descending: true } as const;

/** A page, of which one record more than is shown is asked for. */
export type PlacesPage = Omit<MatchPage, 'signal'>;

/** Where the first records of a patient are, as the query or as what was found, newest first. */
export async function placesIn(moment: Tables, { patient, asker, after, limit }: PlacesPage): Promise<MatchCursor[]> {
  const finders = await moment.table(found).find({ where: { patientId: patient } });
  const all = { found: 1, ...(asker !== undefined && { asker }) };
  const number = { among: finders.map(({ record }) => record) };
  return firstRows(moment.table(records), {
    where: [
      { ...all, patientId: patient },
      { ...all, number },
    ],
    ...{ ...newest, limit, after, without: placeOnly },
  });
}

/** See `MatchRepository.matches`. An adapter may find the places by a statement of its own: a patient may be in many records. */
export async function listMatches(moment: Tables, page: MatchPage, placed = placesIn) {
  const { patient, asker, after, limit } = page;
  // Documents are read only of records on the page; one more than requested shows whether there are more.
  const places = await placed(moment, { patient, asker, after, limit: limit + 1 });
  const shown = places.slice(0, limit);
  const where = { number: { among: shown.map((place) => place.number) } };
  const rows = await moment.table(records).find({ where, ...newest });
  const results = await resultsOf(moment, rows);
  const last = places.length > limit ? shown.at(-1) : undefined;
  return {
    records: rows.flatMap((row) => recordOf(row, results.get(row.number) ?? [])),
    ...(last && { next: { created: last.created, number: last.number } }),
  };
}

/** None if nothing is left of what it found. */
function recordOf(row: MatchRow, results: NodeResult[]): MatchRecord[] {
  const { id, created, asker, patientNumber: number, document } = row;
  if (results.length === 0 && document.errors.length === 0) return [];
  const { type, direction } = row as Pick<MatchRecord, 'type' | 'direction'>;
  return [{ id, created, type, direction, asker, ...(number !== undefined && { number }), ...document, results }];
}

export const store = defineStore<MatchRepository>({
  contract: matchmakerMatches,
  tables: tablesOfContract,
  steps: {
    '003-shared-patients': {
      replaces: ['001-records', '002-exchange'],
      tables: tablesOfContract,
      sql: {
        lays: [['direction', 'type', 'asker', 'patientId', 'number']],
        up: [
          'create index matchmaker_matches_queries on matchmaker_matches_records (direction, type, asker, patient_id, number)',
        ],
        down: [],
      },
    },
    // Every saved patient is compared with the latest queries: they are found without reading other records, or documents.
    '004-latest-queries': {
      sql: {
        up: [
          `create index matchmaker_matches_latest on matchmaker_matches_records (asker, patient_id, number) where ${ofOthersInSql}`,
        ],
        down: ['drop index matchmaker_matches_latest'],
      },
    },
  },
  repository: (tables) => ({
    add: (...matches) => tables.transaction((inside) => addMatches(inside, matches)),

    matches: (page) => tables.snapshot((moment) => listMatches(moment, page), { signal: page.signal }),

    removeQueries: (patient, only) => tables.transaction((inside) => removeQueries(inside, patient, only)),
    scrub: (patient, node) => tables.transaction((inside) => scrubIn(inside, patient, node)),

    asked: async () => (await tables.table(records).find({ where: ofOthers, limit: 1, without })).length > 0,

    async latestQueries() {
      const rows = await tables.table(records).find({ where: ofOthers, order: ['number'], without });
      return [...new Map(rows.map((row) => [JSON.stringify([row.asker, row.patientId]), row.number])).values()];
    },

    queries: (numbers, sought) => tables.snapshot((moment) => queriesIn(moment, numbers, sought)),

    async expire(before) {
      const removed = await removeOlder(tables, before);
      await tables.transaction(sweepForms);
      return removed;
    },

    async counts() {
      const sums = { requests: 0, sent: 0 };
      let rows = 0;
      const uniqueGenes = await tables.snapshot(async (moment) => {
        for await (const { requests, sent } of moment.table(tally).each()) {
          sums.requests += requests;
          sums.sent += sent;
          rows += 1;
        }
        return moment.table(genes).count();
      });
      if (rows > mostTallied) await fold(tables);
      return { ...sums, uniqueGenes };
    },
  }),
});
