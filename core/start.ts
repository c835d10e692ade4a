/** How the server starts and stops: the whole order on one page. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { adviceOn } from './config/advice.js';
import { type ConfigureOptions, configure } from './config.js';
import type { EraseTools } from './erasures/erase.js';
import { replayErasures } from './erasures/replay.js';
import { isFault } from './fault.js';
import { createLog } from './log.js';
import { version } from './package.js';
import { type Assembly, assemble, runReady } from './start/assemble.js';
import { bringUpToDate, openStorage, unclaimedIn } from './start/storage.js';
import { writeTrials } from './start/writable.js';
import type { Storage } from './storage.js';

export interface StartOptions extends ConfigureOptions {
  /** The configured log on stdout if omitted. */
  log?: Logger;
  now?(): Date;
  /** `work` runs background jobs and serves only operators, on the metrics port; `serve` if omitted. */
  role?: 'serve' | 'work';
  /** For tests: checks answers against their declarations. */
  checkAnswers?: boolean;
}

/** A server that answers requests, or a worker. */
export interface Running {
  /** `http://127.0.0.1:5000`, with the actual port; empty for a worker, which serves no clients. */
  url: string;
  /** 0 for a worker. */
  port: number;
  metricsPort: number | undefined;
  assembly: Assembly;
  log: Logger;
  /** Returns whether everything closed cleanly. May be called twice. */
  stop(): Promise<boolean>;
}

/** Seconds that one plugin may take to close. */
const closeSeconds = 10;

/** Starts completely, or throws a fault and leaves nothing open. */
export async function start(options: StartOptions = {}): Promise<Running> {
  const configuration = await configure(options);
  const { core } = configuration;
  const log = options.log ?? createLog(core.log);
  const now = options.now ?? (() => new Date());
  let state: 'starting' | 'ready' | 'stopping' = 'starting';
  let assembly: Assembly | undefined;
  let stopped: Promise<boolean> | undefined;

  for (const sentence of await adviceOn(configuration)) log.warn({}, `configuration warning: ${sentence}`);
  log.info({ adapter: configuration.storage.adapter.name, reason: configuration.storage.reason }, 'opening storage');
  const storage = await openStorage(configuration, log);
  try {
    await bringUpToDate(storage, configuration, log);
    const unclaimed = await unclaimedIn(storage);
    if (unclaimed !== undefined) log.warn({}, `configuration warning: ${unclaimed}`);
    const readiness = () => readinessOf(storage, state);
    const writable = writeTrials(storage, log.child({ part: 'storage' }));
    const { checkAnswers } = options;
    assembly = await assemble({
      configuration,
      storage,
      log,
      now,
      readiness,
      writable,
      ...(checkAnswers ? { checkAnswers } : {}),
    });
    await replayed(assembly.erasing, storage, log);
    await runReady(assembly.onReady);
    const listening = await listen(assembly.app);
    assembly.runner.start();
    state = 'ready';
    const plugins = configuration.plugins.map(({ plugin }) => plugin.name);
    const { url, port, metricsPort } = listening;
    const where = url === '' ? { worker: true, metricsPort } : { url };
    log.info({ ...where, plugins, ...(core.demo ? { demo: true } : {}) }, `Trefoil ${version} is ready`);
    return { url, port, metricsPort, assembly, log, stop };
  } catch (error) {
    await stop();
    throw error;
  }

  async function listen(app: Assembly['app']): Promise<Pick<Running, 'url' | 'port' | 'metricsPort'>> {
    const { host, port: wanted } = core.http;
    if (options.role === 'work') return { url: '', port: 0, metricsPort: await app.listenForOperators(host) };
    const { port, metricsPort } = await app.listen(host, wanted);
    return { url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`, port, metricsPort };
  }

  function stop(): Promise<boolean> {
    stopped ??= (async () => {
      if (state === 'ready') log.info({}, 'stopping');
      state = 'stopping';
      const step = stepper(log);
      if (assembly) {
        const { app, runner, onClose } = assembly;
        await step('requests', () => app.drain(core.http.shutdownTimeout * 1000));
        await step('jobs', () => runner.stop());
        for (const { plugin, work } of [...onClose].reverse()) await step(plugin, () => bounded(work));
      }
      await step('storage', () => storage.close());
      return step.clean();
    })();
    return stopped;
  }
}

/** Before anything is served: a database that was restored may have people who were erased. */
async function replayed(erasing: EraseTools, storage: Storage, log: Logger): Promise<void> {
  const { listed, found } = await replayErasures(erasing);
  if (found.length === 0) return;
  const erased = found.map(({ plugin, what, count }) => ({ plugin, what, count }));
  log.warn({ listed, erased }, 'the database had people who were erased: the list of erasures was replayed');
  await storage.purge?.().catch((error: unknown) => {
    if (!isFault(error)) throw error;
    const advice = 'deleted data may have left traces in the files of the database: run trefoil erase --replay';
    log.warn({ reason: error.message }, advice);
  });
}

async function readinessOf(
  storage: Storage,
  state: string,
): Promise<{ ready: boolean; checks: Record<string, string> }> {
  let answer = 'ok';
  try {
    await storage.ping();
  } catch (error) {
    answer = isFault(error) ? error.public : 'the storage does not answer';
  }
  return {
    ready: state === 'ready' && answer === 'ok',
    checks: { server: state === 'ready' ? 'ok' : state, storage: answer },
  };
}

/** Runs the steps of the shutdown: one that fails is logged, and the next still runs. */
function stepper(log: Logger): ((what: string, work: () => Promise<void>) => Promise<void>) & { clean(): boolean } {
  let clean = true;
  const step = async (what: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      clean = false;
      log.error({ what, reason: isFault(error) ? error.message : 'an unexpected error' }, 'failed to close');
    }
  };
  return Object.assign(step, { clean: () => clean });
}

async function bounded(work: () => Promise<void>): Promise<void> {
  const limit = new AbortController();
  const late = sleep(closeSeconds * 1000, undefined, { signal: limit.signal }).then(
    () => Promise.reject(new Error('late')),
    () => undefined,
  );
  try {
    await Promise.race([work(), late]);
  } finally {
    limit.abort();
  }
}
