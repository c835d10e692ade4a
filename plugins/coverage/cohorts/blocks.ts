/**
 * Blocks: for each region of a part, the values of the columns in order, as whole numbers of the width of the region, the
 * lowest byte first. With one column that is a piece of a sample; with many, the samples of a region are side by side. Single
 * columns are arranged in blocks of 64, these in blocks of 256 and of 1024 columns, so that reading one region of all samples
 * reads few blocks; columns that belong to no sample are overwritten.
 */
import type { Build } from '../contract.js';
import {
  blockChecksum,
  type CohortBlock,
  type CohortEntry,
  type CohortRepository,
  type CohortState,
  type ColumnBlock,
} from './contract.js';
import {
  type CohortRegions,
  damagedValues,
  type KnownCohort,
  KnownCohorts,
  type RegionRange,
} from './layout-regions.js';

/** A value of this width that says that the sum is beside the block. */
function beyondOf(width: number): number {
  return 256 ** width - 1;
}

/** Exact values of one sample: `sums` in stored units, and for each region one count per threshold. */
export interface ColumnValues {
  sums: Float64Array;
  counts: Uint32Array;
}

/** Most sums of a sample that are kept beside blocks. */
const mostBeyond = 10_000;

/** The blocks of one column; undefined if too many sums are too great. */
export function columnBlocks(
  regions: CohortRegions,
  thresholds: number,
  { sums, counts }: ColumnValues,
): { blocks: ColumnBlock[]; beyond: CohortEntry['beyond']; bytes: number } | undefined {
  const blocks: ColumnBlock[] = [];
  const beyond: [number, number][] = [];
  let bytes = 0;
  for (const { part, from, to } of regions.open) {
    for (let plane = 0; plane <= thresholds; plane++) {
      const content = new Uint8Array(regions.bytes(plane, from, to));
      for (let region = from, at = 0; region < to; region++) {
        const width = regions.width(plane, region);
        let value = plane === 0 ? (sums[region] as number) : (counts[region * thresholds + plane - 1] as number);
        if (plane === 0 && value >= beyondOf(width)) {
          beyond.push([region, value]);
          value = beyondOf(width);
        }
        writeNumber(content, at, width, value);
        at += width;
      }
      blocks.push({ part, plane, content });
      bytes += content.length;
    }
  }
  return beyond.length > mostBeyond ? undefined : { blocks, beyond, bytes };
}

function writeNumber(bytes: Uint8Array, at: number, width: number, value: number): void {
  for (let k = 0, rest = value; k < width; k++) {
    bytes[at + k] = rest % 256;
    rest = Math.floor(rest / 256);
  }
}

/** Throws an `unavailable` fault if the block is not the one that was written. */
export function checkBlock(block: CohortBlock, regions: CohortRegions): RegionRange {
  const part = rangeOfBlock(block, regions);
  if (part === undefined || blockChecksum(block) !== block.checksum) throw damagedValues();
  if (block.content.length !== regions.bytes(block.plane, part.from, part.to) * (block.to - block.from)) {
    throw damagedValues();
  }
  return part;
}

function rangeOfBlock({ part }: CohortBlock, regions: CohortRegions): RegionRange | undefined {
  return part < 0 ? regions.open[-1 - part] : regions.closed[part];
}

/** Adds the values of a region in a block that was checked to the places that its columns have in `into`, if not negative. */
export function addValues(
  block: CohortBlock,
  part: RegionRange,
  regions: CohortRegions,
  region: number,
  { places, into, beyond }: { places: Int32Array; into: Float64Array; beyond(column: number, region: number): number },
): void {
  const { plane, from, to, content } = block;
  const width = regions.width(plane, region);
  const values = numbersIn(content, regions.bytes(plane, part.from, region) * (to - from), to - from, width);
  const limit = plane === 0 ? beyondOf(width) : Number.POSITIVE_INFINITY;
  for (let column = from; column < to; column++) {
    const place = places[column] as number;
    if (place < 0) continue;
    const value = values[column - from] as number;
    into[place] = (into[place] as number) + (value === limit ? beyond(column, region) : value);
  }
}

/** The numbers that were read last: of one call at a time. */
let scratch = new Float64Array(1024);

/** Valid until the next call. A loop for each common width takes a third of the time of one for all. */
function numbersIn(bytes: Uint8Array, first: number, count: number, width: number): Float64Array {
  if (scratch.length < count) scratch = new Float64Array(count);
  const numbers = scratch;
  if (width === 1) {
    for (let i = 0; i < count; i++) numbers[i] = bytes[first + i] as number;
  } else if (width === 2) {
    for (let i = 0, at = first; i < count; i++, at += 2) {
      numbers[i] = (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
    }
  } else if (width === 3) {
    for (let i = 0, at = first; i < count; i++, at += 3) {
      numbers[i] = (bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16);
    }
  } else {
    for (let i = 0, at = first; i < count; i++, at += width) {
      const low = (bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16);
      let value = low + (bytes[at + 3] as number) * 2 ** 24;
      if (width > 4) value += (bytes[at + 4] as number) * 2 ** 32;
      if (width > 5) value += (bytes[at + 5] as number) * 2 ** 40;
      numbers[i] = value;
    }
  }
  return numbers;
}

/**
 * The same values of a part of one column (`open`) and the closed parts within it, in blocks of the columns [from, to). Values
 * of columns that are not in `kept` become 0. Throws an `unavailable` fault if a block is damaged, or values of a column that is
 * kept are missing.
 */
function closedBlocks(
  blocks: readonly CohortBlock[],
  regions: CohortRegions,
  {
    open,
    from,
    to,
    planes,
    kept,
  }: { open: RegionRange; from: number; to: number; planes: number; kept: readonly number[] },
): CohortBlock[] {
  const columns = to - from;
  const first = regions.partOf(regions.closed, open.from).part;
  const last = regions.partOf(regions.closed, open.to - 1).part;
  const isKept = new Set(kept);
  const found: CohortBlock[] = [];
  for (let plane = 0; plane < planes; plane++) {
    const targets = regions.closed.slice(first, last + 1).map((part) => ({
      part,
      content: new Uint8Array(regions.bytes(plane, part.from, part.to) * columns),
    }));
    const written = new Map<number, number>();
    for (const block of blocks) {
      if (block.plane !== plane) continue;
      const source = checkBlock(block, regions);
      for (let column = block.from; column < block.to; column++) {
        if (!isKept.has(column)) continue;
        written.set(column, (written.get(column) ?? 0) + source.to - source.from);
      }
      for (const { part, content } of targets) {
        const end = Math.min(part.to, source.to);
        for (let region = Math.max(part.from, source.from); region < end; region++) {
          const width = regions.width(plane, region);
          const read = regions.bytes(plane, source.from, region) * (block.to - block.from);
          const write = regions.bytes(plane, part.from, region) * columns + (block.from - from) * width;
          for (let column = block.from; column < block.to; column++) {
            if (!isKept.has(column)) continue;
            const at = (column - block.from) * width;
            for (let k = 0; k < width; k++) content[write + at + k] = block.content[read + at + k] as number;
          }
        }
      }
    }
    for (const column of kept) if (written.get(column) !== open.to - open.from) throw damagedValues();
    for (const { part, content } of targets) {
      const block = { part: part.part, plane, from, to, content };
      found.push({ ...block, checksum: blockChecksum(block) });
    }
  }
  return found;
}

// Arranges the values of a cohort.

export interface ArrangeControl {
  signal: AbortSignal;
  giveWay?(): Promise<void>;
  progress?(fraction: number): void;
}

/** Columns of a block, smaller first; each a multiple of those before. */
export const columnsOfBlocks: readonly number[] = [64, 256, 1024];

/** Columns [from, to). */
interface ColumnRange {
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
): Promise<ColumnRange[]> {
  const [last] = regions.open.slice(-1);
  if (last === undefined) return [];
  const wanted: ColumnRange[] = [];
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

function hasLeft({ left }: CohortState, { from, to }: ColumnRange): boolean {
  return left.some((column) => column >= from && column < to);
}

/** Returns false if the layout was replaced. */
async function arrangePart(
  known: KnownCohorts,
  repository: CohortRepository,
  build: Build,
  layout: string,
  open: RegionRange,
  { from, to }: ColumnRange,
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
