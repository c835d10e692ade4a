/** Depth text as runs that can be read twice. */
import { closeSync, createReadStream, openSync, readSync, statSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { D4Error } from '../error.js';
import type { RunBatch } from '../profile/runs.js';
import { parseRuns, type TextOptions } from './text.js';

/** Runs that can be read more than once. */
export interface RunInput {
  open(): AsyncIterable<RunBatch> | Iterable<RunBatch>;
  /** The fraction of the current pass that is done, 0 to 1, if known. */
  fraction?(): number;
}

export type TextInputOptions = Omit<TextOptions, 'place'>;

const chunkBytes = 256 * 1024;

/** A bedGraph, per-base BED or samtools-depth text file, plain or gzipped (bgzip too). Throws D4Error `not-found`. */
export function textInput(path: string, options: TextInputOptions = {}): RunInput {
  const status = statSync(path, { throwIfNoEntry: false });
  if (!status) throw new D4Error('not-found', 'There is no such file', path);
  if (!status.isFile()) throw new D4Error('invalid', 'Only a regular file can be read twice', path);
  const { size } = status;
  let file: ReturnType<typeof createReadStream> | undefined;
  return {
    open() {
      file = createReadStream(path, { highWaterMark: chunkBytes });
      return parseRuns(isGzip(path) ? inflated(file, path) : file, { ...options, place: path });
    },
    fraction: () => (file && size > 0 ? file.bytesRead / size : 0),
  };
}

async function* inflated(file: ReturnType<typeof createReadStream>, path: string): AsyncGenerator<Uint8Array> {
  const out = new PassThrough({ highWaterMark: chunkBytes });
  // The reader of `out` gets the same failure, and reports it.
  const done = pipeline(file, createGunzip({ chunkSize: chunkBytes }), out).catch(() => undefined);
  try {
    for await (const chunk of out) yield chunk as Uint8Array;
  } catch (cause) {
    throw new D4Error('invalid', `The file cannot be decompressed: ${(cause as Error).message}`, path, { cause });
  } finally {
    file.destroy();
    await done;
  }
}

function isGzip(path: string): boolean {
  const fd = openSync(path, 'r');
  try {
    const magic = Buffer.alloc(2);
    return readSync(fd, magic, 0, 2, 0) === 2 && magic.readUInt16LE(0) === 0x8b1f;
  } finally {
    closeSync(fd);
  }
}
