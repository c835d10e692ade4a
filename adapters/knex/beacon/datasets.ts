/** Descriptions of datasets, their totals, and the batches in which their samples count for others. */
import { randomBytes, randomInt } from 'node:crypto';
import { Fault } from '../../../core/storage.js';
import {
  type AccessType,
  type Assembly,
  accessTypes,
  assemblies,
  type CountingRules,
  type Dataset,
  type DatasetDescription,
  sameDescription,
} from '../../../plugins/beacon/contract.js';
import type { Database, Engine } from '../binding.js';
import { intact, readRow, readRows, type StoredRows } from '../rows.js';

export interface StoredDatasetRow {
  id: string;
  name: string;
  assembly: Assembly;
  access: AccessType;
  version: number;
  description: string | null;
  external_url: string | null;
  created: unknown;
  updated: unknown;
  allele_count: unknown;
  call_count: unknown;
  sample_count: unknown;
  counting: unknown;
  aligned_to: string | null;
}

const datasetTable = 'beacon_datasets';

/** Damaged rows are left out: their access level cannot be trusted. */
export const datasetRows: StoredRows<StoredDatasetRow, Dataset> = {
  table: datasetTable,
  key: 'id',
  columns: [
    'id',
    'name',
    'assembly',
    'access',
    'version',
    'description',
    'external_url',
    'created',
    'updated',
    'allele_count',
    'call_count',
    'sample_count',
    'counting',
    'aligned_to',
  ],
  read(values, row) {
    intact(assemblies.includes(row.assembly) && accessTypes.includes(row.access));
    const dataset: Dataset = {
      id: row.id,
      name: row.name,
      assembly: row.assembly,
      access: row.access,
      version: row.version,
      created: values.parseTime(row.created),
      updated: values.parseTime(row.updated),
      alleleCount: values.parseBig(row.allele_count),
      callCount: values.parseBig(row.call_count),
      sampleCount: values.parseBig(row.sample_count),
    };
    intact([dataset.alleleCount, dataset.callCount, dataset.sampleCount].every(Number.isSafeInteger));
    if (row.description !== null) dataset.description = row.description;
    if (row.external_url !== null) dataset.externalUrl = row.external_url;
    if (row.counting !== null) dataset.counting = countingOf(values.parseJson(row.counting));
    if (row.aligned_to !== null) dataset.alignedTo = row.aligned_to;
    return dataset;
  },
};

function countingOf(stored: unknown): CountingRules {
  intact(typeof stored === 'object' && stored !== null);
  const { passOnly, window, ...others } = stored as Partial<CountingRules>;
  const { quality, threshold, minimumHeteroplasmy } = others;
  intact(typeof passOnly === 'boolean' && typeof window === 'number');
  const numbers = Object.entries({ quality, threshold, minimumHeteroplasmy }).filter(([, one]) => one !== undefined);
  intact(numbers.every(([, one]) => typeof one === 'number'));
  return { passOnly, window, ...Object.fromEntries(numbers) };
}

const selection = `select ${datasetRows.columns.join(', ')} from ${datasetTable}`;

export async function listDatasets(database: Database): Promise<Dataset[]> {
  const rows = await database.query<StoredDatasetRow>(selection, []);
  return readRows(database, datasetRows, rows).sort((a, b) => (a.id < b.id ? -1 : 1));
}

export async function findDataset(database: Database, id: string): Promise<Dataset | undefined> {
  const [row] = await database.query<StoredDatasetRow>(`${selection} where id = ?`, [id]);
  return row && readRow(database, datasetRows, row);
}

function columnsOf({ values }: Engine, description: DatasetDescription): Record<string, unknown> {
  return {
    name: description.name,
    assembly: description.assembly,
    access: description.access,
    version: description.version,
    description: description.description ?? null,
    external_url: description.externalUrl ?? null,
    counting: description.counting === undefined ? null : values.json(description.counting),
  };
}

export async function addDataset(database: Database, description: DatasetDescription, now: Date): Promise<void> {
  const time = database.engine.values.time(now);
  const added = await database.run(({ write }) =>
    write(datasetTable)
      .insert({
        id: description.id,
        ...columnsOf(database.engine, description),
        created: time,
        updated: time,
        allele_count: 0,
        call_count: 0,
        sample_count: 0,
        // A dataset that is added again never comes to a revision of the one before, whose samples may still be remembered.
        revision: randomInt(2 ** 40),
        salt: newSalt(),
      })
      .onConflict('id')
      .ignore()
      .returning('id'),
  );
  if (added.length === 0) throw new Fault('conflict', `There is already a dataset "${description.id}"`);
}

function newSalt(): string {
  return randomBytes(32).toString('base64url');
}

/** Datasets that an earlier release added get theirs when it is first needed. */
export async function saltOfDataset(database: Database, id: string): Promise<string | undefined> {
  const [row] = await database.query<{ salt: string | null }>(`select salt from ${datasetTable} where id = ?`, [id]);
  if (!row || row.salt !== null) return row?.salt ?? undefined;
  return database.transaction(async ({ write, engine }) => {
    const found = await engine.forUpdate(write(datasetTable).where({ id })).first();
    if (!found || found.salt !== null) return found?.salt ?? undefined;
    const salt = newSalt();
    await write(datasetTable).where({ id }).update({ salt });
    return salt;
  });
}

export async function updateDataset(
  database: Database,
  description: DatasetDescription,
  now: Date,
  from: DatasetDescription | undefined,
): Promise<boolean> {
  return database.transaction(async ({ write, engine }) => {
    const found = await engine.forUpdate(write(datasetTable).where({ id: description.id })).first();
    if (!found || (from && !sameDescription(datasetRows.read(engine.values, found), from))) return false;
    if (found.assembly !== description.assembly && engine.values.parseBig(found.sample_count) > 0) {
      throw new Fault(
        'conflict',
        `Dataset "${description.id}" holds samples of ${found.assembly}: its assembly cannot change`,
      );
    }
    await write(datasetTable)
      .where({ id: description.id })
      .update({
        ...columnsOf(engine, description),
        // Of another assembly, that reference says nothing.
        ...(found.assembly !== description.assembly && { aligned_to: null }),
        updated: engine.values.time(now),
        // An import that began under the old assembly finds out.
        revision: write.raw('revision + 1'),
      });
    return true;
  });
}

export async function listSamples(database: Database, dataset: string): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    'select distinct s.name from beacon_segments g join beacon_samples s on s.segment = g.id ' +
      "where g.dataset = ? and g.state = 'published'",
    [dataset],
  );
  // Code-unit order is JavaScript's own; the engines compare bytes, which differs beyond the basic plane.
  return rows.map(({ name }) => name).sort();
}

// The batches in which samples of a dataset count for others.

const batchTable = 'beacon_batches';

interface BatchRow {
  id: number;
  members: unknown;
}

export const batchRows: StoredRows<BatchRow, { members: string[] }> = {
  table: batchTable,
  key: 'id',
  columns: ['id', 'members'],
  read: ({ parseJson }, row) => {
    const members = parseJson(row.members);
    intact(Array.isArray(members) && members.every((member) => typeof member === 'string'));
    return { members };
  },
};

export async function listBatches(database: Database, dataset: string, series: string): Promise<string[][]> {
  const rows = await database.query<BatchRow>(
    `select ${batchRows.columns.join(', ')} from ${batchTable} where dataset = ? and series = ? order by number`,
    [dataset, series],
  );
  const batches = readRows(database, batchRows, rows);
  // Without a batch its members would begin to count in another one.
  if (batches.length < rows.length) throw new Fault('unavailable', `A stored batch of dataset "${dataset}" is damaged`);
  return batches.map(({ members }) => members);
}

export async function addBatches(
  database: Database,
  dataset: string,
  series: string,
  after: number,
  batches: readonly (readonly string[])[],
): Promise<boolean> {
  return database.transaction(async ({ write, engine }) => {
    // Callers of one dataset wait for each other here.
    const found = await engine.forUpdate(write('beacon_datasets').where({ id: dataset })).first();
    if (!found) return false;
    const [row] = await write(batchTable).where({ dataset, series }).count({ known: '*' });
    if (Number(row?.known) !== after) return false;
    for (const [i, members] of batches.entries()) {
      await write(batchTable).insert({ dataset, series, number: after + i, members: engine.values.json(members) });
    }
    return true;
  });
}
