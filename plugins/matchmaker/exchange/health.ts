/** Which nodes rest after failures, and how the state of nodes is shown. */
import type { LabelledValue, Metrics } from '../../../core/plugin.js';
import type { KnownNode, PeerState } from '../contract.js';
import type { ExchangeSettings } from './settings.js';

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
    return median === undefined || p95 === undefined ? undefined : { median: rounded(median), p95: rounded(p95) };
  }
}

function rounded(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

/** The `_health` of a node, as /nodes shows it. */
export interface Health {
  state: 'not queried yet' | 'responding' | 'failing' | 'resting';
  lastSuccess?: string;
  lastFailure?: string;
  /** The last failure, in one sentence that continues the name of the node. */
  failure?: string;
  failures: number;
  restingUntil?: string;
  pending: number;
  responseSeconds?: ResponseTimes;
}

export function healthOf({ state }: KnownNode, resting: Date | undefined, times: ResponseTimes | undefined): Health {
  const { lastSuccess, lastFailure, failure, failures, owed } = state;
  return {
    state: stateOf(state, resting),
    ...(lastSuccess && { lastSuccess: lastSuccess.toISOString() }),
    ...(lastFailure && { lastFailure: lastFailure.toISOString() }),
    ...(failure !== undefined && { failure }),
    failures,
    ...(resting && { restingUntil: resting.toISOString() }),
    pending: owed,
    ...(times && { responseSeconds: times }),
  };
}

function stateOf({ failures, lastSuccess }: PeerState, resting: Date | undefined): Health['state'] {
  if (resting) return 'resting';
  if (failures > 0) return 'failing';
  return lastSuccess ? 'responding' : 'not queried yet';
}

/** What is measured of an exchange. */
interface Measured {
  peers(): Promise<KnownNode[]>;
  restsUntil(state: PeerState): Date | undefined;
  responseTimes(id: string): ResponseTimes | undefined;
}

/** Gauges for each node, read once for a scrape. */
export function nodeGauges(metrics: Metrics, exchange: Measured): void {
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
