/** Normalizes runs before they are written, and checks their order. */
import { D4Error } from '../error.js';
import type { RunBatch } from '../profile/runs.js';

/** Receives the runs of a chromosome: ascending, without gaps, adjacent ones different. */
export type VisitRun = (begin: number, end: number, depth: number) => void;

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
      if (!(begin >= this.#end && end >= begin) || !Number.isFinite(depth)) {
        const message = 'Runs must ascend without overlap and have a finite depth';
        throw new D4Error('invalid', message, `${this.#chromosome}:${begin}-${end}`);
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
