/** A server for tests, on a storage that is open. */
import { pino } from 'pino';
import type { Configuration } from '../config.js';
import { type AssembleOptions, assemble, runReady } from '../start/assemble.js';

export interface ServeOnOptions {
  configuration: Configuration;
  storage: AssembleOptions['storage'];
  now?(): Date;
  /** Whether background jobs run from the start. */
  jobs: boolean;
  /** Milliseconds that running requests have to end when the server closes. */
  drainMs?: number;
  /** Whether answers are checked against their declarations; true if omitted. */
  checkAnswers?: boolean;
}

export interface ServedOn {
  /** `http://127.0.0.1:…`, a port that was free. */
  url: string;
  /** What the server logged so far: JSON lines. */
  log(): string;
  /** Runs background jobs from now on. */
  startJobs(): void;
  /** Stops the server; the storage stays open. Throws an error if a response broke the declaration of its route. */
  close(): Promise<void>;
}

/** Starts a server that checks every JSON response against its declaration. */
export async function serveOn(options: ServeOnOptions): Promise<ServedOn> {
  const { configuration, storage, now = () => new Date(), jobs, drainMs = 1000 } = options;
  let logged = '';
  const write = (line: string) => {
    logged += line;
  };
  const { app, runner, onReady, onClose } = await assemble({
    configuration,
    storage,
    log: pino({ level: 'debug' }, { write }),
    now,
    readiness: async () => ({ ready: true, checks: {} }),
    checkAnswers: options.checkAnswers ?? true,
  });
  const stop = async () => {
    await app.drain(drainMs);
    await runner.stop();
    for (const { work } of [...onClose].reverse()) await work();
  };
  try {
    await runReady(onReady);
    const { port } = await app.listen('127.0.0.1', 0);
    if (jobs) runner.start();
    return {
      url: `http://127.0.0.1:${port}`,
      log: () => logged,
      startJobs: () => runner.start(),
      async close() {
        await stop();
        if (app.breaches.length > 0) throw new Error(app.breaches.join('\n'));
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
