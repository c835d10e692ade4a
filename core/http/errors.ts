/** Turns every error into a response, and logs it if the server is at fault. */
import { Fault, isFault } from '../fault.js';
import { breachOf, mediaType } from './answer.js';
import type { ErrorShape } from './error-shape.js';
import type { HttpContext, HttpMiddleware } from './exchange.js';
import { problemBody, problemType } from './problem.js';
import { pagePolicy } from './security.js';
import { codeOf, statusOf } from './status.js';

/** An error's name, message and stack, and its cause's: never its other properties, which may hold input. */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error };
  const cause = error.cause === undefined ? {} : { cause: describeError(error.cause) };
  return { type: error.name, message: error.message, stack: error.stack, ...cause };
}

/** Returns what the caller may see of an error: faults, Koa's HTTP errors by status, and `internal` for all others. */
export function publicFault(error: unknown): Fault {
  if (isFault(error)) {
    if (error.code === 'internal') return new Fault('internal', internalSentence, { cause: error });
    if (error.public === undefined || error.public === error.message) return error;
    return new Fault(error.code, error.public, {
      fields: [...error.fields],
      headers: { ...error.headers },
      cause: error,
    });
  }
  if (isHttpError(error)) return new Fault(codeOf(error.status), error.message, { cause: error });
  return new Fault('internal', internalSentence, { cause: error });
}

const internalSentence =
  'The server failed to process the request; its log has the reason under the id of this request';

/** `ctx.throw(403, 'sentence')` in a plugin's middleware. */
function isHttpError(error: unknown): error is Error & { status: number } {
  if (!(error instanceof Error)) return false;
  const { status, expose } = error as { status?: unknown; expose?: unknown };
  return expose === true && typeof status === 'number' && status >= 400 && status < 500;
}

export interface ErrorOptions {
  /** Finds the plugin's own error body for a path. */
  shapeFor(path: string): ErrorShape | undefined;
  /** Called with the work of every request, which may continue after its time limit and the response. */
  onWork(work: Promise<unknown>): void;
  /** Like DispatchOptions.onBreach, for errors that a route declares. */
  onBreach: ((breach: string) => void) | undefined;
}

/** The outermost middleware of every request: enforces its time limit, and sends the response to an error. */
export function answerErrors(options: ErrorOptions): HttpMiddleware {
  return async (ctx, next) => {
    const work = next();
    options.onWork(work);
    try {
      await ctx.state.exchange.unlessCut(work);
    } catch (error) {
      // The client has left.
      if (ctx.req.socket.destroyed || ctx.state.exchange.isLeaving(error)) return;
      writeFault(ctx, error, options);
    }
  };
}

function writeFault(ctx: HttpContext, error: unknown, options: ErrorOptions): void {
  const { log, route } = ctx.state.exchange;
  const fault = publicFault(error);
  const status = statusOf(fault.code);
  // Each refusal would be a line more when there is too much to do already: they are counted, and logged together.
  if (status >= 500 && fault.code !== 'overloaded')
    log.error({ code: fault.code, error: describeError(error) }, 'request failed');
  const { type, body } = bodyOf(ctx, fault, status, options.shapeFor(ctx.path));
  for (const [name, value] of Object.entries(fault.headers)) ctx.set(name, value);
  ctx.status = status;
  ctx.set('Content-Type', type);
  const isPage = mediaType(type) === 'text/html';
  if (isPage) ctx.set('Content-Security-Policy', pagePolicy(ctx.state.exchange.nonce));
  ctx.body = isPage ? String(body) : JSON.stringify(body);
  if (route?.declaration.answers[status] === undefined) return;
  const breach = breachOf(route.declaration, { status, type, body });
  if (breach !== undefined) options.onBreach?.(breach);
}

function bodyOf(ctx: HttpContext, fault: Fault, status: number, shape: ErrorShape | undefined) {
  const { exchange } = ctx.state;
  if (shape !== undefined) {
    try {
      const shaped = shape(fault, status, { ...exchange.head, sent: exchange.sent, nonceOf: () => exchange.nonce });
      if (shaped !== undefined) {
        return { type: shaped.type ?? 'application/json; charset=utf-8', body: shaped.body };
      }
    } catch (error) {
      exchange.log.error({ error: describeError(error) }, 'the plugin could not shape its error');
    }
  }
  return { type: problemType, body: problemBody(fault, status, exchange.head.id) };
}
