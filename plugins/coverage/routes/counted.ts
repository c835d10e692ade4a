/** Counts what is asked of the coverage plugin, and how it ended. */
import { isFault, type Metrics, type RouteDeclaration } from '../../../core/plugin.js';

/** Counts the requests of one route by outcome: answered, refused (the client's fault) or failed (ours). */
export function requestCounter(metrics: Metrics): (declaration: RouteDeclaration) => RouteDeclaration {
  const count = metrics.counter('requests_total', 'Reports and questions by outcome', ['operation', 'outcome']);
  return (declaration) => ({
    ...declaration,
    async handle(request) {
      const { operation } = declaration;
      try {
        const answer = await declaration.handle(request);
        count({ operation, outcome: 'answered' });
        return answer;
      } catch (error) {
        const ours = !isFault(error) || error.code === 'internal' || error.code === 'unavailable';
        count({ operation, outcome: ours ? 'failed' : 'refused' });
        throw error;
      }
    },
  });
}
