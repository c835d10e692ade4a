/** The state of one request while it is served. */
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { parse } from 'node:querystring';
import type { Middleware, ParameterizedContext } from 'koa';
import type { Logger } from 'pino';
import type { RequestHead } from '../auth/guard.js';
import { Fault } from '../fault.js';
import { traceIdOf } from '../tracing/parent.js';
import type { OwnedRoute } from './registry.js';

export interface HttpState {
  exchange: Exchange;
}

export type HttpContext = ParameterizedContext<HttpState>;
export type HttpMiddleware = Middleware<HttpState>;

const clientLeft = 'The client went away';

/** One request and its response. What few requests need (logger, nonce, signal) is made on first use. */
export class Exchange {
  readonly head: RequestHead;
  /** As performance.now(). */
  readonly started = performance.now();
  /** The route, once known. Logs and metrics use its pattern instead of the URL, which may contain patient data. */
  route: OwnedRoute | undefined;
  /** The input as sent, before validation, for error bodies that echo it. */
  sent: unknown;
  readonly #parentLog: Logger;
  #log: Logger | undefined;
  #nonce: string | undefined;
  #controller: AbortController | undefined;
  #cut: Fault | undefined;
  #onCut: ((reason: Fault) => void) | undefined;

  /** The id of the trace that the caller gave for the request, or that was begun for it. */
  traceId: string | undefined;

  constructor(head: RequestHead, log: Logger) {
    this.head = head;
    this.traceId = traceIdOf(head.headers.traceparent);
    this.#parentLog = log;
  }

  /** Adds the request's id to every line. */
  get log(): Logger {
    const { traceId } = this;
    this.#log ??= this.#parentLog.child({ requestId: this.head.id, ...(traceId === undefined ? {} : { traceId }) });
    return this.#log;
  }

  /** The nonce for inline styles and scripts of the response: more than 128 random bits. */
  get nonce(): string {
    this.#nonce ??= randomUUID() + randomUUID().slice(0, 8);
    return this.#nonce;
  }

  /** Aborted when the exchange is cut, with the same reason. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      // All concurrent work of a request listens: fifty samples are fifty listeners.
      setMaxListeners(0, this.#controller.signal);
      if (this.#cut !== undefined) this.#controller.abort(this.#cut);
    }
    return this.#controller.signal;
  }

  /** Whether an error only says that work was stopped because the client left. */
  isLeaving(error: unknown): boolean {
    if (this.#cut?.message !== clientLeft) return false;
    const { name, cause } = (error ?? {}) as { name?: unknown; cause?: unknown };
    return error === this.#cut || cause === this.#cut || name === 'AbortError';
  }

  /** Whether the time limit has passed or the client has left. */
  get isCut(): boolean {
    return this.#cut !== undefined;
  }

  /** For a client that left, or a response that did not begin in time. Only the first reason counts. */
  cut(reason: Fault): void {
    if (this.#cut !== undefined) return;
    this.#cut = reason;
    this.#controller?.abort(reason);
    this.#onCut?.(reason);
  }

  /** Returns the work's outcome, or rejects with the reason if the exchange is cut first. Call once. */
  unlessCut(work: Promise<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#onCut = reject;
      work.then(resolve, reject);
    });
  }
}

/** Observes when requests begin and end. */
export interface Observer {
  began?(): void;
  /** Called once for each request that began, when its response has ended or the client has left. */
  ended(ctx: HttpContext): void;
}

export interface ExchangeOptions {
  log: Logger;
  /** Time limit until the response begins, in seconds. */
  timeout: number;
  observers: readonly Observer[];
  /** Whether responses tell the client to close its connection. */
  closing(): boolean;
}

const safeId = /^[A-Za-z0-9][A-Za-z0-9._-]{7,63}$/;

/** Opens the exchange: request id, query, observers and the time limit until the response begins. */
export function openExchange({ log, timeout, observers, closing }: ExchangeOptions): HttpMiddleware {
  return async (ctx, next) => {
    const { req, res } = ctx;
    const { socket } = req;
    const sentId = req.headers['x-request-id'];
    const id = typeof sentId === 'string' && safeId.test(sentId) ? sentId : randomUUID();
    const { method, path, ip } = ctx;
    const query = parse(ctx.querystring, '&', '=', { maxKeys: 0 });
    const exchange = new Exchange({ method, path, headers: req.headers, query, id, ip }, log);
    ctx.state.exchange = exchange;
    const tooLate = () => {
      // Node's server itself cuts a request that is still arriving, with status 408.
      if (req.complete) exchange.cut(new Fault('timeout', 'The answer took too long'));
      else timer = setTimeout(tooLate, 1000);
    };
    let timer = setTimeout(tooLate, timeout * 1000);
    let ended = false;
    const end = () => {
      // A closed connection also closes its response: both events fire, and a removed listener is still called.
      if (ended) return;
      ended = true;
      res.off('close', end);
      socket.off('close', end);
      clearTimeout(timer);
      if (!res.writableFinished) exchange.cut(new Fault('timeout', clientLeft));
      // The unread rest of a body is drained, so that the connection can carry the next request.
      if (!req.complete) req.resume();
      for (const observer of observers) observer.ended(ctx);
    };
    res.once('close', end);
    // A response that waits behind another (pipelining) does not close with its connection.
    socket.setMaxListeners(0);
    socket.once('close', end);
    for (const observer of observers) observer.began?.();
    res.setHeader('X-Request-Id', id);
    try {
      await next();
    } finally {
      clearTimeout(timer);
    }
    // Set at the end, so that it reaches requests that began before the shutdown, too.
    if (closing() && !res.headersSent) res.setHeader('Connection', 'close');
  };
}
