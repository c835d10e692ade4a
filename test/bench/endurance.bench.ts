/**
 * Many mixed requests to one server with all plugins and demo data: queries, additions, deletions, reports, invalid
 * requests and clients that disconnect. Resident memory, open descriptors and requests in flight must stay flat; an
 * unexpected response fails the measurement. `--requests=200000`, `--storage=postgres` for the other engine.
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
/** Number of readings of the server during the run. */
const looks = 20;
const tokens = { beacon: 'a-token-for-the-beacon', matchmaker: 'a-token-for-the-matchmaker' };

const bench: Bench = async (print, options) => {
  const requests = Number(options.requests ?? 200_000);
  const engine = engines.find(({ name }) => name === (options.storage ?? 'sqlite'));
  if (engine === undefined) throw new Error('--storage is sqlite or postgres');
  await withFolder(async (folder) => {
    const storage = await engine.lead();
    const configuration = { http: { port: 0 }, migrate: 'auto', demo: true };
    await writeFile(join(folder, 'lab.yaml'), JSON.stringify(configuration));
    const running = { cwd: folder, env: { TREFOIL_CONFIG: 'lab.yaml', ...storage.env } };
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
    try {
      await command(['add', 'user', '--uid', 'bench', '--name', 'Bench', '--token', tokens.beacon], beaconBin);
      await command(['add', 'dataset', '--did', 'bench', '--name', 'Bench', '--authlevel', 'public'], beaconBin);
      await command(['matchmaker', 'add', 'client', '--id', 'bench', '--token', tokens.matchmaker]);
      const answers = new Map<string, number>();
      const unexpected = new Map<string, number>();
      const seen: Look[] = [];
      const begun = performance.now();
      const note = (sent: number): void => {
        const { resident, open } = look(server.child.pid);
        seen.push({ sent, resident, open });
        print(`${grouped(sent).padStart(9)} requests: ${Math.round(resident / 1e6)} MB resident, ${open} descriptors`);
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
          if (i % Math.ceil(requests / looks) === 0) note(i);
        }
      };
      await Promise.all(Array.from({ length: atOnce }, work));
      const seconds = (performance.now() - begun) / 1000;
      agent.destroy();
      // Queued jobs are part of the work.
      while ((await metric('trefoil_jobs{state="queued"}')) + (await metric('trefoil_jobs{state="running"}')) > 0) {
        await sleep(1000);
      }
      note(requests);
      // The scrape itself counts as one.
      const inFlight = (await metric('trefoil_http_requests_in_flight')) - 1;

      print(`${grouped(requests)} requests on ${engine.name} in ${seconds.toFixed(0)} s; ${told(answers)}`);
      // The first reading is of a server that has not warmed up.
      const half = Math.floor(seen.length / 2);
      const growth = mean(seen.slice(half)) / mean(seen.slice(1, half));
      const slope = slopeOf(seen.slice(half)) / 1e6;
      print(
        `resident memory in the second half: ${growth.toFixed(2)} times that in the first; ` +
          `there it changes by ${slope.toFixed(2)} MB for each 100 000 requests, and descriptors by ` +
          `${(seen.at(-1)?.open ?? 0) - (seen[half]?.open ?? 0)} in all`,
      );
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

interface Look {
  /** Requests before it. */
  sent: number;
  /** Bytes. */
  resident: number;
  open: number;
}

/** The server's use of machine resources. */
function look(pid: number | undefined): Omit<Look, 'sent'> {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return {
    resident: Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024,
    open: readdirSync(`/proc/${pid}/fd`).length,
  };
}

/** Bytes for each 100,000 requests: the line with the least squares. */
function slopeOf(seen: readonly Look[]): number {
  const middle = seen.reduce((sum, { sent }) => sum + sent, 0) / seen.length;
  const average = mean(seen);
  const over = seen.reduce((sum, { sent, resident }) => sum + (sent - middle) * (resident - average), 0);
  const under = seen.reduce((sum, { sent }) => sum + (sent - middle) ** 2, 0);
  return (over / under) * 100_000;
}

const mean = (seen: readonly Look[]): number => seen.reduce((sum, { resident }) => sum + resident, 0) / seen.length;

function count(counts: Map<string, number>, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}

function told(counts: ReadonlyMap<string, number>): string {
  return [...counts]
    .sort()
    .map(([what, times]) => `${what}: ${grouped(times)}`)
    .join(', ');
}
