/** The state of connected nodes, in /-/metrics. */
import type { Metrics } from '../../../core/plugin.js';
import type { KnownNode, NodeRepository } from '../contract.js';

export function nodeGauges(metrics: Metrics, repository: NodeRepository): void {
  const gauge = (name: string, help: string, value: (node: KnownNode) => number | undefined): void => {
    const read = async () => {
      const all = (await repository.nodes()).filter(({ enabled }) => enabled);
      return all.flatMap((node) => {
        const now = value(node);
        return now === undefined ? [] : [{ labels: { node: node.id }, value: now }];
      });
    };
    metrics.gauge(name, help, read, ['node']);
  };
  gauge('node_up', 'Whether a node responded to the last query (1) or not (0)', ({ state }) =>
    state.lastSuccess || state.lastFailure ? Number(state.failures === 0) : undefined,
  );
  gauge('node_last_success_seconds', 'When a node last responded, in seconds since 1970', ({ state }) =>
    state.lastSuccess ? state.lastSuccess.getTime() / 1000 : undefined,
  );
  gauge('node_owed', 'Queries to repeat because a node did not respond', ({ state }) => state.owed);
}
