/** A span for each request, by the pattern of its route: paths and queries may contain patient data. */
import { currentRecorder, errorType, type OpenSpan } from '../tracing/traced.js';
import type { HttpContext, HttpMiddleware } from './exchange.js';

/** Probes and scrapes come every few seconds: their traces would hide all others. */
const untraced = new Set(['/-/live', '/-/ready', '/-/metrics']);

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export const tracedRequests: HttpMiddleware = async (ctx, next) => {
  const recorder = currentRecorder();
  if (recorder === undefined || untraced.has(ctx.path)) return next();
  const { exchange } = ctx.state;
  const { traceparent } = ctx.req.headers;
  const method = methods.has(ctx.method) ? ctx.method : '_OTHER';
  const span = recorder.open(method, {
    kind: 'server',
    attributes: { 'http.request.method': method, 'trefoil.request.id': exchange.head.id },
    ...(typeof traceparent === 'string' && { parent: traceparent }),
  });
  exchange.traceId = span.traceId;
  let isOver = false;
  const end = () => {
    if (isOver) return;
    isOver = true;
    ctx.res.off('close', end);
    ctx.req.socket.off('close', end);
    describe(ctx, method, span);
    span.end();
  };
  // Both, as for the exchange: a response that waits behind another does not close with its connection.
  ctx.res.once('close', end);
  ctx.req.socket.once('close', end);
  try {
    await recorder.within(span, next);
  } catch (error) {
    span.fail(errorType(error));
    throw error;
  }
};

function describe(ctx: HttpContext, method: string, span: OpenSpan): void {
  const { route } = ctx.state.exchange;
  const { statusCode, writableFinished } = ctx.res;
  if (route !== undefined) {
    span.rename(`${method} ${route.path}`);
    span.set({ 'http.route': route.path, 'trefoil.plugin': route.owner });
  }
  if (!writableFinished) span.fail('aborted');
  else span.set({ 'http.response.status_code': statusCode });
  if (writableFinished && statusCode >= 500) span.fail(String(statusCode));
}
