/** The access log: one line for each request, without its URL, headers, bodies or client address. */
import type { HttpMiddleware } from './exchange.js';

const probes = new Set(['/-/live', '/-/ready', '/-/metrics']);

export const accessLog: HttpMiddleware = (ctx, next) => {
  const started = performance.now();
  ctx.state.exchange.atEnd.push(() => {
    const { log, route } = ctx.state.exchange;
    const line = {
      method: ctx.method,
      route: route?.path,
      owner: route?.owner,
      status: ctx.res.statusCode,
      ms: Math.round((performance.now() - started) * 10) / 10,
      ...(ctx.res.writableFinished ? {} : { aborted: true }),
    };
    if (route !== undefined && probes.has(route.path)) log.debug(line, 'request');
    else log.info(line, 'request');
  });
  return next();
};
