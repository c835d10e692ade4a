/** Adapters that break one promise of coverage-tracks@1 each. */

import type { TrackRepository } from '../../../plugins/coverage/contract.js';
import { coverageTracks } from '../coverage.js';
import { type Damage, type Wrong, wrongRepository } from './wrap.js';

const wrong = (does: string, fails: string, damage: Damage<TrackRepository>): Wrong =>
  wrongRepository(coverageTracks, does, fails, damage);

const counts = 'a track counts once it is published, with its samples in their order';
const unchanged = 'blocks are returned unchanged, of published tracks and of one place';
const fixed = 'a published track does not change, nor one that does not exist';
const replaces = 'a track takes the place of others, which must all count';
const removed = 'tracks are removed with any of their samples, also before they are published';

export const wrongTracks: readonly Wrong[] = [
  wrong('publishes a track when it begins', counts, () => (right) => ({
    begin: async (track, now) => {
      await right.begin(track, now);
      await right.publish(track.id, 0, []);
    },
  })),
  wrong('sorts the samples of a track', counts, () => (right) => ({
    find: async (ids) => {
      const found = await right.find(ids);
      return found.map((track) => ({
        ...track,
        members: track.members.toSorted((a, b) => (a.sample < b.sample ? -1 : 1)),
      }));
    },
  })),
  wrong('returns tracks in the order of the question', unchanged, () => (right) => ({
    blocks: async (ids, chromosome, start) => (await right.blocks(ids, chromosome, start)).reverse(),
  })),
  wrong('loses every byte above 127', unchanged, () => (right) => ({
    blocks: async (...asked) =>
      (await right.blocks(...asked)).map((block) => ({ ...block, content: block.content.map((byte) => byte & 127) })),
  })),
  wrong('leaves out empty blocks', unchanged, () => (right) => ({
    blocks: async (...asked) => (await right.blocks(...asked)).filter(({ content }) => content.length > 0),
  })),
  wrong('keeps the first hundred blocks', 'many blocks are added, in portions', () => {
    let kept = 0;
    return (right) => ({
      add: async (track, blocks) => {
        kept += blocks.length;
        return right.add(track, kept > 100 ? [] : blocks);
      },
    });
  }),
  wrong('says that it added blocks to whatever there is', fixed, () => (right) => ({
    add: async (track, blocks) => {
      await right.add(track, blocks);
      return true;
    },
  })),
  wrong('replaces those tracks that there are', replaces, () => (right) => ({
    publish: async (track, bytes, replaced) => {
      const known = new Set((await right.published()).map(({ id }) => id));
      return right.publish(
        track,
        bytes,
        replaced.filter((id) => known.has(id)),
      );
    },
  })),
  wrong('keeps the tracks that are replaced', replaces, () => (right) => ({
    publish: (track, bytes) => right.publish(track, bytes, []),
  })),
  wrong(
    'publishes whatever another one has replaced',
    'of two tracks that replace one, only one does',
    () => (right) => ({
      publish: async (track, bytes, replaced) =>
        (await right.publish(track, bytes, replaced)) || right.publish(track, bytes, []),
    }),
  ),
  wrong('keeps tracks that have other samples, too', removed, () => (right) => ({
    remove: async (samples) => {
      const found = await right.find((await right.published()).map(({ id }) => id));
      const only = found.filter(({ members }) => members.every(({ sample }) => samples.includes(sample)));
      await right.drop(only.map(({ id }) => id));
    },
  })),
  wrong('removes published tracks only', removed, () => (right) => ({
    remove: async (samples) => {
      const found = await right.find((await right.published()).map(({ id }) => id));
      const own = found.filter(({ members }) => members.some(({ sample }) => samples.includes(sample)));
      await right.drop(own.map(({ id }) => id));
    },
  })),
  wrong('drops published tracks only', 'tracks are dropped by id', () => (right) => ({
    drop: async (ids) => {
      const known = new Set((await right.published()).map(({ id }) => id));
      await right.drop(ids.filter((id) => known.has(id)));
    },
  })),
  wrong('sweeps work that goes on', 'a sweep ends old work and changes no result', () => (right) => ({
    sweep: () => right.sweep(new Date(8.64e15)),
  })),
];
