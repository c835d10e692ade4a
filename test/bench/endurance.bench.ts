/**
 * Many mixed requests to one server with all plugins and demo data, with the memory of the unit for systemd: queries,
 * additions, deletions, reports, invalid requests and clients that disconnect. Resident memory, open descriptors and requests
 * in flight must stay flat; an unexpected response fails the measurement. The heap that is left after collections, and what
 * is outside of it, say which part grows.
 * A client that queues a job waits while many others are queued, as one that asks for the state of its job does: otherwise
 * the requests that follow would keep the server from its jobs until the end.
 * `--requests=200000`, `--storage=postgres` for the other engine.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { engines } from '../support/engines.js';
import { beaconBin, serve, trefoil } from '../support/trefoil.js';
import type { Bench } from './run.js';
import { questionOf, send } from './support/endurance.js';
import { grouped, withFolder } from './support/machine.js';

const atOnce = 16;
/** Printed lines during the run, and readings of the server for each. */
const lines = 20;
const together = 10;
/** Queued jobs beyond which a client waits after it has queued another one. */
const queuedAtMost = 20;
const tokens = { beacon: 'a-token-for-the-beacon', matchmaker: 'a-token-for-the-matchmaker' };

const bench: Bench = async (print, options) => {
  const requests = Number(options.requests ?? 200_000);
  const engine = engines.find(({ name }) => name === (options.storage ?? 'sqlite'));
  if (engine === undefined) throw new Error('--storage is sqlite or postgres');
  await withFolder(async (folder) => {
    const storage = await engine.lead();
    const configuration = { http: { port: 0 }, migrate: 'auto', demo: true };
    await writeFile(join(folder, 'lab.yaml'), JSON.stringify(configuration));
    const env = { TREFOIL_CONFIG: 'lab.yaml', ...unit(), ...storage.env };
    const running = { cwd: folder, env, asInProduction: true };
    const command = async (words: string[], script?: string): Promise<string> => {
      const { code, stdout, stderr } = await trefoil(words, { ...running, ...(script && { script }) });
      if (code !== 0) throw new Error(`${words.join(' ')}: ${stderr}`);
      return stdout;
    };
    const { url, process: server } = await serve(['serve'], running);
    // Its log is not kept: that would use our memory.
    for (const stream of [server.child.stdout, server.child.stderr]) stream?.removeAllListeners('data').resume();
    const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
    const metric = async (name: string): Promise<number> => {
      const text = await (await fetch(`${url}/-/metrics`)).text();
      return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
    };
    let waiting: Promise<void> | undefined;
    /** One reads the metrics for all clients that wait. */
    const fewJobs = (): Promise<void> => {
      waiting ??= (async () => {
        while ((await metric('trefoil_jobs{state="queued"}')) > queuedAtMost) await sleep(250);
        waiting = undefined;
      })();
      return waiting;
    };
    try {
      await command(['add', 'user', '--uid', 'bench', '--name', 'Bench', '--token', tokens.beacon], beaconBin);
      await command(['add', 'dataset', '--did', 'bench', '--name', 'Bench', '--authlevel', 'public'], beaconBin);
      await command(['matchmaker', 'add', 'client', '--id', 'bench', '--token', tokens.matchmaker]);
      const answers = new Map<string, number>();
      const unexpected = new Map<string, number>();
      const seen: Look[] = [];
      const begun = performance.now();
      const note = async (sent: number): Promise<void> => {
        const [heap, external] = [
          await metric('nodejs_heap_size_used_bytes'),
          await metric('nodejs_external_memory_bytes'),
        ];
        seen.push({ sent, ...look(server.child.pid), heap, external });
        if (seen.length % together !== 1) return;
        const last = seen.slice(-together);
        const least = Math.min(...last.map((one) => one.heap));
        print(
          `${grouped(sent).padStart(9)} requests: ${megabytes(mean(last, 'resident'))} MB resident, heap at least ` +
            `${megabytes(least)} MB, external ${megabytes(mean(last, 'external'))} MB, ${last.at(-1)?.open} descriptors`,
        );
      };
      let next = 0;
      const work = async () => {
        while (next < requests) {
          const i = next++;
          const question = questionOf(i);
          const status = await send(
            agent,
            url,
            tokens[question.path.startsWith('/apiv1.0') ? 'beacon' : 'matchmaker'],
            question,
          );
          count(answers, String(status));
          if (!question.expect.some((one) => one === status)) {
            count(unexpected, `${question.method} ${question.path.replace(/\d+$|\?.*/, '')}: ${status}`);
          }
          if (status === 202) await fewJobs();
          if (i % Math.ceil(requests / lines / together) === 0) await note(i);
        }
      };
      await Promise.all(Array.from({ length: atOnce }, work));
      const seconds = (performance.now() - begun) / 1000;
      agent.destroy();
      // Queued jobs are part of the work.
      while ((await metric('trefoil_jobs{state="queued"}')) + (await metric('trefoil_jobs{state="running"}')) > 0) {
        await sleep(1000);
      }
      await note(requests);
      // The scrape itself counts as one.
      const inFlight = (await metric('trefoil_http_requests_in_flight')) - 1;

      print(`${grouped(requests)} requests on ${engine.name} in ${seconds.toFixed(0)} s; ${told(answers)}`);
      const half = seen.slice(Math.floor(seen.length / 2));
      const slopes = (['resident', 'heap', 'external'] as const).map((what) => `${what} ${slopeOf(half, what)}`);
      print(`change in the second half, MB for each 100 000 requests, and its standard error: ${slopes.join(', ')}`);
      print(`descriptors change there by ${(seen.at(-1)?.open ?? 0) - (half[0]?.open ?? 0)} in all`);
      print(`jobs failed: ${await metric('trefoil_jobs{state="failed"}')}; requests in flight at the end: ${inFlight}`);
      if (unexpected.size > 0) throw new Error(`not expected: ${told(unexpected)}`);
      if (inFlight !== 0) throw new Error(`${inFlight} requests are in flight after all have ended`);
    } finally {
      agent.destroy();
      await server.kill('SIGTERM');
      await storage.drop();
    }
  });
};
export default bench;

/** The memory that config/deploy/trefoil@.service allows. */
function unit(): Record<string, string> {
  const text = readFileSync(new URL('../../config/deploy/trefoil@.service', import.meta.url), 'utf8');
  const settings = text.matchAll(/(NODE_OPTIONS|MALLOC_ARENA_MAX)=(\S+)/g);
  return Object.fromEntries([...settings].map(([, name, value]) => [name, value]));
}

interface Look {
  /** Requests before it. */
  sent: number;
  /** Bytes; `heap` with what was not collected yet. */
  resident: number;
  heap: number;
  external: number;
  open: number;
}

/** The server's use of machine resources. */
function look(pid: number | undefined): Pick<Look, 'resident' | 'open'> {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return {
    resident: Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024,
    open: readdirSync(`/proc/${pid}/fd`).length,
  };
}

/** By the line with the least squares. Readings that follow each other are alike, so that the true error is somewhat larger. */
function slopeOf(seen: readonly Look[], what: keyof Look): string {
  const [middle, average] = [mean(seen, 'sent'), mean(seen, what)];
  const under = seen.reduce((sum, { sent }) => sum + (sent - middle) ** 2, 0);
  const slope = seen.reduce((sum, one) => sum + (one.sent - middle) * (one[what] - average), 0) / under;
  const rest = seen.reduce((sum, one) => sum + (one[what] - average - slope * (one.sent - middle)) ** 2, 0);
  const error = Math.sqrt(rest / (seen.length - 2) / under);
  return `${((slope * 1e5) / 1e6).toFixed(2)} ± ${((error * 1e5) / 1e6).toFixed(2)}`;
}

function mean(seen: readonly Look[], what: keyof Look): number {
  return seen.reduce((sum, one) => sum + one[what], 0) / seen.length;
}

const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)}`;

function count(counts: Map<string, number>, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}

function told(counts: ReadonlyMap<string, number>): string {
  return [...counts]
    .sort()
    .map(([what, times]) => `${what}: ${grouped(times)}`)
    .join(', ');
}
