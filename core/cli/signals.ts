/** SIGINT and SIGTERM: the first asks for an orderly end, the second ends the process at once. */

export interface Interruption {
  /** Aborted at the first signal. */
  readonly signal: AbortSignal;
  /** The conventional exit code, 128 and the signal's number, once a signal came. */
  readonly code: number | undefined;
  /** Stops listening. */
  release(): void;
}

const codes = { SIGINT: 130, SIGTERM: 143 } as const;

export function onInterrupt(): Interruption {
  const controller = new AbortController();
  let code: number | undefined;
  const listeners = (['SIGINT', 'SIGTERM'] as const).map((name) => {
    const listener = () => {
      if (code !== undefined) process.exit(codes[name]);
      code = codes[name];
      controller.abort(new Error('interrupted'));
    };
    process.on(name, listener);
    return { name, listener };
  });
  return {
    signal: controller.signal,
    get code() {
      return code;
    },
    release() {
      for (const { name, listener } of listeners) process.removeListener(name, listener);
    },
  };
}

/** Resolves once the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
