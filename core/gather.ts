/** Many small pieces of work as few larger ones. */
import { isFault } from './fault.js';

export interface Gathering<Item, Result> {
  /** Does all of the items, or none where it throws; answers in their order. */
  together(items: readonly Item[]): Promise<readonly Result[]>;
  /** Items of one key are done one after the other, in the order in which they came; without it there are no such. */
  key?(item: Item): string;
  /** Items done together at most. */
  most: number;
  /** Groups under way at once; with several, one that has to wait for something does not hold up all. */
  groups: number;
}

interface Waiting<Item, Result> {
  item: Item;
  key: string | undefined;
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
  groups,
}: Gathering<Item, Result>): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let running = 0;
  /** Keys of the items that are under way. */
  const busy = new Set<string>();

  async function run(): Promise<void> {
    running += 1;
    for (let group = next(); group.length > 0; group = next()) {
      await answer(group);
      for (const one of group) if (one.key !== undefined) busy.delete(one.key);
    }
    running -= 1;
  }

  /** The oldest that may be done together now: none of a key that is under way, or that waits already. */
  function next(): Waiting<Item, Result>[] {
    const taken: Waiting<Item, Result>[] = [];
    const left: Waiting<Item, Result>[] = [];
    const passed = new Set(busy);
    for (const one of waiting) {
      const free = taken.length < most && (one.key === undefined || !passed.has(one.key));
      if (one.key !== undefined) passed.add(one.key);
      (free ? taken : left).push(one);
    }
    for (const one of taken) if (one.key !== undefined) busy.add(one.key);
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
      waiting.push({ item, key: key?.(item), resolve, reject });
      if (running < groups) void run();
    });
}
