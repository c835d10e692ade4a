/** The terminal of commands: results on stdout, everything else on stderr. */
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
