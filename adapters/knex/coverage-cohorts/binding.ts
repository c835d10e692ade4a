/** coverage-cohorts@1 on SQL. */
import { step } from '../../../core/storage.js';
import {
  type BlocksWanted,
  blockChecksum,
  type CohortBlock,
  type CohortEntry,
  type CohortRepository,
  coverageCohorts,
} from '../../../plugins/coverage/contract.js';
import { type Database, defineBinding } from '../binding.js';
import { bufferOfBytes, deleteOrphans, insertPieces } from '../pieces.js';
import {
  blockOfRow,
  blockRows,
  blocks,
  type CohortBlockRow,
  type CohortLayoutRow,
  type ColumnRow,
  columnRows,
  columns,
  countChange,
  layoutRow,
  layoutRows,
  layouts,
  lockedLayout,
  lockedLayouts,
  migrations,
  regions,
  stateIn,
} from './rows.js';

/** In one statement. */
const atOnce = { bytes: 2 ** 20, pieces: 400 };
/** A layout has versions that no former one had, also if it is the same again. */
const versions = 2 ** 24;
/** Blocks that are freed by one statement. */
const sweptAtOnce = 5000;

function repository(database: Database): CohortRepository {
  return {
    layouts: () =>
      database.run(async ({ read, engine }) => {
        const rows: CohortLayoutRow[] = await read(layouts).select(layoutRows.columns).orderBy('build');
        return rows.map((row) => layoutRows.read(engine.values, row));
      }),

    regions: (id) =>
      database.snapshot(async (scope) => {
        const row = await layoutRow(scope, { id });
        if (row === undefined) return undefined;
        const found: { content: Uint8Array }[] = await scope
          .read(regions)
          .select('content')
          .where({ layout: row.number })
          .orderBy('piece');
        return found.map(({ content }) => new Uint8Array(content));
      }),

    use: (layout, pieces) =>
      database.transaction(async (scope) => {
        const { write, engine } = scope;
        const { id, build, sets } = layout;
        const known = await lockedLayout(scope, { build });
        if (known?.id === id) {
          await write(layouts).where({ number: known.number }).update({ sets });
          return;
        }
        if (known !== undefined) await drop(scope, known);
        const thresholds = engine.values.json(layout.thresholds);
        const [row]: { number: number }[] = await write(layouts)
          .insert({ id, build, thresholds, sets, version: 0, columns: 0, arranged: 0 })
          .onConflict('build')
          .ignore()
          .returning('number');
        // Another process did the same.
        if (row === undefined) return;
        await write(layouts)
          .where({ number: row.number })
          .update({ version: row.number * versions });
        for (const [piece, content] of pieces.entries()) {
          await write(regions).insert({ layout: row.number, piece, content: bufferOfBytes(content) });
        }
        step('coverage.cohort.used');
      }),

    clear: (build) =>
      database.transaction(async (scope) => {
        const known = await lockedLayout(scope, { build });
        if (known !== undefined) await drop(scope, known);
      }),

    state: (build) =>
      database.snapshot(async (scope) => {
        const row = await layoutRow(scope, { build });
        return row && stateIn(scope, row);
      }),

    add: (id, entry, added) =>
      database.transaction(async (scope) => {
        const { write, engine } = scope;
        const all = await lockedLayouts(scope);
        const own = all.find((row) => row.id === id);
        if (own === undefined) return false;
        const { sample, source, ...facts } = entry;
        const kept = await write(columns)
          .where({ layout: own.number, sample, source })
          .update({ counts: engine.values.boolean(true) });
        if (kept === 0) {
          await leave(scope, all, [sample]);
          step('coverage.cohort.left');
          const place = own.columns;
          await write(columns).insert({
            ...{ layout: own.number, place, sample, source },
            counts: engine.values.boolean(true),
            facts: engine.values.json(facts satisfies Omit<CohortEntry, 'sample' | 'source'>),
          });
          const placed = added.map((block) => ({ ...block, from: place, to: place + 1 }));
          await insert(
            scope,
            own,
            placed.map((block) => ({ ...block, checksum: blockChecksum(block) })),
          );
          await write(layouts)
            .where({ number: own.number })
            .update({ columns: place + 1 });
          step('coverage.cohort.added');
        }
        for (const row of all) await countChange(scope, row);
        return true;
      }),

    suspend: (samples) =>
      database.transaction(async (scope) => {
        const { write, engine } = scope;
        const all = await lockedLayouts(scope);
        const query = write(columns).update({ counts: engine.values.boolean(false) });
        const found: number = await engine.whereIn(query, 'sample', [...new Set(samples)]);
        if (found > 0) for (const row of all) await countChange(scope, row);
      }),

    remove: (samples) =>
      database.transaction(async (scope) => {
        const all = await lockedLayouts(scope);
        await leave(scope, all, samples);
        for (const row of all) await countChange(scope, row);
      }),

    read: (id, wanted, version) =>
      database.snapshot(async (scope) => {
        const row = await layoutRow(scope, { id });
        if (row === undefined) return undefined;
        const isKnown = scope.engine.values.parseBig(row.version) === version;
        const found = await blocksOf(scope, row, wanted);
        return { ...(!isKnown && { state: await stateIn(scope, row) }), blocks: found };
      }),

    arrange: (id, version, { parts, from, to }, arranged) =>
      database.transaction(async (scope) => {
        const row = await lockedLayout(scope, { id });
        if (row === undefined || scope.engine.values.parseBig(row.version) !== version) return false;
        const query = scope.write(blocks).where({ layout: row.number });
        await scope.engine.whereIn(query, 'part', parts).where('first', '>=', from).where('stop', '<=', to).delete();
        await insert(scope, row, arranged);
        if (to > row.arranged) await scope.write(layouts).where({ number: row.number }).update({ arranged: to });
        await countChange(scope, row);
        return true;
      }),

    overwritten: (id, places) =>
      database.transaction(async (scope) => {
        const row = await lockedLayout(scope, { id });
        if (row === undefined) return;
        const query = scope.write(columns).where({ layout: row.number }).whereNull('sample');
        await scope.engine.whereIn(query, 'place', places).delete();
        await countChange(scope, row);
      }),

    sweep: () => deleteOrphans(database, { pieces: blocks, owner: 'layout', owners: layouts, atOnce: sweptAtOnce }),
  };
}

/** The blocks of the layout stay until they are swept: there may be millions. */
async function drop({ write }: Database, { number }: CohortLayoutRow): Promise<void> {
  await write(layouts).where({ number }).delete();
  await write(columns).where({ layout: number }).delete();
  await write(regions).where({ layout: number }).delete();
}

/** Removes members of any of the layouts, with their blocks of one column. */
async function leave(
  { write, engine }: Database,
  all: readonly CohortLayoutRow[],
  samples: readonly string[],
): Promise<void> {
  const query = write(columns).select(columnRows.columns);
  const found: ColumnRow[] = await engine.whereIn(query, 'sample', [...new Set(samples)]).orderBy('number');
  for (const { number, layout, place } of found) {
    await write(blocks).where({ layout, first: place }).where('part', '<', 0).delete();
    const { arranged } = all.find((row) => row.number === layout) as CohortLayoutRow;
    if (place >= arranged) await write(columns).where({ number }).delete();
    else await write(columns).where({ number }).update({ sample: null, source: null, facts: null });
  }
}

async function blocksOf(
  { read, engine }: Database,
  { number }: CohortLayoutRow,
  { parts, planes, columns: within }: BlocksWanted,
): Promise<CohortBlock[]> {
  const query = read(blocks).select('part', 'plane', 'first', 'stop', 'checksum', 'content').where({ layout: number });
  if (within !== undefined) query.where('first', '>=', within.from).where('stop', '<=', within.to);
  const chosen = engine.whereIn(engine.whereIn(query, 'part', [...new Set(parts)]), 'plane', [...new Set(planes)]);
  const rows: Omit<CohortBlockRow, 'number'>[] = await chosen.orderBy(['part', 'plane', 'first']);
  return rows.map((row) => blockOfRow(engine.values, row));
}

async function insert(scope: Database, { number }: CohortLayoutRow, all: readonly CohortBlock[]): Promise<void> {
  const rows = all.map(({ from, to, ...rest }) => ({ ...rest, layout: number, first: from, stop: to }));
  await insertPieces(scope, blocks, rows, atOnce);
}

export default defineBinding({
  contract: coverageCohorts,
  migrations,
  rows: [layoutRows, columnRows, blockRows],
  repository,
});
