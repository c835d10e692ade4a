/** How the server starts, stops, and begins anew on other data: the whole order on one page. */
import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ChainStanding } from './audit/recorder.js';
import { adviceOn } from './config/advice.js';
import { type Configuration, type ConfigureOptions, configure } from './config.js';
import { type EraseTools, replayErasures } from './erasures/erase.js';
import { Fault, isFault } from './fault.js';
import { createLog } from './log.js';
import { version } from './package.js';
import { type AssembledServer, assemble, runReady } from './start/assemble.js';
import { bringUpToDate, openStorage, unclaimedIn, writeTrials } from './start/storage.js';
import type { Storage } from './storage.js';
import { startTracing, tracedStorage } from './tracing/configured.js';

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
export interface RunningServer {
  /** `http://127.0.0.1:5000`, with the actual port; empty for a worker, which serves no clients. */
  url: string;
  /** 0 for a worker. */
  port: number;
  metricsPort: number | undefined;
  assembly: AssembledServer;
  log: Logger;
  /** Returns whether everything closed cleanly. May be called twice. */
  stop(): Promise<boolean>;
}

/** Seconds that one plugin may take to close. */
const closeSeconds = 10;

/** Starts completely, or throws a fault and leaves nothing open. */
export async function start(options: StartOptions = {}): Promise<RunningServer> {
  const configuration = await configure(options);
  const { core } = configuration;
  const log = options.log ?? createLog(core.log);
  const now = options.now ?? (() => new Date());
  let state: 'starting' | 'ready' | 'opening the storage again' | 'stopping' = 'starting';
  let opened: OpenedServer | undefined;
  let reopening: Promise<void> | undefined;
  let stopped: Promise<boolean> | undefined;
  const stopping = new AbortController();
  const standing: ChainStanding = {};

  for (const sentence of await adviceOn(configuration)) log.warn({}, `configuration warning: ${sentence}`);
  log.info({ adapter: configuration.storage.adapter.name, reason: configuration.storage.reason }, 'opening storage');
  const stopTracing = await startTracing(core.tracing);
  const first = await open().catch(async (error: unknown) => {
    await stopTracing?.();
    throw error;
  });
  opened = first;
  try {
    const listening = await listen(first.assembly.app);
    begin(first);
    const plugins = configuration.plugins.map(({ plugin }) => plugin.name);
    const { url, port, metricsPort } = listening;
    const where = url === '' ? { worker: true, metricsPort } : { url };
    log.info({ ...where, plugins, ...(core.demo ? { demo: true } : {}) }, `Trefoil ${version} is ready`);
    return {
      url,
      port,
      metricsPort,
      get assembly() {
        return (opened ?? first).assembly;
      },
      log,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }

  /** Everything between the storage and the routes, or a fault with nothing left open. */
  async function open(): Promise<OpenedServer> {
    const plain = await openStorage(configuration, log);
    const storage = stopTracing ? tracedStorage(plain, configuration.storage.adapter.name) : plain;
    let assembly: AssembledServer | undefined;
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
        standing,
        ...(checkAnswers ? { checkAnswers } : {}),
      });
      await assembly.erasing.confirm();
      await replayed(assembly.erasing, storage, log);
      await runReady(assembly.onReady);
      return { storage, assembly };
    } catch (error) {
      await close({ storage, assembly }, stepper(log));
      throw error;
    }
  }

  function begin({ storage, assembly }: OpenedServer): void {
    assembly.runner.start();
    state = 'ready';
    void storage.replaced?.then((reason) => {
      if (state === 'ready') reopening = reopen(reason);
    });
  }

  /** Keeps nothing of what was known of the former data: it is closed as at the end, and opened as at the start. */
  async function reopen(reason: string): Promise<void> {
    if (opened === undefined) return;
    const former = opened;
    state = 'opening the storage again';
    log.warn({ reason }, 'the stored data was replaced: requests are refused until it is open again');
    former.assembly.app.suspend();
    await former.assembly.app.quiet(core.http.shutdownTimeout * 1000);
    await close(former, stepper(log));
    while (!stopping.signal.aborted) {
      try {
        await isWhole(configuration, stopping.signal);
        const next = await open();
        next.assembly.app.takeOver(former.assembly.app.handOver());
        opened = next;
        log.warn({}, 'the replaced data is served from now on');
        begin(next);
        return;
      } catch (error) {
        if (stopping.signal.aborted) return;
        const why = isFault(error) ? error.message : 'an unexpected error';
        log.error({ reason: why }, 'the replaced data cannot be served; this is tried again');
        await sleep(reopenEveryMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
    }
  }

  async function listen(app: AssembledServer['app']): Promise<Pick<RunningServer, 'url' | 'port' | 'metricsPort'>> {
    const { host, port: wanted } = core.http;
    if (options.role === 'work') return { url: '', port: 0, metricsPort: await app.listenForOperators(host) };
    const { port, metricsPort } = await app.listen(host, wanted);
    return { url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`, port, metricsPort };
  }

  function stop(): Promise<boolean> {
    stopped ??= (async () => {
      if (state !== 'starting') log.info({}, 'stopping');
      state = 'stopping';
      stopping.abort();
      await reopening;
      const step = stepper(log);
      if (opened !== undefined) {
        const { app } = opened.assembly;
        await step('requests', () => app.drain(core.http.shutdownTimeout * 1000));
        await close(opened, step);
      }
      if (stopTracing) await step('tracing', () => bounded(stopTracing));
      return step.clean();
    })();
    return stopped;
  }
}

/** What is made anew if the stored data is replaced. */
interface OpenedServer {
  storage: Storage;
  assembly: AssembledServer;
}

/** May be called twice. */
async function close(
  { storage, assembly }: Partial<OpenedServer> & Pick<OpenedServer, 'storage'>,
  step: StopSteps,
): Promise<void> {
  if (assembly !== undefined) {
    const { runner, onClose } = assembly;
    await step('jobs', () => runner.stop());
    for (const { plugin, work } of onClose.splice(0).reverse()) await step(plugin, () => bounded(work));
  }
  await step('storage', () => storage.close());
}

/** Milliseconds between attempts to open replaced data. */
const reopenEveryMs = 2000;
/** Milliseconds in which a database file that is being copied grows. */
const growsWithinMs = 1000;

/** Throws an `unavailable` fault while the file of an embedded database is missing or still being copied. */
async function isWhole({ storage: { adapter, settings } }: Configuration, signal: AbortSignal): Promise<void> {
  const file = adapter.file?.(settings);
  if (file === undefined) return;
  const before = await stat(file).catch(() => undefined);
  await sleep(growsWithinMs, undefined, { signal });
  const after = await stat(file).catch(() => undefined);
  if (after === undefined || after.size === 0) throw new Fault('unavailable', `The database file ${file} is missing`);
  if (before?.size !== after.size || before.mtimeMs !== after.mtimeMs) {
    throw new Fault('unavailable', `The database file ${file} is still being written`);
  }
}

/** Before anything is served: a database that was restored may have people who were erased. */
async function replayed(erasing: EraseTools, storage: Storage, log: Logger): Promise<void> {
  const { listed, found, later } = await replayErasures(erasing);
  const counts = (all: typeof found) => all.map(({ plugin, what, count }) => ({ plugin, what, count }));
  if (later.length > 0) {
    const advice = 'people who were erased have data that was stored afterwards, which stays';
    log[found.length > 0 ? 'warn' : 'info']({ listed, later: counts(later) }, advice);
  }
  if (found.length === 0) return;
  const erased = counts(found);
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
  let parts: ReadonlyMap<string, boolean> = new Map();
  try {
    await storage.ping();
    parts = (await storage.parts?.()) ?? parts;
  } catch (error) {
    answer = isFault(error) ? error.public : 'the storage does not answer';
  }
  return {
    ready: state === 'ready' && answer === 'ok',
    checks: {
      server: state === 'ready' ? 'ok' : state,
      storage: answer,
      // A server without some part of the data still serves the rest.
      ...Object.fromEntries([...parts].map(([name, answers]) => [`part ${name}`, answers ? 'ok' : 'does not answer'])),
    },
  };
}

type StopSteps = ((what: string, work: () => Promise<void>) => Promise<void>) & { clean(): boolean };

/** Runs the steps of the shutdown: one that fails is logged, and the next still runs. */
function stepper(log: Logger): StopSteps {
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
