/**
 * coverage-cohorts@1 above tables. The blocks of a layout that is gone stay until they are swept, some at once: there may be
 * millions.
 */
import {
  absent,
  boolean,
  bytes,
  defineStore,
  defineTable,
  generated,
  integer,
  json,
  optional,
  person,
  type RowOf,
  small,
  step,
  type Tables,
  text,
  type Where,
} from '../../../core/storage.js';
import { builds } from '../intervals/interval.js';
import {
  blockChecksum,
  type CohortBlock,
  type CohortEntry,
  type CohortLayout,
  type CohortMember,
  type CohortRepository,
  type CohortState,
  coverageCohorts,
} from './contract.js';

/** A caller that changes members or blocks of a build holds its row. */
const layouts = defineTable({
  name: 'coverage_cohorts_layouts',
  columns: {
    number: generated(),
    id: text(),
    build: text(),
    thresholds: json<readonly number[]>(),
    sets: text(),
    version: integer(),
    // The next column.
    columns: small(),
    // The end of the last block of several columns.
    arranged: small(),
  },
  key: ['number'],
  unique: [['build']],
  sound: ({ build }) => (builds as readonly string[]).includes(build),
});

const regions = defineTable({
  name: 'coverage_cohorts_regions',
  columns: { number: generated(), layout: small(), piece: small(), content: bytes() },
  key: ['number'],
  unique: [['layout', 'piece']],
});

/** Without a sample, blocks may still have values of the column. */
const columns = defineTable({
  name: 'coverage_cohorts_columns',
  columns: {
    number: generated(),
    layout: small(),
    place: small(),
    sample: person(optional(text())),
    source: person(optional(text())),
    counts: boolean(),
    facts: person(optional(json<Omit<CohortEntry, 'sample' | 'source'>>())),
  },
  key: ['number'],
  unique: [['sample'], ['layout', 'place']],
  sound: ({ sample, source, facts }) => sample === undefined || (source !== undefined && facts !== undefined),
});

const blocks = defineTable({
  name: 'coverage_cohorts_blocks',
  columns: {
    number: generated(),
    layout: small(),
    part: small(),
    plane: small(),
    first: small(),
    stop: small(),
    checksum: integer(),
    content: person(bytes()),
  },
  key: ['number'],
  unique: [['layout', 'part', 'plane', 'first']],
  // Readers of a block compare its checksum: here it would be computed twice.
  isIntact: ({ part, plane, first, stop, checksum, content }) =>
    blockChecksum({ part, plane, from: first, to: stop, content }) === checksum,
});
/** In the order of an index. */
const orderOfBlocks = ['layout', 'part', 'plane', 'first'] as const;

/** A layout has versions that no former one had, also if it is the same again. */
const versions = 2 ** 24;
/** Blocks that are freed by one statement. */
const sweptAtOnce = 5000;

type StoredLayout = RowOf<typeof layouts.columns>;

function layoutOf({ id, build, thresholds, sets }: StoredLayout): CohortLayout {
  return { id, build: build as CohortLayout['build'], thresholds, sets };
}

function blockOf({ part, plane, first, stop, checksum, content }: RowOf<typeof blocks.columns>): CohortBlock {
  return { part, plane, from: first, to: stop, checksum, content };
}

async function stateOfCohort(moment: Tables, row: StoredLayout): Promise<CohortState> {
  const members: CohortMember[] = [];
  const suspended: number[] = [];
  const left: number[] = [];
  const where = { layout: row.number };
  for (const column of await moment.table(columns).find({ where, order: ['layout', 'place'] })) {
    const { sample, source, facts, place } = column;
    if (sample === undefined || source === undefined || facts === undefined) left.push(place);
    else if (!column.counts) suspended.push(place);
    else members.push({ sample, source, ...facts, column: place });
  }
  return { layout: layoutOf(row), version: row.version, columns: row.columns, members, suspended, left };
}

async function append(inside: Tables, layout: number, all: readonly CohortBlock[]): Promise<void> {
  await inside.table(blocks).append(all.map(({ from, to, ...rest }) => ({ ...rest, layout, first: from, stop: to })));
}

async function drop(inside: Tables, { number: layout }: StoredLayout): Promise<void> {
  await inside.table(layouts).remove({ number: layout });
  await inside.table(regions).remove({ layout });
  await inside.table(columns).remove({ layout });
}

/** Removes members of any of the layouts, which the caller holds, with their blocks of one column. */
async function leave(inside: Tables, all: readonly StoredLayout[], samples: readonly string[]): Promise<void> {
  const found = await inside.table(columns).find({ where: { sample: { among: samples } } });
  for (const { number, layout, place } of found) {
    await inside.table(blocks).remove({ layout, first: place, part: { below: 0 } });
    const isArranged = all.some((row) => row.number === layout && place < row.arranged);
    if (!isArranged) await inside.table(columns).remove({ number });
    else await inside.table(columns).change({ number }, { sample: absent, source: absent, facts: absent });
  }
}

async function changed(inside: Tables, where: Where<StoredLayout> = {}): Promise<void> {
  await inside.table(layouts).change(where, { version: { plus: 1 } });
}

/** Removes blocks of layouts that are gone; returns how many. */
async function sweep(tables: Tables): Promise<number> {
  const found = { order: orderOfBlocks, without: ['content'], latest: true } as const;
  let freed = 0;
  for (let after = 0; ; ) {
    const [first] = await tables.table(blocks).find({ where: { layout: { above: after } }, limit: 1, ...found });
    if (first === undefined) return freed;
    const { layout } = first;
    if ((await tables.table(layouts).count({ number: layout }, { latest: true })) > 0) after = layout;
    else {
      const gone = await tables.table(blocks).find({ where: { layout }, limit: sweptAtOnce, ...found });
      freed += await tables.table(blocks).remove({ number: { among: gone.map(({ number }) => number) } });
    }
  }
}

export const store = defineStore<CohortRepository>({
  contract: coverageCohorts,
  tables: [layouts, regions, columns, blocks],
  steps: { '001-layouts-and-blocks': { tables: [layouts, regions, columns, blocks] } },
  repository: (tables) => ({
    async layouts() {
      return (await tables.table(layouts).find({ order: ['build'] })).map(layoutOf);
    },

    regions: (id) =>
      tables.snapshot(async (moment) => {
        const row = await moment.table(layouts).one({ id });
        if (row === undefined) return undefined;
        const found = await moment.table(regions).find({ where: { layout: row.number }, order: ['layout', 'piece'] });
        return found.map(({ content }) => content);
      }),

    use: ({ id, build, thresholds, sets }, pieces) =>
      tables.transaction(async (inside) => {
        const [known] = await inside.table(layouts).lock({ build });
        if (known?.id === id) {
          await inside.table(layouts).change({ number: known.number }, { sets });
          return;
        }
        if (known !== undefined) await drop(inside, known);
        const empty = { columns: 0, arranged: 0 };
        const row = await inside.table(layouts).add({ id, build, thresholds, sets, version: 0, ...empty });
        // Another caller did the same.
        if (row === undefined) return;
        await inside.table(layouts).change({ number: row.number }, { version: row.number * versions });
        await inside.table(regions).append(pieces.map((content, piece) => ({ layout: row.number, piece, content })));
        step('coverage.cohort.used');
      }),

    clear: (build) =>
      tables.transaction(async (inside) => {
        const [known] = await inside.table(layouts).lock({ build });
        if (known !== undefined) await drop(inside, known);
      }),

    state: (build) =>
      tables.snapshot(async (moment) => {
        const row = await moment.table(layouts).one({ build });
        return row && stateOfCohort(moment, row);
      }),

    add: (id, entry, added) =>
      tables.transaction(async (inside) => {
        const all = await inside.table(layouts).lock({});
        const own = all.find((row) => row.id === id);
        if (own === undefined) return false;
        const { sample, source, ...facts } = entry;
        const layout = own.number;
        if ((await inside.table(columns).change({ layout, sample, source }, { counts: true })) === 0) {
          await leave(inside, all, [sample]);
          step('coverage.cohort.left');
          const place = own.columns;
          await inside.table(columns).append([{ layout, place, sample, source, counts: true, facts }]);
          const placed = added.map((block) => ({ ...block, from: place, to: place + 1 }));
          await append(
            inside,
            layout,
            placed.map((block) => ({ ...block, checksum: blockChecksum(block) })),
          );
          await inside.table(layouts).change({ number: layout }, { columns: place + 1 });
          step('coverage.cohort.added');
        }
        await changed(inside);
        return true;
      }),

    suspend: (samples) =>
      tables.transaction(async (inside) => {
        await inside.table(layouts).lock({});
        const found = await inside.table(columns).change({ sample: { among: samples } }, { counts: false });
        if (found > 0) await changed(inside);
      }),

    remove: (samples) =>
      tables.transaction(async (inside) => {
        await leave(inside, await inside.table(layouts).lock({}), samples);
        await changed(inside);
      }),

    read: (id, { parts, planes, columns: within }, version) =>
      tables.snapshot(async (moment) => {
        const row = await moment.table(layouts).one({ id });
        if (row === undefined) return undefined;
        const place = within && { first: { atLeast: within.from }, stop: { atMost: within.to } };
        const where = { layout: row.number, part: { among: parts }, plane: { among: planes }, ...place };
        const found = await moment.table(blocks).find({ where, order: orderOfBlocks });
        return {
          ...(row.version !== version && { state: await stateOfCohort(moment, row) }),
          blocks: found.map(blockOf),
        };
      }),

    arrange: (id, version, { parts, from, to }, arranged) =>
      tables.transaction(async (inside) => {
        const [row] = await inside.table(layouts).lock({ id, version });
        if (row === undefined) return false;
        const { number: layout } = row;
        const replaced = { layout, part: { among: parts }, first: { atLeast: from }, stop: { atMost: to } };
        await inside.table(blocks).remove(replaced);
        await append(inside, layout, arranged);
        const change = { arranged: Math.max(to, row.arranged), version: { plus: 1 } };
        await inside.table(layouts).change({ number: layout }, change);
        return true;
      }),

    overwritten: (id, places) =>
      tables.transaction(async (inside) => {
        const [row] = await inside.table(layouts).lock({ id });
        if (row === undefined) return;
        await changed(inside, { number: row.number });
        await inside.table(columns).remove({ layout: row.number, sample: absent, place: { among: places } });
      }),

    sweep: () => sweep(tables),
  }),
});
