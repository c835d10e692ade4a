/** Loaded by mocha before every test file: shared setup. */
import { subscribe } from 'node:diagnostics_channel';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'mocha';
import type { Work } from '../../core/http/work.js';

process.env.TZ = 'UTC';

/** The servers of this process that may still be handling requests. */
const servers = new Set<Work>();
subscribe('trefoil:http:work', (work) => servers.add(work as Work));
const leftOver: string[] = [];

/** Waits at most two seconds for requests to end: a test may have its response before the last bytes are sent. */
async function settled(work: Work): Promise<number> {
  for (let i = 0; work.inFlight() !== 0 && i < 200; i += 1) await sleep(10);
  return work.inFlight();
}

export const mochaHooks = {
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
    if (leftOver.length > 0) throw new Error(`Requests are in flight after these tests:\n${leftOver.join('\n')}`);
  },
};
