/**
 * Reference sequences in a file of two bits a base: the packed sequences one after another, each from a whole byte on, then what is
 * known of them as JSON, then how long that is. Four bases are in a byte, the first in its highest bits; A, C, G and T are 0 to 3.
 * Where a base is not known, there is a 0, and its IUPAC code is among the exceptions of the sequence.
 */
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../../../core/plugin.js';
import type { Assembly, Contig } from '../../domain/allele.js';
import type { ReferenceBases } from '../../domain/left-aligned.js';

/** Bases `start` to `end`, zero-based half-open, that all have the same code. */
export type Exception = readonly [start: number, end: number, code: string];

export interface PackedSequence {
  contig: Contig;
  /** Bases. */
  length: number;
  /** Where it begins, in bytes. */
  offset: number;
  /** Of the upper-case bases, as `M5` in SAM and `md5` in VCF. */
  md5: string;
  /** Of the same, `SQ.` and the truncated SHA-512 of GA4GH refget. */
  refget: string;
  /** By start ascending. */
  exceptions: readonly Exception[];
}

export interface PackedIndex {
  assembly: Assembly;
  /** Of all sequences together (`ReferenceBases`). */
  digest: string;
  sequences: readonly PackedSequence[];
}

const mark = 'TRFREF01';
const footerBytes = 4 + mark.length;

/** What ends the file. */
export function encodedIndex(index: PackedIndex): Buffer {
  const text = Buffer.from(JSON.stringify(index), 'utf8');
  const footer = Buffer.alloc(footerBytes);
  footer.writeUInt32LE(text.length);
  footer.write(mark, 4, 'latin1');
  return Buffer.concat([text, footer]);
}

/** The bases of each byte. */
const quads = Array.from({ length: 256 }, (_, byte) => [6, 4, 2, 0].map((by) => 'ACGT'[(byte >> by) & 3]).join(''));

/** Bytes that are read at once: the bases of a whole gene. */
const chunkBytes = 2 ** 14;
/** Chunks that are kept, 8 MiB in all. */
const mostChunks = 512;

/** An open file. Bases are read at once, without waiting: a load asks for those of each of its records. */
class PackedReference implements ReferenceBases {
  readonly assembly: Assembly;
  readonly digest: string;
  readonly #fd: number;
  readonly #sequences: ReadonlyMap<Contig, PackedSequence>;
  /** By number, those that were used last at the end. */
  readonly #chunks = new Map<number, Buffer>();
  #last: { number: number; bytes: Buffer } = { number: -1, bytes: Buffer.alloc(0) };

  constructor(fd: number, { assembly, digest, sequences }: PackedIndex) {
    this.#fd = fd;
    this.assembly = assembly;
    this.digest = digest;
    this.#sequences = new Map(sequences.map((sequence) => [sequence.contig, sequence]));
  }

  bases(contig: Contig, start: number, end: number): string | undefined {
    const sequence = this.#sequences.get(contig);
    if (!sequence || start < 0 || end < start || end > sequence.length) return undefined;
    if (start === end) return '';
    let text = '';
    const last = (end - 1) >> 2;
    for (let byte = start >> 2; byte <= last; byte++) text += quads[this.#byte(sequence.offset + byte)];
    const from = start & 3;
    return withExceptions(text.slice(from, from + end - start), start, sequence.exceptions);
  }

  md5(contig: Contig): string | undefined {
    return this.#sequences.get(contig)?.md5;
  }

  #byte(offset: number): number {
    const number = Math.floor(offset / chunkBytes);
    if (this.#last.number !== number) this.#last = { number, bytes: this.#chunk(number) };
    return this.#last.bytes[offset % chunkBytes] as number;
  }

  #chunk(number: number): Buffer {
    let bytes = this.#chunks.get(number);
    if (bytes === undefined) {
      bytes = Buffer.alloc(chunkBytes);
      readSync(this.#fd, bytes, 0, chunkBytes, number * chunkBytes);
    }
    this.#chunks.delete(number);
    this.#chunks.set(number, bytes);
    for (const oldest of this.#chunks.keys()) {
      if (this.#chunks.size <= mostChunks) break;
      this.#chunks.delete(oldest);
    }
    return bytes;
  }
}

export type { PackedReference };

/** `text` are the bases from `start` on. */
function withExceptions(text: string, start: number, exceptions: readonly Exception[]): string {
  let [low, high] = [0, exceptions.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((exceptions[middle] as Exception)[1] <= start) low = middle + 1;
    else high = middle;
  }
  let result = text;
  for (let i = low; i < exceptions.length; i++) {
    const [from, to, code] = exceptions[i] as Exception;
    if (from >= start + text.length) break;
    const [first, last] = [Math.max(from - start, 0), Math.min(to - start, text.length)];
    result = result.slice(0, first) + code.repeat(last - first) + result.slice(last);
  }
  return result;
}

// The files of a folder, one for each assembly.

export function referenceFile(folder: string, assembly: Assembly): string {
  return join(folder, `${assembly}.reference`);
}

/** The references that are loaded. */
export interface LoadedReferences {
  /**
   * Undefined if none is loaded. A file that was replaced is seen after a few seconds; what was returned before goes on reading the
   * old one. Throws an `internal` fault if the file is damaged.
   */
  of(assembly: Assembly): PackedReference | undefined;
}

/** Milliseconds. */
const recheckedAfter = 5000;

interface KnownFile {
  checked: number;
  /** Another one if the file is another. */
  state: string;
  reference: PackedReference | undefined;
}

export function referencesIn(folder: string): LoadedReferences {
  const known = new Map<Assembly, KnownFile>();
  return {
    of(assembly) {
      const before = known.get(assembly);
      const now = performance.now();
      if (before && now - before.checked < recheckedAfter) return before.reference;
      const path = referenceFile(folder, assembly);
      const found = statSync(path, { throwIfNoEntry: false });
      const state = found ? `${found.dev} ${found.ino} ${found.size} ${found.mtimeMs}` : '';
      const reference = before?.state === state ? before.reference : found && opened(path, assembly);
      known.set(assembly, { checked: now, state, reference });
      return reference;
    },
  };
}

function opened(path: string, assembly: Assembly): PackedReference {
  let fd: number | undefined;
  try {
    fd = openSync(path, 'r');
    return new PackedReference(fd, indexIn(fd, assembly));
  } catch (cause) {
    // A damaged file is opened again for each question.
    if (fd !== undefined) closeSync(fd);
    throw new Fault('internal', `${path} cannot be read as a reference: load it again (beacon load-reference)`, {
      cause,
    });
  }
}

/** Throws a RangeError or a SyntaxError if the file is damaged. */
function indexIn(fd: number, assembly: Assembly): PackedIndex {
  const { size } = fstatSync(fd);
  const part = (from: number, length: number) => {
    if (from < 0) throw new RangeError('the file is too short');
    const bytes = Buffer.alloc(length);
    if (readSync(fd, bytes, 0, length, from) < length) throw new RangeError('the file became shorter');
    return bytes;
  };
  const footer = part(size - footerBytes, footerBytes);
  if (footer.toString('latin1', 4) !== mark) throw new RangeError('it does not end as such a file');
  const length = footer.readUInt32LE();
  const index: PackedIndex = JSON.parse(part(size - footerBytes - length, length).toString('utf8'));
  const packed = size - footerBytes - length;
  const isWithin = (one: PackedSequence) => one.offset + Math.ceil(one.length / 4) <= packed;
  if (index.assembly !== assembly || !index.sequences.every(isWithin)) throw new RangeError('its index is not its own');
  return index;
}
