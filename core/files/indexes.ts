/**
 * Indexes of sorted genomic files: the bins that say which parts of a file hold records of a region (SAM specification §5.3),
 * written as tabix for VCF and as CSI for BED.
 */

/** Bases in a smallest bin, and in a window of the linear index: 2¹⁴. */
const windowBits = 14;

/** Uncompressed offsets, from and to. */
type Chunk = [from: number, to: number];

/** The records of one contig. */
interface IndexedContig {
  bins: Map<number, Chunk[]>;
  /** The offset of the first record that reaches into each window; undefined for windows without one. */
  windows: (number | undefined)[];
  from: number;
  to: number;
  records: number;
}

/** Why a record cannot be indexed. */
export type Unindexable = 'order' | 'range';

/** Collects the records of a sorted file by bin. Bins have `levels` levels above the smallest, each of eight bins of the next. */
class GenomeBins {
  readonly contigs = new Map<string, IndexedContig>();
  readonly levels: number;
  readonly #farthest: number;
  #name = '';
  #contig: IndexedContig | undefined;
  #start = 0;
  /** The bin of the last record and its last chunk: most records continue it. */
  #bin = -1;
  #chunk: Chunk = [0, 0];

  constructor(levels: number) {
    this.levels = levels;
    this.#farthest = 2 ** (windowBits + 3 * levels);
  }

  /**
   * Adds a record: its place, zero-based half-open, and where its line begins and ends in the uncompressed file. Returns why
   * it cannot be indexed, if so: records of one contig must be together, by ascending start.
   */
  add(name: string, start: number, end: number, from: number, to: number): Unindexable | undefined {
    if (name !== this.#name || !this.#contig) {
      if (this.contigs.has(name)) return 'order';
      this.#contig = { bins: new Map(), windows: [], from, to, records: 0 };
      this.contigs.set(name, this.#contig);
      this.#name = name;
      this.#bin = -1;
    } else if (start < this.#start) return 'order';
    const last = Math.max(end, start + 1);
    if (last > this.#farthest) return 'range';
    this.#start = start;
    const { bins, windows } = this.#contig;
    this.#contig.to = to;
    this.#contig.records++;
    const bin = this.#binOf(start, last);
    if (bin === this.#bin && this.#chunk[1] === from) this.#chunk[1] = to;
    else {
      this.#chunk = continued(bins, bin, from, to);
      this.#bin = bin;
    }
    for (let window = start >>> windowBits; window <= (last - 1) >>> windowBits; window++) windows[window] ??= from;
    return undefined;
  }

  /** The number after those of all bins: htslib keeps counts of records there. */
  get countsBin(): number {
    return firstOf(this.levels + 1) + 1;
  }

  /** The smallest window that a bin covers. */
  firstWindow(bin: number): number {
    let level = 0;
    while (bin >= firstOf(level + 1)) level++;
    return (bin - firstOf(level)) * 8 ** (this.levels - level);
  }

  /** The smallest bin that holds an interval, zero-based half-open. */
  #binOf(start: number, end: number): number {
    const last = end - 1;
    for (let level = this.levels, bits = windowBits; level > 0; level--, bits += 3) {
      if (start >>> bits === last >>> bits) return firstOf(level) + (start >>> bits);
    }
    return 0;
  }
}

/** The first bin of a level; level 0 is the one bin of everything. */
function firstOf(level: number): number {
  return ((1 << (3 * level)) - 1) / 7;
}

/** The chunk of a bin that now ends at `to`: its last one if the record follows it, else a new one. */
function continued(bins: Map<number, Chunk[]>, bin: number, from: number, to: number): Chunk {
  const chunks = bins.get(bin);
  const open = chunks?.at(-1);
  if (open?.[1] === from) {
    open[1] = to;
    return open;
  }
  const chunk: Chunk = [from, to];
  if (chunks) chunks.push(chunk);
  else bins.set(bin, [chunk]);
  return chunk;
}

/** The offset of each window; a window without a record has that of the one before it. */
function filledWindows({ windows }: IndexedContig, virtual: (offset: number) => bigint): bigint[] {
  let before = 0n;
  return Array.from(windows, (offset) => {
    before = offset === undefined ? before : virtual(offset);
    return before;
  });
}

/** Unsigned 32-bit integers as an index holds them. */
function integers(...values: number[]): Buffer {
  const bytes = Buffer.allocUnsafe(4 * values.length);
  for (const [i, value] of values.entries()) bytes.writeUInt32LE(value, 4 * i);
  return bytes;
}

/** Virtual offsets as an index holds them. */
function offsets(values: readonly bigint[]): Buffer {
  const bytes = Buffer.allocUnsafe(8 * values.length);
  for (const [i, value] of values.entries()) bytes.writeBigUInt64LE(value, 8 * i);
  return bytes;
}

// Makes tabix indexes of sorted VCF files (the Tabix index file format; Li 2011, https://doi.org/10.1093/bioinformatics/btq671).

/** The levels of bins that the format has, for 2²⁹ bases. */
const levels = 5;

/** Takes the records of a file in their order. */
export class TabixIndex {
  readonly #bins = new GenomeBins(levels);

  /**
   * Adds a record: its place, zero-based half-open, and where its line begins and ends in the uncompressed file. Returns why
   * it cannot be indexed, if so: records of one contig must be together, by ascending start.
   */
  add(name: string, start: number, end: number, from: number, to: number): Unindexable | undefined {
    return this.#bins.add(name, start, end, from, to);
  }

  /** The index, uncompressed: a file has it in BGZF. `virtual` turns an uncompressed offset into a virtual one. */
  encode(virtual: (offset: number) => bigint): Buffer {
    const { contigs, countsBin } = this.#bins;
    const names = Buffer.from([...contigs.keys()].map((name) => `${name}\0`).join(''), 'latin1');
    // VCF; columns of contig, start and (none) end; comments begin with #; no lines to skip.
    const parts = [Buffer.from('TBI\x01'), integers(contigs.size, 2, 1, 2, 0, 35, 0, names.length), names];
    for (const contig of contigs.values()) {
      const { bins, from, to, records } = contig;
      parts.push(integers(bins.size + 1));
      for (const [bin, chunks] of [...bins].sort(([a], [b]) => a - b)) {
        parts.push(integers(bin, chunks.length));
        parts.push(offsets(chunks.flat().map(virtual)));
      }
      parts.push(integers(countsBin, 2), offsets([virtual(from), virtual(to), BigInt(records), 0n]));
      const first = filledWindows(contig, virtual);
      parts.push(integers(first.length), offsets(first));
    }
    return Buffer.concat(parts);
  }
}

// Makes CSI indexes of sorted BED files (the CSI index file format of htslib, https://samtools.github.io/hts-specs/CSIv1.pdf).

/** tabix's number for a file whose positions are zero-based half-open. */
const zeroBased = 0x10000;

/** Takes the records of a BED file in their order. */
export class CsiIndex {
  readonly #bins: GenomeBins;

  /** `longest` is the length of the longest contig, in bases: the index has as many levels as it needs. */
  constructor(longest: number) {
    let levels = 0;
    while (longest > 2 ** (windowBits + 3 * levels)) levels++;
    this.#bins = new GenomeBins(levels);
  }

  /**
   * Adds a record: its place, zero-based half-open, and where its line begins and ends in the uncompressed file. Returns why
   * it cannot be indexed, if so: records of one contig must be together, by ascending start.
   */
  add(name: string, start: number, end: number, from: number, to: number): Unindexable | undefined {
    return this.#bins.add(name, start, end, from, to);
  }

  /** The index, uncompressed: a file has it in BGZF. `virtual` turns an uncompressed offset into a virtual one. */
  encode(virtual: (offset: number) => bigint): Buffer {
    const { contigs, countsBin, levels } = this.#bins;
    const names = Buffer.from([...contigs.keys()].map((name) => `${name}\0`).join(''), 'latin1');
    // Columns of contig, start and end; comments begin with #; no lines to skip.
    const columns = Buffer.concat([integers(zeroBased, 1, 2, 3, 35, 0, names.length), names]);
    const parts = [Buffer.from('CSI\x01'), integers(windowBits, levels, columns.length), columns];
    parts.push(integers(contigs.size));
    for (const contig of contigs.values()) {
      const { bins, from, to, records } = contig;
      const first = filledWindows(contig, virtual);
      parts.push(integers(bins.size + 1));
      for (const [bin, chunks] of [...bins].sort(([a], [b]) => a - b)) {
        parts.push(integers(bin), offsets([first[this.#bins.firstWindow(bin)] ?? 0n]), integers(chunks.length));
        parts.push(offsets(chunks.flat().map(virtual)));
      }
      parts.push(integers(countsBin), offsets([0n]), integers(2));
      parts.push(offsets([virtual(from), virtual(to), BigInt(records), 0n]));
    }
    // Records without a place: none.
    parts.push(offsets([0n]));
    return Buffer.concat(parts);
  }
}
