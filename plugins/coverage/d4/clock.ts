/** Divides long work into slices, so that it does not block its thread, and ends waiting when a signal aborts. */
import { refuse } from './error.js';

/** Milliseconds that work may take before other work gets its turn. */
const slice = 5;

/** Work that waits for its turn. */
const waiting: (() => void)[] = [];

/** Runs work in a later turn of the event loop. A timer of a browser would wait for some milliseconds. */
function inLaterTurn(work: () => void): void {
  const { setImmediate } = globalThis as { setImmediate?: (work: () => void) => void };
  if (setImmediate) {
    setImmediate(work);
    return;
  }
  const { port1, port2 } = new MessageChannel();
  const onmessage = () => {
    port1.close();
    work();
  };
  Object.assign(port1, { onmessage });
  port2.postMessage(undefined);
}

/** Resumes one work per turn of the event loop, so that concurrent works do not hold it for a slice each. */
function resumeNext(): void {
  waiting.shift()?.();
  if (waiting.length > 0) inLaterTurn(resumeNext);
}

/** Resolves after a turn of the event loop, and after all work that has waited longer. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) inLaterTurn(resumeNext);
  });
}

export function checkSignal(signal: AbortSignal | undefined): void {
  if (signal && typeof signal.throwIfAborted !== 'function') refuse('signal', 'an AbortSignal', signal);
}

/** Keeps long work from blocking its thread, and stops it when it is cancelled. */
export class Clock {
  readonly #cancelled: () => boolean;
  readonly #signal: AbortSignal | undefined;
  #since = performance.now();

  /** Throws the signal's reason if it has aborted. */
  constructor(signal?: AbortSignal, cancelled: () => boolean = () => false) {
    checkSignal(signal);
    signal?.throwIfAborted();
    this.#signal = signal;
    this.#cancelled = cancelled;
  }

  /** To be awaited, if it returns a promise, after every millisecond of work or so. Throws if the work was cancelled. */
  tick(): Promise<void> | undefined {
    this.#signal?.throwIfAborted();
    if (this.#cancelled()) throw new DOMException('The work was cancelled', 'AbortError');
    return performance.now() - this.#since < slice ? undefined : this.#pause();
  }

  async #pause(): Promise<void> {
    await turn();
    this.#since = performance.now();
    this.#signal?.throwIfAborted();
  }
}

/** The outcome of a work, or the signal's reason as soon as it aborts: the work may know no signal, or go on for others. */
export function orAbort<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T>;
export function orAbort<T>(work: T | Promise<T>, signal: AbortSignal | undefined): T | Promise<T>;
export function orAbort<T>(work: T | Promise<T>, signal: AbortSignal | undefined): T | Promise<T> {
  if (!signal || !(work instanceof Promise)) return work;
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
