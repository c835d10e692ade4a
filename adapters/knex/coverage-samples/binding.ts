/** coverage-samples@1 on SQL. */
import { randomUUID } from 'node:crypto';
import { Fault, step } from '../../../core/storage.js';
import {
  type CheckOutcome,
  chromosomes,
  coverageSamples,
  type RegistrationOutcome,
  type RunBlock,
  refuseRepeated,
  registered,
  type SampleDescription,
  type SampleRepository,
  type SampleRevision,
  type SampleRuns,
} from '../../../plugins/coverage/contract.js';
import { type Database, defineBinding } from '../binding.js';
import { readRow, readRows } from '../rows.js';
import { beginning } from '../select.js';
import { migrations, runs, samples } from './migrations.js';
import { blockOf, columnsOf, columnsOfCheck, type RunRow, runRows, type SampleRow, sampleRows } from './rows.js';

/** Samples, and blocks with their bytes, in one statement. */
const samplesAtOnce = 100;
const blocksAtOnce = 80;
const bytesAtOnce = 2 ** 21;
/** How often a sample that disappears while it is registered is registered anew. */
const attempts = 5;

function repository(database: Database): SampleRepository {
  return {
    async register(given, now) {
      refuseRepeated(given);
      if (given.length === 0) return [];
      return database.transaction(async (scope) => {
        const outcomes = new Map<string, RegistrationOutcome>();
        let left: readonly SampleDescription[] = [...given].sort((a, b) => (a.id < b.id ? -1 : 1));
        for (let attempt = 0; left.length > 0; attempt++) {
          if (attempt === attempts) throw new Fault('conflict', 'The samples are being removed: try again');
          for (const id of await addNew(scope, left, now)) outcomes.set(id, 'added');
          step('coverage.register.added');
          const others = left.filter(({ id }) => !outcomes.has(id));
          for (const [id, outcome] of await describe(scope, others, now)) outcomes.set(id, outcome);
          left = left.filter(({ id }) => !outcomes.has(id));
        }
        step('coverage.register.described');
        return given.map(({ id }) => outcomes.get(id) as RegistrationOutcome);
      });
    },

    async find(ids, begins) {
      const rows: SampleRow[] = await database.run(({ read, engine }) => {
        const query = engine.whereIn(read(samples).select(sampleRows.columns), 'id', [...new Set(ids)]);
        return begins === undefined ? query : query.whereRaw(...beginning('place', begins));
      });
      return readRows(database, sampleRows, rows).sort((a, b) => (a.id < b.id ? -1 : 1));
    },

    async revisions(ids) {
      const rows: SampleRevision[] = await database.run(({ read, engine }) =>
        engine.whereIn(read(samples).select('id', 'revision', 'state'), 'id', [...new Set(ids)]).orderBy('id'),
      );
      return rows;
    },

    async list({ states, after, limit }) {
      // Ids have no characters beyond U+D7FF: their UTF-8 bytes have the order of their code units.
      const rows: SampleRow[] = await database.run(({ read, engine }) => {
        const query = read(samples).select(sampleRows.columns).orderBy('id').limit(limit);
        if (after !== undefined) query.where('id', '>', after);
        return states === undefined ? query : engine.whereIn(query, 'state', [...new Set(states)]);
      });
      return readRows(database, sampleRows, rows);
    },

    record: (id, revision, outcome) =>
      database.transaction(async (scope) => {
        const changed = await scope.write(samples).where({ id, revision }).update(columnsAfter(scope, outcome));
        if (changed === 0) return false;
        if (outcome.state === 'ready') await replaceRuns(scope, id, outcome.runs);
        return true;
      }),

    async runs(id, wanted) {
      const rows: RunRow[] = await database.run(({ read, engine }) => {
        const query = read(runs).select(runRows.columns).where({ sample: id }).orderBy(['chromosome', 'start']);
        const places = wanted?.map((one) => chromosomes.indexOf(one));
        return places === undefined ? query : engine.whereIn(query, 'chromosome', places);
      });
      return rows.map(blockOf);
    },

    async runsFrom(ids, chromosome, { start, end }) {
      // One statement, so that revision and blocks of a sample are of one moment.
      const rows: (RunRow & { sample: string; revision: string })[] = await database.run(({ read, engine }) => {
        const query = read(`${runs} as run`)
          .join(`${samples} as registered`, 'registered.id', 'run.sample')
          .where('run.chromosome', chromosomes.indexOf(chromosome))
          .where('run.start', '>=', start)
          .where('run.start', '<', end)
          .orderBy(['run.sample', 'run.start'])
          .select('run.sample', 'registered.revision', ...runRows.columns.map((column) => `run.${column}`));
        return engine.whereIn(query, 'run.sample', [...new Set(ids)]);
      });
      const found: (SampleRuns & { blocks: RunBlock[] })[] = [];
      for (const row of rows) {
        const { sample, revision } = row;
        const last = found.at(-1);
        if (last?.sample === sample) last.blocks.push(blockOf(row));
        else found.push({ sample, revision, blocks: [blockOf(row)] });
      }
      return found;
    },

    remove: (ids) =>
      database.transaction(async (scope) => {
        const { write, engine } = scope;
        const found = (await locked(scope, ids)).map(({ id }) => id);
        await engine.whereIn(write(samples), 'id', found).delete();
        step('coverage.unregister.removed');
        await engine.whereIn(write(runs), 'sample', found).delete();
        return found.length;
      }),
  };
}

/** Adds the samples that do not exist, and returns their ids. Two concurrent callers wait for each other here. */
async function addNew(scope: Database, given: readonly SampleDescription[], now: Date): Promise<string[]> {
  const added: string[] = [];
  for (let from = 0; from < given.length; from += samplesAtOnce) {
    const rows = given.slice(from, from + samplesAtOnce).map((description) => {
      const { sample } = registered(description, undefined, randomUUID(), now);
      return columnsOf(scope.engine.values, sample);
    });
    const inserted: { id: string }[] = await scope
      .write(samples)
      .insert(rows)
      .onConflict('id')
      .ignore()
      .returning('id');
    added.push(...inserted.map(({ id }) => id));
  }
  return added;
}

/**
 * Replaces what is stated of samples that exist; those that do not are left out. One whose row is damaged is added anew, without
 * a check.
 */
async function describe(
  scope: Database,
  given: readonly SampleDescription[],
  now: Date,
): Promise<Map<string, RegistrationOutcome>> {
  const { write, engine } = scope;
  const outcomes = new Map<string, RegistrationOutcome>();
  const ids = given.map(({ id }) => id);
  const rows = new Map((await locked(scope, ids)).map((row) => [row.id, row]));
  for (const description of given) {
    const row = rows.get(description.id);
    if (row === undefined) continue;
    const before = readRow(scope, sampleRows, row);
    const { outcome, sample } = registered(description, before, randomUUID(), now);
    if (outcome !== 'unchanged') {
      const columns = columnsOf(engine.values, sample);
      await write(samples)
        .where({ id: sample.id })
        .update(before === undefined ? { ...columns, checked: null, found: null } : columns);
    }
    outcomes.set(sample.id, outcome);
  }
  return outcomes;
}

/** The rows of those samples that exist, locked until the end of the transaction: always in one order, against deadlocks. */
async function locked({ write, engine }: Database, ids: readonly string[]): Promise<SampleRow[]> {
  if (ids.length === 0) return [];
  const query = engine.whereIn(write(samples).select(sampleRows.columns), 'id', [...new Set(ids)]).orderBy('id');
  return engine.forUpdate(query);
}

function columnsAfter({ engine }: Database, outcome: CheckOutcome): Record<string, unknown> {
  const { state } = outcome;
  if (state === 'failing') return { state, reason: outcome.reason };
  if (state === 'changed') return { state, reason: null };
  return { state, reason: null, revision: randomUUID(), ...columnsOfCheck(engine.values, outcome.check) };
}

async function replaceRuns({ write }: Database, sample: string, blocks: readonly RunBlock[]): Promise<void> {
  await write(runs).where({ sample }).delete();
  step('coverage.check.emptied');
  for (let from = 0, to = 0; from < blocks.length; from = to) {
    for (let bytes = 0; to < blocks.length && to < from + blocksAtOnce && bytes < bytesAtOnce; to++) {
      bytes += blocks[to]?.content.length ?? 0;
    }
    const rows = blocks.slice(from, to).map(({ chromosome, start, end, checksum, content }) => ({
      sample,
      chromosome: chromosomes.indexOf(chromosome),
      start,
      stop: end,
      checksum,
      content: Buffer.from(content.buffer, content.byteOffset, content.byteLength),
    }));
    await write(runs).insert(rows);
  }
  step('coverage.check.stored');
}

export default defineBinding({
  contract: coverageSamples,
  migrations,
  rows: [sampleRows, runRows],
  repository,
});
