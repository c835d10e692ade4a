/** Writes the secondary table: records as streams of frames. */
import { deflateRawSync } from 'node:zlib';
import { frameHeader } from '../container/frame.js';
import { recordBytes, recordWords } from '../secondary/block.js';
import { frameLink } from './container.js';
import type { Output } from './output.js';

/** Bases of the longest record. */
export const maxRecordBases = 65_536;

/** Records per frame: `first` in a stream's first frame, `later` in the others. */
const uncompressed = {
  // d4tools' stat loses the first frame of a partition with a record at its very start, so that frame is small.
  first: 2,
  later: 200_000,
};
const deflated = { first: 49, later: 6_553 };

/** A stream, as its directory entry describes it. */
export interface WrittenStream {
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
