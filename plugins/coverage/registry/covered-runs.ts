/**
 * Which bases of a chromosome a sample covers, at a few thresholds: runs of *depth classes*. The class of a base is the number
 * of thresholds that its depth reaches: with the thresholds 10 and 20, a depth of 15 is of class 1.
 *
 * Runs are stored as one varint each (length × classes + class, seven bits a byte, the lowest first), cut into pieces and
 * compressed (raw deflate). 20 Mb of a simulated 30x genome take 6 kB at a threshold of 10 and 120 kB at 20: the nearer the
 * threshold is to the mean depth, the more often the depth crosses it.
 */
import { promisify } from 'node:util';
import { deflateRaw, inflateRawSync } from 'node:zlib';
import { Fault } from '../../../core/plugin.js';
import { type Chromosome, checksumOf, type RunBlock } from '../contract.js';

/** Bases [start, end) of one depth class. */
export interface ClassRun {
  start: number;
  end: number;
  depthClass: number;
}

/** Bytes of a block before it is compressed: one that does not get smaller stays below 256 kB. */
const pieceBytes = 240_000;
/** Of one varint, for lengths below 2^32 and classes below 2^6. */
const longestVarint = 6;

interface Piece {
  start: number;
  end: number;
  bytes: Uint8Array;
}

/** Collects the runs of one chromosome from its first base on, and compresses them. */
export class RunWriter {
  readonly #classes: number;
  readonly #pieces: Piece[] = [];
  #buffer = new Uint8Array(pieceBytes);
  #used = 0;
  /** First base of the piece, and of the last run, which may continue. */
  #pieceStart = 0;
  #runStart = 0;
  #end = 0;
  #last = 0;

  /** `thresholds` is their number. */
  constructor(thresholds: number) {
    this.#classes = thresholds + 1;
  }

  /** Adds the next bases. */
  add(length: number, depthClass: number): void {
    if (length <= 0) return;
    if (depthClass !== this.#last && this.#end > this.#runStart) this.#endRun();
    this.#last = depthClass;
    this.#end += length;
  }

  /** The blocks of all bases that were added. The writer must not be used afterwards. */
  async blocks(chromosome: Chromosome): Promise<RunBlock[]> {
    if (this.#end > this.#runStart) this.#endRun();
    this.#endPiece();
    const blocks: RunBlock[] = [];
    for (const { start, end, bytes } of this.#pieces) {
      const content = await compress(bytes);
      blocks.push({ chromosome, start, end, checksum: checksumOf(content), content });
    }
    return blocks;
  }

  #endRun(): void {
    let code = (this.#end - this.#runStart) * this.#classes + this.#last;
    if (this.#used + longestVarint > pieceBytes) this.#endPiece();
    for (; code >= 128; code = Math.floor(code / 128)) this.#buffer[this.#used++] = (code % 128) + 128;
    this.#buffer[this.#used++] = code;
    this.#runStart = this.#end;
  }

  /** The last run is not part of the piece: it has not ended. */
  #endPiece(): void {
    if (this.#used === 0) return;
    const bytes = this.#buffer.slice(0, this.#used);
    this.#pieces.push({ start: this.#pieceStart, end: this.#runStart, bytes });
    this.#pieceStart = this.#runStart;
    this.#used = 0;
  }
}

const deflate = promisify(deflateRaw);

async function compress(bytes: Uint8Array): Promise<Uint8Array> {
  const compressed = await deflate(bytes, { level: 6 });
  return new Uint8Array(compressed.buffer, compressed.byteOffset, compressed.byteLength);
}

/**
 * The runs of a block; `thresholds` is the number of thresholds that they were written for. Throws an `internal` fault if the
 * block is damaged: none of its runs can then be relied upon.
 */
export function* runsOf({ start, end, checksum, content }: RunBlock, thresholds: number): Generator<ClassRun> {
  if (checksumOf(content) !== checksum) throw damaged();
  const classes = thresholds + 1;
  let bytes: Buffer;
  try {
    bytes = inflateRawSync(content, { maxOutputLength: pieceBytes });
  } catch (cause) {
    throw damaged(cause);
  }
  let [from, code, scale] = [start, 0, 1];
  for (const byte of bytes) {
    code += (byte % 128) * scale;
    scale *= 128;
    if (byte >= 128) continue;
    const to = from + Math.floor(code / classes);
    yield { start: from, end: to, depthClass: code % classes };
    [from, code, scale] = [to, 0, 1];
  }
  if (from !== end || scale !== 1) throw damaged();
}

function damaged(cause?: unknown): Fault {
  const message = 'Stored coverage of a sample is damaged: register the sample again';
  return new Fault('internal', message, cause === undefined ? {} : { cause });
}

/**
 * Adds the bases [start, end) to a writer. `below` has, for each threshold in ascending order, the runs of bases below it:
 * alternating starts and ends, ascending, inside [start, end).
 */
export function addClasses(
  writer: RunWriter,
  { start, end }: { start: number; end: number },
  below: readonly ArrayLike<number>[],
): void {
  const at = below.map(() => 0);
  for (let base = start; base < end; ) {
    let next = end;
    let depthClass = below.length;
    for (let k = below.length - 1; k >= 0; k--) {
      const runs = below[k] as ArrayLike<number>;
      let i = at[k] as number;
      while (i < runs.length && (runs[i + 1] as number) <= base) i += 2;
      at[k] = i;
      if (i >= runs.length) continue;
      const from = runs[i] as number;
      if (from > base) next = Math.min(next, from);
      else {
        next = Math.min(next, runs[i + 1] as number);
        depthClass = k;
      }
    }
    writer.add(next - base, depthClass);
    base = next;
  }
}
