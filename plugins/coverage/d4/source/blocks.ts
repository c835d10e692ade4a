/** Divides a file into blocks, requests those that are missing, and caches those that were used last. */
import { orAbort } from '../clock.js';
import { D4Error } from '../error.js';
import type { ByteSpan, ByteView, Source } from './source.js';

/** Unit of the cache, in bytes. Requests are for whole blocks. */
export const blockBytes = 16 * 1024;
/** Missing blocks with less than this between them are requested together. */
const joinBytes = 128 * 1024;

/** Blocks [from, to) of a file. */
export interface BlockRange {
  from: number;
  to: number;
}

/** The blocks that contain a piece of a file. */
function blocksOfRange(offset: number, length: number, size: number): number[] {
  const from = Math.floor(offset / blockBytes);
  const to = Math.ceil(Math.min(offset + length, size) / blockBytes);
  return Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
}

/** Joins blocks that are adjacent, or nearly so, into ranges. */
function joinBlocks(blocks: readonly number[]): BlockRange[] {
  const ranges: BlockRange[] = [];
  for (const b of blocks) {
    const last = ranges.at(-1);
    if (last && (b - last.to) * blockBytes < joinBytes) last.to = b + 1;
    else ranges.push({ from: b, to: b + 1 });
  }
  return ranges;
}

/** Keeps the blocks of a file that were used last. */
class BlockCache {
  readonly #name: string;
  readonly #most: number;
  readonly #blocks = new Map<number, Uint8Array>();

  constructor(name: string, bytes: number) {
    this.#name = name;
    this.#most = Math.ceil(bytes / blockBytes);
  }

  get(block: number): Uint8Array | undefined {
    return this.#blocks.get(block);
  }

  clear(): void {
    this.#blocks.clear();
  }

  /** A view of the spans, if all their blocks are in memory. It keeps them, whatever the cache removes later. */
  view(spans: readonly ByteSpan[], fetched?: ReadonlyMap<number, Uint8Array>): ByteView | undefined {
    const held = new Map<number, Uint8Array>();
    for (const { offset, length } of spans) {
      for (let b = Math.floor(offset / blockBytes); b * blockBytes < offset + length; b++) {
        const block = this.#blocks.get(b) ?? fetched?.get(b);
        if (!block) return undefined;
        this.#blocks.delete(b);
        this.#blocks.set(b, block);
        held.set(b, block);
      }
    }
    this.#shrink();
    return {
      copy: (target, offset) => {
        for (let done = 0; done < target.length; ) {
          const at = offset + done;
          const block = held.get(Math.floor(at / blockBytes));
          const piece = block?.subarray(at % blockBytes, (at % blockBytes) + target.length - done);
          if (!piece?.length) throw new D4Error('truncated', 'The file ends early', `${this.#name}: byte ${at}`);
          target.set(piece, done);
          done += piece.length;
        }
      },
    };
  }

  /** Caches the complete blocks of a response; the last block of the file may be short. */
  keep(offset: number, bytes: Uint8Array, size: number): Map<number, Uint8Array> {
    const kept = new Map<number, Uint8Array>();
    for (let b = Math.ceil(offset / blockBytes); ; b++) {
      const start = b * blockBytes - offset;
      const length = Math.min(blockBytes, size - b * blockBytes);
      if (length <= 0 || start + length > bytes.length) break;
      // A copy, so that one cached block does not keep a whole response in memory.
      const block = bytes.slice(start, start + length);
      kept.set(b, block);
      this.#blocks.set(b, block);
    }
    return kept;
  }

  #shrink(): void {
    for (const b of this.#blocks.keys()) {
      if (this.#blocks.size <= this.#most) return;
      this.#blocks.delete(b);
    }
  }
}

// A source of blocks.

/** Concurrent requests of one fetch. */
const parallel = 4;

/**
 * A file that is read in whole blocks, through a bounded cache. A block that several callers need at the same time is requested
 * once.
 */
export abstract class BlockSource implements Source {
  readonly name: string;
  readonly remote = true;
  protected readonly blocks: BlockCache;
  readonly #pending = new Map<number, Promise<void>>();
  #closed = false;

  /** `cacheBytes` are kept for the next question; 32 MiB by default. */
  constructor(name: string, cacheBytes = 32 * 2 ** 20) {
    this.name = name;
    this.blocks = new BlockCache(name, cacheBytes);
  }

  abstract get size(): number;
  abstract get version(): string | undefined;

  /** Returns all blocks of a range. Throws D4Error. */
  protected abstract request(range: BlockRange, signal?: AbortSignal): Promise<ReadonlyMap<number, Uint8Array>>;

  /** Puts the blocks of ranges into `into`; some of them are requested at a time. */
  protected async requestAll(
    ranges: readonly BlockRange[],
    into: Map<number, Uint8Array>,
    signal?: AbortSignal,
  ): Promise<void> {
    const queue = ranges.values();
    const lane = async () => {
      for (const range of queue) {
        signal?.throwIfAborted();
        for (const [b, block] of await this.request(range, signal)) into.set(b, block);
      }
    };
    await Promise.all(Array.from({ length: Math.min(parallel, ranges.length) }, lane));
  }

  fetch(spans: readonly ByteSpan[], signal?: AbortSignal): ByteView | Promise<ByteView> {
    if (this.#closed) throw new D4Error('unreachable', 'The file was closed while it was being read', this.name);
    return this.blocks.view(spans) ?? this.#fetchMissing(spans, signal);
  }

  close(): void {
    this.#closed = true;
    this.blocks.clear();
  }

  async #fetchMissing(spans: readonly ByteSpan[], signal?: AbortSignal): Promise<ByteView> {
    const needed = new Map<number, Uint8Array>();
    const wanted = new Set<number>();
    const others: Promise<void>[] = [];
    for (const { offset, length, ahead = 0 } of spans) {
      const missing = blocksOfRange(offset, length, this.size).some((b) => !this.blocks.get(b));
      for (const b of blocksOfRange(offset, missing ? Math.max(length, ahead) : length, this.size)) {
        const block = this.blocks.get(b);
        const pending = this.#pending.get(b);
        if (block) needed.set(b, block);
        else if (pending) others.push(pending);
        else wanted.add(b);
      }
    }
    const ranges = joinBlocks([...wanted].sort((a, b) => a - b));
    const work = orAbort(this.requestAll(ranges, needed, signal), signal);
    for (const { from, to } of ranges) for (let b = from; b < to; b++) this.#pending.set(b, work);
    try {
      await work;
    } finally {
      for (const { from, to } of ranges) for (let b = from; b < to; b++) this.#pending.delete(b);
    }
    // A fetch by another caller may have failed or been aborted for a reason of its own; then it is repeated here.
    await orAbort(Promise.allSettled(others), signal);
    return this.blocks.view(spans, needed) ?? this.fetch(spans, signal);
  }
}
