/** coverage-cohorts@1 in memory. */
import {
  blockChecksum,
  type CohortBlock,
  type CohortEntry,
  type CohortLayout,
  type CohortRepository,
  type CohortState,
  coverageCohorts,
} from '../../plugins/coverage/contract.js';
import { defineBinding } from './binding.js';

interface Column extends CohortEntry {
  column: number;
  counts: boolean;
}

/** Never changed in place. */
interface Cohort {
  layout: CohortLayout;
  regions: readonly Uint8Array[];
  version: number;
  next: number;
  columns: readonly Column[];
  left: readonly number[];
  blocks: readonly CohortBlock[];
}

type Cohorts = Map<string, Cohort>;

const byPlace = (one: CohortBlock, other: CohortBlock) =>
  one.part - other.part || one.plane - other.plane || one.from - other.from;

function stateOf({ layout, version, next, columns, left }: Cohort): CohortState {
  return structuredClone({
    layout,
    version,
    columns: next,
    members: columns.filter(({ counts }) => counts).map(({ counts: _, ...member }) => member),
    suspended: columns.filter(({ counts }) => !counts).map(({ column }) => column),
    left,
  });
}

/** Without these samples. */
function without(cohort: Cohort, samples: readonly string[]): Cohort {
  const gone = cohort.columns.filter(({ sample }) => samples.includes(sample)).map(({ column }) => column);
  if (gone.length === 0) return cohort;
  const blocks = cohort.blocks.filter(({ part, from }) => part >= 0 || !gone.includes(from));
  const arranged = Math.max(0, ...blocks.filter(({ part }) => part >= 0).map(({ to }) => to));
  const left = gone.filter((column) => column < arranged);
  return {
    ...cohort,
    version: cohort.version + 1,
    columns: cohort.columns.filter(({ sample }) => !samples.includes(sample)),
    left: [...cohort.left, ...left].sort((a, b) => a - b),
    blocks,
  };
}

function named(cohorts: Cohorts, id: string): Cohort | undefined {
  return [...cohorts.values()].find(({ layout }) => layout.id === id);
}

export default defineBinding<CohortRepository, Cohorts>({
  contract: coverageCohorts,
  empty: () => new Map(),
  copy: (state) => new Map(state),
  repository: ({ read, write }) => ({
    async layouts() {
      const all = [...(await read()).values()].map(({ layout }) => layout);
      return structuredClone(all.sort((a, b) => (a.build < b.build ? -1 : 1)));
    },

    async regions(id) {
      return structuredClone(named(await read(), id)?.regions.slice());
    },

    use: (layout, regions) =>
      write((draft) => {
        const { build } = layout;
        const known = draft.get(build);
        if (known?.layout.id === layout.id) {
          draft.set(build, { ...known, layout: { ...known.layout, sets: layout.sets } });
          return;
        }
        const empty = { version: 0, next: 0, columns: [], left: [], blocks: [] };
        draft.set(build, { ...empty, layout: structuredClone(layout), regions: structuredClone(regions) });
      }),

    clear: (build) =>
      write((draft) => {
        draft.delete(build);
      }),

    async state(build) {
      const known = (await read()).get(build);
      return known && stateOf(known);
    },

    add: (id, entry, blocks) =>
      write((draft) => {
        const own = named(draft, id);
        if (own === undefined) return false;
        const known = own.columns.find(({ sample }) => sample === entry.sample);
        if (known?.source === entry.source) {
          const columns = own.columns.map((one) => (one === known ? { ...one, counts: true } : one));
          draft.set(own.layout.build, { ...own, version: own.version + 1, columns });
          return true;
        }
        for (const [build, cohort] of draft) draft.set(build, without(cohort, [entry.sample]));
        const cohort = draft.get(own.layout.build) as Cohort;
        const column = cohort.next;
        const added = structuredClone(blocks).map((block) => {
          const placed = { ...block, from: column, to: column + 1 };
          return { ...placed, checksum: blockChecksum(placed) };
        });
        draft.set(own.layout.build, {
          ...cohort,
          version: cohort.version + 1,
          next: column + 1,
          columns: [...cohort.columns, { ...structuredClone(entry), column, counts: true }],
          blocks: [...cohort.blocks, ...added],
        });
        return true;
      }),

    suspend: (samples) =>
      write((draft) => {
        for (const [build, cohort] of draft) {
          if (!cohort.columns.some(({ sample }) => samples.includes(sample))) continue;
          const columns = cohort.columns.map((one) => (samples.includes(one.sample) ? { ...one, counts: false } : one));
          draft.set(build, { ...cohort, version: cohort.version + 1, columns });
        }
      }),

    remove: (samples) =>
      write((draft) => {
        for (const [build, cohort] of draft) draft.set(build, without(cohort, samples));
      }),

    async read(id, { parts, planes, columns }, version) {
      const known = named(await read(), id);
      if (known === undefined) return undefined;
      const { from, to } = columns ?? { from: 0, to: Number.POSITIVE_INFINITY };
      const blocks = known.blocks.filter(
        (one) => parts.includes(one.part) && planes.includes(one.plane) && one.from >= from && one.to <= to,
      );
      return {
        ...(known.version !== version && { state: stateOf(known) }),
        blocks: structuredClone(blocks).sort(byPlace),
      };
    },

    arrange: (id, version, { parts, from, to }, blocks) =>
      write((draft) => {
        const known = named(draft, id);
        if (known?.version !== version) return false;
        const others = known.blocks.filter((one) => !(parts.includes(one.part) && one.from >= from && one.to <= to));
        const replaced = [...others, ...structuredClone(blocks)];
        draft.set(known.layout.build, { ...known, version: version + 1, blocks: replaced });
        return true;
      }),

    overwritten: (id, columns) =>
      write((draft) => {
        const known = named(draft, id);
        if (known === undefined) return;
        const left = known.left.filter((column) => !columns.includes(column));
        draft.set(known.layout.build, { ...known, version: known.version + 1, left });
      }),

    sweep: async () => 0,
  }),
});
