/** Writes a file that appears under its name only when it is complete. */
import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, ftruncateSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { D4Error } from '../error.js';

const bufferBytes = 1 << 20;

/**
 * A file that appears under its name only when it is complete: it is written to a temporary file beside it, which is renamed
 * at the end or removed on failure. Its owner and group can read it, so that a server may read what a
 * pipeline wrote; other users cannot.
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
    this.#path = path;
    this.#temporary = `${path}.${randomUUID().slice(0, 8)}.tmp`;
    try {
      this.#fd = openSync(this.#temporary, 'wx', 0o640);
    } catch (cause) {
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
