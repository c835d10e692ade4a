/** Makes PDF files in worker threads: laying out long tables takes tenths of a second, and others wait for no file. */
import { Piscina } from 'piscina';
import type { PageView } from '../../report/view.js';
import type { Texts } from '../../texts/texts.js';
import type { PdfTask } from './worker.js';

/** Files that are made at once; others wait their turn. */
const threads = 2;
/** Milliseconds that an idle worker stays. */
const idle = 60_000;

const workerFile = import.meta.url.endsWith('.ts') ? './worker-from-source.mjs' : './worker.js';

export class PdfMaker {
  readonly #piscina: Piscina<PdfTask, Uint8Array>;

  constructor() {
    this.#piscina = new Piscina({
      filename: new URL(workerFile, import.meta.url).href,
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: idle,
    });
    // A worker that dies at work fails its file; one that dies idle is replaced when the next is needed.
    this.#piscina.on('error', () => undefined);
    // Each file under way listens.
    this.#piscina.setMaxListeners(0);
  }

  /** The page as a file (A4). Rejects with the signal's abort where nobody waits for it any more. */
  async make(view: PageView, { language }: Texts, made: Date, signal: AbortSignal): Promise<Buffer> {
    const { tables: _, ...content } = view;
    const done = new AbortController();
    try {
      const bytes = await Promise.race([
        this.#piscina.run({ content, language, made }, { signal }),
        this.#broken(done.signal),
      ]);
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    } finally {
      done.abort();
    }
  }

  /** Ends the workers. Files under way fail. */
  close(): Promise<void> {
    return this.#piscina.destroy();
  }

  /** Rejects when a worker cannot even start, for then nobody takes the file that waits. */
  #broken(done: AbortSignal): Promise<never> {
    return new Promise((_, reject) => {
      const fail = (cause: unknown) => reject(new Error('A worker thread for PDF files failed', { cause }));
      this.#piscina.once('error', fail);
      done.addEventListener('abort', () => this.#piscina.off('error', fail), { once: true });
    });
  }
}
