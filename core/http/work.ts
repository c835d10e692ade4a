/** Counts what is under way, for an orderly end. */
import type { HttpMiddleware } from './exchange.js';

export interface Work {
  count: HttpMiddleware;
  /** A handler's work, which may outlive its request's time limit. */
  add(work: Promise<unknown>): void;
  /** From now on answers tell the client to close its connection. */
  close(): void;
  busy(): boolean;
  /** Resolves once nothing is under way. */
  idle(): Promise<void>;
}

export function createWork(): Work {
  let busy = 0;
  let closing = false;
  const waiting: (() => void)[] = [];

  const begin = () => {
    busy += 1;
  };
  const end = () => {
    busy -= 1;
    if (busy === 0) for (const resolve of waiting.splice(0)) resolve();
  };

  return {
    async count(ctx, next) {
      begin();
      ctx.state.exchange.atEnd.push(end);
      await next();
      // Said at the end, so that requests that began before the shutdown hear it too.
      if (closing && !ctx.headerSent) ctx.set('Connection', 'close');
    },
    add(work) {
      begin();
      work.then(end, end);
    },
    close() {
      closing = true;
    },
    busy: () => busy > 0,
    idle() {
      return busy === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve));
    },
  };
}
