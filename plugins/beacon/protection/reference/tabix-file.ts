/** Reads lines of a sorted VCF by place: compressed by bgzip, with a `.tbi` index (the Tabix index file format). */
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip, inflateRaw } from 'node:zlib';
import { Fault } from '../../../../core/plugin.js';

const unzip = promisify(gunzip);
const inflate = promisify(inflateRaw);

/** What the index says of a contig: chunks of the file by bin, and where records that reach into each window begin. */
interface Indexed {
  bins: ReadonlyMap<number, readonly (readonly [from: bigint, to: bigint])[]>;
  windows: readonly bigint[];
}

const windowBits = 14;
/** The largest block that BGZF has, compressed or not. */
const largestBlock = 2 ** 16;
/** Uncompressed bytes that a look-up may read before the index counts as damaged. */
const mostRead = 2 ** 26;

export class TabixFile {
  readonly path: string;
  readonly #file: FileHandle;
  readonly #contigs: ReadonlyMap<string, Indexed>;

  private constructor(path: string, file: FileHandle, contigs: ReadonlyMap<string, Indexed>) {
    this.path = path;
    this.#file = file;
    this.#contigs = contigs;
  }

  /** Throws an `invalid` fault if the file or its index cannot be read. */
  static async open(path: string): Promise<TabixFile> {
    const contigs = await readIndex(`${path}.tbi`);
    const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
      throw new Fault('invalid', `${path} cannot be read: ${error.code}`);
    });
    return new TabixFile(path, file, contigs);
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  has(contig: string): boolean {
    return this.#contigs.has(contig);
  }

  /** The lines whose POS, less one, is at least `start` and below `end`, in their order; none of an unknown contig. */
  async lines(contig: string, start: number, end: number): Promise<string[]> {
    const indexed = this.#contigs.get(contig);
    if (!indexed || end <= start) return [];
    const first = indexed.windows[Math.min(start >> windowBits, indexed.windows.length - 1)] ?? 0n;
    const chunks = binsOf(start, end)
      .flatMap((bin) => indexed.bins.get(bin) ?? [])
      .filter(([, to]) => to > first)
      .sort(([one], [other]) => (one < other ? -1 : 1));
    const found: string[] = [];
    let done = first;
    for (const [from, to] of chunks) {
      const begin = from > done ? from : done;
      if (begin >= to) continue;
      const isOver = await this.#scan(begin, to, (line) => {
        const [name, position] = line.split('\t', 2);
        const place = Number(position) - 1;
        if (name !== contig || place >= end) return true;
        if (place >= start) found.push(line);
        return false;
      });
      if (isOver) break;
      done = to;
    }
    return found;
  }

  /** Passes lines that begin between two virtual offsets until `take` returns true; returns whether it did. */
  async #scan(from: bigint, to: bigint, take: (line: string) => boolean): Promise<boolean> {
    let place = Number(from >> 16n);
    let skipped = Number(from & 0xffffn);
    let rest = '';
    let read = 0;
    for (;;) {
      const block = await this.#block(place);
      if (!block) break;
      const last = place >= Number(to >> 16n);
      // A line that begins before the end may go on in the next block.
      const text = rest + block.text.toString('latin1', skipped);
      const lines = text.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line !== '' && take(line)) return true;
      read += block.text.length;
      if (read > mostRead) throw new Fault('internal', `the index of ${this.path} is damaged`);
      if (last && (rest === '' || place > Number(to >> 16n))) break;
      place += block.bytes;
      skipped = 0;
    }
    return rest !== '' && take(rest);
  }

  /** The block at an offset in the file; undefined at its end. */
  async #block(offset: number): Promise<{ text: Buffer; bytes: number } | undefined> {
    const { buffer, bytesRead } = await this.#file.read(Buffer.alloc(largestBlock), 0, largestBlock, offset);
    if (bytesRead === 0) return undefined;
    const damaged = () => new Fault('internal', `${this.path} is not compressed by bgzip, or damaged`);
    if (bytesRead < 18 || buffer.readUInt32LE(0) !== 0x04088b1f) throw damaged();
    const extra = buffer.readUInt16LE(10);
    let size = 0;
    for (let at = 12; at + 4 <= 12 + extra; at += 4 + buffer.readUInt16LE(at + 2)) {
      if (buffer[at] === 66 && buffer[at + 1] === 67) size = buffer.readUInt16LE(at + 4) + 1;
    }
    if (size === 0 || size > bytesRead) throw damaged();
    const data = buffer.subarray(12 + extra, size - 8);
    const text = await inflate(data, { maxOutputLength: largestBlock }).catch(() => {
      throw damaged();
    });
    return { text, bytes: size };
  }
}

/** The bins of five levels that may hold records of a region (SAM specification §5.3). */
function binsOf(start: number, end: number): number[] {
  const bins: number[] = [];
  let first = 0;
  for (let level = 0; level <= 5; level++) {
    const shift = windowBits + 3 * (5 - level);
    for (let bin = first + (start >> shift); bin <= first + ((end - 1) >> shift); bin++) bins.push(bin);
    first += 8 ** level;
  }
  return bins;
}

async function readIndex(path: string): Promise<ReadonlyMap<string, Indexed>> {
  const bytes = await readFile(path)
    .then((compressed) => unzip(compressed))
    .catch((error: NodeJS.ErrnoException) => {
      throw new Fault('invalid', `${path} cannot be read as the index of a VCF: ${error.code ?? error.message}`);
    });
  try {
    return parsed(bytes);
  } catch {
    throw new Fault('invalid', `${path} is not the index of a VCF; make it with: tabix -p vcf FILE`);
  }
}

function parsed(bytes: Buffer): ReadonlyMap<string, Indexed> {
  let at = 0;
  const integer = () => {
    at += 4;
    return bytes.readInt32LE(at - 4);
  };
  const offset = () => {
    at += 8;
    return bytes.readBigUInt64LE(at - 8);
  };
  if (bytes.toString('latin1', 0, 4) !== 'TBI\x01') throw new RangeError('no tabix index');
  at = 4;
  const count = integer();
  const [format, nameColumn, startColumn] = [integer(), integer(), integer()];
  if ((format & 0xffff) !== 2 || nameColumn !== 1 || startColumn !== 2) throw new RangeError('not of a VCF');
  at += 12;
  const length = integer();
  const names = bytes
    .toString('latin1', at, at + length)
    .split('\0')
    .slice(0, count);
  at += length;
  const contigs = new Map<string, Indexed>();
  for (const name of names) {
    const bins = new Map<number, [bigint, bigint][]>();
    for (let left = integer(); left > 0; left--) {
      const bin = integer();
      bins.set(
        bin,
        Array.from({ length: integer() }, () => [offset(), offset()]),
      );
    }
    contigs.set(name, { bins, windows: Array.from({ length: integer() }, offset) });
  }
  return contigs;
}
