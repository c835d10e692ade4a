/**
 * coverage-cohorts@1: a cohort under its build, with its columns; the blocks of each layout and its regions under a number that
 * every new layout takes anew.
 */
import { blockChecksum } from 'trefoil/coverage/contract';
import { keyOf, under } from '../keys.js';

const builds = ['GRCh37', 'GRCh38'];
const cohortKey = (build) => keyOf('cohort', build);
const blockKey = (number, { part, plane, from }) => keyOf('blocks', number, part, plane, from);

async function all(space) {
  return (await space.getMany(builds.map(cohortKey))).filter(Boolean);
}

const named = async (space, id) => (await all(space)).find(({ layout }) => layout.id === id);

function stateOf({ layout, version, next, columns, left }) {
  return {
    layout,
    version,
    columns: next,
    members: columns.filter(({ counts }) => counts).map(({ counts, ...member }) => member),
    suspended: columns.filter(({ counts }) => !counts).map(({ column }) => column),
    left,
  };
}

/** Changes the cohort, which gets another version. */
function save(space, cohort) {
  space.put(cohortKey(cohort.layout.build), { ...cohort, version: cohort.version + 1 });
}

function drop(space, { layout, number }) {
  space.remove(cohortKey(layout.build));
  space.leave('blocks', number);
  space.leave('regions', number);
}

async function leave(space, cohort, samples) {
  const gone = cohort.columns.filter(({ sample }) => samples.includes(sample)).map(({ column }) => column);
  if (gone.length === 0) return cohort;
  for await (const [key, block] of space.range(under('blocks', cohort.number))) {
    if (block.part < 0 && gone.includes(block.from)) space.remove(key);
  }
  const columns = cohort.columns.filter(({ sample }) => !samples.includes(sample));
  const left = [...cohort.left, ...gone.filter((column) => column < cohort.arranged)].sort((a, b) => a - b);
  const after = { ...cohort, columns, left };
  save(space, after);
  return { ...after, version: cohort.version + 1 };
}

export default ({ read, write }) => ({
  layouts: () => read(async (space) => (await all(space)).map(({ layout }) => layout)),

  regions: (id) =>
    read(async (space) => {
      const known = await named(space, id);
      if (known === undefined) return undefined;
      const found = [];
      for await (const [, piece] of space.range(under('regions', known.number))) found.push(piece);
      return found;
    }),

  use: (layout, regions) =>
    write(async (space) => {
      const known = await space.get(cohortKey(layout.build));
      if (known?.layout.id === layout.id) {
        save(space, { ...known, layout: { ...known.layout, sets: layout.sets } });
        return;
      }
      if (known !== undefined) drop(space, known);
      const number = await space.fresh();
      for (const [i, piece] of regions.entries()) space.put(keyOf('regions', number, i), new Uint8Array(piece));
      save(space, { layout, number, version: 0, next: 0, arranged: 0, columns: [], left: [] });
    }),

  clear: (build) =>
    write(async (space) => {
      const known = await space.get(cohortKey(build));
      if (known !== undefined) drop(space, known);
    }),

  state: (build) =>
    read(async (space) => {
      const known = await space.get(cohortKey(build));
      return known && stateOf(known);
    }),

  add: (id, entry, blocks) =>
    write(async (space) => {
      const own = await named(space, id);
      if (own === undefined) return false;
      const known = own.columns.find(({ sample }) => sample === entry.sample);
      if (known?.source === entry.source) {
        save(space, { ...own, columns: own.columns.map((one) => (one === known ? { ...one, counts: true } : one)) });
        return true;
      }
      let cohort = own;
      for (const one of await all(space)) {
        const after = await leave(space, one, [entry.sample]);
        if (one.layout.id === id) cohort = after;
      }
      const column = cohort.next;
      for (const { part, plane, content } of blocks) {
        const placed = { part, plane, from: column, to: column + 1, content: new Uint8Array(content) };
        space.put(blockKey(cohort.number, placed), { ...placed, checksum: blockChecksum(placed) });
      }
      save(space, { ...cohort, next: column + 1, columns: [...cohort.columns, { ...entry, column, counts: true }] });
      return true;
    }),

  suspend: (samples) =>
    write(async (space) => {
      for (const cohort of await all(space)) {
        if (!cohort.columns.some(({ sample }) => samples.includes(sample))) continue;
        const columns = cohort.columns.map((one) => (samples.includes(one.sample) ? { ...one, counts: false } : one));
        save(space, { ...cohort, columns });
      }
    }),

  remove: (samples) =>
    write(async (space) => {
      for (const cohort of await all(space)) await leave(space, cohort, samples);
    }),

  read: (id, { parts, planes, columns }, version) =>
    read(async (space) => {
      const known = await named(space, id);
      if (known === undefined) return undefined;
      const { from, to } = columns ?? { from: 0, to: Number.POSITIVE_INFINITY };
      const blocks = [];
      for (const part of [...new Set(parts)].sort((a, b) => a - b)) {
        for (const plane of [...new Set(planes)].sort((a, b) => a - b)) {
          for await (const [, block] of space.range(under('blocks', known.number, part, plane))) {
            if (block.from >= from && block.to <= to) blocks.push(block);
          }
        }
      }
      return { ...(known.version !== version && { state: stateOf(known) }), blocks };
    }),

  arrange: (id, version, { parts, from, to }, blocks) =>
    write(async (space) => {
      const known = await named(space, id);
      if (known?.version !== version) return false;
      for (const part of parts) {
        for await (const [key, block] of space.range(under('blocks', known.number, part))) {
          if (block.from >= from && block.to <= to) space.remove(key);
        }
      }
      for (const block of blocks) {
        space.put(blockKey(known.number, block), { ...block, content: new Uint8Array(block.content) });
      }
      save(space, { ...known, arranged: Math.max(known.arranged, to) });
      return true;
    }),

  overwritten: (id, columns) =>
    write(async (space) => {
      const known = await named(space, id);
      if (known !== undefined) save(space, { ...known, left: known.left.filter((one) => !columns.includes(one)) });
    }),

  // LevelDB frees the ranges of former layouts by itself.
  sweep: async () => 0,
});
