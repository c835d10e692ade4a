/** Adapters that break one promise of coverage-cohorts@1 each. */

import type { CohortRepository } from '../../../plugins/coverage/contract.js';
import { coverageCohorts } from '../coverage.js';
import { type Damage, type Wrong, wrongRepository } from './wrap.js';

const wrong = (does: string, fails: string, damage: Damage<CohortRepository>): Wrong =>
  wrongRepository(coverageCohorts, does, fails, damage);

const unchanged = 'a layout is returned with the description of its regions, unchanged';
const replaced = 'another layout replaces members and values; the same one only its sets';
const removed = 'removed samples leave no column of their own, and are noted in blocks of several';
const readBlocks = 'blocks are read by part, plane and column, with the state of the same moment';
const once = 'blocks are arranged once for a version, and others stay';

export const wrongCohorts: readonly Wrong[] = [
  wrong('joins the pieces of the regions', unchanged, () => (right) => ({
    regions: async (id) => {
      const pieces = await right.regions(id);
      return pieces && [new Uint8Array(Buffer.concat(pieces))];
    },
  })),
  wrong('forgets the members if only the sets change', replaced, () => (right) => ({
    use: async (layout, regions) => {
      await right.clear(layout.build);
      await right.use(layout, regions);
    },
  })),
  wrong('keeps the layouts of earlier sets', replaced, () => {
    const ids = new Map<string, string>();
    return (right) => ({
      use: async (layout, regions) => {
        const id = ids.get(layout.build) ?? layout.id;
        ids.set(layout.build, id);
        await right.use({ ...layout, id }, regions);
      },
    });
  }),
  wrong(
    'stores the checksum of the content alone',
    'values are returned in the column of their sample, with their checksums',
    () => (right) => ({
      read: async (...asked) => {
        const found = await right.read(...asked);
        return (
          found && { ...found, blocks: found.blocks.map((block) => ({ ...block, checksum: block.content.length })) }
        );
      },
    }),
  ),
  wrong(
    'keeps both columns of a sample',
    'other values of a sample take a new column, and the former ones are gone',
    () => {
      const blocks: Awaited<ReturnType<CohortRepository['read']>>[] = [];
      return (right) => ({
        add: async (layout, entry, added) => {
          blocks.push(await right.read(layout, { parts: [-1], planes: [0] }));
          return right.add(layout, entry, added);
        },
        read: async (...asked) => {
          const found = await right.read(...asked);
          const before = blocks.flatMap((one) => one?.blocks ?? []);
          return found && { ...found, blocks: [...found.blocks, ...before] };
        },
      });
    },
  ),
  wrong(
    'takes a new column for the same values',
    'a sample that is added again with values of the same source keeps its column',
    () => (right) => ({
      add: async (layout, entry, blocks) => {
        await right.remove([entry.sample]);
        return right.add(layout, entry, blocks);
      },
    }),
  ),
  wrong('adds to whatever layout there is', 'values of a layout that no build has are refused', () => (right) => ({
    add: async (_, entry, blocks) => {
      const [layout] = await right.layouts();
      return layout === undefined ? false : right.add(layout.id, entry, blocks);
    },
  })),
  wrong('removes what is suspended', 'suspended samples are no members, and their values stay', () => (right) => ({
    suspend: (samples) => right.remove(samples),
  })),
  wrong('suspends what is removed', removed, () => (right) => ({ remove: (samples) => right.suspend(samples) })),
  wrong('forgets columns that were left', removed, () => (right) => ({
    state: async (build) => {
      const state = await right.state(build);
      return state && { ...state, left: [] };
    },
  })),
  wrong('reads every plane', readBlocks, () => (right) => ({
    read: (layout, wanted, version) => right.read(layout, { ...wanted, planes: [0, 1, 2] }, version),
  })),
  wrong('reads every column', readBlocks, () => (right) => ({
    read: (layout, { parts, planes }, version) => right.read(layout, { parts, planes }, version),
  })),
  wrong('arranges blocks of an earlier version', once, () => (right) => ({
    arrange: async (layout, _, place, blocks) => {
      const found = await right.read(layout, { parts: [], planes: [] });
      return right.arrange(layout, found?.state?.version ?? 0, place, blocks);
    },
  })),
  wrong('keeps the blocks that are replaced', once, () => (right) => ({
    arrange: (layout, version, place, blocks) => right.arrange(layout, version, { ...place, parts: [] }, blocks),
  })),
  wrong(
    'gives samples that are added at once one column',
    'samples that are added at once get a column each',
    () => (right) => ({
      state: async (build) => {
        const state = await right.state(build);
        return state && { ...state, members: state.members.map((member) => ({ ...member, column: 0 })) };
      },
    }),
  ),
];
