/** Counts the requests to the coverage plugin by their outcome. */
import { isFault, type Metrics, type RouteDeclaration } from '../../../core/plugin.js';

/** Counts the requests of one route: answered, refused (the client's fault) or failed (the server's). */
export function requestCounter(metrics: Metrics): (declaration: RouteDeclaration) => RouteDeclaration {
  const count = metrics.counter('requests_total', 'Requests for reports and coverage by outcome', [
    'operation',
    'outcome',
  ]);
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
