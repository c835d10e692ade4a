/** The lines of an interval file, plain or gzip, from a file or standard input, in constant memory. */
import { createHash, type Hash } from 'node:crypto';
import { basename } from 'node:path';
import { type LineBlock, lineBlocks, openSource, type Source, type Stored, sourceOf } from '../../../core/files.js';

export interface IntervalSource {
  /** The file's name in messages and records, without folders. */
  readonly name: string;
  /**
   * To be read once. Throws an `unprocessable` fault if the file cannot be read, its compressed data are cut short, or a line is
   * not UTF-8 text.
   */
  blocks(): AsyncGenerator<LineBlock>;
  /** The fraction of the stored bytes that was read, 0 to 1; always 0 if the size is unknown. */
  progress(): number;
  /** `sha256:…` of the stored bytes, once all are read. */
  checksum(): string;
  /** Whether the last line ends with a line break, once all are read. */
  endsWithLine(): boolean;
}

/** Opens a file, or standard input for `-`. `name` is its name in messages. */
export async function openIntervals(path: string, name = basename(path)): Promise<IntervalSource> {
  const hash = createHash('sha256');
  return new Reading(await openSource(path, (bytes) => hash.update(bytes), name), hash);
}

/** Reads a stored file, once. `name` is its name in messages. */
export function intervalsOf(file: Stored, name: string): IntervalSource {
  const hash = createHash('sha256');
  return new Reading(
    sourceOf(
      name,
      file.size,
      () => file.open(),
      (bytes) => hash.update(bytes),
    ),
    hash,
  );
}

class Reading implements IntervalSource {
  readonly name: string;
  readonly #source: Source;
  readonly #hash: Hash;
  #ended = true;
  #digest: string | undefined;

  /** `hash` takes the stored bytes as they are read. */
  constructor(source: Source, hash: Hash) {
    this.name = source.name;
    this.#source = source;
    this.#hash = hash;
  }

  progress(): number {
    return this.#source.progress();
  }

  checksum(): string {
    this.#digest ??= this.#hash.digest('hex');
    return `sha256:${this.#digest}`;
  }

  endsWithLine(): boolean {
    return this.#ended;
  }

  async *blocks(): AsyncGenerator<LineBlock> {
    for await (const block of lineBlocks(this.#source)) {
      this.#ended = block.isEnded;
      yield block;
    }
  }
}
