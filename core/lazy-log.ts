/** The levels of the log, and a log that is opened with its first line. */
import type { Logger } from 'pino';
import type { StorageLog } from './storage.js';

/** The levels of the log, the least severe first. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

// A log that is opened with its first line.

/** A log whose children add fields to each line. */
export interface ChildLog extends StorageLog {
  child(fields: Readonly<Record<string, unknown>>): ChildLog;
}

type LogLevel = (typeof logLevels)[number];

/** Writes to the log that `open` returns; does not call it for lines that are less severe than `least`. */
export function lazyLog(open: () => Logger, least: LogLevel, fields: Readonly<Record<string, unknown>> = {}): ChildLog {
  let log: Logger | undefined;
  const write = (level: LogLevel & keyof StorageLog) => (details: object, message: string) => {
    if (logLevels.indexOf(level) < logLevels.indexOf(least)) return;
    log ??= open().child(fields);
    log[level](details, message);
  };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (more) => lazyLog(open, least, { ...fields, ...more }),
  };
}
