/** A pool of worker threads for long sweeps. */
import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import { D4Error } from '../error.js';
import type { KernelName } from '../kernel/choose.js';
import { MergedResults, shareQuestion } from '../statistics/merged-results.js';
import { needsHistogram, type Results } from '../statistics/results.js';
import { divide, type Share, weigh } from '../statistics/shares.js';
import { inlineSweeper, type Sweeper } from '../statistics/statistics.js';
import type { Outcome, Task } from './worker.js';

export interface PoolOptions {
  /** Worker threads at most; by default as many as the machine runs at once, up to 4. */
  threads?: number | undefined;
  /** Work of fewer bases stays on the calling thread; 100 million by default, some 20 ms. */
  inlineBases?: number | undefined;
  /** For tests: the kernels to use instead of the best ones. */
  kernel?: KernelName | undefined;
}

/** How much dearer a base is when every value must be counted. */
const histogramFactor = 6;
/** How much dearer a base is when runs are searched for. */
const searchFactor = 8;
/** Shares per thread, so that a slow one does not keep the others waiting. */
const sharesPerThread = 4;
/** Shares of fewer bases are not worth sending. */
const leastShare = 8_000_000;
/** Sweeps leave little garbage: room for more of it would only make each worker larger. */
const youngMegabytes = 8;
/** Milliseconds that an idle worker stays. */
const idle = 60_000;

const workerFile = import.meta.url.endsWith('.ts') ? './worker-from-source.mjs' : './worker.js';

/** Worker threads for long sweeps of local files. Threads start when they are first needed. */
export class D4Pool {
  readonly #piscina: Piscina<Task, Outcome>;
  readonly #threads: number;
  readonly #inlineBases: number;
  readonly #kernel: KernelName | undefined;

  constructor(options: PoolOptions = {}) {
    this.#threads = options.threads ?? Math.min(4, availableParallelism());
    this.#inlineBases = options.inlineBases ?? 100_000_000;
    this.#kernel = options.kernel;
    this.#piscina = new Piscina({
      filename: new URL(workerFile, import.meta.url).href,
      minThreads: 0,
      maxThreads: this.#threads,
      idleTimeout: idle,
      resourceLimits: { maxYoungGenerationSizeMb: youngMegabytes },
    });
    // A worker that dies at work fails its sweep (below); one that dies idle is replaced when the next is needed.
    this.#piscina.on('error', () => undefined);
    // Each sweep under way listens.
    this.#piscina.setMaxListeners(0);
  }

  /** Sweeps short work here and long work in the workers: what `openD4` takes as its `sweeper`. */
  get sweeper(): Sweeper {
    const inline = inlineSweeper(this.#kernel);
    return (track, pieces, question, signal) => {
      const file = track.source.local;
      const factor = (needsHistogram(question) ? histogramFactor : 1) + (question.search ? searchFactor : 0);
      const cost = weigh(pieces) * factor;
      if (!file || cost < this.#inlineBases) return inline(track, pieces, question, signal);
      return this.#sweep(
        { file, track: track.name, question },
        divide(pieces, this.#threads * sharesPerThread, leastShare),
        pieces.begin.length,
        signal,
      );
    };
  }

  /** Ends the workers. Work under way fails. */
  async close(): Promise<void> {
    await this.#piscina.destroy();
  }

  async #sweep(
    common: Pick<Task, 'file' | 'track' | 'question'>,
    shares: readonly Share[],
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
        const outcome = await this.#piscina.run(task);
        if ('failure' in outcome) {
          const { code, reason, place } = outcome.failure;
          throw new D4Error(code, reason, place);
        }
        merged.add(share, room, outcome);
      }),
    );
    try {
      await Promise.race([all, aborted(signal, done.signal), this.#broken(done.signal)]);
    } finally {
      done.abort();
      // Whoever still works does so in vain, after success nobody does.
      stop();
      all.catch(() => undefined);
    }
    return merged.finish();
  }

  /** Rejects when a worker cannot even start, for then nobody takes the shares that wait. */
  #broken(done: AbortSignal): Promise<never> {
    return new Promise((_, reject) => {
      const fail = (cause: unknown) =>
        reject(new D4Error('unreachable', 'A worker thread failed', 'worker pool', { cause }));
      this.#piscina.once('error', fail);
      done.addEventListener('abort', () => this.#piscina.off('error', fail), { once: true });
    });
  }
}

/** Rejects with the signal's reason, as long as the work is not done; never settles otherwise. */
function aborted(signal: AbortSignal | undefined, done: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true, signal: done });
  });
}
