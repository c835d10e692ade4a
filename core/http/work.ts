/** Counts running requests and their work, for a graceful shutdown. */
import type { Observer } from './exchange.js';

export interface Work {
  /** Counts requests. */
  requests: Observer;
  /** Requests whose response has not ended and whose client is still connected. */
  inFlight(): number;
  /** Counts a handler's work, which may outlive its request's time limit. */
  add(work: Promise<unknown>): void;
  /** From now on responses tell the client to close its connection. */
  close(): void;
  closing(): boolean;
  busy(): boolean;
  /** Resolves once nothing is running, or after the limit (milliseconds). */
  idle(limitMs?: number): Promise<void>;
}

export function createWork(): Work {
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
