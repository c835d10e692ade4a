/**
 * What is known of samples beside their alleles. A sample exists if a published segment names it; its row here says the rest.
 * A sample whose row is damaged or missing counts as one of which nothing is known.
 */
import { Fault } from '../../../core/storage.js';
import {
  afterImport,
  type Chromosomes,
  changedFacts,
  contigs,
  isTermId,
  type OntologyTerm,
  type Sample,
  type SampleChange,
  type SampleLabel,
  type Search,
  type Sex,
  sameFacts,
  sameSearch,
  sampleLabels,
  searchedWith,
  searchedWithout,
  sexes,
  unknownFacts,
} from '../../../plugins/beacon/contract.js';
import type { Database, Engine, Scalar } from '../binding.js';
import { intact, readRows, type StoredRows } from '../rows.js';
import { listSamples } from './datasets.js';

interface SampleFactsRow {
  id: number;
  name: string;
  case_id: string;
  sex: Sex;
  affected: number | null;
  labels: unknown;
  coverage_id: string | null;
  phenotypes: unknown;
  diseases: unknown;
  added: unknown;
  searched_small: number;
  searched_structural: number;
  /** Null if none. */
  later_small: number | null;
  later_structural: number | null;
  unsearched: unknown;
}

const table = 'beacon_sample_facts';

export const sampleRows: StoredRows<SampleFactsRow, Sample> = {
  table,
  key: 'id',
  columns: [
    'id',
    'name',
    'case_id',
    'sex',
    'affected',
    'labels',
    'added',
    'searched_small',
    'searched_structural',
    'coverage_id',
    'phenotypes',
    'diseases',
    'later_small',
    'later_structural',
    'unsearched',
  ],
  read: (values, row) => {
    const flags = [row.affected ?? 0, row.searched_small, row.searched_structural];
    intact(sexes.includes(row.sex) && flags.every((flag) => flag === 0 || flag === 1));
    const later = { small: row.later_small ?? 0, structural: row.later_structural ?? 0 };
    intact(Object.values(later).every((count) => Number.isSafeInteger(count) && count >= 0));
    return {
      name: row.name,
      case: row.case_id,
      sex: row.sex,
      affected: row.affected === null ? undefined : row.affected === 1,
      labels: row.labels === null ? {} : labelsOf(values.parseJson(row.labels)),
      coverageId: row.coverage_id ?? row.name,
      phenotypes: row.phenotypes === null ? [] : termsOf(values.parseJson(row.phenotypes)),
      diseases: row.diseases === null ? [] : termsOf(values.parseJson(row.diseases)),
      added: row.added === null ? undefined : values.parseTime(row.added),
      searched: { small: row.searched_small === 1, structural: row.searched_structural === 1 },
      ...(later.small + later.structural > 0 && { later }),
      ...(row.unsearched !== null && { unsearched: chromosomesOf(values.parseJson(row.unsearched)) }),
    };
  },
};

function labelsOf(stored: unknown): Sample['labels'] {
  intact(typeof stored === 'object' && stored !== null);
  const labels = Object.entries(stored);
  intact(labels.every(([label, text]) => sampleLabels.includes(label as SampleLabel) && typeof text === 'string'));
  return Object.fromEntries(labels);
}

function chromosomesOf(stored: unknown): Chromosomes {
  intact(typeof stored === 'object' && stored !== null);
  const read = Object.entries(stored);
  const isContig = (one: unknown) => contigs.some((contig) => contig === one);
  intact(
    read.every(([kind, those]) => /^(small|structural)$/.test(kind) && Array.isArray(those) && those.every(isContig)),
  );
  return Object.fromEntries(read);
}

function termsOf(stored: unknown): OntologyTerm[] {
  intact(Array.isArray(stored));
  return stored.map((term: unknown) => {
    intact(typeof term === 'object' && term !== null);
    const { id, label } = term as Partial<OntologyTerm>;
    intact(typeof id === 'string' && isTermId(id) && ['string', 'undefined'].includes(typeof label));
    return { id, ...(label !== undefined && { label }) };
  });
}

function valuesOf({ values }: Engine, dataset: string, sample: Sample): Scalar[] {
  return [
    dataset,
    sample.name,
    sample.case,
    sample.sex,
    sample.affected === undefined ? null : Number(sample.affected),
    Object.keys(sample.labels).length === 0 ? null : (values.json(sample.labels) as string),
    sample.added === undefined ? null : (values.time(sample.added) as Scalar),
    Number(sample.searched.small),
    Number(sample.searched.structural),
    sample.coverageId === sample.name ? null : sample.coverageId,
    sample.phenotypes.length === 0 ? null : (values.json(sample.phenotypes) as string),
    sample.diseases.length === 0 ? null : (values.json(sample.diseases) as string),
    sample.later?.small || null,
    sample.later?.structural || null,
    sample.unsearched === undefined ? null : (values.json(sample.unsearched) as string),
  ];
}

/** By name, in the order of the names. */
async function factsOf(database: Database, dataset: string, known?: readonly string[]): Promise<Map<string, Sample>> {
  const names = known ?? (await listSamples(database, dataset));
  const rows = await database.query<SampleFactsRow>(
    `select ${sampleRows.columns.join(', ')} from ${table} where dataset = ?`,
    [dataset],
  );
  const stored = new Map(readRows(database, sampleRows, rows).map((sample) => [sample.name, sample]));
  return new Map(names.map((name) => [name, stored.get(name) ?? unknownSample(name)]));
}

/** The cases that rows state of these samples, which may be leftovers of removed ones. */
export async function casesOfSamples(
  database: Database,
  dataset: string,
  names: readonly string[],
): Promise<Map<string, string>> {
  const { engine } = database;
  const found = engine.lookUp(engine.bound({ name: 'text' }), table, 'a.dataset = ? and a.name = q.name');
  const rows = await database.query<{ name: string; case_id: string }>(`select a.name, a.case_id ${found}`, [
    engine.values.json(names.map((name) => [name])) as string,
    dataset,
  ]);
  return new Map(rows.map(({ name, case_id }) => [name, case_id]));
}

function unknownSample(name: string): Sample {
  return { ...unknownFacts(name), name, added: undefined, searched: searchedForAll };
}

export const searchedForAll: Search & Sample['searched'] = { small: true, structural: true };

/**
 * By name. To be called in a snapshot or transaction, for one state of names and facts; `known` are the names in order, if
 * they were read there.
 */
export async function sampleFacts(database: Database, dataset: string, known?: readonly string[]): Promise<Sample[]> {
  return [...(await factsOf(database, dataset, known)).values()];
}

export function listSampleFacts(database: Database, dataset: string): Promise<Sample[]> {
  return database.snapshot((snapshot) => sampleFacts(snapshot, dataset));
}

async function write(scoped: Database, dataset: string, samples: readonly Sample[]): Promise<void> {
  const { engine } = scoped;
  await removeFacts(
    scoped,
    dataset,
    samples.map(({ name }) => name),
  );
  const [, ...columns] = sampleRows.columns;
  const rows = samples.map((sample) => valuesOf(engine, dataset, sample));
  await engine.append(scoped.write, table, ['dataset', ...columns], rows);
}

/** Returns true: that the samples are removed is a change, whether or not they have rows here. */
export async function removeFacts(
  { write, engine }: Database,
  dataset: string,
  names: readonly string[],
): Promise<boolean> {
  await engine.whereIn(write(table).where({ dataset }), 'name', names).delete();
  return true;
}

/** The facts that an import states of its samples. */
export interface ImportedFacts {
  facts: ReadonlyMap<string, SampleChange>;
  searched: Search;
}

interface AddedSamples {
  names: ReadonlySet<string>;
  /** Those of the names that the dataset has already. */
  there: ReadonlySet<string>;
  said: ImportedFacts;
  /** Whether what they were searched for before is replaced. */
  replaces: boolean;
  /** Whether the import adds calls, or samples that were not called. */
  isLater: boolean;
  now: Date;
}

/** Writes the facts that an import states of its samples, in the transaction that publishes it; returns whether any of it is new. */
export async function addFacts(
  scoped: Database,
  dataset: string,
  { names, there, said: { facts, searched }, replaces, isLater, now }: AddedSamples,
): Promise<boolean> {
  const known = there.size > 0 ? await factsOf(scoped, dataset) : new Map<string, Sample>();
  const changed: Sample[] = [];
  for (const name of names) {
    // A row of a sample that the dataset does not have is a leftover.
    const before = there.has(name) ? known.get(name) : undefined;
    const { unsearched: _, ...said } = changedFacts(
      before ?? { ...unknownSample(name), added: now },
      facts.get(name) ?? {},
    );
    const sample: Sample = {
      ...said,
      ...searchedWith(before && replaces ? searchedWithout(before, searched) : before, searched),
      ...(before && isLater && afterImport(before, searched)),
    };
    if (!before || isLater || !sameFacts(before, sample) || !sameSearch(before, sample)) changed.push(sample);
  }
  if (changed.length > 0) await write(scoped, dataset, changed);
  return changed.length > 0;
}

export async function describeSamples(
  database: Database,
  dataset: string,
  changes: ReadonlyMap<string, SampleChange>,
  now: Date,
): Promise<number> {
  return database.transaction(async (scoped) => {
    const { write: into, engine } = scoped;
    const found = await engine.forUpdate(into('beacon_datasets').where({ id: dataset })).first();
    if (!found) throw new Fault('not-found', `There is no dataset "${dataset}"`);
    const known = await factsOf(scoped, dataset);
    const changed: Sample[] = [];
    for (const [name, change] of changes) {
      const before = known.get(name);
      if (!before) throw new Fault('not-found', `Dataset "${dataset}" lacks one of the samples`);
      const sample = changedFacts(before, change);
      if (!sameFacts(before, sample)) changed.push(sample);
    }
    if (changed.length === 0) return 0;
    await write(scoped, dataset, changed);
    const revision = engine.values.parseBig(found.revision) + 1;
    await into('beacon_datasets')
      .where({ id: dataset })
      .update({ revision, updated: engine.values.time(now) });
    return changed.length;
  });
}
