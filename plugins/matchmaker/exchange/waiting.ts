/** Queries that clients wait for, for a limited time: they go on when the client has stopped waiting. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault, isFault, type PluginContext } from '../../../core/plugin.js';

interface WaitingOptions {
  /** Queries that one node gets at the same time. */
  most: number;
  log: PluginContext<unknown>['log'];
}

export interface Waiter {
  /** Milliseconds that the client waits. */
  waitMs: number;
  /** Of the request. */
  signal: AbortSignal;
  /** Called when the client stops waiting and, if queries are left, when the last of them has ended. Never rejects. */
  ended(): Promise<void>;
}

export class Waiting<Result> {
  readonly #options: WaitingOptions;
  readonly #closing = new AbortController();
  /** Queries under way by key: a client that repeats one waits for the same. */
  readonly #running = new Map<string, Promise<Result>>();
  /** How many queries are under way, by node. */
  readonly #places = new Map<string, number>();
  /** What follows when the last query of a search has ended. */
  readonly #endings = new Set<Promise<void>>();

  constructor(options: WaitingOptions) {
    this.#options = options;
  }

  /** Aborted when the server stops. */
  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  has(key: string): boolean {
    return this.#running.has(key);
  }

  /** Takes a place for a query, which the end of `run` gives back; or returns the reason why there is none. */
  enter(node: string, key: string): string | undefined {
    if (this.#running.has(key)) return undefined;
    const places = this.#places.get(node) ?? 0;
    if (places >= this.#options.most) return `was not queried yet, since ${places} earlier queries wait for it`;
    this.#places.set(node, places + 1);
    return undefined;
  }

  /** Begins the query, or joins the one of this key. */
  run(node: string, key: string, work: () => Promise<Result>): Promise<Result> {
    const running = this.#running.get(key);
    if (running) return running;
    const query = work().finally(() => {
      this.#running.delete(key);
      const places = (this.#places.get(node) ?? 1) - 1;
      if (places === 0) this.#places.delete(node);
      else this.#places.set(node, places);
    });
    this.#running.set(key, query);
    return query;
  }

  /**
   * The results that come while the client waits; undefined for the others. Throws the first error among them, and the
   * signal's reason once the client is gone.
   */
  async within(
    queries: readonly Promise<Result>[],
    { waitMs, signal, ended }: Waiter,
  ): Promise<(Result | undefined)[]> {
    const came: (Result | undefined)[] = queries.map(() => undefined);
    let left = queries.length;
    let isOver = false;
    let broken: { error: unknown } | undefined;
    const fail = (error: unknown): void => {
      if (isOver) this.#report(error);
      else broken ??= { error };
    };
    const all = Promise.all(
      queries.map(async (query, i) => {
        try {
          const result = await query;
          if (!isOver) came[i] = result;
        } catch (error) {
          fail(error);
        }
        left -= 1;
      }),
    );
    const stop = new AbortController();
    try {
      await Promise.race([all, sleep(waitMs, undefined, { signal: AbortSignal.any([signal, stop.signal]) })]);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      isOver = true;
      stop.abort();
      if (left > 0) this.#follow(all.then(ended));
      await ended();
    }
    if (broken) throw broken.error;
    return came;
  }

  /** Aborts what is under way, and waits until it has ended. */
  async close(): Promise<void> {
    this.#closing.abort(new Fault('unavailable', 'The server stops'));
    await Promise.allSettled([...this.#running.values(), ...this.#endings]);
  }

  #follow(ending: Promise<void>): void {
    this.#endings.add(ending);
    void ending.finally(() => this.#endings.delete(ending));
  }

  #report(error: unknown): void {
    if (this.signal.aborted) return;
    const reason = isFault(error) ? error.message : 'unexpected error';
    this.#options.log.error({ reason }, 'a late response was not recorded; its query is repeated');
  }
}
