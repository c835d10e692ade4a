/** Makes tabix indexes of sorted VCF files (the Tabix index file format; Li 2011, https://doi.org/10.1093/bioinformatics/btq671). */
import { filledWindows, GenomeBins, integers, offsets, type Unindexable } from './bins.js';

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
