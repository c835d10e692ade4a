/** Depth text as runs that can be read twice, normalized before they are written. */

import { closeSync, createReadStream, openSync, readSync, statSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { checkObject, checkText } from '../../chromosomes.js';
import { orAbort } from '../../clock.js';
import { D4Error, refuse, shown } from '../../error.js';
import type { RunBatch } from '../../profile.js';
import { parseRuns, type TextOptions } from './text.js';

/** Runs that can be read more than once. */
export interface RunInput {
  open(): AsyncIterable<RunBatch> | Iterable<RunBatch>;
  /** The fraction of the current pass that is done, 0 to 1, if known. */
  fraction?(): number;
}

/** Runs in memory, or runs that come once, as those of `parseRuns`. */
export type RunStream = Iterable<RunBatch> | AsyncIterable<RunBatch>;

/** Throws D4Error `invalid` unless it has a chromosome, and columns of equal length. */
export function checkBatch(batch: RunBatch): void {
  const { begins, ends, depths } = batch ?? {};
  if (typeof batch?.chromosome !== 'string' || !(begins?.length >= 0)) {
    refuse('A batch of runs', '{ chromosome, begins, ends, depths }', batch);
  }
  if (begins.length === ends?.length && ends.length === depths?.length) return;
  const lengths = `${begins.length}, ${ends?.length} and ${depths?.length}`;
  throw new D4Error('invalid', `begins, ends and depths must be equally long, unlike ${lengths}`, batch.chromosome);
}

/** Runs as an input. Throws D4Error `invalid` when runs that come once are opened again; `place` names what they are for. */
export function runInput(runs: RunInput | RunStream, place: string): RunInput {
  const given = Object(runs) as Partial<RunInput & Iterable<RunBatch> & AsyncIterable<RunBatch>>;
  if (typeof given.open === 'function') return runs as RunInput;
  if (typeof runs === 'string' || !(given[Symbol.asyncIterator] ?? given[Symbol.iterator])) {
    refuse('runs', 'an array or a stream of runs, or what textInput returns', runs);
  }
  const stream = runs as RunStream;
  const comeOnce = Symbol.asyncIterator in stream || (stream[Symbol.iterator]() as unknown) === stream;
  let isOpen = false;
  return {
    open() {
      if (isOpen && comeOnce) {
        const message =
          'Runs that come once are written in one pass: give chromosomes, dictionary and denominator, too';
        throw new D4Error('invalid', message, place);
      }
      isOpen = true;
      return stream;
    },
  };
}

/** The same batches. Throws the signal's reason as soon as it aborts, also while the next batch does not come. */
export async function* untilAbort<T>(items: AsyncIterable<T> | Iterable<T>, signal?: AbortSignal): AsyncGenerator<T> {
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  let isDone: boolean | undefined;
  try {
    for (;;) {
      const next = await orAbort(Promise.resolve(iterator.next()), signal);
      isDone = next.done;
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // A generator that waits ends only after what it waits for.
    const end = isDone ? undefined : Promise.resolve(iterator.return?.()).catch(() => undefined);
    if (!signal?.aborted) await end;
  }
}

export type TextInputOptions = Omit<TextOptions, 'place'>;

const chunkBytes = 256 * 1024;

/** A bedGraph, per-base BED or samtools-depth text file, plain or gzipped (bgzip too). Throws D4Error `not-found`. */
export function textInput(path: string, options: TextInputOptions = {}): RunInput {
  checkText('path', path);
  checkObject('options', options);
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

// Normalizes runs before they are written, and checks their order.

/** Receives the runs of a chromosome: ascending, without gaps, adjacent ones different. */
type VisitRun = (begin: number, end: number, depth: number) => void;

/**
 * Normalizes runs: joins adjacent ones of equal depth, and fills gaps with depth 0. Throws D4Error `invalid` for runs out of
 * order.
 */
export class RunFeed {
  readonly #visit: VisitRun;
  readonly #chromosome: string;
  #begin = 0;
  #end = 0;
  #depth = 0;

  constructor(chromosome: string, visit: VisitRun) {
    this.#chromosome = chromosome;
    this.#visit = visit;
  }

  /** End of the runs seen so far. */
  get end(): number {
    return this.#end;
  }

  add({ begins, ends, depths }: RunBatch): void {
    for (let i = 0; i < begins.length; i++) {
      const begin = begins[i] as number;
      const end = ends[i] as number;
      const depth = depths[i] as number;
      // Most runs begin where the last one ended.
      const isInOrder = begin === this.#end || (begin > this.#end && Number.isInteger(begin));
      if (!(isInOrder && end >= begin && Number.isInteger(end) && Number.isFinite(depth))) {
        const message = 'Runs must ascend without overlap, at whole positions, and have a finite depth';
        const place = `${this.#chromosome}:${shown(begin)}-${shown(end)}, depth ${shown(depth)}`;
        throw new D4Error('invalid', message, place);
      }
      if (begin === end) continue;
      if (begin > this.#end) this.#push(begin, 0);
      this.#push(end, depth);
    }
  }

  /** Fills up to the size of the chromosome and passes the last run on. */
  finish(size: number): void {
    if (size > this.#end) this.#push(size, 0);
    if (this.#end > this.#begin) this.#visit(this.#begin, this.#end, this.#depth);
    this.#begin = this.#end;
  }

  #push(end: number, depth: number): void {
    if (depth !== this.#depth) {
      if (this.#end > this.#begin) this.#visit(this.#begin, this.#end, this.#depth);
      this.#begin = this.#end;
      this.#depth = depth;
    }
    this.#end = end;
  }
}

/** Detects where the next chromosome begins; the runs of a chromosome must be contiguous. */
export class ChromosomeOrder {
  readonly #done = new Set<string>();
  #current: string | undefined;

  /** Whether a batch begins another chromosome. Throws D4Error `invalid` if that chromosome has ended before. */
  begins(chromosome: string): boolean {
    if (chromosome === this.#current) return false;
    if (this.#done.has(chromosome)) {
      throw new D4Error('invalid', 'The runs of a chromosome must be contiguous', chromosome);
    }
    this.#done.add(chromosome);
    this.#current = chromosome;
    return true;
  }
}
