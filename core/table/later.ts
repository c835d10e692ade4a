/** The order in which writes take turns. */
import type { Tables } from '../table.js';

interface Waiting {
  work(tables: Tables): Promise<unknown>;
  resolve(result: unknown): void;
  reject(reason: unknown): void;
}

/** Groups writes that may wait: works that arrive while one is written share the next transaction. */
export function grouped(transaction: Tables['transaction']): Tables['later'] {
  let waiting: Waiting[] = [];
  let isRunning = false;

  async function alone({ work, resolve, reject }: Waiting): Promise<void> {
    await transaction(work).then(resolve, reject);
  }

  async function together(group: readonly Waiting[]): Promise<void> {
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
      if (group.length === 1) await alone(group[0] as Waiting);
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
