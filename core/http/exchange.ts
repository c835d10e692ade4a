/**
 * One request while it is served: its state, and what is noted of it: a line in the access log, a span, and the work that a
 * shutdown waits for. None of them has URLs, headers, bodies or client addresses.
 */
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { parse } from 'node:querystring';
import type { Middleware, ParameterizedContext } from 'koa';
import type { Logger } from 'pino';
import { Fault } from '../fault.js';
import type { RequestHead } from '../policy/policy.js';
import { currentRecorder, errorType, type OpenSpan, type SpanRecorder, traceIdOf } from '../work.js';
import type { OwnedRoute } from './route.js';

export interface HttpState {
  exchange: Exchange;
}

export type HttpContext = ParameterizedContext<HttpState>;
export type HttpMiddleware = Middleware<HttpState>;

const clientLeft = 'The client went away';

/** One request and its response. What few requests need (logger, nonce, signal) is made on first use. */
class Exchange {
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
  #isOver = false;
  readonly #onOver: (() => void)[] = [];

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

  /** Resolves when the response has ended or the client has left. */
  over(): Promise<void> {
    return this.#isOver ? Promise.resolve() : new Promise((resolve) => this.#onOver.push(resolve));
  }

  end(): void {
    this.#isOver = true;
    for (const ended of this.#onOver) ended();
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

interface RequestOptions {
  log: Logger;
  /** Time limit until the response begins, in seconds. */
  timeout: number;
  observers: readonly Observer[];
  /** Whether responses ask the client to close its connection. */
  closing(): boolean;
}

const safeId = /^[A-Za-z0-9][A-Za-z0-9._-]{7,63}$/;

/** Opens the exchange: request id, query, observers and the time limit until the response begins. */
export function openExchange({ log, timeout, observers, closing }: RequestOptions): HttpMiddleware {
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
      exchange.end();
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

// The access log: one line for each request, without its URL, headers, bodies or client address.

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

// A span for each request, by the pattern of its route: paths and queries may contain patient data.

/** Probes and scrapes come every few seconds: their traces would hide all others. */
const untraced = new Set(['/-/live', '/-/ready', '/-/metrics']);

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export const tracedRequests: HttpMiddleware = (ctx, next) => {
  const recorder = currentRecorder();
  return recorder === undefined || untraced.has(ctx.path) ? next() : inSpan(recorder, ctx, next);
};

async function inSpan(recorder: SpanRecorder, ctx: HttpContext, next: () => Promise<void>): Promise<void> {
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
}

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

// Counts running requests and their work, for a graceful shutdown.

export interface RunningWork {
  /** Counts requests. */
  requests: Observer;
  /** Requests whose response has not ended and whose client is still connected. */
  inFlight(): number;
  /** Counts a handler's work, which may outlive its request's time limit. */
  add(work: Promise<unknown>): void;
  /** From now on responses ask the client to close its connection. */
  close(): void;
  closing(): boolean;
  busy(): boolean;
  /** Resolves once nothing is running, or after the limit (milliseconds). */
  idle(limitMs?: number): Promise<void>;
}

export function createWork(): RunningWork {
  let busy = 0;
  let inFlight = 0;
  let closing = false;
  const waiting = new Set<() => void>();

  const began = () => {
    busy += 1;
  };
  const ended = () => {
    busy -= 1;
    if (busy === 0) for (const resolve of waiting) resolve();
  };

  return {
    requests: {
      began() {
        inFlight += 1;
        began();
      },
      ended() {
        inFlight -= 1;
        ended();
      },
    },
    inFlight: () => inFlight,
    add(work) {
      began();
      work.then(ended, ended);
    },
    close() {
      closing = true;
    },
    closing: () => closing,
    busy: () => busy > 0,
    async idle(limitMs) {
      if (busy === 0) return;
      await new Promise<void>((resolve) => {
        const timer = limitMs === undefined ? undefined : setTimeout(() => done(), limitMs);
        const done = () => {
          clearTimeout(timer);
          waiting.delete(done);
          resolve();
        };
        waiting.add(done);
      });
    },
  };
}
