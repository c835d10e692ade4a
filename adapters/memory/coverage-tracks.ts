/** coverage-tracks@1 in memory. */
import {
  coverageTracks,
  type PublishedTrack,
  type Track,
  type TrackBlock,
  type TrackRepository,
} from '../../plugins/coverage/contract.js';
import { defineBinding } from './binding.js';

/** Never changed in place. */
interface Stored extends Track {
  begun: Date;
  /** Undefined until the track counts. */
  bytes: number | undefined;
  blocks: readonly TrackBlock[];
}

type Tracks = Map<string, Stored>;

const byId = ({ id: one }: { id: string }, { id: other }: { id: string }) => (one < other ? -1 : 1);

function publishedOf(tracks: Tracks): (Stored & PublishedTrack)[] {
  const found = [...tracks.values()].filter((one): one is Stored & PublishedTrack => one.bytes !== undefined);
  return found.sort(byId);
}

export default defineBinding<TrackRepository, Tracks>({
  contract: coverageTracks,
  empty: () => new Map(),
  copy: (state) => new Map(state),
  repository: ({ read, write }) => ({
    begin: ({ id, build, threshold, members }, now) =>
      write((draft) => {
        const copied = structuredClone({ id, build, threshold, members });
        draft.set(id, { ...copied, begun: new Date(now), bytes: undefined, blocks: [] });
      }),

    add: (id, blocks) =>
      write((draft) => {
        const known = draft.get(id);
        if (known === undefined || known.bytes !== undefined) return false;
        draft.set(id, { ...known, blocks: [...known.blocks, ...structuredClone(blocks)] });
        return true;
      }),

    publish: (id, bytes, replaced) =>
      write((draft) => {
        const known = draft.get(id);
        const isCurrent = replaced.every((one) => one !== id && draft.get(one)?.bytes !== undefined);
        if (known === undefined || known.bytes !== undefined || !isCurrent) return false;
        for (const one of replaced) draft.delete(one);
        draft.set(id, { ...known, bytes });
        return true;
      }),

    async published() {
      return publishedOf(await read()).map(({ id, build, threshold }) => ({ id, build, threshold }));
    },

    async find(ids) {
      const found = publishedOf(await read()).filter(({ id }) => ids.includes(id));
      return structuredClone(
        found.map(({ id, build, threshold, members, bytes }) => ({ id, build, threshold, members, bytes })),
      );
    },

    async blocks(ids, chromosome, start) {
      const found = publishedOf(await read()).filter(({ id }) => ids.includes(id));
      const here = found.flatMap(({ id, blocks }) => blocks.map((block) => ({ ...block, track: id })));
      return structuredClone(here.filter((block) => block.chromosome === chromosome && block.start === start));
    },

    remove: (samples) =>
      write((draft) => {
        for (const { id, members } of [...draft.values()]) {
          if (members.some(({ sample }) => samples.includes(sample))) draft.delete(id);
        }
      }),

    drop: (ids) =>
      write((draft) => {
        for (const id of ids) draft.delete(id);
      }),

    sweep: (begunBefore) =>
      write((draft) => {
        for (const { id, begun, bytes } of [...draft.values()]) {
          if (bytes === undefined && begun < begunBefore) draft.delete(id);
        }
        return 0;
      }),
  }),
});
