/** coverage-tracks@1: a track under its id, with its samples; its blocks under a number that no other track has. */
import { keyOf, under } from '../keys.js';

const trackKey = (id) => keyOf('track', id);
const blockKey = (number, chromosome, start) => keyOf('blocks', number, chromosome, start);

async function all(space) {
  const found = [];
  for await (const [, track] of space.range(under('track'))) found.push(track);
  return found;
}

async function publishedOf(space, ids) {
  const found = (await all(space)).filter(({ bytes }) => bytes !== undefined);
  return ids === undefined ? found : found.filter(({ id }) => ids.includes(id));
}

function drop(space, { id, number }) {
  space.leave('blocks', number);
  space.remove(trackKey(id));
}

export default ({ read, write }) => ({
  begin: ({ id, build, threshold, members }, now) =>
    write(async (space) => {
      space.put(trackKey(id), { id, build, threshold, members, begun: now, number: await space.fresh() });
    }),

  add: (id, blocks) =>
    write(async (space) => {
      const known = await space.get(trackKey(id));
      if (known === undefined || known.bytes !== undefined) return false;
      for (const block of blocks) {
        const content = new Uint8Array(block.content);
        space.put(blockKey(known.number, block.chromosome, block.start), { ...block, content });
      }
      return true;
    }),

  publish: (id, bytes, replaced) =>
    write(async (space) => {
      const known = await space.get(trackKey(id));
      const others = await publishedOf(space, replaced);
      const isCurrent = others.length === new Set(replaced).size;
      if (known === undefined || known.bytes !== undefined || !isCurrent) return false;
      for (const other of others) drop(space, other);
      space.put(trackKey(id), { ...known, bytes });
      return true;
    }),

  published: () =>
    read(async (space) => (await publishedOf(space)).map(({ id, build, threshold }) => ({ id, build, threshold }))),

  find: (ids) =>
    read(async (space) =>
      (await publishedOf(space, ids)).map(({ id, build, threshold, members, bytes }) => ({
        ...{ id, build, threshold, members, bytes },
      })),
    ),

  blocks: (ids, chromosome, start) =>
    read(async (space) => {
      const found = [];
      for (const { id, number } of await publishedOf(space, ids)) {
        const block = await space.get(blockKey(number, chromosome, start));
        if (block !== undefined) found.push({ ...block, track: id });
      }
      return found;
    }),

  remove: (samples) =>
    write(async (space) => {
      for (const track of await all(space)) {
        if (track.members.some(({ sample }) => samples.includes(sample))) drop(space, track);
      }
    }),

  drop: (ids) =>
    write(async (space) => {
      for (const track of await all(space)) if (ids.includes(track.id)) drop(space, track);
    }),

  sweep: (begunBefore) =>
    write(async (space) => {
      for (const track of await all(space)) {
        if (track.bytes === undefined && track.begun < begunBefore) drop(space, track);
      }
      return 0;
    }),
});
