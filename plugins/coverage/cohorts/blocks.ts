/**
 * Blocks: for each region of a part, the values of the columns in order, as whole numbers of the width of the region, the lowest
 * byte first. With one column that is a piece of a sample; with many, the samples of a region are side by side.
 */
import { blockChecksum, type CohortBlock, type CohortEntry, type ColumnBlock } from './contract.js';
import { damagedValues } from './damaged.js';
import type { CohortRegions, Part } from './regions.js';

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
export function checkBlock(block: CohortBlock, regions: CohortRegions): Part {
  const part = partOf(block, regions);
  if (part === undefined || blockChecksum(block) !== block.checksum) throw damagedValues();
  if (block.content.length !== regions.bytes(block.plane, part.from, part.to) * (block.to - block.from)) {
    throw damagedValues();
  }
  return part;
}

function partOf({ part }: CohortBlock, regions: CohortRegions): Part | undefined {
  return part < 0 ? regions.open[-1 - part] : regions.closed[part];
}

/** Adds the values of a region in a block that was checked to the places that its columns have in `into`, if not negative. */
export function addValues(
  block: CohortBlock,
  part: Part,
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
export function closedBlocks(
  blocks: readonly CohortBlock[],
  regions: CohortRegions,
  { open, from, to, planes, kept }: { open: Part; from: number; to: number; planes: number; kept: readonly number[] },
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
