/** The log: one JSON object per line; short readable lines on a terminal. */
import { createRequire } from 'node:module';
import type { DestinationStream, Level, Logger } from 'pino';
import type { LogSettings } from './config/settings.js';
import { type ChildLog, lazyLog, logLevels } from './lazy-log.js';

/** Pino is CommonJS, and `require` is synchronous: it is loaded when the first log is made. */
function loadPino(): typeof import('pino') {
  return createRequire(import.meta.url)('pino') as typeof import('pino');
}

/** Fields that are masked, also one level deeper, in case a call logs them by mistake. */
const secrets = ['authorization', 'cookie', 'password', 'passphrase', 'secret', 'token', 'apiKey', '["x-auth-token"]'];
const redact = secrets.flatMap((key) => [key, key.startsWith('[') ? `*${key}` : `*.${key}`]);

/** Writes to stderr (2) at once, and to stdout (1), where a server logs a line for each request, in batches. */
export function createLog(settings: LogSettings, to: 1 | 2 = 1): Logger {
  const terminal = to === 1 ? process.stdout : process.stderr;
  const stream: DestinationStream = terminal.isTTY
    ? { write: (line) => void terminal.write(readableLine(line)) }
    : to === 1
      ? gathered(to)
      : loadPino().destination({ fd: to, sync: true });
  return logTo(stream, settings);
}

/** The log of commands, on stderr: warnings and worse, unless LOG_LEVEL names another level. */
export function commandLog(): Logger {
  return createLog({ level: commandLevel() }, 2);
}

/** The same for commands that write few lines or none: pino is loaded with the first line. */
export function lazyCommandLog(): ChildLog {
  return lazyLog(commandLog, commandLevel());
}

function commandLevel(): LogSettings['level'] {
  return logLevels.find((level) => level === process.env.LOG_LEVEL) ?? 'warn';
}

/** Milliseconds that a line may wait for its batch. */
const longest = 100;
const warning = 40;

/**
 * Writes lines in batches, which costs a busy server far less than a write for each. No line is lost: a warning or
 * worse, and the end of the process, flush the batch at once.
 */
function gathered(fd: number): DestinationStream {
  const file = loadPino().destination({ fd, sync: true, minLength: 8192 });
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    file.flush();
  };
  const flushSync = () => file.flushSync();
  process.once('exit', flushSync);
  const stream = {
    // With this, pino sets lastLevel to the level of each line before it writes the line.
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    write(line: string) {
      file.write(line);
      if (stream.lastLevel >= warning) flush();
      else timer ??= setTimeout(flush, longest).unref();
    },
    flushSync,
  };
  return stream;
}

export function logTo(stream: DestinationStream, settings: LogSettings): Logger {
  return loadPino().pino(
    {
      level: settings.level,
      base: null,
      timestamp: timestamps(),
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: redact, censor: '********' },
    },
    stream,
  );
}

/** The member `time` of a line; made once for all lines of one millisecond. */
function timestamps(): () => string {
  let last = 0;
  let text = '';
  return () => {
    const now = Date.now();
    if (now !== last) text = `,"time":"${new Date(now).toISOString()}"`;
    last = now;
    return text;
  };
}

const colours: Partial<Record<Level, number>> = { warn: 33, error: 31, fatal: 31, debug: 2, trace: 2 };

/** `14:03:12 warn  message key=value …` */
export function readableLine(line: string): string {
  const { level, time, msg, ...details } = JSON.parse(line) as { level: Level; time: string; msg?: string };
  const colour = colours[level];
  const label = colour === undefined ? level.padEnd(5) : `\u001b[${colour}m${level.padEnd(5)}\u001b[0m`;
  const rest = Object.entries(details).map(
    ([key, value]) => ` ${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return `${time.slice(11, 19)} ${label} ${msg ?? ''}${rest.join('')}\n`;
}
