/** What the core knows of one request while it is served. */
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { parse } from 'node:querystring';
import type { Middleware, ParameterizedContext } from 'koa';
import type { Logger } from 'pino';
import type { RequestHead } from '../auth/guard.js';
import { Fault } from '../fault.js';
import type { OwnedRoute } from './registry.js';
import { traceIdOf } from './trace.js';

export interface HttpState {
  exchange: Exchange;
}

export type HttpContext = ParameterizedContext<HttpState>;
export type HttpMiddleware = Middleware<HttpState>;

const clientLeft = 'The client went away';

/** One request and its answer. What few requests need (logger, nonce, signal) is made when it is first asked for. */
export class Exchange {
  readonly head: RequestHead;
  /** As performance.now(). */
  readonly started = performance.now();
  /** The route that answers, once known. Its pattern stands for the URL in logs and metrics: URLs may hold patient data. */
  route: OwnedRoute | undefined;
  /** What the client asked, before validation, for error bodies that echo it. */
  sent: unknown;
  readonly #parentLog: Logger;
  #log: Logger | undefined;
  #nonce: string | undefined;
  #controller: AbortController | undefined;
  #cut: Fault | undefined;
  #onCut: ((reason: Fault) => void) | undefined;

  /** The trace that the caller says the request belongs to. */
  readonly traceId: string | undefined;

  constructor(head: RequestHead, log: Logger) {
    this.head = head;
    this.traceId = traceIdOf(head.headers.traceparent);
    this.#parentLog = log;
  }

  /** Names the request in every line. */
  get log(): Logger {
    const { traceId } = this;
    this.#log ??= this.#parentLog.child({ requestId: this.head.id, ...(traceId === undefined ? {} : { traceId }) });
    return this.#log;
  }

  /** The nonce for inline styles and scripts of the answer: more than 128 random bits. */
  get nonce(): string {
    this.#nonce ??= randomUUID() + randomUUID().slice(0, 8);
    return this.#nonce;
  }

  /** Aborted when the exchange is cut, with the same reason. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      // Everything that a request does at once listens: fifty samples are fifty listeners.
      setMaxListeners(0, this.#controller.signal);
      if (this.#cut !== undefined) this.#controller.abort(this.#cut);
    }
    return this.#controller.signal;
  }

  /** Whether an error is no more than the client's leaving: the reason for which work was stopped. */
  isLeaving(error: unknown): boolean {
    if (this.#cut?.message !== clientLeft) return false;
    const { name, cause } = (error ?? {}) as { name?: unknown; cause?: unknown };
    return error === this.#cut || cause === this.#cut || name === 'AbortError';
  }

  /** Whether it was answered before its time, or nobody is there any more. */
  get isCut(): boolean {
    return this.#cut !== undefined;
  }

  /** The client went away, or the answer did not begin in time. Only the first reason counts. */
  cut(reason: Fault): void {
    if (this.#cut !== undefined) return;
    this.#cut = reason;
    this.#controller?.abort(reason);
    this.#onCut?.(reason);
  }

  /** The work's outcome, or a rejection with the reason where the exchange is cut before. Call once. */
  unlessCut(work: Promise<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#onCut = reject;
      work.then(resolve, reject);
    });
  }
}

/** Sees requests begin and end. */
export interface Observer {
  began?(): void;
  /** When the answer has ended, or the client is gone: once for each request that began. */
  ended(ctx: HttpContext): void;
}

export interface ExchangeOptions {
  log: Logger;
  /** Time limit until the answer begins, in seconds. */
  timeout: number;
  observers: readonly Observer[];
  /** Whether answers tell the client to close its connection. */
  closing(): boolean;
}

const safeId = /^[A-Za-z0-9][A-Za-z0-9._-]{7,63}$/;

/** Opens the exchange: request id, query, observers and the time limit until the answer begins. */
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
      // A request that is still arriving is cut, and answered 408, by the server itself.
      if (req.complete) exchange.cut(new Fault('timeout', 'The answer took too long'));
      else timer = setTimeout(tooLate, 1000);
    };
    let timer = setTimeout(tooLate, timeout * 1000);
    let ended = false;
    const end = () => {
      // A line that closes closes its answer too: both events come, and a listener removed meanwhile is still called.
      if (ended) return;
      ended = true;
      res.off('close', end);
      socket.off('close', end);
      clearTimeout(timer);
      if (!res.writableFinished) exchange.cut(new Fault('timeout', clientLeft));
      // What nobody wanted of a body is read away, so that the connection can carry the next request.
      if (!req.complete) req.resume();
      for (const observer of observers) observer.ended(ctx);
    };
    res.once('close', end);
    // An answer that waits behind another on its line (pipelining) never closes when the line does.
    socket.setMaxListeners(0);
    socket.once('close', end);
    for (const observer of observers) observer.began?.();
    res.setHeader('X-Request-Id', id);
    try {
      await next();
    } finally {
      clearTimeout(timer);
    }
    // Said at the end, so that requests that began before the shutdown hear it too.
    if (closing() && !res.headersSent) res.setHeader('Connection', 'close');
  };
}
