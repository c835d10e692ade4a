/**
 * One server process under load, asked by another process: for each service throughput and latency over connections,
 * beside a route of bare Koa in the same run; then four times as many requests per second as it answered at best, with
 * a look at health and point queries meanwhile and afterwards. Options: `--connections=1,2,4,…`, `--seconds=2`,
 * `--services=point query,match`, `--patients=5000`, `--alleles=200000`, `--over=4` (0 for curves only),
 * `--over-seconds=6`, `--over-connections=2000`, `--unlimited` (without `http.overload`), `--engines=sqlite,postgres`.
 * Needs ../shared/data/matchmaker, and Linux for the processor time.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { BenchOptions, Print } from './run.js';
import { chosenStorages } from './support/engines.js';
import { fillLaboratory, servicesOf, trefoilBin } from './support/laboratory.js';
import { grouped, withFolder } from './support/machine.js';
import { answered, processorMs, stop } from './support/processes.js';
import { type Probe, probing, type Shot, shoot, type Target, warm, warmUpSeconds } from './support/shots.js';

const bare = fileURLToPath(new URL('support/bare.mjs', import.meta.url));
const ports = { bare: 5931, trefoil: 5932 };
const url = `http://127.0.0.1:${ports.trefoil}`;
const plain: Target = { port: ports.bare, requests: [{ method: 'GET', path: '/' }] };

/** Seconds in which the server must be as it was before. */
const recovery = 10;

export default async function load(print: Print, options: BenchOptions): Promise<void> {
  const { alleles = 200_000, patients = 5000 } = options;
  for (const { name, home: homeOf } of chosenStorages({ engines: 'sqlite', ...options })) {
    const home = await homeOf();
    try {
      await withFolder(async (folder) => {
        const http = options.unlimited === undefined ? {} : { overload: { enabled: false } };
        const counts = { alleles: Number(alleles), patients: Number(patients) };
        const sites = await fillLaboratory(folder, { http, storage: home.section }, counts);
        const serve = [trefoilBin, 'serve', '--config', 'bench.yaml', '--port', `${ports.trefoil}`];
        const servers = [
          spawn(process.execPath, serve, { cwd: folder, stdio: 'ignore' }),
          spawn(process.execPath, [bare, `${ports.bare}`]),
        ] as const;
        try {
          await Promise.all([answered(`${url}/-/ready`), answered(`http://127.0.0.1:${ports.bare}/`)]);
          print(`${name}: ${grouped(counts.alleles)} alleles, ${grouped(counts.patients)} patients`);
          await measure(print, options, servers[0], await servicesOf(ports.trefoil, folder, sites));
        } finally {
          await Promise.all(servers.map(stop));
        }
      });
    } finally {
      await home.discard();
    }
  }
}

async function measure(
  print: Print,
  options: BenchOptions,
  server: ChildProcess,
  services: Record<string, Target>,
): Promise<void> {
  const connections = (options.connections ?? '1,2,4,8,16,32,64,128,256,512').split(',').map(Number);
  const seconds = Number(options.seconds ?? 2);
  const wanted = options.services?.split(',') ?? Object.keys(services);
  await shoot(plain, 32, 1);
  const yardstick = await shoot(plain, 32, seconds);
  print(`bare Koa, 32 connections: ${lineOf(yardstick)}`);
  for (const name of wanted) {
    const target = services[name];
    if (target === undefined) throw new Error(`There is no service "${name}": ${Object.keys(services).join(', ')}`);
    await warm(target);
    let best = 0;
    for (const count of connections) {
      const before = processorMs(server.pid);
      // Long enough that what is unanswered at the end does not count.
      const long = Math.max(seconds, best === 0 ? 0 : (4 * count) / best);
      const shot = await shoot(target, count, long);
      const each = (processorMs(server.pid) - before) / (shot.rate * (long + warmUpSeconds));
      print(
        `${name.padEnd(13)} ${String(count).padStart(4)} connections: ${lineOf(shot)}; ` +
          `${(shot.rate / yardstick.rate).toFixed(3)} of bare Koa, processor ${each.toFixed(2)} ms each`,
      );
      best = Math.max(best, shot.rate);
    }
    if (options.over !== '0') await overload(print, options, services, name, best);
  }
}

async function overload(
  print: Print,
  options: BenchOptions,
  services: Record<string, Target>,
  name: string,
  best: number,
): Promise<void> {
  const times = Number(options.over ?? 4);
  const connections = Number(options['over-connections'] ?? 2000);
  const seconds = Number(options['over-seconds'] ?? 6);
  const target = services[name] ?? plain;
  const health = probing(`${url}/-/live`, 5);
  const points = probing(`${url}${services['point query']?.requests[0]?.path}`, 5);
  await sleep(2000);
  const before = { health: p99(health.probes), points: p99(points.probes) };
  const from = { health: health.probes.length, points: points.probes.length };
  const shot = await shoot(target, connections, seconds, best * times);
  const during = { health: health.probes.slice(from.health), points: points.probes.slice(from.points) };
  const later = points.probes.length;
  const end = performance.now();
  // Twenty answers in a row that are about as fast as before.
  const isBack = () => {
    const last = points.probes.slice(later).slice(-20);
    return last.length === 20 && last.every(({ status, ms }) => status === 200 && ms <= 3 * before.points);
  };
  while (!isBack() && performance.now() - end < recovery * 1000) await sleep(50);
  const taken = (performance.now() - end) / 1000;
  health.stop();
  points.stop();
  print(
    `${name.padEnd(13)} ${times} x ${grouped(best)}/s, ${connections} connections: ${lineOf(shot)}: ` +
      `${((100 * shot.rate) / best).toFixed(0)} % of the best`,
  );
  const share = `${during.points.filter(({ status }) => status !== 200).length} of ${during.points.length}`;
  print(
    `${''.padEnd(13)} health p99 ${p99(during.health).toFixed(0)} ms (${before.health.toFixed(0)} before), ` +
      `point queries p99 ${p99(during.points).toFixed(0)} ms (${before.points.toFixed(0)}), ${share} refused; ` +
      (isBack() ? `as before after ${taken.toFixed(1)} s` : `not as before after ${recovery} s`),
  );
}

function lineOf({ rate, shed, unsent, wrong, p50, p99 }: Shot): string {
  const refused = shed > 0 ? `, ${grouped(shed)}/s refused` : '';
  const late = unsent > 0 ? `, ${grouped(unsent)}/s not sent` : '';
  const failed = wrong > 0 ? `, ${wrong} WRONG` : '';
  return `${grouped(rate).padStart(6)}/s, p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms${refused}${late}${failed}`;
}

function p99(probes: readonly Probe[]): number {
  const sorted = probes.map(({ ms }) => ms).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
}
