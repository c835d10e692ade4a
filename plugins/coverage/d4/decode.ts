/** Decodes the primary codes and the secondary records of a region into depths as stored integers. */
import type { Dictionary } from './dictionary.js';
import type { Kernel } from './kernel/kernel.js';
import { firstEndingAfter, type RecordBlock, recordBegin, recordLength, recordValue } from './secondary/block.js';

/**
 * Fills `values` with the stored integers of the bases from `begin` on (at most `unpackCodes`). Their codes are in the kernel's
 * window from code `first` on; without primary codes the window is not read.
 */
export function decode(
  dictionary: Dictionary,
  records: readonly RecordBlock[],
  kernel: Kernel,
  first: number,
  begin: number,
  values: Int32Array,
): void {
  const { width, low, fallback, values: table } = dictionary;
  if (width === 0) values.fill(fallback);
  else {
    const codes = kernel.unpack(width, first, values.length);
    if (low === undefined) for (let i = 0; i < values.length; i++) values[i] = table[codes[i] as number] as number;
    else for (let i = 0; i < values.length; i++) values[i] = (codes[i] as number) + low;
  }
  const end = begin + values.length;
  for (const block of records) {
    const from = Math.max(begin, block.floor);
    const to = Math.min(end, block.ceiling);
    eachRecord(block, from, to, (recordFrom, recordTo, value) => {
      values.fill(value, recordFrom - begin, recordTo - begin);
    });
  }
}

/** Calls back with each record's part of [from, to). */
export function eachRecord(
  block: RecordBlock,
  from: number,
  to: number,
  visit: (begin: number, end: number, value: number) => void,
): void {
  const { words, count } = block;
  for (let i = firstEndingAfter(block, from); i < count; i++) {
    const start = recordBegin(words, i);
    if (start >= to) return;
    visit(Math.max(from, start), Math.min(to, start + recordLength(words, i)), recordValue(words, i));
  }
}
