/** A real server for tests, with chosen plugins and its own storage. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tokens } from '../auth/contract.js';
import { issueToken } from '../auth/issue.js';
import { configure } from '../config.js';
import type { Contract } from '../contract.js';
import { contractsIn } from '../start/storage.js';
import { serveOn } from './serve-on.js';
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
