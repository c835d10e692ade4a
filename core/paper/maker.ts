/** Makes PDF files in worker threads, because laying out long tables takes tenths of a second. */
import type { Piscina } from 'piscina';
import type { PaperDocument } from './document.js';
import type { PdfTask } from './worker.js';

/** Files that are made at once; others wait. */
const threads = 2;
/** Milliseconds after which an idle worker ends. */
const idle = 60_000;
/** MiB for short-lived objects of a worker: by default it would keep three times as much. */
const youngMegabytes = 16;

const workerFile = import.meta.url.endsWith('.ts') ? './worker-from-source.mjs' : './worker.js';

type PdfWorkers = Piscina<PdfTask, Uint8Array>;

/** Loads its packages with the first file. */
export class PdfMaker {
  #workers: Promise<PdfWorkers> | undefined;

  /** The document as a PDF file (A4), in a language by its tag. Rejects if the signal aborts. */
  async make(content: PaperDocument, language: string, made: Date, signal: AbortSignal): Promise<Buffer> {
    this.#workers ??= openWorkers();
    const workers = await this.#workers;
    const done = new AbortController();
    try {
      const bytes = await Promise.race([
        workers.run({ content, language, made }, { signal }),
        broken(workers, done.signal),
      ]);
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    } finally {
      done.abort();
    }
  }

  /** Ends the workers. Files in progress fail. */
  async close(): Promise<void> {
    await (await this.#workers)?.destroy();
  }
}

async function openWorkers(): Promise<PdfWorkers> {
  const { Piscina } = await import('piscina');
  const workers: PdfWorkers = new Piscina({
    filename: new URL(workerFile, import.meta.url).href,
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: idle,
    resourceLimits: { maxYoungGenerationSizeMb: youngMegabytes },
  });
  // A worker that dies at work fails its file; an idle one is replaced when needed.
  workers.on('error', () => undefined);
  // Each file in progress adds a listener.
  workers.setMaxListeners(0);
  return workers;
}

/** Rejects if a worker cannot start: the waiting file would never be made. */
function broken(workers: PdfWorkers, done: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = (cause: unknown) => reject(new Error('A worker thread for PDF files failed', { cause }));
    workers.once('error', fail);
    done.addEventListener('abort', () => workers.off('error', fail), { once: true });
  });
}
