/**
 * A server in this process, started as `trefoil serve` starts it: for tests of what a server does, since a process of
 * its own takes more than a second of processor time before it is ready.
 */
import { join } from 'node:path';
import type { Override } from '../../core/config.js';
import { logTo } from '../../core/log.js';
import { start } from '../../core/start.js';
import type { RunOptions } from './trefoil.js';

export interface Started {
  url: string;
  /** What it logged so far, from level `info` on: JSON lines. */
  log(): string;
  stop(): Promise<boolean>;
}

export const anyPort: Override = { path: ['http', 'port'], value: 0, source: 'test' };

/**
 * `file` is the configuration; `environment` has all variables that the server sees. Listens on any free port, unless
 * given other overrides.
 */
export async function started(
  file: string,
  environment: Readonly<Record<string, string>> = {},
  overrides: readonly Override[] = [anyPort],
): Promise<Started> {
  let logged = '';
  const write = (line: string) => {
    logged += line;
  };
  const { url, stop } = await start({
    file,
    environment,
    overrides,
    log: logTo({ write }, { level: 'info' }),
  });
  return { url, log: () => logged, stop };
}

/**
 * Like `started`, with the options that commands and processes on the same storage have: the configuration and the
 * SQLite file are in their folder. Other relative paths are from the folder of the tests.
 */
export function startedIn(
  { cwd, env = {} }: Pick<RunOptions, 'cwd' | 'env'>,
  overrides?: readonly Override[],
): Promise<Started> {
  const { TREFOIL_CONFIG = 'trefoil.yaml', TREFOIL_SQLITE_FILE: file } = env;
  const environment = file === undefined ? env : { ...env, TREFOIL_SQLITE_FILE: join(cwd, file) };
  return started(join(cwd, TREFOIL_CONFIG), environment, overrides);
}

/** Runs no jobs. */
export const noJobs: Override = { path: ['jobs', 'concurrency'], value: 0, source: 'test' };
