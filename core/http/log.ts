/** The access log: one line for each request, without its URL, headers, bodies or client address. */
import type { Logger } from 'pino';
import type { Observer } from './exchange.js';

const probes = new Set(['/-/live', '/-/ready', '/-/metrics']);

export function accessLog(log: Logger): Observer {
  // These lines contain no secrets by construction, so redaction would only cost time.
  const lines = log.child({}, { redact: [] });
  return {
    ended({ method, res, state: { exchange } }) {
      const { head, route, started } = exchange;
      const line = {
        requestId: head.id,
        traceId: exchange.traceId,
        method,
        route: route?.path,
        owner: route?.owner,
        status: res.statusCode,
        ms: Math.round((performance.now() - started) * 10) / 10,
        aborted: res.writableFinished ? undefined : true,
      };
      if (route !== undefined && probes.has(route.path)) lines.debug(line, 'request');
      else lines.info(line, 'request');
    },
  };
}
