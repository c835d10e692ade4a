/**
 * `trefoil serve` and `trefoil work`: start a server that runs until a signal; `work` runs background jobs and serves no
 * clients.
 */
import type { Override } from '../config.js';
import { Fault } from '../fault.js';
import type { StartOptions } from '../start.js';
import { type CoreCommand, configure } from './core-command.js';
import { aborted, type Interruption } from './process.js';

export const serve: CoreCommand = {
  name: 'serve',
  summary: 'start the server',
  description: 'Runs the server with every enabled plugin until SIGINT or SIGTERM.',
  options: [
    { flags: '--host <address>', description: 'address to listen on; 0.0.0.0 accepts other hosts' },
    { flags: '--port <number>', description: 'port to listen on; 0 takes any free one' },
    { flags: '--jobs <number>', description: 'background jobs that run here at once; 0 leaves them to `trefoil work`' },
  ],
  examples: ['serve', 'serve --port 8080 --host 0.0.0.0', 'serve --config config/production.yaml --jobs 0'],
  async run({ configuration, interruption }, { options }) {
    const overrides = [...listenOn(options), ...jobsAtOnce(options)];
    return serveUntilSignal({ ...configuration, overrides }, interruption);
  },
};

/** `--host` and `--port`, which override the configuration. */
export function listenOn(options: { host?: unknown; port?: unknown }): Override[] {
  return (['host', 'port'] as const).flatMap((key) => {
    const value = options[key];
    return value === undefined ? [] : [{ path: ['http', key], value, source: `--${key}` }];
  });
}

/** `--jobs`, which overrides the configuration. */
function jobsAtOnce({ jobs }: { jobs?: unknown }): Override[] {
  return jobs === undefined ? [] : [{ path: ['jobs', 'concurrency'], value: jobs, source: '--jobs' }];
}

/** Returns the exit code: 0 if everything closed cleanly. */
export async function serveUntilSignal(options: StartOptions, interruption: Interruption): Promise<number> {
  const { start } = await import('../start.js');
  const running = await start(options);
  const broken = (error: unknown): void => {
    // The state is now unknown: log it and exit; a supervisor restarts the server.
    const stack = error instanceof Error ? error.stack : 'a value that is not an Error was thrown';
    running.log.fatal({ stack }, 'an unexpected error ends the server');
    process.exit(1);
  };
  process.prependListener('uncaughtException', broken);
  try {
    await aborted(interruption.signal);
    return (await running.stop()) ? 0 : 1;
  } finally {
    process.removeListener('uncaughtException', broken);
  }
}

// `trefoil work`: runs background jobs and serves no clients.

export const work: CoreCommand = {
  name: 'work',
  summary: 'run background jobs without serving clients',
  description:
    'Runs jobs from the shared storage until SIGINT or SIGTERM, on machines beside servers started with ' +
    '`serve --jobs 0`. All of them must share the folders of uploaded files. With http.metrics.port it serves ' +
    '/-/metrics, /-/live and /-/ready on that port.',
  options: [{ flags: '--jobs <number>', description: 'jobs that run at once; default: jobs.concurrency' }],
  examples: ['work', 'work --jobs 4 --config config/production.yaml'],
  async run({ configuration, interruption }, { options }) {
    const chosen = { ...configuration, overrides: jobsAtOnce(options) };
    const { core } = await configure(chosen);
    if (core.jobs.concurrency === 0) {
      throw new Fault('invalid', 'A worker needs at least 1 job at once: use --jobs 1 or more');
    }
    return serveUntilSignal({ ...chosen, role: 'work' }, interruption);
  },
};
