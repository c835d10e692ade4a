/**
 * One server process against several on one machine and one storage: throughput, and the processor time of a request
 * in the servers, the proxy and the database. All servers run at the same time and are asked in turns, so that the ratios are
 * of one run. Several processes are asked by a client that spreads its connections over their ports (no balancer could
 * cost less), through HAProxy, and behind one port by node:cluster. Options: `--processes=1,2`,
 * `--through=ports,haproxy,cluster`, `--engines=sqlite,postgres`, `--services=point query,match,coverage JSON,report`,
 * `--connections=32`, `--seconds=4`, `--rounds=3`, `--patients=5000`, `--alleles=200000`. The client takes a part of
 * the same machine, and servers are warm before they are measured. Needs ../shared/data/matchmaker, and Linux for the processor time.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BenchOptions, Print } from './run.js';
import { chosenStorages } from './support/engines.js';
import { fillLaboratory, servicesOf, trefoilBin } from './support/laboratory.js';
import { grouped, has, withFolder } from './support/machine.js';
import { answered, databaseClock, stop, treeMs } from './support/processes.js';
import { type Shot, shoot, type Target, warm, warmUpSeconds } from './support/shots.js';

const clusterScript = fileURLToPath(new URL('support/cluster.mjs', import.meta.url));
const firstPort = 5940;
const usual = 'point query,match,coverage JSON,report';

/** Servers that are asked together. */
interface Way {
  name: string;
  ports: readonly number[];
  processes: readonly ChildProcess[];
}

/** Of one service and way in one round; milliseconds of processor time are of one request. */
interface Reading extends Pick<Shot, 'rate' | 'shed' | 'wrong' | 'p50' | 'p99'> {
  servers: number;
  database: number;
  client: number;
}

export default async function processes(print: Print, options: BenchOptions): Promise<void> {
  const counts = { alleles: Number(options.alleles ?? 200_000), patients: Number(options.patients ?? 5000) };
  for (const { name, home: homeOf } of chosenStorages(options)) {
    const home = await homeOf();
    try {
      await withFolder(async (folder) => {
        const sites = await fillLaboratory(folder, { storage: home.section }, counts);
        const running: ChildProcess[] = [];
        try {
          const ways = await waysOf(options, folder, running);
          const database = clockOf(home.section);
          const services = await servicesOf(firstPort, folder, sites);
          print(`${name}: ${grouped(counts.alleles)} alleles, ${grouped(counts.patients)} patients`);
          for (const service of (options.services ?? usual).split(',')) {
            const target = services[service];
            if (!target) throw new Error(`There is no service "${service}": ${Object.keys(services).join(', ')}`);
            await compare(print, options, service, target, ways, database);
          }
        } finally {
          // A proxy or primary process first: its servers end with it.
          for (const child of running.reverse()) await stop(child);
        }
      });
    } finally {
      await home.discard();
    }
  }
}

/** Starts what is to be compared, and notes each process as soon as it runs. */
async function waysOf(options: BenchOptions, folder: string, running: ChildProcess[]): Promise<Way[]> {
  const counts = (options.processes ?? '1,2').split(',').map(Number);
  const through = (options.through ?? 'ports,haproxy,cluster').split(',');
  let next = firstPort;
  const begin = async (port: number, program: string, words: string[]): Promise<ChildProcess> => {
    const child = spawn(program, words, { cwd: folder, stdio: 'ignore' });
    running.push(child);
    await answered(`http://127.0.0.1:${port}/-/ready`);
    return child;
  };
  const serve = (port: number) => [trefoilBin, 'serve', '--config', 'bench.yaml', '--port', `${port}`];
  const ways: Way[] = [];
  for (const count of counts) {
    const ports = Array.from({ length: count }, () => next++);
    const servers = await Promise.all(ports.map((port) => begin(port, process.execPath, serve(port))));
    const name = `${count} process${count === 1 ? '' : 'es'}`;
    if (count === 1 || through.includes('ports')) ways.push({ name, ports, processes: servers });
    if (count === 1) continue;
    if (through.includes('haproxy')) {
      if (!has('haproxy')) throw new Error('HAProxy is not installed: --through=ports,cluster');
      const port = next++;
      const file = `haproxy-${count}.cfg`;
      await writeFile(join(folder, file), haproxyConfiguration(port, ports));
      const proxy = await begin(port, 'haproxy', ['-db', '-f', file]);
      ways.push({ name: `${count}, HAProxy`, ports: [port], processes: [...servers, proxy] });
    }
    if (through.includes('cluster')) {
      const port = next++;
      const primary = await begin(port, process.execPath, [clusterScript, `${count}`, ...serve(port)]);
      ways.push({ name: `${count}, cluster`, ports: [port], processes: [primary] });
    }
  }
  return ways;
}

function haproxyConfiguration(port: number, ports: readonly number[]): string {
  return [
    'global',
    '  nbthread 1',
    'defaults',
    '  mode http',
    '  timeout connect 5s',
    '  timeout client 60s',
    '  timeout server 60s',
    'listen bench',
    `  bind 127.0.0.1:${port}`,
    '  balance leastconn',
    ...ports.map((server) => `  server s${server} 127.0.0.1:${server}`),
    '',
  ].join('\n');
}

/** The processor time of the database in milliseconds; undefined for an engine within the servers. */
function clockOf(section: Readonly<Record<string, unknown>>): (() => number) | undefined {
  return typeof section.url === 'string' ? databaseClock(new URL(section.url).pathname.slice(1)) : undefined;
}

async function compare(
  print: Print,
  options: BenchOptions,
  service: string,
  target: Target,
  ways: readonly Way[],
  database: (() => number) | undefined,
): Promise<void> {
  const readings = ways.map((): Reading[] => []);
  for (let round = 0; round < Number(options.rounds ?? 3); round++) {
    for (const [i, way] of ways.entries()) {
      const asked = { ...target, port: way.ports };
      if (round === 0) await warm(asked);
      readings[i]?.push(await read(options, asked, way, database));
    }
  }
  const rates = readings.map((of) => median(of, 'rate'));
  for (const [i, of] of readings.entries()) {
    const middle = (what: keyof Reading) => median(of, what);
    const each = (['servers', 'database', 'client'] as const)
      .filter((what) => what !== 'database' || database !== undefined)
      .map((what) => `${what} ${middle(what).toFixed(2)}`);
    const failed = of.reduce((sum, { wrong }) => sum + wrong, 0);
    print(
      `${service.padEnd(13)} ${ways[i]?.name.padEnd(12)} ${grouped(middle('rate')).padStart(6)}/s ` +
        `(${((rates[i] ?? Number.NaN) / (rates[0] ?? Number.NaN)).toFixed(2)}), p50 ${middle('p50').toFixed(1)} ms, ` +
        `p99 ${middle('p99').toFixed(0)} ms; processor ms each: ${each.join(', ')}` +
        `${middle('shed') > 0 ? `; ${grouped(middle('shed'))}/s refused` : ''}${failed > 0 ? `; ${failed} WRONG` : ''}`,
    );
  }
}

async function read(
  options: BenchOptions,
  target: Target,
  way: Way,
  database: (() => number) | undefined,
): Promise<Reading> {
  const seconds = Number(options.seconds ?? 4);
  const clock = () => ({
    servers: way.processes.reduce((sum, { pid }) => sum + treeMs(pid), 0),
    database: database?.() ?? 0,
    client: process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000,
  });
  const before = clock();
  const { rate, shed, wrong, p50, p99 } = await shoot(target, Number(options.connections ?? 32), seconds);
  const after = clock();
  const requests = rate * (seconds + warmUpSeconds);
  const each = (what: keyof typeof before) => (after[what] - before[what]) / requests;
  return { rate, shed, wrong, p50, p99, servers: each('servers'), database: each('database'), client: each('client') };
}

function median(readings: readonly Reading[], what: keyof Reading): number {
  const sorted = readings.map((reading) => reading[what]).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
