/**
 * A server whose reviews a bench measures, in a process of its own: `reviews-run.ts SECTION`, with a storage section as JSON. Each
 * message is the scope of a run; the reply is what it took.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import postgres from '../../../adapters/postgres/adapter.js';
import { settings as postgresSettings } from '../../../adapters/postgres/settings.js';
import sqlite from '../../../adapters/sqlite/adapter.js';
import { serveForTest } from '../../../core/testing.js';
import { reviews } from '../../../plugins/reviews/contract.js';
import { type RunScope, run, runTools } from '../../../plugins/reviews/run/run.js';
import { reviewSettings } from '../../../plugins/reviews/settings.js';
import { finder, optionalService } from '../../support/finder.js';
import { quiet } from '../../support/storages.js';
import { stores } from '../../support/stores.js';

export interface RunFigures {
  cases: number;
  opened: number;
  gone: number;
  /** Megabytes of memory at most while it ran. */
  memory: number;
  /** Milliseconds for which nothing else could be done, at most. */
  held: number;
}

const { adapter, ...place } = JSON.parse(process.argv[2] ?? '') as { adapter: string; file: string; url: string };
const server = await serveForTest({
  plugins: { beacon: {}, coverage: { samples: { thresholds: [10] } }, panels: {}, reviews: {}, [finder]: {} },
  jobs: false,
  storage: {
    name: adapter,
    capabilities: { durable: true, concurrentWriters: true, streams: true },
    async open(contracts) {
      const request = { contracts, bindings: new Map(), stores, log: quiet };
      const storage =
        adapter === 'sqlite'
          ? await sqlite.open({ ...request, settings: { file: place.file, busyTimeout: 15_000 } })
          : await postgres.open({ ...request, settings: postgresSettings.parse({ url: place.url }) });
      await storage.migrate();
      return { storage };
    },
  },
});
const services = { find: optionalService, tenants: undefined, repository: server.repository(reviews) };
const tools = {
  ...runTools({ ...services, now: () => new Date() }, reviewSettings.parse({})),
  guard: { share: 1, least: Number.POSITIVE_INFINITY },
};

process.on('message', async (scope: RunScope | 'end') => {
  if (scope === 'end') return server.close().then(() => process.disconnect());
  // The peak is counted from now on.
  writeFileSync('/proc/self/clear_refs', '5');
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  const { cases, opened, gone } = await run(tools, scope, { signal: new AbortController().signal });
  delays.disable();
  const [, peak] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  const figures: RunFigures = { cases, opened, gone, memory: (Number(peak) * 1024) / 1e6, held: delays.max / 1e6 };
  process.send?.(figures);
});
process.send?.(process.memoryUsage.rss() / 1e6);
