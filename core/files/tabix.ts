/** Makes tabix indexes of sorted VCF files (the Tabix index file format; Li 2011, https://doi.org/10.1093/bioinformatics/btq671). */

/** Largest place that the index can hold: 2²⁹ bases. */
const farthest = 2 ** 29;
/** Bases in a window of the linear index, and in a smallest bin: 2¹⁴. */
const windowBits = 14;
/** Bins of all levels; the number after them holds counts of records, as htslib writes them. */
const countsBin = 37450;

/** Uncompressed offsets, from and to. */
type Chunk = [from: number, to: number];

interface Contig {
  bins: Map<number, Chunk[]>;
  /** The offset of the first record that reaches into each window; undefined for windows without one. */
  windows: (number | undefined)[];
  from: number;
  to: number;
  records: number;
}

/** Why a record cannot be indexed. */
export type Unindexable = 'order' | 'range';

/** Takes the records of a file in their order. */
export class TabixIndex {
  readonly #contigs = new Map<string, Contig>();
  #name = '';
  #contig: Contig | undefined;
  #start = 0;

  /**
   * Adds a record: its place, zero-based half-open, and where its line begins and ends in the uncompressed file. Returns why
   * it cannot be indexed, if so: records of one contig must be together, by ascending start.
   */
  add(name: string, start: number, end: number, from: number, to: number): Unindexable | undefined {
    if (name !== this.#name || !this.#contig) {
      if (this.#contigs.has(name)) return 'order';
      this.#contig = { bins: new Map(), windows: [], from, to, records: 0 };
      this.#contigs.set(name, this.#contig);
      this.#name = name;
    } else if (start < this.#start) return 'order';
    const last = Math.max(end, start + 1);
    if (last > farthest) return 'range';
    this.#start = start;
    const { bins, windows } = this.#contig;
    this.#contig.to = to;
    this.#contig.records++;
    const bin = binOf(start, last);
    const chunks = bins.get(bin);
    const open = chunks?.at(-1);
    if (open?.[1] === from) open[1] = to;
    else if (chunks) chunks.push([from, to]);
    else bins.set(bin, [[from, to]]);
    for (let window = start >> windowBits; window <= (last - 1) >> windowBits; window++) windows[window] ??= from;
    return undefined;
  }

  /** The index, uncompressed: a file has it in BGZF. `virtual` turns an uncompressed offset into a virtual one. */
  encode(virtual: (offset: number) => bigint): Buffer {
    const names = Buffer.from([...this.#contigs.keys()].map((name) => `${name}\0`).join(''), 'latin1');
    // VCF; columns of contig, start and (none) end; comments begin with #; no lines to skip.
    const parts = [Buffer.from('TBI\x01'), integers(this.#contigs.size, 2, 1, 2, 0, 35, 0, names.length), names];
    for (const { bins, windows, from, to, records } of this.#contigs.values()) {
      parts.push(integers(bins.size + 1));
      for (const [bin, chunks] of [...bins].sort(([a], [b]) => a - b)) {
        parts.push(integers(bin, chunks.length));
        parts.push(offsets(chunks.flat().map(virtual)));
      }
      parts.push(integers(countsBin, 2), offsets([virtual(from), virtual(to), BigInt(records), 0n]));
      let before = 0n;
      const first = Array.from(windows, (offset) => {
        before = offset === undefined ? before : virtual(offset);
        return before;
      });
      parts.push(integers(first.length), offsets(first));
    }
    return Buffer.concat(parts);
  }
}

/** The smallest bin that holds an interval, zero-based half-open (SAM specification §5.3). */
function binOf(start: number, end: number): number {
  const last = end - 1;
  for (let level = 5, bits = windowBits; level > 0; level--, bits += 3) {
    if (start >> bits === last >> bits) return ((1 << (3 * level)) - 1) / 7 + (start >> bits);
  }
  return 0;
}

function integers(...values: number[]): Buffer {
  const bytes = Buffer.allocUnsafe(4 * values.length);
  for (const [i, value] of values.entries()) bytes.writeUInt32LE(value, 4 * i);
  return bytes;
}

function offsets(values: readonly bigint[]): Buffer {
  const bytes = Buffer.allocUnsafe(8 * values.length);
  for (const [i, value] of values.entries()) bytes.writeBigUInt64LE(value, 8 * i);
  return bytes;
}
