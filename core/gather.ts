/**
 * Combines many small pieces of work into fewer larger ones: items into batches, and writes that may wait into one transaction.
 */
import { isFault } from './fault.js';
import type { Tables } from './table.js';

export interface Gathering<Item, Result> {
  /** Does all items, or none if it throws; returns the results in their order. */
  together(items: readonly Item[]): Promise<readonly Result[]>;
  /** Items with the same key are done one after the other, in order of arrival; if omitted, all are independent. */
  key?(item: Item): string;
  /** Maximum number of items done together. */
  most: number;
  /** Maximum number of concurrent groups; with several, a group that has to wait does not block the others. */
  groups: number;
  /** Milliseconds after which a running group no longer counts among them, so that none waits long behind it. */
  slow?: number;
}

/** Milliseconds that a group waits for items that are promised: small groups would cost as much each as large ones. */
const patience = 5;

interface WaitingItem<Item, Result> {
  item: Item;
  key: string | undefined;
  resolve(result: Result): void;
  reject(reason: unknown): void;
}

/**
 * Returns a function that does one item, or one that is promised. Items that arrive while all groups are busy wait and are
 * then done together, so that many cost little more than one; a single item does not wait, unless others are promised. If a
 * group fails, each of its items is done by itself, so that no caller is refused for the item of another. Only an outage
 * fails the whole group.
 */
export function gather<Item, Result>({
  together,
  key,
  most,
  groups,
  slow,
}: Gathering<Item, Result>): (item: Item | Promise<Item>) => Promise<Result> {
  let waiting: WaitingItem<Item, Result>[] = [];
  let promised = 0;
  let running = 0;
  /** Keys of the items in progress. */
  const busy = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  /** Runs a group if it has waited long enough. */
  function start(): void {
    if (running === groups || waiting.length === 0) return;
    if (waiting.length >= most || promised === 0) void run();
    else timer ??= setTimeout(run, patience);
  }

  async function run(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const group = next();
    if (group.length === 0) return;
    running += 1;
    let counts = true;
    const leave = () => {
      if (counts) running -= 1;
      counts = false;
      start();
    };
    const late = slow === undefined ? undefined : setTimeout(leave, slow);
    await answer(group);
    clearTimeout(late);
    for (const one of group) if (one.key !== undefined) busy.delete(one.key);
    leave();
  }

  /** Takes the oldest items that may run together now: none shares its key with a running or earlier waiting item. */
  function next(): WaitingItem<Item, Result>[] {
    const taken: WaitingItem<Item, Result>[] = [];
    const left: WaitingItem<Item, Result>[] = [];
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

  async function answer(all: readonly WaitingItem<Item, Result>[]): Promise<void> {
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

  function add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      waiting.push({ item, key: key?.(item), resolve, reject });
      start();
    });
  }

  async function addPromised(promise: Promise<Item>): Promise<Result> {
    promised += 1;
    const [settled] = await Promise.allSettled([promise]);
    promised -= 1;
    if (settled.status === 'fulfilled') return add(settled.value);
    start();
    throw settled.reason;
  }

  return (item) => (item instanceof Promise ? addPromised(item) : add(item));
}

// The order in which writes take turns.

interface WaitingWrite {
  work(tables: Tables): Promise<unknown>;
  resolve(result: unknown): void;
  reject(reason: unknown): void;
}

/** Groups writes that may wait: works that arrive while one is written share the next transaction. */
export function grouped(transaction: Tables['transaction']): Tables['later'] {
  let waiting: WaitingWrite[] = [];
  let isRunning = false;

  async function alone({ work, resolve, reject }: WaitingWrite): Promise<void> {
    await transaction(work).then(resolve, reject);
  }

  async function together(group: readonly WaitingWrite[]): Promise<void> {
    try {
      const results = await transaction(async (tables) => {
        const all: unknown[] = [];
        for (const { work } of group) all.push(await work(tables));
        return all;
      });
      for (const [i, { resolve }] of group.entries()) resolve(results[i]);
    } catch {
      // One of them failed, and each hears of its own failure alone.
      for (const each of group) await alone(each);
    }
  }

  async function run(): Promise<void> {
    isRunning = true;
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      if (group.length === 1) await alone(group[0] as WaitingWrite);
      else await together(group);
    }
    isRunning = false;
  }

  return <Result>(work: (tables: Tables) => Promise<Result>) =>
    new Promise<Result>((resolve, reject) => {
      waiting.push({ work, resolve: resolve as (result: unknown) => void, reject });
      if (!isRunning) void run();
    });
}

/** For adapters with one writer at a time: runs works one after the other, in the order of the calls. */
export function oneByOne(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  };
}
