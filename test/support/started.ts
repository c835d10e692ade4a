/**
 * A server in this process, started as `trefoil serve` starts it: for tests of what a server does, since a process of
 * its own takes more than a second of processor time before it is ready.
 */
import type { Override } from '../../core/config.js';
import { logTo } from '../../core/log.js';
import { start } from '../../core/start.js';

export interface Started {
  url: string;
  /** What it logged so far, from level `info` on: JSON lines. */
  log(): string;
  stop(): Promise<boolean>;
}

const anyPort: Override = { path: ['http', 'port'], value: 0, source: 'test' };

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
