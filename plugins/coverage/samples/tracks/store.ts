/**
 * coverage-tracks@1 above tables. The blocks of a track that is gone stay until they are swept, some at once: there may be
 * thousands.
 */
import {
  absent,
  bytes,
  defineStore,
  defineTable,
  Fault,
  generated,
  integer,
  optional,
  person,
  type RowOf,
  small,
  step,
  type Tables,
  text,
  time,
} from '../../../../core/storage.js';
import { builds, type Chromosome, chromosomes } from '../../intervals/interval.js';
import {
  coverageTracks,
  type PublishedTrack,
  type TrackKey,
  type TrackMember,
  type TrackRepository,
  trackChecksum,
} from './contract.js';

/** `bytes` is absent until the track counts. */
const tracks = defineTable({
  name: 'coverage_tracks_merged',
  columns: {
    number: generated(),
    id: text(),
    build: text(),
    threshold: small(),
    begun: time(),
    bytes: optional(integer()),
  },
  key: ['number'],
  unique: [['id']],
  sound: ({ build }) => (builds as readonly string[]).includes(build),
});

const members = defineTable({
  name: 'coverage_tracks_members',
  columns: { number: generated(), track: small(), place: small(), sample: person(text()), revision: text() },
  key: ['number'],
  unique: [['track', 'place']],
  indexes: [['sample']],
});

/** `chromosome` is a place in the list of chromosomes. */
const blocks = defineTable({
  name: 'coverage_tracks_blocks',
  columns: {
    number: generated(),
    track: small(),
    chromosome: small(),
    start: small(),
    checksum: integer(),
    content: person(bytes()),
  },
  key: ['number'],
  unique: [['track', 'chromosome', 'start']],
  // Readers of a block compare its checksum: here it would be computed twice.
  isIntact({ chromosome: place, start, checksum, content }) {
    const chromosome = chromosomes[place];
    return chromosome !== undefined && trackChecksum({ chromosome, start, content }) === checksum;
  },
});

/** Blocks that are freed by one statement. */
const sweptAtOnce = 500;

type StoredTrack = RowOf<typeof tracks.columns>;

function keyOfTrack({ id, build, threshold }: StoredTrack): TrackKey {
  return { id, build: build as TrackKey['build'], threshold };
}

/** By id. */
function published(from: Tables, ids?: readonly string[]): Promise<StoredTrack[]> {
  const where = { bytes: { atLeast: 0 }, ...(ids && { id: { among: ids } }) };
  return from.table(tracks).find({ where, order: ['id'] });
}

/** The caller holds the tracks. */
async function drop(inside: Tables, gone: readonly StoredTrack[]): Promise<void> {
  const numbers = gone.map(({ number }) => number);
  await inside.table(tracks).remove({ number: { among: numbers } });
  await inside.table(members).remove({ track: { among: numbers } });
}

/** Removes blocks of tracks that are gone; returns how many. */
async function sweep(tables: Tables): Promise<number> {
  const found = { order: ['track', 'chromosome', 'start'], without: ['content'], latest: true } as const;
  let freed = 0;
  for (let after = 0; ; ) {
    const [first] = await tables.table(blocks).find({ where: { track: { above: after } }, limit: 1, ...found });
    if (first === undefined) return freed;
    const { track } = first;
    if ((await tables.table(tracks).count({ number: track }, { latest: true })) > 0) after = track;
    else {
      const gone = await tables.table(blocks).find({ where: { track }, limit: sweptAtOnce, ...found });
      freed += await tables.table(blocks).remove({ number: { among: gone.map(({ number }) => number) } });
    }
  }
}

export const store = defineStore<TrackRepository>({
  contract: coverageTracks,
  tables: [tracks, members, blocks],
  steps: { '001-tracks-and-blocks': { tables: [tracks, members, blocks] } },
  repository: (tables) => ({
    begin: ({ id, build, threshold, members: samples }, now) =>
      tables.transaction(async (inside) => {
        const row = await inside.table(tracks).add({ id, build, threshold, begun: now });
        if (row === undefined) throw new Fault('conflict', 'A track has this id already');
        const track = row.number;
        await inside
          .table(members)
          .append(samples.map(({ sample, revision }, place) => ({ track, place, sample, revision })));
      }),

    add: (id, added) =>
      tables.transaction(async (inside) => {
        const [row] = await inside.table(tracks).lock({ id, bytes: absent });
        if (row === undefined) return false;
        const rows = added.map(({ chromosome, ...rest }) => {
          return { ...rest, track: row.number, chromosome: chromosomes.indexOf(chromosome) };
        });
        await inside.table(blocks).append(rows);
        step('coverage.track.added');
        return true;
      }),

    publish: (id, size, replaced) =>
      tables.transaction(async (inside) => {
        const rows = await inside.table(tracks).lock({ id: { among: [id, ...replaced] } });
        const isCurrent = rows.every((row) => (row.bytes === undefined) === (row.id === id));
        if (!isCurrent || rows.length !== new Set(replaced).size + 1) return false;
        await drop(
          inside,
          rows.filter((row) => row.id !== id),
        );
        step('coverage.track.replaced');
        await inside.table(tracks).change({ id }, { bytes: size });
        return true;
      }),

    published: async () => (await published(tables)).map(keyOfTrack),

    find: (ids) =>
      tables.snapshot(async (moment) => {
        const found = await published(moment, ids);
        const byTrack = new Map<number, TrackMember[]>(found.map(({ number }) => [number, []]));
        const where = { track: { among: [...byTrack.keys()] } };
        for (const { track, sample, revision } of await moment
          .table(members)
          .find({ where, order: ['track', 'place'] })) {
          byTrack.get(track)?.push({ sample, revision });
        }
        return found.map((row): PublishedTrack => {
          return { ...keyOfTrack(row), members: byTrack.get(row.number) ?? [], bytes: row.bytes as number };
        });
      }),

    blocks: (ids, chromosome: Chromosome, start) =>
      tables.snapshot(async (moment) => {
        const known = await published(moment, ids);
        const among = known.map(({ number }) => number);
        const where = { track: { among }, chromosome: chromosomes.indexOf(chromosome), start };
        const found = new Map((await moment.table(blocks).find({ where })).map((block) => [block.track, block]));
        return known.flatMap(({ id, number }) => {
          const block = found.get(number);
          return block ? [{ track: id, chromosome, start, checksum: block.checksum, content: block.content }] : [];
        });
      }),

    remove: (samples) =>
      tables.transaction(async (inside) => {
        const found = await inside.table(members).find({ where: { sample: { among: samples } } });
        const among = [...new Set(found.map(({ track }) => track))];
        await drop(inside, await inside.table(tracks).lock({ number: { among } }));
        step('coverage.track.removed');
      }),

    drop: (ids) =>
      tables.transaction(async (inside) => drop(inside, await inside.table(tracks).lock({ id: { among: ids } }))),

    async sweep(begunBefore) {
      await tables.transaction(async (inside) =>
        drop(inside, await inside.table(tracks).lock({ bytes: absent, begun: { below: begunBefore } })),
      );
      return sweep(tables);
    },
  }),
});
