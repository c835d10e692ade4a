/** A pool of worker threads for long sweeps. */

import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { Piscina } from 'piscina';
import { checkLimit, checkObject, checkWhole } from '../../chromosomes.js';
import { orAbort } from '../../clock.js';
import { D4Error } from '../../error.js';
import type { KernelName } from '../../kernel/kernel.js';
import { divide, type SweepShare, weigh } from '../../statistics/pieces.js';
import { MergedResults, needsHistogram, type Results, shareQuestion } from '../../statistics/results.js';
import { inlineSweeper, type Sweeper } from '../../statistics/statistics.js';
import type { SweepOutcome, Task } from './worker.js';

export interface PoolOptions {
  /** Most worker threads; by default one per processor, up to 4. */
  threads?: number | undefined;
  /** Work of fewer bases stays on the calling thread; `usual.inlineBases` by default. */
  inlineBases?: number | undefined;
  /** For tests: the kernels to use instead of the best ones. */
  kernel?: KernelName | undefined;
}

/** 100 million bases take some 20 ms. Tests of whole servers raise it: a thread that compiles sources takes longer. */
export const usual = { inlineBases: 100_000_000 };

/** Relative cost of a base if every value must be counted. */
const histogramFactor = 6;
/** Additional relative cost of a base if runs are searched. */
const searchFactor = 8;
/** Shares per thread, so that a slow one does not keep the others waiting. */
const sharesPerThread = 4;
/** Fewest bases of a share that is worth sending. */
const leastShare = 8_000_000;
/** MiB for short-lived objects of a worker. Sweeps leave little garbage, so that more would only waste memory. */
const youngMegabytes = 8;
/** Milliseconds until an idle worker ends. */
const idle = 60_000;

type Workers = Piscina<Task, SweepOutcome>;

/**
 * Worker threads for long sweeps of local files. They and the library that runs them are loaded when first needed. If they are
 * not installed beside this library, as in a program that a bundler made one file of, the calling thread does all work.
 */
export class D4Pool {
  #workers: Promise<Workers | undefined> | undefined;
  #closed = false;
  readonly #threads: number;
  readonly #inlineBases: number;
  readonly #kernel: KernelName | undefined;

  constructor(options: PoolOptions = {}) {
    checkObject('options', options);
    this.#threads = options.threads ?? Math.min(4, availableParallelism());
    this.#inlineBases = options.inlineBases ?? usual.inlineBases;
    this.#kernel = options.kernel;
    checkWhole('threads', this.#threads, 1);
    checkLimit('inlineBases', this.#inlineBases);
  }

  /** Sweeps short work on this thread and long work in the workers; to be used as the `sweeper` of `openD4`. */
  get sweeper(): Sweeper {
    const inline = inlineSweeper(this.#kernel);
    return async (track, pieces, question, signal) => {
      const file = track.source.local;
      const factor = (needsHistogram(question) ? histogramFactor : 1) + (question.search ? searchFactor : 0);
      const cost = weigh(pieces) * factor;
      // Memory that is not shared would reach workers as a copy, also in a page that has Node.js.
      const isShared = !(pieces.begin.buffer instanceof ArrayBuffer);
      if (!file || !isShared || cost < this.#inlineBases) return inline(track, pieces, question, signal);
      signal?.throwIfAborted();
      if (this.#closed) throw new D4Error('failed', 'The worker threads have ended', 'worker pool');
      this.#workers ??= startWorkers(this.#threads);
      const workers = await this.#workers;
      if (!workers) return inline(track, pieces, question, signal);
      return this.#sweep(
        workers,
        { file, track: track.name, question },
        divide(pieces, this.#threads * sharesPerThread, leastShare),
        pieces.begin.length,
        signal,
      );
    };
  }

  /** Ends the workers. Running work fails. */
  async close(): Promise<void> {
    this.#closed = true;
    await (await this.#workers)?.destroy();
  }

  async #sweep(
    workers: Workers,
    common: Pick<Task, 'file' | 'track' | 'question'>,
    shares: readonly SweepShare[],
    count: number,
    signal?: AbortSignal,
  ): Promise<Results> {
    signal?.throwIfAborted();
    const { question } = common;
    const cancelled = new SharedArrayBuffer(4);
    const stop = () => Atomics.store(new Int32Array(cancelled), 0, 1);
    const merged = new MergedResults(count, question, common.file.path);
    const done = new AbortController();
    const all = Promise.all(
      shares.map(async (share) => {
        const room = merged.room(share);
        const task = {
          ...common,
          question: shareQuestion(share, question),
          pieces: share.pieces,
          room,
          kernel: this.#kernel,
          cancelled,
        };
        const outcome = await workers.run(task);
        if ('failure' in outcome) {
          const { code, reason, place } = outcome.failure;
          throw new D4Error(code, reason, place);
        }
        merged.add(share, room, outcome);
      }),
    );
    try {
      await orAbort(Promise.race([all, broken(workers, done.signal)]), signal);
    } finally {
      done.abort();
      // After a failure, other workers need not continue; after success none is working.
      stop();
      all.catch(() => undefined);
    }
    return merged.finish();
  }
}

/** By a variable: bundlers would take it into a program without the file that its threads load. */
const threadLibrary = 'piscina';

/** Undefined if the files that threads load are not installed. */
async function startWorkers(threads: number): Promise<Workers | undefined> {
  // Undefined in a bundle of CommonJS.
  const own: string | undefined = import.meta.url;
  const file = own && new URL(own.endsWith('.ts') ? './worker-from-source.mjs' : './worker.js', own);
  if (!file || !existsSync(file)) return undefined;
  const loaded = import(/* webpackIgnore: true */ threadLibrary) as Promise<typeof import('piscina')>;
  const library = await loaded.catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  });
  if (!library) return undefined;
  const workers: Workers = new library.Piscina({
    filename: file.href,
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: idle,
    resourceLimits: { maxYoungGenerationSizeMb: youngMegabytes },
  });
  // If a worker dies at work, its sweep fails (below); an idle worker that dies is replaced when needed.
  workers.on('error', () => undefined);
  // Each running sweep adds a listener.
  workers.setMaxListeners(0);
  return workers;
}

/** Rejects if a worker fails to start: the waiting shares would wait forever. */
function broken(workers: Workers, done: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = (cause: unknown) => reject(new D4Error('failed', 'A worker thread failed', 'worker pool', { cause }));
    workers.once('error', fail);
    done.addEventListener('abort', () => workers.off('error', fail), { once: true });
  });
}
