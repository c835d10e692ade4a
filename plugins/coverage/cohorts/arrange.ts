/**
 * Arranges the values of a cohort: those of single columns come together in blocks of 64, these in blocks of 256, and these in
 * blocks of 1024 columns, so that reading one region of all samples reads few blocks; and values of columns that belong to no
 * sample are overwritten.
 */
import type { Build } from '../contract.js';
import { closedBlocks } from './blocks.js';
import type { CohortRepository, CohortState } from './contract.js';
import { type KnownCohort, KnownCohorts } from './known.js';
import type { Part } from './regions.js';

export interface ArrangeControl {
  signal: AbortSignal;
  giveWay?(): Promise<void>;
  progress?(fraction: number): void;
}

/** Columns of a block, smaller first; each a multiple of those before. */
export const columnsOfBlocks: readonly number[] = [64, 256, 1024];

/** Columns [from, to). */
interface Columns {
  from: number;
  to: number;
}

/** Returns whether anything had to be done. Nothing is half done if it is interrupted, and the next call continues. */
export async function arrangeCohort(
  repository: CohortRepository,
  build: Build,
  control: ArrangeControl,
  sizes: readonly number[] = columnsOfBlocks,
): Promise<boolean> {
  const known = new KnownCohorts(repository);
  const cohort = await known.current(build);
  if (cohort === undefined) return false;
  const tiles = await tilesToArrange(repository, cohort, sizes);
  const { open } = cohort.regions;
  const steps = tiles.length * open.length;
  let done = 0;
  for (const tile of tiles) {
    for (const part of open) {
      control.signal.throwIfAborted();
      await control.giveWay?.();
      if (!(await arrangePart(known, repository, build, cohort.state.layout.id, part, tile))) return true;
      control.progress?.(++done / steps);
    }
    const left = cohort.state.left.filter((column) => column >= tile.from && column < tile.to);
    if (left.length > 0) await repository.overwritten(cohort.state.layout.id, left);
  }
  return tiles.length > 0;
}

/** Whether `arrangeCohort` would do anything. */
export async function isArranged(
  repository: CohortRepository,
  build: Build,
  sizes: readonly number[] = columnsOfBlocks,
): Promise<boolean> {
  const cohort = await new KnownCohorts(repository).current(build);
  return cohort === undefined || (await tilesToArrange(repository, cohort, sizes)).length === 0;
}

/** The greatest blocks that are full, unless they exist; and the blocks that have values of columns that were left. */
async function tilesToArrange(
  repository: CohortRepository,
  { state, regions }: KnownCohort,
  sizes: readonly number[],
): Promise<Columns[]> {
  const [last] = regions.open.slice(-1);
  if (last === undefined) return [];
  const wanted: Columns[] = [];
  for (let from = 0; ; ) {
    const size = sizes.findLast((one) => from % one === 0 && from + one <= state.columns);
    if (size === undefined) break;
    wanted.push({ from, to: from + size });
    from += size;
  }
  // Parts are arranged in their order: what the last one has, all have.
  const first = regions.partOf(regions.closed, last.to - 1);
  const found = await repository.read(state.layout.id, { parts: [first.part], planes: [0] });
  const there = new Map((found?.blocks ?? []).map(({ from, to }) => [from, to]));
  return wanted.filter(({ from, to }) => there.get(from) !== to || hasLeft(state, { from, to }));
}

function hasLeft({ left }: CohortState, { from, to }: Columns): boolean {
  return left.some((column) => column >= from && column < to);
}

/** Returns false if the layout was replaced. */
async function arrangePart(
  known: KnownCohorts,
  repository: CohortRepository,
  build: Build,
  layout: string,
  open: Part,
  { from, to }: Columns,
): Promise<boolean> {
  for (;;) {
    const found = await known.read(build, ({ regions, state }) => {
      const first = regions.partOf(regions.closed, open.from).part;
      const last = regions.partOf(regions.closed, open.to - 1).part;
      const closed = Array.from({ length: last - first + 1 }, (_, i) => first + i);
      const planes = Array.from({ length: 1 + state.layout.thresholds.length }, (_, plane) => plane);
      return { parts: [open.part, ...closed], planes, columns: { from, to } };
    });
    if (found?.cohort.state.layout.id !== layout) return false;
    const { state, regions } = found.cohort;
    const kept = [...state.members.map(({ column }) => column), ...state.suspended].filter(
      (column) => column >= from && column < to,
    );
    const planes = 1 + state.layout.thresholds.length;
    const blocks = closedBlocks(found.blocks, regions, { open, from, to, planes, kept });
    const replaced = { parts: found.plan.parts, from, to };
    if (await repository.arrange(layout, state.version, replaced, blocks)) return true;
  }
}
