/** Many small pieces of work as few larger ones. */
import { isFault } from './fault.js';

export interface Gathering<Item, Result> {
  /** Does all of the items, or none where it throws; answers in their order. */
  together(items: readonly Item[]): Promise<readonly Result[]>;
  /** Items of one key are done one after the other, in the order in which they came; without it there are no such. */
  key?(item: Item): string;
  /** Items done together at most. */
  most: number;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(reason: unknown): void;
}

/**
 * Answers a function that does one item. What comes while others are under way waits and is then done together, so that
 * a crowd costs little more than one, and one alone waits for nobody. Where that fails, each of them is done by itself:
 * nobody is refused for what somebody else sent. Only an outage counts for all.
 */
export function gather<Item, Result>({
  together,
  key,
  most,
}: Gathering<Item, Result>): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let running = false;

  async function run(): Promise<void> {
    running = true;
    while (waiting.length > 0) await answer(next());
    running = false;
  }

  function next(): Waiting<Item, Result>[] {
    const taken: Waiting<Item, Result>[] = [];
    const left: Waiting<Item, Result>[] = [];
    const keys = new Set<string>();
    for (const one of waiting) {
      const name = key?.(one.item);
      const free = taken.length < most && (name === undefined || !keys.has(name));
      if (name !== undefined) keys.add(name);
      (free ? taken : left).push(one);
    }
    waiting = left;
    return taken;
  }

  async function answer(all: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await together(all.map(({ item }) => item));
      if (results.length !== all.length) throw new Error('work that was done together answers for each item');
      for (const [i, { resolve }] of all.entries()) resolve(results[i] as Result);
    } catch (error) {
      const alone = all.length === 1 || (isFault(error) && error.code === 'unavailable');
      if (alone) for (const { reject } of all) reject(error);
      else for (const one of all) await answer([one]);
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!running) void run();
    });
}
