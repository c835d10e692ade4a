/**
 * coverage-cohorts@1 above tables: what the binding for SQL is compared with, and what adapters without one use. The blocks of a
 * layout go with it, so that nothing is left to sweep.
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
  type RowOf,
  small,
  type Tables,
  text,
  type Where,
} from '../../../core/storage.js';
import {
  blockChecksum,
  type CohortBlock,
  type CohortEntry,
  type CohortLayout,
  type CohortRepository,
  type CohortState,
  coverageCohorts,
} from './contract.js';

/** A caller that changes members or blocks of a build holds its row. `next` is the next column, `arranged` the end of the arranged ones. */
const layouts = defineTable({
  name: 'coverage_cohorts_layouts',
  columns: {
    number: generated(),
    id: text(),
    build: text(),
    thresholds: json<readonly number[]>(),
    sets: text(),
    version: integer(),
    next: small(),
    arranged: small(),
  },
  key: ['number'],
  unique: [['build']],
  indexes: [['id']],
});

const regions = defineTable({
  name: 'coverage_cohorts_regions',
  columns: { layout: small(), piece: small(), content: bytes() },
  key: ['layout', 'piece'],
});

/** Without a sample it is left. */
const columns = defineTable({
  name: 'coverage_cohorts_columns',
  columns: {
    layout: small(),
    place: small(),
    sample: optional(text()),
    counts: boolean(),
    entry: optional(json<CohortEntry>()),
  },
  key: ['layout', 'place'],
  indexes: [['sample']],
});

const blocks = defineTable({
  name: 'coverage_cohorts_blocks',
  columns: {
    layout: small(),
    part: small(),
    plane: small(),
    first: small(),
    stop: small(),
    checksum: integer(),
    content: bytes(),
  },
  key: ['layout', 'part', 'plane', 'first'],
});

/** A layout has versions that no former one had, also if it is the same again. */
const versions = 2 ** 24;

type StoredLayout = RowOf<typeof layouts.columns>;

function layoutOf({ id, build, thresholds, sets }: StoredLayout): CohortLayout {
  return { id, build: build as CohortLayout['build'], thresholds, sets };
}

async function stateOfCohort(moment: Tables, row: StoredLayout): Promise<CohortState> {
  const all = await moment.table(columns).find({ where: { layout: row.number }, order: ['place'] });
  const known = all.flatMap(({ place, counts, entry }) =>
    entry ? [{ counts, member: { ...entry, column: place } }] : [],
  );
  return {
    layout: layoutOf(row),
    version: row.version,
    columns: row.next,
    members: known.filter(({ counts }) => counts).map(({ member }) => member),
    suspended: known.filter(({ counts }) => !counts).map(({ member }) => member.column),
    left: all.filter(({ entry }) => entry === undefined).map(({ place }) => place),
  };
}

async function append(inside: Tables, layout: number, all: readonly CohortBlock[]): Promise<void> {
  await inside.table(blocks).append(all.map(({ from, to, ...rest }) => ({ ...rest, layout, first: from, stop: to })));
}

async function drop(inside: Tables, layout: number): Promise<void> {
  await inside.table(layouts).remove({ number: layout });
  await inside.table(regions).remove({ layout });
  await inside.table(columns).remove({ layout });
  await inside.table(blocks).remove({ layout });
}

/** Removes members of any of the layouts, which the caller holds, with their blocks of one column. */
async function leave(inside: Tables, all: readonly StoredLayout[], samples: readonly string[]): Promise<void> {
  for (const { layout, place } of await inside.table(columns).find({ where: { sample: { among: samples } } })) {
    await inside.table(blocks).remove({ layout, first: place, part: { below: 0 } });
    const isArranged = all.some(({ number, arranged }) => number === layout && place < arranged);
    if (isArranged) await inside.table(columns).change({ layout, place }, { sample: absent, entry: absent });
    else await inside.table(columns).remove({ layout, place });
  }
}

async function changed(inside: Tables, where: Where<StoredLayout> = {}): Promise<void> {
  await inside.table(layouts).change(where, { version: { plus: 1 } });
}

export default defineStore<CohortRepository>({
  contract: coverageCohorts,
  tables: [layouts, regions, columns, blocks],
  steps: { '001-cohorts': { tables: [layouts, regions, columns, blocks] } },
  repository: (tables) => ({
    async layouts() {
      return (await tables.table(layouts).find({ order: ['build'] })).map(layoutOf);
    },

    regions: (id) =>
      tables.snapshot(async (moment) => {
        const row = await moment.table(layouts).one({ id });
        if (row === undefined) return undefined;
        const found = await moment.table(regions).find({ where: { layout: row.number }, order: ['piece'] });
        return found.map(({ content }) => content);
      }),

    use: ({ id, build, thresholds, sets }, pieces) =>
      tables.transaction(async (inside) => {
        const known = await inside.table(layouts).one({ build });
        if (known?.id === id) {
          await inside.table(layouts).change({ id }, { sets });
          return;
        }
        if (known !== undefined) await drop(inside, known.number);
        const empty = { version: 0, next: 0, arranged: 0 };
        const row = await inside.table(layouts).add({ id, build, thresholds, sets, ...empty });
        // Another caller did the same.
        if (row === undefined) return;
        await inside.table(layouts).change({ id }, { version: row.number * versions });
        await inside.table(regions).append(pieces.map((content, piece) => ({ layout: row.number, piece, content })));
      }),

    clear: (build) =>
      tables.transaction(async (inside) => {
        const known = await inside.table(layouts).one({ build });
        if (known !== undefined) await drop(inside, known.number);
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
        const { sample } = entry;
        const [former] = await inside.table(columns).find({ where: { layout: own.number, sample } });
        if (former?.entry?.source === entry.source) {
          await inside.table(columns).change({ layout: own.number, place: former.place }, { counts: true });
        } else {
          await leave(inside, all, [sample]);
          const place = own.next;
          await inside.table(columns).append([{ layout: own.number, place, sample, counts: true, entry }]);
          const placed = added.map((block) => ({ ...block, from: place, to: place + 1 }));
          await append(
            inside,
            own.number,
            placed.map((block) => ({ ...block, checksum: blockChecksum(block) })),
          );
          await inside.table(layouts).change({ id }, { next: place + 1 });
        }
        await changed(inside);
        return true;
      }),

    suspend: (samples) =>
      tables.transaction(async (inside) => {
        await changed(inside);
        await inside.table(columns).change({ sample: { among: samples } }, { counts: false });
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
        const found = await moment.table(blocks).find({ where, order: ['part', 'plane', 'first'] });
        return {
          ...(row.version !== version && { state: await stateOfCohort(moment, row) }),
          blocks: found.map(({ layout: _, first, stop, ...rest }) => ({ ...rest, from: first, to: stop })),
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
        await inside.table(layouts).change({ id }, { arranged: Math.max(to, row.arranged) });
        await changed(inside, { id });
        return true;
      }),

    overwritten: (id, places) =>
      tables.transaction(async (inside) => {
        const row = await inside.table(layouts).one({ id });
        if (row === undefined) return;
        await changed(inside, { id });
        await inside.table(columns).remove({ layout: row.number, sample: absent, place: { among: places } });
      }),

    sweep: async () => 0,
  }),
});
