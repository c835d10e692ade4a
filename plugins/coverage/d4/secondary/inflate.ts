/**
 * Inflates raw deflate data (RFC 1951) where the platform does not at once: what browsers offer works later, and refuses data that
 * padding follows, as it does in frames of d4tools.
 */

/** A table by the next bits of the data: 16 times the symbol and the length of its code; 0 for bits that are no code. */
interface CodeTable {
  entries: Uint16Array;
  /** Bits of the longest code, and a mask of as many. */
  width: number;
  mask: number;
}

/** Builds the table of the canonical code with these lengths. Throws if they are of no code. */
function tableOf(lengths: Uint8Array): CodeTable {
  const width = Math.max(1, ...lengths);
  const next = new Uint16Array(width + 1);
  for (const length of lengths) if (length > 0 && length < width) next[length + 1] = (next[length + 1] as number) + 1;
  for (let length = 1; length <= width; length++) {
    next[length] = ((next[length - 1] as number) << 1) + ((next[length] as number) << 1);
  }
  const entries = new Uint16Array(2 ** width);
  for (const [symbol, length] of lengths.entries()) {
    if (length === 0) continue;
    const code = next[length] as number;
    next[length] = code + 1;
    if (code >= 2 ** length) throw new Error('There are more codes than their lengths allow');
    let first = 0;
    for (let bit = 0; bit < length; bit++) first |= ((code >> bit) & 1) << (length - 1 - bit);
    for (let at = first; at < entries.length; at += 2 ** length) entries[at] = (symbol << 4) | length;
  }
  return { entries, width, mask: entries.length - 1 };
}

/** The least values of symbols that stand for a range, from the number of further bits of each. */
function basesOf(first: number, furtherBits: readonly number[]): number[] {
  let base = first;
  return furtherBits.map((bits) => {
    const own = base;
    base += 2 ** bits;
    return own;
  });
}

const lengthBits = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5];
const lengthBases = basesOf(3, lengthBits);
/** The greatest length has a symbol of its own. */
const greatestLength = 258;
const distanceBits = [0, 0, 0, 0, ...Array.from({ length: 26 }, (_, i) => 1 + (i >> 1))];
const distanceBases = basesOf(1, distanceBits);
/** The order in which a block states the lengths of the codes of lengths. */
const lengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const endOfBlock = 256;

function fixedLengths(symbol: number): number {
  return symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8;
}

/** Returns at most `size` bytes. Throws if there are more, or if the data is broken or cut. What follows the data is ignored. */
export function inflate(packed: Uint8Array, size: number): Uint8Array {
  const out = new Uint8Array(size);
  let at = 0;
  let read = 0;
  let held = 0;
  let heldBits = 0;

  function take(bits: number): number {
    hold(bits);
    if (heldBits < bits) throw new Error('The data ends early');
    const value = held & ((1 << bits) - 1);
    held >>>= bits;
    heldBits -= bits;
    return value;
  }

  /** Holds this number of bits, 16 at most, if there are as many. */
  function hold(bits: number): void {
    while (heldBits < bits && read < packed.length) {
      held |= (packed[read++] as number) << heldBits;
      heldBits += 8;
    }
  }

  function symbolOf({ entries, width, mask }: CodeTable): number {
    hold(width);
    const entry = entries[held & mask] as number;
    const length = entry & 15;
    if (length === 0 || length > heldBits) throw new Error('The data has an unknown code, or ends early');
    held >>>= length;
    heldBits -= length;
    return entry >> 4;
  }

  function room(bytes: number): void {
    if (at + bytes > size) throw new Error(`There are more than ${size} bytes`);
  }

  function storedBlock(): void {
    read -= heldBits >> 3;
    held = 0;
    heldBits = 0;
    const length = take(16);
    if (take(16) !== (~length & 0xffff)) throw new Error('A block contradicts its length');
    if (read + length > packed.length) throw new Error('The data ends early');
    room(length);
    out.set(packed.subarray(read, read + length), at);
    at += length;
    read += length;
  }

  function statedTables(): [CodeTable, CodeTable] {
    const literals = 257 + take(5);
    const distances = 1 + take(5);
    const stated = 4 + take(4);
    const own = new Uint8Array(lengthOrder.length);
    for (const place of lengthOrder.slice(0, stated)) own[place] = take(3);
    const table = tableOf(own);
    const lengths = new Uint8Array(literals + distances);
    for (let i = 0; i < lengths.length; ) {
      const symbol = symbolOf(table);
      const count = symbol < 16 ? 1 : symbol === 16 ? 3 + take(2) : symbol === 17 ? 3 + take(3) : 11 + take(7);
      if ((symbol === 16 && i === 0) || i + count > lengths.length) throw new Error('A block states impossible codes');
      lengths.fill(symbol < 16 ? symbol : symbol === 16 ? (lengths[i - 1] as number) : 0, i, i + count);
      i += count;
    }
    return [tableOf(lengths.subarray(0, literals)), tableOf(lengths.subarray(literals))];
  }

  function codedBlock(literals: CodeTable, distances: CodeTable): void {
    for (;;) {
      const symbol = symbolOf(literals);
      if (symbol === endOfBlock) return;
      if (symbol < endOfBlock) {
        room(1);
        out[at++] = symbol;
        continue;
      }
      const place = symbol - endOfBlock - 1;
      const base = place === lengthBases.length ? greatestLength : lengthBases[place];
      if (base === undefined) throw new Error('The data has an unknown length');
      const length = base + take(lengthBits[place] ?? 0);
      const far = symbolOf(distances);
      const nearest = distanceBases[far];
      if (nearest === undefined) throw new Error('The data has an unknown distance');
      const distance = nearest + take(distanceBits[far] as number);
      if (distance > at) throw new Error('The data refers to bytes before its begin');
      room(length);
      // What is copied may be what was copied just now.
      for (const end = at + length; at < end; at++) out[at] = out[at - distance] as number;
    }
  }

  for (let isLast = false; !isLast; ) {
    isLast = take(1) === 1;
    const kind = take(2);
    if (kind === 0) storedBlock();
    else if (kind === 1) {
      codedBlock(
        tableOf(Uint8Array.from({ length: 288 }, (_, symbol) => fixedLengths(symbol))),
        tableOf(new Uint8Array(30).fill(5)),
      );
    } else if (kind === 2) codedBlock(...statedTables());
    else throw new Error('A block is of an unknown kind');
  }
  return out.subarray(0, at);
}
