/**
 * The parts of a file as they are written: frames, headers and directories, the primary table (codes packed into bytes), the
 * secondary table (records as streams of frames), and the output, which appears under its name only when it is complete.
 */
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { directoryFrame, frameHeader } from '../../container.js';
import { D4Error } from '../../error.js';
import { recordBytes, recordWords } from '../../secondary/records.js';

/** First bytes of every file. */
export const fileHeader = Uint8Array.of(0x64, 0x34, 0xdd, 0xdd, 0, 0, 0, 0);
export const rootAt = fileHeader.length;

/** An entry of a directory to be written; `at` is in bytes from the start of the file. */
export interface NewEntry {
  name: string;
  kind: 'stream' | 'directory' | 'blob';
  at: number;
  size: number;
}

const kindBytes = { stream: 0, directory: 1, blob: 2 };

/** The link at the start of a frame; zero if there is no next frame. */
function frameLink(distance = 0, size = 0): Uint8Array {
  const bytes = Buffer.alloc(frameHeader);
  bytes.writeBigInt64LE(BigInt(distance), 0);
  bytes.writeBigUInt64LE(BigInt(size), 8);
  return bytes;
}

/** A stream of one frame. */
function singleFrame(payload: Uint8Array): Uint8Array {
  return Buffer.concat([frameLink(), payload]);
}

/** A JSON header. It always ends with a NUL, by which readers find its end. */
export function headerFrame(json: object): Uint8Array {
  return singleFrame(Buffer.from(`${JSON.stringify(json)}\0`));
}

/** Bytes of a directory with these names: a first frame of fixed size, and one more for the rest. */
export function directoryBytes(names: readonly string[]): number {
  const content = names.reduce((sum, name) => sum + 19 + Buffer.byteLength(name), 1);
  const rest = content - (directoryFrame - frameHeader);
  return directoryFrame + (rest > 0 ? frameHeader + rest : 0);
}

/** A directory that starts at a byte of the file. */
export function directory(at: number, entries: readonly NewEntry[]): Uint8Array {
  const content = Buffer.concat([
    ...entries.map(({ name, kind, at: entryAt, size }) => {
      const fixed = Buffer.alloc(18);
      fixed[0] = 1;
      fixed[1] = kindBytes[kind];
      fixed.writeBigUInt64LE(BigInt(entryAt - at), 2);
      fixed.writeBigUInt64LE(BigInt(size), 10);
      return Buffer.concat([fixed, Buffer.from(`${name}\0`)]);
    }),
    Buffer.alloc(1),
  ]);
  const room = directoryFrame - frameHeader;
  const rest = content.subarray(room);
  const first = Buffer.alloc(room);
  content.copy(first, 0, 0, room);
  const link = rest.length > 0 ? frameLink(directoryFrame, frameHeader + rest.length) : frameLink();
  return rest.length > 0 ? Buffer.concat([link, first, frameLink(), rest]) : Buffer.concat([link, first]);
}

// Writes the primary table: packs codes into bytes.

/** Codes that are packed at a time; a multiple of 8, so that every chunk ends with a whole byte. */
const chunkCodes = 65_536;

/** Packs the codes of one chromosome at a time, and writes them at their offset. */
export class PrimaryWriter {
  readonly #output: Output;
  readonly #width: number;
  readonly #codes = new Uint16Array(chunkCodes);
  readonly #bytes: Uint8Array;
  #at = 0;
  #used = 0;

  constructor(output: Output, width: number) {
    this.#output = output;
    this.#width = width;
    this.#bytes = new Uint8Array((chunkCodes * width) / 8);
  }

  /** Begins a chromosome whose codes start at this offset of the file. */
  begin(at: number): void {
    this.#at = at;
  }

  add(code: number, bases: number): void {
    if (this.#width === 0) return;
    for (let left = bases; left > 0; ) {
      if (code === 0 && this.#used === 0 && left >= chunkCodes) {
        // Most of an exome: these chunks would be zero, and zero is never written.
        this.#at += Math.floor(left / chunkCodes) * this.#bytes.length;
        left %= chunkCodes;
        continue;
      }
      const take = Math.min(left, chunkCodes - this.#used);
      this.#codes.fill(code, this.#used, this.#used + take);
      this.#used += take;
      left -= take;
      if (this.#used === chunkCodes) this.finish();
    }
  }

  /** Writes the codes of the current chunk; also to be called after the last codes of a chromosome. */
  finish(): void {
    const width = this.#width;
    const out = this.#bytes;
    let held = 0;
    let bits = 0;
    let p = 0;
    let any = 0;
    for (let i = 0; i < this.#used; i++) {
      const code = this.#codes[i] as number;
      any |= code;
      held |= code << bits;
      bits += width;
      while (bits >= 8) {
        out[p++] = held;
        held >>>= 8;
        bits -= 8;
      }
    }
    if (bits > 0) out[p++] = held;
    // Bytes that are never written are zero, and take no space on the disk.
    if (any !== 0) this.#output.patch(this.#at, out.subarray(0, p));
    this.#at += p;
    this.#used = 0;
  }
}

// Writes the secondary table: records as streams of frames.

/** Bases of the longest record. */
const maxRecordBases = 65_536;

/** Records per frame: `first` in a stream's first frame, `later` in the others. */
const uncompressed = {
  // d4tools' stat loses the first frame of a partition with a record at its very start, so that frame is small.
  first: 2,
  later: 200_000,
};
const deflated = { first: 49, later: 6_553 };

/** A stream, as its directory entry describes it. */
interface WrittenStream {
  at: number;
  size: number;
}

/** Writes the records of one partition after the other, each as a stream at the end of the file. */
export class RecordWriter {
  readonly #output: Output;
  readonly #level: number | undefined;
  readonly #buffer: Buffer;
  /** The same memory as words of 16 bits, five per record. */
  readonly #words: Uint16Array;
  #count = 0;
  #first: WrittenStream | undefined;
  #previousAt = 0;

  /** `level` is that of deflate; if undefined, records are stored uncompressed. */
  constructor(output: Output, level: number | undefined) {
    this.#output = output;
    this.#level = level;
    const bytes = new ArrayBuffer((level === undefined ? uncompressed : deflated).later * recordBytes);
    this.#buffer = Buffer.from(bytes);
    this.#words = new Uint16Array(bytes);
  }

  add(begin: number, end: number, value: number): void {
    for (let from = begin; from < end; from += maxRecordBases) {
      const at = this.#count * recordWords;
      const words = this.#words;
      // Words take the low 16 bits of what they are assigned.
      words[at] = from + 1;
      words[at + 1] = (from + 1) >>> 16;
      words[at + 2] = Math.min(end - from, maxRecordBases) - 1;
      words[at + 3] = value;
      words[at + 4] = value >>> 16;
      this.#count++;
      const sizes = this.#level === undefined ? uncompressed : deflated;
      if (this.#count === (this.#first ? sizes.later : sizes.first)) this.#frame();
    }
  }

  /** Ends the partition's stream, which exists even without a record. */
  finish(): WrittenStream {
    if (this.#count > 0 || !this.#first) this.#frame();
    const first = this.#first as unknown as WrittenStream;
    this.#first = undefined;
    return first;
  }

  #frame(): void {
    const records = this.#buffer.subarray(0, this.#count * recordBytes);
    const payload = this.#level === undefined ? plainPayload(records) : this.#deflatedPayload(records, this.#level);
    const at = this.#output.position;
    const size = frameHeader + payload.length;
    this.#output.append(frameLink());
    this.#output.append(payload);
    if (this.#first) this.#output.patch(this.#previousAt, frameLink(at - this.#previousAt, size));
    else this.#first = { at, size };
    this.#previousAt = at;
    this.#count = 0;
  }

  #deflatedPayload(records: Buffer, level: number): Buffer {
    const isFirst = this.#first === undefined;
    const header = Buffer.alloc(isFirst ? 13 : 12);
    const from = isFirst ? 1 : 0;
    if (records.length > 0) {
      const last = records.length - recordBytes;
      header.writeUInt32LE(records.readUInt32LE(0) - 1, from);
      header.writeUInt32LE(records.readUInt32LE(last) + records.readUInt16LE(last + 4), from + 4);
      header.writeUInt32LE(records.length / recordBytes, from + 8);
    }
    return Buffer.concat([header, deflateRawSync(records, { level })]);
  }
}

/** d4tools skips a frame with a single record, so a zero record is added. */
function plainPayload(records: Buffer): Buffer {
  const missing = 2 * recordBytes - records.length;
  return missing > 0 ? Buffer.concat([records, Buffer.alloc(missing)]) : records;
}

// Writes a file that appears under its name only when it is complete.

const bufferBytes = 1 << 20;

/**
 * A file that appears under its name only when it is complete: it is written to a temporary file beside it, which is renamed
 * at the end or removed on failure. Its owner and group can read it, so that a server may read what a
 * pipeline wrote; other users cannot. A file at the path is replaced, also through a link; what is no file never is.
 */
export class Output {
  readonly #path: string;
  readonly #temporary: string;
  readonly #fd: number;
  readonly #buffer = Buffer.allocUnsafe(bufferBytes);
  #buffered = 0;
  #open = true;
  /** Offset of the buffer in the file. */
  #at = 0;

  constructor(path: string) {
    try {
      const there = statSync(path, { throwIfNoEntry: false });
      if (there !== undefined && !there.isFile()) {
        throw new D4Error('invalid', 'The output is there already, and is not a regular file', path);
      }
      this.#path = there === undefined ? path : realpathSync(path);
      this.#temporary = `${this.#path}.${randomUUID().slice(0, 8)}.tmp`;
      this.#fd = openSync(this.#temporary, 'wx', 0o640);
    } catch (cause) {
      if (cause instanceof D4Error) throw cause;
      throw new D4Error('unreachable', 'The file cannot be created', path, { cause });
    }
  }

  /** Offset of the next append. */
  get position(): number {
    return this.#at + this.#buffered;
  }

  /** Moves the offset of the next append; bytes that are never written are zero. */
  skipTo(position: number): void {
    this.flush();
    this.#at = position;
  }

  append(bytes: Uint8Array): void {
    if (bytes.length > bufferBytes - this.#buffered) this.flush();
    if (bytes.length > bufferBytes) {
      this.#write(bytes, this.#at);
      this.#at += bytes.length;
      return;
    }
    this.#buffer.set(bytes, this.#buffered);
    this.#buffered += bytes.length;
  }

  /** Overwrites bytes anywhere. */
  patch(position: number, bytes: Uint8Array): void {
    if (position >= this.#at) this.flush();
    this.#write(bytes, position);
  }

  flush(): void {
    this.#write(this.#buffer.subarray(0, this.#buffered), this.#at);
    this.#at += this.#buffered;
    this.#buffered = 0;
  }

  /** Renames the file to its name, after its bytes are on the disk. */
  commit(): void {
    this.flush();
    this.#attempt(() => {
      ftruncateSync(this.#fd, this.#at);
      fsyncSync(this.#fd);
      this.#close();
      renameSync(this.#temporary, this.#path);
    });
  }

  /** Removes the temporary file. */
  abandon(): void {
    this.#close();
    rmSync(this.#temporary, { force: true });
  }

  #close(): void {
    if (this.#open) closeSync(this.#fd);
    this.#open = false;
  }

  #write(bytes: Uint8Array, position: number): void {
    this.#attempt(() => {
      for (let done = 0; done < bytes.length; ) {
        done += writeSync(this.#fd, bytes, done, bytes.length - done, position + done);
      }
    });
  }

  #attempt(work: () => void): void {
    try {
      work();
    } catch (cause) {
      throw new D4Error('unreachable', `The file cannot be written: ${(cause as Error).message}`, this.#path, {
        cause,
      });
    }
  }
}
