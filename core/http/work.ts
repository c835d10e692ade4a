/** Counts what is under way, for an orderly end. */
import type { Observer } from './exchange.js';

export interface Work {
  /** Counts requests. */
  requests: Observer;
  /** A handler's work, which may outlive its request's time limit. */
  add(work: Promise<unknown>): void;
  /** From now on answers tell the client to close its connection. */
  close(): void;
  closing(): boolean;
  busy(): boolean;
  /** Resolves once nothing is under way. */
  idle(): Promise<void>;
}

export function createWork(): Work {
  let busy = 0;
  let closing = false;
  const waiting: (() => void)[] = [];

  const began = () => {
    busy += 1;
  };
  const ended = () => {
    busy -= 1;
    if (busy === 0) for (const resolve of waiting.splice(0)) resolve();
  };

  return {
    requests: { began, ended },
    add(work) {
      began();
      work.then(ended, ended);
    },
    close() {
      closing = true;
    },
    closing: () => closing,
    busy: () => busy > 0,
    idle() {
      return busy === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve));
    },
  };
}
