/** Normalizes runs before they are written, and checks their order. */
import { D4Error } from '../error.js';
import type { RunBatch } from '../profile/runs.js';

/** Receives the runs of a chromosome: ascending, without gap, neighbours different. */
export type VisitRun = (begin: number, end: number, depth: number) => void;

/**
 * Brings runs into the form that is written: neighbours of equal depth are joined and what lies between runs has depth 0. Throws
 * D4Error `invalid` for runs out of order.
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

  /** Fills up to the chromosome's size and hands over the last run. */
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

/** Goes through batches chromosome by chromosome; each one's runs must come together. */
export class ChromosomeTurns {
  readonly #done = new Set<string>();
  #current: string | undefined;

  /** Whether a batch begins another chromosome. Throws D4Error `invalid` when that one had its turn already. */
  turn(chromosome: string): boolean {
    if (chromosome === this.#current) return false;
    if (this.#done.has(chromosome)) {
      throw new D4Error('invalid', 'The runs of a chromosome must come together', chromosome);
    }
    this.#done.add(chromosome);
    this.#current = chromosome;
    return true;
  }
}
