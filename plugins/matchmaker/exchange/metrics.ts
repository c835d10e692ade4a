/** The state of connected nodes, in /-/metrics. */
import type { LabelledValue, Metrics } from '../../../core/plugin.js';
import type { KnownNode } from '../contract.js';
import type { Exchange } from './exchange.js';

export function nodeGauges(metrics: Metrics, exchange: Pick<Exchange, 'peers' | 'restsUntil' | 'responseTimes'>): void {
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
