/** Which nodes rest after failures, how fast nodes respond, and for how long clients wait for them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { Fault, isFault, type LabelledValue, type Metrics, type PluginContext } from '../../../core/plugin.js';
import type { KnownNode, PeerState } from '../contract.js';
import type { ExchangeSettings } from '../settings.js';

/** Until when a node that failed is not queried; undefined if it may be. */
export function restsUntil(
  { lastFailure, failures, retryAt }: PeerState,
  { retrySeconds, retryMaxSeconds }: Pick<ExchangeSettings, 'retrySeconds' | 'retryMaxSeconds'>,
  now: Date,
): Date | undefined {
  if (failures === 0 || lastFailure === undefined) return undefined;
  const seconds = Math.min(retrySeconds * 2 ** Math.min(failures - 1, 30), retryMaxSeconds);
  const until = new Date(Math.max(lastFailure.getTime() + seconds * 1000, retryAt?.getTime() ?? 0));
  return now < until ? until : undefined;
}

/** Until when a node asks not to be queried, even by its name. */
export function refusesUntil({ retryAt }: PeerState, now: Date): Date | undefined {
  return retryAt !== undefined && now < retryAt ? retryAt : undefined;
}

/** Seconds that the last responses of a node took, since this process started. */
export interface ResponseTimes {
  median: number;
  p95: number;
}

const remembered = 100;

/** The times of the last responses, by node. */
export class Stopwatch {
  readonly #times = new Map<string, number[]>();

  note(node: string, seconds: number): void {
    const times = this.#times.get(node) ?? [];
    times.push(seconds);
    if (times.length > remembered) times.shift();
    this.#times.set(node, times);
  }

  /** Undefined if the node has not responded. */
  times(node: string): ResponseTimes | undefined {
    const times = [...(this.#times.get(node) ?? [])].sort((a, b) => a - b);
    // The nearest rank: a time that was measured.
    const at = (part: number) => times[Math.max(0, Math.ceil(part * times.length) - 1)];
    const [median, p95] = [at(0.5), at(0.95)];
    return median === undefined || p95 === undefined
      ? undefined
      : { median: roundedSeconds(median), p95: roundedSeconds(p95) };
  }
}

function roundedSeconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

const seconds = () => z.number().min(0);

/** The `_health` of a node, as /nodes shows it. */
export const healthAnswer = z.strictObject({
  state: z
    .enum(['not queried yet', 'responding', 'failing', 'resting'])
    .describe('`resting`: it failed, and is not queried for now unless a client names it.'),
  lastSuccess: z.iso.datetime().optional(),
  lastFailure: z.iso.datetime().optional(),
  failure: z.string().optional().describe('The last failure: continues a sentence that begins with the node.'),
  failures: z.int().min(0).describe('Failures since it last responded.'),
  restingUntil: z.iso.datetime().optional(),
  pending: z.int().min(0).describe('Queries that will be repeated.'),
  responseSeconds: z
    .strictObject({ median: seconds(), p95: seconds() })
    .optional()
    .describe('Of its last hundred responses to this process.'),
});
type Health = z.output<typeof healthAnswer>;

export function healthOfNode(
  { state }: KnownNode,
  resting: Date | undefined,
  times: ResponseTimes | undefined,
): Health {
  const { lastSuccess, lastFailure, failure, failures, owed } = state;
  return {
    state: healthState(state, resting),
    ...(lastSuccess && { lastSuccess: lastSuccess.toISOString() }),
    ...(lastFailure && { lastFailure: lastFailure.toISOString() }),
    ...(failure !== undefined && { failure }),
    failures,
    ...(resting && { restingUntil: resting.toISOString() }),
    pending: owed,
    ...(times && { responseSeconds: times }),
  };
}

function healthState({ failures, lastSuccess }: PeerState, resting: Date | undefined): Health['state'] {
  if (resting) return 'resting';
  if (failures > 0) return 'failing';
  return lastSuccess ? 'responding' : 'not queried yet';
}

/** What is measured of an exchange. */
interface ExchangeMeasures {
  peers(): Promise<KnownNode[]>;
  restsUntil(state: PeerState): Date | undefined;
  responseTimes(id: string): ResponseTimes | undefined;
}

/** Gauges for each node, read once for a scrape. */
export function nodeGauges(metrics: Metrics, exchange: ExchangeMeasures): void {
  // The gauges of one scrape are read at the same time.
  let reading: Promise<KnownNode[]> | undefined;
  const peers = (): Promise<KnownNode[]> => {
    reading ??= exchange.peers().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  const gauge = (name: string, help: string, value: (node: KnownNode) => number | undefined): void => {
    const read = async () =>
      (await peers()).flatMap((node) => {
        const now = value(node);
        return now === undefined ? [] : [{ labels: { node: node.id }, value: now }];
      });
    metrics.gauge(name, help, read, ['node']);
  };
  gauge('node_up', 'Whether a node responded to the last query (1) or not (0)', ({ state }) =>
    state.lastSuccess || state.lastFailure ? Number(state.failures === 0) : undefined,
  );
  gauge('node_last_success_seconds', 'When a node last responded, in seconds since 1970', ({ state }) =>
    state.lastSuccess ? state.lastSuccess.getTime() / 1000 : undefined,
  );
  gauge('node_failures', 'Failures of a node since it last responded', ({ state }) => state.failures);
  gauge('node_resting', 'Whether a node is not queried for now because it failed (1) or not (0)', ({ state }) =>
    Number(exchange.restsUntil(state) !== undefined),
  );
  gauge('node_owed', 'Queries to repeat because a node did not respond', ({ state }) => state.owed);
  metrics.gauge(
    'node_response_seconds',
    'Time of the last hundred responses of a node to this process',
    async (): Promise<LabelledValue[]> =>
      (await peers()).flatMap(({ id }) => {
        const times = exchange.responseTimes(id);
        if (times === undefined) return [];
        return [
          { labels: { node: id, quantile: '0.5' }, value: times.median },
          { labels: { node: id, quantile: '0.95' }, value: times.p95 },
        ];
      }),
    ['node', 'quantile'],
  );
}

// Queries that clients wait for, for a limited time: they continue when the client has stopped waiting.

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

export class WaitingQueries<Result> {
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

  /** Takes a place for a query, which the end of `run` releases; or returns the reason why there is none. */
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
