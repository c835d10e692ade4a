/** SIGINT, SIGTERM and the end of npm: the first requests an orderly end, a second signal ends the process at once. */

export interface Interruption {
  /** Aborted at the first signal. */
  readonly signal: AbortSignal;
  /** The conventional exit code, 128 plus the signal's number; undefined before a signal. */
  readonly code: number | undefined;
  /** Stops listening. */
  release(): void;
}

const codes = { SIGINT: 130, SIGTERM: 143 } as const;
type Name = keyof typeof codes;

/** Milliseconds within which npm may repeat a signal that the terminal has also sent to this process. */
const echo = 1000;
/** Milliseconds between two checks that npm's shell is still running. */
const watch = 250;

export function onInterrupt(): Interruption {
  const controller = new AbortController();
  const underNpm = process.env.npm_command !== undefined;
  let first: { name: Name; at: number } | undefined;
  const begin = (name: Name) => {
    first = { name, at: performance.now() };
    controller.abort(new Error('interrupted'));
  };
  const listeners = (['SIGINT', 'SIGTERM'] as const).map((name) => {
    const listener = () => {
      if (first === undefined) begin(name);
      else if (!(underNpm && first.name === name && performance.now() - first.at < echo)) process.exit(codes[name]);
    };
    process.on(name, listener);
    return { name, listener };
  });

  // npx and `npm start` pass SIGTERM to a shell, which ends without passing it on: its end is the signal.
  const parent = process.ppid;
  const orphaned = () => {
    if (process.ppid !== parent && first === undefined) begin('SIGTERM');
  };
  const timer = underNpm ? setInterval(orphaned, watch).unref() : undefined;

  return {
    signal: controller.signal,
    get code() {
      return first && codes[first.name];
    },
    release() {
      clearInterval(timer);
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
