/** Writes BGZF: gzip in blocks that can be read from the middle (SAM specification §4.1), as bgzip and htslib do. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { crc32, deflateRaw } from 'node:zlib';

/** Uncompressed bytes in a block, as htslib has them: compressed they always fit into the 64 KiB that a block may have. */
const blockBytes = 0xff00;
/** Blocks that are compressed at a time. */
const ahead = 8;
const headerBytes = 18;
const footerBytes = 8;

/** The empty block that ends every complete BGZF file (SAM specification §4.1.2). */
export const endOfBgzf = Buffer.from('1f8b08040000000000ff0600424302001b0003000000000000000000', 'hex');

const deflate = promisify(deflateRaw);

/** Compresses what is written, block by block, into a stream that stays open. */
export class BgzfWriter {
  readonly #target: Writable;
  readonly #level: number;
  readonly #signal: AbortSignal | undefined;
  #block = Buffer.allocUnsafe(blockBytes);
  #filled = 0;
  #waiting: Promise<Buffer>[] = [];
  /** Where each block begins in the compressed file, in bytes. */
  readonly #starts: number[] = [];
  #compressed = 0;

  /** `level` as in zlib, 0 to 9. Aborting ends the wait for a target that takes no more. */
  constructor(target: Writable, { level = 6, signal }: { level?: number; signal?: AbortSignal } = {}) {
    this.#target = target;
    this.#level = level;
    this.#signal = signal;
  }

  /** Resolves once there is room for more. The bytes may be reused then. Rejects if the target fails. */
  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const part = bytes.subarray(at, at + blockBytes - this.#filled);
      this.#block.set(part, this.#filled);
      this.#filled += part.length;
      at += part.length;
      if (this.#filled === blockBytes) await this.#flush();
    }
  }

  /** Writes the rest and the closing block; the target stays open. */
  async end(): Promise<void> {
    if (this.#filled > 0) await this.#flush();
    while (this.#waiting.length > 0) await this.#store();
    this.#starts.push(this.#compressed);
    await this.#put(endOfBgzf);
  }

  /** The virtual file offset (SAM specification §4.1.1) of an uncompressed one; only after `end`. */
  virtualOffset(offset: number): bigint {
    const block = Math.floor(offset / blockBytes);
    return (BigInt(this.#starts[block] ?? this.#compressed) << 16n) | BigInt(offset % blockBytes);
  }

  async #flush(): Promise<void> {
    const compressed = compress(this.#block.subarray(0, this.#filled), this.#level);
    // Its error is thrown by the write or end that waits for it.
    compressed.catch(() => undefined);
    this.#waiting.push(compressed);
    this.#block = Buffer.allocUnsafe(blockBytes);
    this.#filled = 0;
    if (this.#waiting.length >= ahead) await this.#store();
  }

  /** Writes the oldest block. */
  async #store(): Promise<void> {
    const block = (await this.#waiting.shift()) as Buffer;
    this.#starts.push(this.#compressed);
    await this.#put(block);
  }

  async #put(bytes: Buffer): Promise<void> {
    this.#compressed += bytes.length;
    if (this.#target.errored) throw this.#target.errored;
    if (!this.#target.write(bytes))
      await once(this.#target, 'drain', { ...(this.#signal && { signal: this.#signal }) });
  }
}

async function compress(block: Buffer, level: number): Promise<Buffer> {
  const data = await deflate(block, { level });
  const whole = Buffer.allocUnsafe(headerBytes + data.length + footerBytes);
  endOfBgzf.copy(whole, 0, 0, headerBytes);
  whole.writeUInt16LE(whole.length - 1, 16);
  data.copy(whole, headerBytes);
  whole.writeUInt32LE(crc32(block), headerBytes + data.length);
  whole.writeUInt32LE(block.length, headerBytes + data.length + 4);
  return whole;
}

/** Bytes as one complete BGZF file. */
export async function bgzipped(bytes: Buffer): Promise<Buffer> {
  const blocks: Promise<Buffer>[] = [];
  for (let at = 0; at < bytes.length; at += blockBytes) blocks.push(compress(bytes.subarray(at, at + blockBytes), 6));
  return Buffer.concat([...(await Promise.all(blocks)), endOfBgzf]);
}
