/**
 * The process of a command: its terminal, with results on stdout and everything else on stderr, and its signals. The first
 * SIGINT or SIGTERM requests an orderly end, a second ends the process at once.
 */
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline/promises';
import type { Progress, Terminal } from '../commands.js';

export function createTerminal(json: boolean, signal: AbortSignal): Terminal {
  return {
    json,
    print: (line) => {
      if (!json) process.stdout.write(`${harmless(line)}\n`);
    },
    data: (value) => {
      if (json) process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
    },
    note: (line) => void process.stderr.write(`${harmless(line)}\n`),
    progress: (label) => (process.stderr.isTTY ? bar(label) : { update: () => {}, stop: () => {} }),
    async confirm(question) {
      if (!process.stdin.isTTY) return false;
      const asked = createInterface({ input: process.stdin, output: process.stderr });
      try {
        return /^y(es)?$/i.test((await asked.question(`${question} [y/N] `, { signal })).trim());
      } finally {
        asked.close();
      }
    },
  };
}

/** Replaces control characters, which names and paths may contain and a terminal obeys. Keeps line ends and tabs. */
export function harmless(text: string): string {
  return text.replace(/[\p{Cc}]/gu, (character) => (character === '\n' || character === '\t' ? character : '\ufffd'));
}

function bar(label: string): Progress {
  // Loaded only if a bar is shown. The package is CommonJS, and `require` is synchronous.
  const { SingleBar } = createRequire(import.meta.url)('cli-progress') as typeof import('cli-progress');
  const shown = new SingleBar({
    format: `${label} {bar} {percentage}% {note}`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
    stream: process.stderr,
  });
  shown.start(1, 0, { note: '' });
  return {
    update: (fraction, note) => shown.update(Math.min(Math.max(fraction, 0), 1), note === undefined ? {} : { note }),
    stop: () => shown.stop(),
  };
}

// SIGINT, SIGTERM and the end of npm.

export interface Interruption {
  /** Aborted at the first signal. */
  readonly signal: AbortSignal;
  /** The conventional exit code, 128 plus the signal's number; undefined before a signal. */
  readonly code: number | undefined;
  /** Stops listening. */
  release(): void;
}

const codes = { SIGINT: 130, SIGTERM: 143 } as const;
type SignalName = keyof typeof codes;

/** Milliseconds within which npm may repeat a signal that the terminal has also sent to this process. */
const echo = 1000;
/** Milliseconds between two checks that npm's shell is still running. */
const watch = 250;

export function onInterrupt(): Interruption {
  const controller = new AbortController();
  const underNpm = process.env.npm_command !== undefined;
  let first: { name: SignalName; at: number } | undefined;
  const begin = (name: SignalName) => {
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
