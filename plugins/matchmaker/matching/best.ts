/** The best items, and the greatest numbers, of many that are offered one by one. */
import type { Score } from './score.js';

export interface Ranked {
  id: string;
  score: Score;
}

/** Best score first; equal scores by id, in the order of the bytes of UTF-8. */
export function byRank(one: Ranked, other: Ranked): number {
  return other.score.total - one.score.total || Buffer.compare(Buffer.from(one.id), Buffer.from(other.id));
}

/** Keeps the first `limit` (at least 1) of the offered items by rank. */
export class Best<Item extends Ranked> {
  /** By rank. */
  readonly items: Item[] = [];
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  offer(item: Item): void {
    const { items } = this;
    const last = items[this.#limit - 1];
    if (last && byRank(last, item) <= 0) return;
    let [low, high] = [0, items.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (byRank(items[middle] as Item, item) <= 0) low = middle + 1;
      else high = middle;
    }
    items.splice(low, 0, item);
    if (items.length > this.#limit) items.pop();
  }
}

/** Keeps the `count` greatest of the offered numbers, and whose they are: a heap with the least of them on top. */
export class Greatest {
  readonly #heap: Float64Array;
  readonly #items: Uint32Array;
  #size = 0;

  constructor(count: number) {
    this.#heap = new Float64Array(count);
    this.#items = new Uint32Array(count);
  }

  /** The least number kept; −∞ while fewer than `count` were offered. */
  get least(): number {
    return this.#size < this.#heap.length ? -Infinity : (this.#heap[0] as number);
  }

  /** Whose numbers are kept, in any order. */
  get items(): Uint32Array {
    return this.#items.subarray(0, this.#size);
  }

  offer(value: number, item = 0): void {
    const [heap, items] = [this.#heap, this.#items];
    let at = 0;
    if (this.#size < heap.length) {
      at = this.#size++;
      for (let parent = (at - 1) >> 1; at > 0 && (heap[parent] as number) > value; parent = (at - 1) >> 1) {
        heap[at] = heap[parent] as number;
        items[at] = items[parent] as number;
        at = parent;
      }
    } else if (value > (heap[0] as number)) {
      for (let child = 1; child < heap.length; child = 2 * at + 1) {
        if (child + 1 < heap.length && (heap[child + 1] as number) < (heap[child] as number)) child++;
        if ((heap[child] as number) >= value) break;
        heap[at] = heap[child] as number;
        items[at] = items[child] as number;
        at = child;
      }
    } else return;
    heap[at] = value;
    items[at] = item;
  }
}
