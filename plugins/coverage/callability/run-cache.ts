/** Keeps decoded runs, those of the windows that were used last, within a bound of memory. */

/** The covered bases of one revision of a sample in a window: alternating starts and ends, ascending. */
export interface KeptRuns {
  revision: string;
  runs: Uint32Array;
}

/** Of one sample besides its runs. */
const overhead = 300;

export class RunCache {
  readonly #windows = new Map<string, { bytes: number; samples: Map<string, KeptRuns> }>();
  readonly #most: number;
  #bytes = 0;

  /** Keeps up to `most` bytes. */
  constructor(most: number) {
    this.#most = most;
  }

  /** What is kept of a window, by sample. */
  of(window: string): ReadonlyMap<string, KeptRuns> | undefined {
    const kept = this.#windows.get(window);
    if (kept === undefined) return undefined;
    this.#windows.delete(window);
    this.#windows.set(window, kept);
    return kept.samples;
  }

  /** Keeps the runs of samples, which are in memory together: they are dropped with their window. */
  add(window: string, samples: ReadonlyMap<string, KeptRuns>): void {
    const kept = this.#windows.get(window) ?? { bytes: 0, samples: new Map<string, KeptRuns>() };
    this.#windows.delete(window);
    this.#windows.set(window, kept);
    for (const [id, one] of samples) {
      kept.samples.set(id, one);
      kept.bytes += one.runs.byteLength + overhead;
      this.#bytes += one.runs.byteLength + overhead;
    }
    for (const [oldest, { bytes }] of this.#windows) {
      if (this.#bytes <= this.#most) return;
      this.#windows.delete(oldest);
      this.#bytes -= bytes;
    }
  }
}
