/** Makes PDF files in worker threads, because laying out long tables takes tenths of a second. */
import { Piscina } from 'piscina';
import type { Texts } from '../../texts/texts.js';
import type { PageView } from '../view.js';
import type { PdfTask } from './worker.js';

/** Files that are made at once; others wait. */
const threads = 2;
/** Milliseconds after which an idle worker ends. */
const idle = 60_000;
/** MiB for short-lived objects of a worker: by default it would keep three times as much. */
const youngMegabytes = 16;

const workerFile = import.meta.url.endsWith('.ts') ? './worker-from-source.mjs' : './worker.js';

export class PdfMaker {
  readonly #piscina: Piscina<PdfTask, Uint8Array>;

  constructor() {
    this.#piscina = new Piscina({
      filename: new URL(workerFile, import.meta.url).href,
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: idle,
      resourceLimits: { maxYoungGenerationSizeMb: youngMegabytes },
    });
    // A worker that dies at work fails its file; an idle one is replaced when needed.
    this.#piscina.on('error', () => undefined);
    // Each file in progress adds a listener.
    this.#piscina.setMaxListeners(0);
  }

  /** The page as a PDF file (A4). Rejects if the signal aborts. */
  async make(view: PageView, { language }: Texts, made: Date, signal: AbortSignal): Promise<Buffer> {
    const done = new AbortController();
    try {
      const bytes = await Promise.race([
        this.#piscina.run({ content: view, language, made }, { signal }),
        this.#broken(done.signal),
      ]);
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    } finally {
      done.abort();
    }
  }

  /** Ends the workers. Files in progress fail. */
  close(): Promise<void> {
    return this.#piscina.destroy();
  }

  /** Rejects if a worker cannot start: the waiting file would never be made. */
  #broken(done: AbortSignal): Promise<never> {
    return new Promise((_, reject) => {
      const fail = (cause: unknown) => reject(new Error('A worker thread for PDF files failed', { cause }));
      this.#piscina.once('error', fail);
      done.addEventListener('abort', () => this.#piscina.off('error', fail), { once: true });
    });
  }
}
