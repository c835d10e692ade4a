/** A real server for tests, with chosen plugins and its own storage, or on a storage that is open. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { issueToken } from '../auth/access.js';
import { tokens } from '../auth/contract.js';
import { type Configuration, configure } from '../config.js';
import type { Contract } from '../contract.js';
import { type AssembleOptions, assemble, runReady } from '../start/assemble.js';
import { contractsIn } from '../start/storage.js';
import { type Subject, storageSubject } from './subject.js';

export interface ServeOptions {
  /** As in a configuration: a built-in name, a path from the working folder or a package, with its settings. */
  plugins: Readonly<Record<string, unknown>>;
  /** Further sections of a configuration, such as `http`, `jobs` or `demo` (false if omitted). */
  settings?: Readonly<Record<string, unknown>>;
  /** Opens the storage; SQLite in a temporary folder if omitted. */
  storage?: Subject;
  /** Whether background jobs run; true if omitted. */
  jobs?: boolean;
  now?(): Date;
}

export interface TestServer {
  /** `http://127.0.0.1:…`, a port that was free. */
  url: string;
  /** Repositories of the plugins' contracts. */
  repository<Repository>(contract: Contract<Repository>): Repository;
  /** Issues an API token for `X-Auth-Token` with these scopes, to the owner `test`. */
  token(...scopes: string[]): Promise<string>;
  /** What the server logged so far: JSON lines. */
  log(): string;
  /**
   * Stops the server and removes its data. Throws an error that names the field if a response broke the declaration of
   * its route; its client got a 500.
   */
  close(): Promise<void>;
}

/**
 * Starts a server on 127.0.0.1 that checks every JSON response against its declaration. Throws the faults that a start
 * would report. Environment variables have no effect on it.
 */
export async function serveForTest(options: ServeOptions): Promise<TestServer> {
  const { now = () => new Date(), jobs: works = true } = options;
  const configuration = await configurationOf(options);
  const plugins = configuration.plugins.map(({ plugin }) => plugin);
  const subject = options.storage ?? (await storageSubject('sqlite', { plugins }));
  const { storage, discard } = await subject.open(contractsIn(configuration));
  const closeStorage = async () => {
    await storage.close();
    await discard?.();
  };
  try {
    const server = await serveOn({ configuration, storage, now, jobs: works, drainMs: 5000 });
    return {
      url: server.url,
      repository: (contract) => storage.repository(contract),
      token: async (...scopes) =>
        (await issueToken(storage.repository(tokens), { owner: 'test', scopes }, now())).token,
      log: server.log,
      close: () => server.close().finally(closeStorage),
    };
  } catch (error) {
    await closeStorage();
    throw error;
  }
}

async function configurationOf({ plugins, settings = {} }: ServeOptions) {
  const folder = await mkdtemp(join(tmpdir(), 'trefoil-test-'));
  try {
    const file = join(folder, 'trefoil.yaml');
    const quick = { pollSeconds: 0.05, retrySeconds: 0.05 };
    const sections = { demo: false, jobs: quick, ...settings, storage: { adapter: 'memory' }, plugins };
    // JSON is YAML.
    await writeFile(file, JSON.stringify(sections));
    return await configure({ file, environment: {} });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

// A server for tests, on a storage that is open.

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

export interface ServedStorage {
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
export async function serveOn(options: ServeOnOptions): Promise<ServedStorage> {
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
