/** What the core knows of one request while it is served. */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { parse } from 'node:querystring';
import type { Middleware, ParameterizedContext } from 'koa';
import type { Logger } from 'pino';
import { Fault } from '../fault.js';
import type { OwnedRoute } from './registry.js';
import type { RequestHead } from './route.js';

export interface Exchange {
  head: RequestHead;
  log: Logger;
  nonce: string;
  /** Aborted when the client goes away or the answer does not begin in time. */
  signal: AbortSignal;
  /** The route that answers, once known. Its pattern stands for the URL in logs and metrics: URLs may hold patient data. */
  route?: OwnedRoute;
  /** Runs when the answer has ended, or the client is gone. */
  atEnd: (() => void)[];
  /** What the client asked, before validation, for error bodies that echo it. */
  sent?: unknown;
}

export interface HttpState {
  exchange: Exchange;
}

export type HttpContext = ParameterizedContext<HttpState>;
export type HttpMiddleware = Middleware<HttpState>;

const safeId = /^[A-Za-z0-9][A-Za-z0-9._-]{7,63}$/;
const nonces = new WeakMap<ServerResponse, string>();

/** The nonce for inline styles and scripts of an answer. */
export function nonceOf(response: ServerResponse): string {
  let nonce = nonces.get(response);
  if (nonce === undefined) {
    // More than 128 random bits; UUIDs come out of a pool, which is much faster than asking for bytes each time.
    nonce = randomUUID() + randomUUID().slice(0, 8);
    nonces.set(response, nonce);
  }
  return nonce;
}

/** Opens the exchange: request id, logger, query, abort signal and the time limit until the answer begins. */
export function openExchange(log: Logger, timeoutSeconds: number): HttpMiddleware {
  return async (ctx, next) => {
    const sentId = ctx.get('X-Request-Id');
    const id = safeId.test(sentId) ? sentId : randomUUID();
    const controller = new AbortController();
    const tooLate = () => {
      // A request that is still arriving is cut, and answered 408, by the server itself.
      if (ctx.req.complete) controller.abort(new Fault('timeout', 'The answer took too long'));
      else timer = setTimeout(tooLate, 1000);
    };
    let timer = setTimeout(tooLate, timeoutSeconds * 1000);
    const exchange: Exchange = {
      head: {
        method: ctx.method,
        path: ctx.path,
        headers: ctx.req.headers,
        query: parse(ctx.querystring, '&', '=', { maxKeys: 0 }),
        id,
        ip: ctx.ip,
      },
      log: log.child({ requestId: id }),
      nonce: nonceOf(ctx.res),
      signal: controller.signal,
      atEnd: [],
    };
    ctx.state.exchange = exchange;
    const { socket } = ctx.req;
    const end = () => {
      ctx.res.off('close', end);
      socket.off('close', end);
      clearTimeout(timer);
      if (!ctx.res.writableFinished) controller.abort(new Fault('timeout', 'The client went away'));
      // What nobody wanted of a body is read away, so that the connection can carry the next request.
      if (!ctx.req.complete) ctx.req.resume();
      for (const work of exchange.atEnd) work();
    };
    ctx.res.once('close', end);
    // An answer that waits behind another on its line (pipelining) never closes when the line does.
    socket.setMaxListeners(0);
    socket.once('close', end);
    ctx.set('X-Request-Id', id);
    try {
      await next();
    } finally {
      clearTimeout(timer);
    }
  };
}
