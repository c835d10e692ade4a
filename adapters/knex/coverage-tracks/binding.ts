/** coverage-tracks@1 on SQL: its tables, rows of callable tracks with their samples and blocks, and its repository. */
import { step } from '../../../core/storage.js';
import {
  builds,
  type Chromosome,
  chromosomes,
  coverageTracks,
  type PublishedTrack,
  type TrackBlock,
  type TrackKey,
  type TrackMember,
  type TrackRepository,
  trackChecksum,
} from '../../../plugins/coverage/contract.js';
import { type Database, defineBinding, type SchemaStep } from '../binding.js';
import { deleteOrphans, insertPieces } from '../pieces.js';
import { intact, type StoredRows } from '../rows.js';

const tracks = 'coverage_tracks_merged';
const members = 'coverage_tracks_members';
const blocks = 'coverage_tracks_blocks';

const tracksAndBlocks: SchemaStep = {
  async up(schema, { columns: column }) {
    await schema.schema.createTable(tracks, (table) => {
      table.increments('number');
      column.text(table, 'id').notNullable().unique();
      column.text(table, 'build').notNullable();
      table.integer('threshold').notNullable();
      column.time(table, 'begun').notNullable();
      // Null until the track counts.
      column.big(table, 'bytes');
    });
    await schema.schema.createTable(members, (table) => {
      table.increments('number');
      table.integer('track').notNullable();
      table.integer('place').notNullable();
      column.text(table, 'sample').notNullable();
      column.text(table, 'revision').notNullable();
      table.unique(['track', 'place']);
      table.index(['sample']);
    });
    await schema.schema.createTable(blocks, (table) => {
      table.increments('number');
      table.integer('track').notNullable();
      // Its place in the list of chromosomes.
      table.integer('chromosome').notNullable();
      table.integer('start').notNullable();
      column.big(table, 'checksum').notNullable();
      table.binary('content').notNullable();
      table.unique(['track', 'chromosome', 'start']);
    });
  },
  async down(schema) {
    await schema.schema.dropTable(blocks);
    await schema.schema.dropTable(members);
    await schema.schema.dropTable(tracks);
  },
};

const migrations = { '001-tracks-and-blocks': tracksAndBlocks };

// Rows of callable tracks, their samples and blocks.

interface TrackRow {
  number: number;
  id: string;
  build: TrackKey['build'];
  threshold: number;
  begun: unknown;
  bytes: unknown;
}

interface MemberRow extends TrackMember {
  number: number;
  track: number;
  place: number;
}

interface TrackBlockRow {
  number: number;
  track: number;
  chromosome: number;
  start: number;
  checksum: unknown;
  content: Uint8Array;
}

const trackRows: StoredRows<TrackRow, TrackKey> = {
  table: tracks,
  key: 'number',
  columns: ['number', 'id', 'build', 'threshold', 'begun', 'bytes'],
  read(_, { id, build, threshold }) {
    intact(builds.includes(build));
    return { id, build, threshold };
  },
};

const memberRows: StoredRows<MemberRow, TrackMember> = {
  table: members,
  key: 'number',
  columns: ['number', 'track', 'place', 'sample', 'revision'],
  read: (_, { sample, revision }) => ({ sample, revision }),
};

/** For the search for damage: a block is never left out of a result. */
const blockRows: StoredRows<TrackBlockRow, TrackBlock> = {
  table: blocks,
  key: 'number',
  columns: ['number', 'track', 'chromosome', 'start', 'checksum', 'content'],
  read(values, row) {
    const chromosome = chromosomes[row.chromosome];
    intact(chromosome !== undefined);
    const block = {
      chromosome,
      start: row.start,
      checksum: values.parseBig(row.checksum),
      content: new Uint8Array(row.content.buffer, row.content.byteOffset, row.content.length),
    };
    intact(trackChecksum(block) === block.checksum);
    return block;
  },
};

/** In one statement. */
const atOnce = { bytes: 2 ** 21, pieces: 80 };
/** Blocks that are freed by one statement. */
const sweptAtOnce = 500;

function repository(database: Database): TrackRepository {
  return {
    begin: ({ id, build, threshold, members: samples }, now) =>
      database.transaction(async ({ write, engine }) => {
        const begun = engine.values.time(now);
        const [row]: { number: number }[] = await write(tracks)
          .insert({ id, build, threshold, begun })
          .returning('number');
        const track = row?.number;
        if (samples.length > 0) {
          await write(members).insert(
            samples.map(({ sample, revision }, place) => ({ track, place, sample, revision })),
          );
        }
      }),

    add: (id, added) =>
      database.transaction(async (scope) => {
        const [row] = await locked(scope, [id]);
        if (row === undefined || row.bytes !== null) return false;
        await insert(scope, row.number, added);
        step('coverage.track.added');
        return true;
      }),

    publish: (id, bytes, replaced) =>
      database.transaction(async (scope) => {
        const rows = await locked(scope, [id, ...replaced]);
        const own = rows.find((row) => row.id === id);
        const others = rows.filter((row) => row.bytes !== null);
        if (own === undefined || own.bytes !== null || others.length < new Set(replaced).size) return false;
        await drop(scope, others);
        step('coverage.track.replaced');
        await scope.write(tracks).where({ number: own.number }).update({ bytes });
        return true;
      }),

    async published() {
      const rows: TrackKey[] = await database.run(({ read }) =>
        read(tracks).select('id', 'build', 'threshold').whereNotNull('bytes').orderBy('id'),
      );
      return rows;
    },

    find: (ids) =>
      database.snapshot(async ({ read, engine }) => {
        const query = read(tracks).select(trackRows.columns).whereNotNull('bytes').orderBy('id');
        const rows: TrackRow[] = await engine.whereIn(query, 'id', [...new Set(ids)]);
        const byTrack = new Map<number, TrackMember[]>(rows.map(({ number }) => [number, []]));
        const listed = read(members).select(memberRows.columns).orderBy(['track', 'place']);
        const found: MemberRow[] = await engine.whereIn(listed, 'track', [...byTrack.keys()]);
        for (const { track, sample, revision } of found) byTrack.get(track)?.push({ sample, revision });
        return rows.map(
          (row): PublishedTrack => ({
            ...trackRows.read(engine.values, row),
            members: byTrack.get(row.number) ?? [],
            bytes: engine.values.parseBig(row.bytes),
          }),
        );
      }),

    async blocks(ids, chromosome: Chromosome, start) {
      const rows: (TrackBlockRow & { id: string })[] = await database.run(({ read, engine }) => {
        const query = read(`${blocks} as block`)
          .join(`${tracks} as merged`, 'merged.number', 'block.track')
          .where({ 'block.chromosome': chromosomes.indexOf(chromosome), 'block.start': start })
          .whereNotNull('merged.bytes')
          .orderBy('merged.id')
          .select('merged.id', 'block.checksum', 'block.content');
        return engine.whereIn(query, 'merged.id', [...new Set(ids)]);
      });
      return rows.map(({ id, checksum, content }) => ({
        track: id,
        chromosome,
        start,
        checksum: database.engine.values.parseBig(checksum),
        content: new Uint8Array(content.buffer, content.byteOffset, content.length),
      }));
    },

    remove: (samples) =>
      database.transaction(async (scope) => {
        const { write, engine } = scope;
        const query = write(members).select('track');
        const found: { track: number }[] = await engine.whereIn(query, 'sample', [...new Set(samples)]);
        const numbers = [...new Set(found.map(({ track }) => track))];
        const chosen = write(tracks).select(trackRows.columns).orderBy('number');
        const rows: TrackRow[] = await engine.forUpdate(engine.whereIn(chosen, 'number', numbers));
        await drop(scope, rows);
        step('coverage.track.removed');
      }),

    drop: (ids) =>
      database.transaction(async (scope) => {
        await drop(scope, await locked(scope, ids));
      }),

    async sweep(begunBefore) {
      const { values } = database.engine;
      await database.transaction(async (scope) => {
        const { write, engine } = scope;
        const query = write(tracks)
          .select(trackRows.columns)
          .whereNull('bytes')
          .where('begun', '<', values.time(begunBefore) as string)
          .orderBy('number');
        const rows: TrackRow[] = await engine.forUpdate(query);
        await drop(scope, rows);
      });
      return deleteOrphans(database, { pieces: blocks, owner: 'track', owners: tracks, atOnce: sweptAtOnce });
    },
  };
}

/** The rows of those tracks that exist, locked until the end of the transaction: always in one order, against deadlocks. */
async function locked({ write, engine }: Database, ids: readonly string[]): Promise<TrackRow[]> {
  const query = engine.whereIn(write(tracks).select(trackRows.columns), 'id', [...new Set(ids)]).orderBy('number');
  return engine.forUpdate(query);
}

/** The blocks stay until they are swept: there may be thousands. */
async function drop({ write, engine }: Database, rows: readonly TrackRow[]): Promise<void> {
  const numbers = rows.map(({ number }) => number);
  await engine.whereIn(write(members), 'track', numbers).delete();
  await engine.whereIn(write(tracks), 'number', numbers).delete();
}

async function insert(scope: Database, track: number, all: readonly TrackBlock[]): Promise<void> {
  const rows = all.map(({ chromosome, ...rest }) => ({ ...rest, track, chromosome: chromosomes.indexOf(chromosome) }));
  await insertPieces(scope, blocks, rows, atOnce);
}

export default defineBinding({
  contract: coverageTracks,
  migrations,
  rows: [trackRows, memberRows, blockRows],
  repository,
});
