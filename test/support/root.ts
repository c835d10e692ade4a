/** Loaded by mocha before every test file: shared setup. */
import { subscribe } from 'node:diagnostics_channel';
import { relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { config } from 'chai';
import type { Context, Runnable, Suite } from 'mocha';
import type { RunningWork } from '../../core/http/exchange.js';
import { processorSeconds } from './processor-time.js';
import { append } from './results.js';

process.env.TZ = 'UTC';
// A failure shows values whole: those of a failure that comes once cannot be looked at again.
config.truncateThreshold = 0;

/** The servers of this process that may still be handling requests. */
const servers = new Set<RunningWork>();
subscribe('trefoil:http:work', (work) => servers.add(work as RunningWork));
const leftOver: string[] = [];

/** Waits at most a minute for requests to end: a test may have its response before the last bytes are sent. */
async function settled(work: RunningWork): Promise<number> {
  for (let i = 0; work.inFlight() !== 0 && i < 6000; i += 1) await sleep(10);
  return work.inFlight();
}

/** The current file, and the processor time when the previous one ended: loading a file counts as part of it. */
const measured = { file: '', since: processorSeconds() };

/** The types of mocha leave this method out. */
type Hooked = Suite & { getHooks(name: HookName): Runnable[] };
type HookName = 'beforeAll' | 'beforeEach' | 'afterEach' | 'afterAll';
const hookNames: readonly HookName[] = ['beforeAll', 'beforeEach', 'afterEach', 'afterAll'];

/** Raises shorter timeouts to this: those in a file are meant for a run of that file alone. */
function allow(milliseconds: number, suite: Suite): void {
  const hooks = hookNames.flatMap((name) => (suite as Hooked).getHooks(name));
  for (const each of [...hooks, ...suite.tests]) {
    if (each.timeout() !== 0 && each.timeout() < milliseconds) each.timeout(milliseconds);
  }
  for (const inner of suite.suites) allow(milliseconds, inner);
}

function begin(file: string): void {
  if (file === measured.file) return;
  const now = processorSeconds();
  if (measured.file !== '' && now !== undefined && measured.since !== undefined) {
    append({ file: relative(process.cwd(), measured.file), processor: now - measured.since });
    measured.since = now;
  }
  measured.file = file;
}

export const mochaHooks = {
  beforeAll(this: Context): void {
    // Suites of several files, unless files run side by side. Ahead of the hooks that files have.
    const all = this.test?.parent;
    for (const suite of all?.suites ?? []) {
      allow(all?.timeout() ?? 0, suite);
      suite.beforeAll(() => begin(suite.file ?? ''));
      const hooks = (suite as Hooked).getHooks('beforeAll');
      hooks.unshift(...hooks.splice(-1));
    }
  },

  /** A hook that throws would end the whole run, so faults are reported after the run. */
  async afterEach(this: Context): Promise<void> {
    for (const work of servers) {
      const count = await settled(work);
      if (count !== 0) leftOver.push(`${this.currentTest?.fullTitle()}: ${count}`);
      if (count !== 0 || work.closing()) servers.delete(work);
    }
  },

  async afterAll(): Promise<void> {
    const { stopPostgres } = await import('./postgres.js');
    await stopPostgres();
    const { closeBrowser } = await import('./page-pool.js');
    await closeBrowser();
    begin('');
    if (leftOver.length > 0) throw new Error(`Requests are in flight after these tests:\n${leftOver.join('\n')}`);
  },
};
