/** Makes CSI indexes of sorted BED files (the CSI index file format of htslib, https://samtools.github.io/hts-specs/CSIv1.pdf). */
import { filledWindows, GenomeBins, integers, offsets, type Unindexable, windowBits } from './bins.js';

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
