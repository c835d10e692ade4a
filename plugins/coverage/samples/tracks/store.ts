/**
 * coverage-tracks@1 above tables: what the binding for SQL is compared with, and what adapters without one use. The blocks of a
 * track go with it, so that a sweep frees only those of tracks that were never published.
 */
import {
  absent,
  bytes,
  defineStore,
  defineTable,
  integer,
  json,
  optional,
  small,
  type Tables,
  text,
  time,
} from '../../../../core/storage.js';
import { chromosomes } from '../../intervals/interval.js';
import { coverageTracks, type PublishedTrack, type Track, type TrackMember, type TrackRepository } from './contract.js';

/** `bytes` is absent until the track is published. */
const tracks = defineTable({
  name: 'coverage_tracks_tracks',
  columns: {
    id: text(),
    build: text(),
    threshold: small(),
    members: json<readonly TrackMember[]>(),
    begun: time(),
    bytes: optional(integer()),
  },
  key: ['id'],
});

/** `chromosome` is a place in the list of chromosomes. */
const blocks = defineTable({
  name: 'coverage_tracks_blocks',
  columns: { track: text(), chromosome: small(), start: small(), checksum: integer(), content: bytes() },
  key: ['track', 'chromosome', 'start'],
});

async function published(from: Tables, ids?: readonly string[]): Promise<PublishedTrack[]> {
  const where = { bytes: { atLeast: 0 }, ...(ids && { id: { among: ids } }) };
  const found = await from.table(tracks).find({ where, order: ['id'] });
  return found.map(({ begun: _, build, bytes: size, ...rest }) => {
    return { ...rest, build: build as Track['build'], bytes: size as number };
  });
}

/** A caller that adds blocks holds the track: all of them are there before they go. */
async function remove(inside: Tables, ids: readonly string[]): Promise<number> {
  await inside.table(tracks).remove({ id: { among: ids } });
  return inside.table(blocks).remove({ track: { among: ids } });
}

export default defineStore<TrackRepository>({
  contract: coverageTracks,
  tables: [tracks, blocks],
  steps: { '001-tracks': { tables: [tracks, blocks] } },
  repository: (tables) => ({
    async begin({ id, build, threshold, members }, now) {
      await tables.table(tracks).append([{ id, build, threshold, members, begun: now }]);
    },

    add: (track, added) =>
      tables.transaction(async (inside) => {
        const [row] = await inside.table(tracks).lock({ id: track, bytes: absent });
        if (row === undefined) return false;
        const rows = added.map(({ chromosome, ...rest }) => ({ ...rest, chromosome: chromosomes.indexOf(chromosome) }));
        await inside.table(blocks).append(rows.map((block) => ({ ...block, track })));
        return true;
      }),

    publish: (id, size, replaced) =>
      tables.transaction(async (inside) => {
        const others = new Set(replaced);
        const rows = await inside.table(tracks).lock({ id: { among: [id, ...replaced] } });
        const isCurrent = rows.every((row) => (row.bytes === undefined) === (row.id === id));
        if (!isCurrent || rows.length !== others.size + 1) return false;
        await remove(inside, replaced);
        await inside.table(tracks).change({ id }, { bytes: size });
        return true;
      }),

    published: async () => (await published(tables)).map(({ id, build, threshold }) => ({ id, build, threshold })),
    find: (ids) => published(tables, ids),

    blocks: (ids, chromosome, start) =>
      tables.snapshot(async (moment) => {
        const known = (await published(moment, ids)).map(({ id }) => id);
        const where = { track: { among: known }, chromosome: chromosomes.indexOf(chromosome), start };
        const found = await moment.table(blocks).find({ where, order: ['track'] });
        return found.map((block) => ({ ...block, chromosome }));
      }),

    remove: (samples) =>
      tables.transaction(async (inside) => {
        const all = await inside.table(tracks).find();
        const gone = all.filter(({ members }) => members.some(({ sample }) => samples.includes(sample)));
        await remove(
          inside,
          gone.map(({ id }) => id),
        );
      }),

    drop: (ids) =>
      tables.transaction(async (inside) => {
        await remove(inside, ids);
      }),

    sweep: (begunBefore) =>
      tables.transaction(async (inside) => {
        const old = await inside.table(tracks).lock({ bytes: absent, begun: { below: begunBefore } });
        return remove(
          inside,
          old.map(({ id }) => id),
        );
      }),
  }),
});
