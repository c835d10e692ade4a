/** The log: one JSON object a line; short readable lines where a person looks on. */
import { type DestinationStream, destination, type Level, type Logger, pino } from 'pino';
import type { LogSettings } from './config/settings.js';

/** Never written, wherever a careless call puts them. */
const secrets = ['authorization', 'cookie', 'password', 'passphrase', 'secret', 'token', 'apiKey', '["x-auth-token"]'];
const redact = secrets.flatMap((key) => [key, key.startsWith('[') ? `*${key}` : `*.${key}`]);

/** Writes to a file descriptor (1 is stdout, 2 stderr), at once, so that nothing is lost at the end of the process. */
export function createLog(settings: LogSettings, to: 1 | 2 = 1): Logger {
  const terminal = to === 1 ? process.stdout : process.stderr;
  const stream: DestinationStream = terminal.isTTY
    ? { write: (line) => void terminal.write(readable(line)) }
    : destination({ fd: to, sync: true });
  return logTo(stream, settings);
}

export function logTo(stream: DestinationStream, settings: LogSettings): Logger {
  return pino(
    {
      level: settings.level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: redact, censor: '********' },
    },
    stream,
  );
}

const colours: Partial<Record<Level, number>> = { warn: 33, error: 31, fatal: 31, debug: 2, trace: 2 };

/** `14:03:12 warn  message key=value …` */
export function readable(line: string): string {
  const { level, time, msg, ...details } = JSON.parse(line) as { level: Level; time: string; msg?: string };
  const colour = colours[level];
  const label = colour === undefined ? level.padEnd(5) : `\u001b[${colour}m${level.padEnd(5)}\u001b[0m`;
  const rest = Object.entries(details).map(
    ([key, value]) => ` ${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return `${time.slice(11, 19)} ${label} ${msg ?? ''}${rest.join('')}\n`;
}
