/**
 * How fast the D4 library is, as ratios within one run: against merely reading the same bytes from the page cache, and against d4tools where it
 * is installed. `size` is `small` (a tenth of a genome) or `genome` (3.1 Gb, a 2.4-GB file that takes minutes to make).
 *
 *   node --import=tsx/esm test/bench/d4.bench.ts [size] [file to keep]
 */
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { D4Pool, openD4, type Sweeper } from '../../plugins/coverage/d4/index.js';
import { exons, panel, type Region, sampleGenome, writeSample } from './d4-sample.js';
import { serveFile } from './d4-server.js';

const thresholds = [10, 15, 20, 30, 50];
const repeats = 3;
const megabyte = 2 ** 20;

export default async function bench(
  print: (line: string) => void,
  options: { size?: string; keep?: string } = {},
): Promise<void> {
  const { size = 'small', keep } = options;
  if (size !== 'small' && size !== 'genome') throw new Error(`There is no size ${size}: small or genome`);
  const sample = sampleGenome(size === 'genome' ? 1 : 10);
  const path = keep ?? join(tmpdir(), `trefoil-bench-${process.pid}.d4`);
  const bedPath = `${path}.bed`;
  try {
    if (!existsSync(path)) writeSample(path, sample, print);
    const bytes = statSync(path).size;
    print(`${(sample.bases / 1e6).toFixed(0)} Mb, ${(bytes / 1e9).toFixed(2)} GB, Node ${process.version}`);
    await measure(print, path, bytes, sample, bedPath);
  } finally {
    rmSync(bedPath, { force: true });
    if (!keep) rmSync(path, { force: true });
  }
}

async function measure(
  print: (line: string) => void,
  path: string,
  bytes: number,
  sample: ReturnType<typeof sampleGenome>,
  bedPath: string,
): Promise<void> {
  const whole = sample.chromosomes.map(({ name, size }) => ({ chromosome: name, begin: 0, end: size }));
  readAll(path);
  const limit = await best(async () => readAll(path));
  const perSecond = (bytes / limit / 1e6).toFixed(1);
  print(`the bytes merely read                     ${seconds(limit)}   ${perSecond} GB/s`);

  let memory = 0;
  const watch = setInterval(() => {
    memory = Math.max(memory, process.memoryUsage().rss);
  }, 20);
  const pools = [1, 2].map((threads) => ({ threads, pool: new D4Pool({ threads, inlineBases: 0 }) }));
  const ways: [string, Sweeper | undefined][] = [
    ['inline', undefined],
    ...pools.map(({ threads, pool }): [string, Sweeper] => [
      `${threads} worker${threads > 1 ? 's' : ''}`,
      pool.sweeper,
    ]),
  ];
  const tool = d4tools(path, bedPath);

  const tasks: { name: string; intervals: Region[]; thresholds: number[]; against: string[][]; touch: string }[] = [
    { name: 'means of chromosomes', intervals: whole, thresholds: [], against: [['mean']], touch: 'warm' },
    {
      name: 'the same and five thresholds',
      intervals: whole,
      thresholds,
      against: [['mean'], [`perc_cov=${thresholds}`]],
      touch: 'warm',
    },
    {
      name: '200k exons, mean and thresholds',
      intervals: exons(sample, 20_000, 10),
      thresholds,
      against: [['mean'], [`perc_cov=${thresholds}`]],
      touch: 'first touch',
    },
    {
      name: '500 genes, mean and thresholds',
      intervals: panel(sample, 500),
      thresholds,
      against: [['mean'], [`perc_cov=${thresholds}`]],
      touch: 'first touch',
    },
  ];
  for (const { name, intervals, thresholds, against, touch } of tasks) {
    const whose = tool?.time(intervals, against);
    for (const [way, sweeper] of ways) {
      memory = 0;
      // Every repeat opens the file anew, so nothing but the page cache is warm; workers, though, keep it open.
      const took = await best(async () => {
        const file = await openD4(path, { sweeper });
        await file.statistics({ intervals, thresholds });
        file.close();
      });
      const peak = `${(memory / megabyte).toFixed(0)} MB`;
      const ratios = [`${(took / limit).toFixed(2)} × reading`];
      if (whose)
        ratios.push(`d4tools ÷ ours: ${(whose[1] / took).toFixed(1)} (-t1), ${(whose[2] / took).toFixed(1)} (-t2)`);
      print(
        `${name.padEnd(33)} ${way.padEnd(9)} ${seconds(took)}   ${ratios.join('; ')}  [${sweeper ? 'kept open' : touch}, ${peak}]`,
      );
    }
  }
  if (!tool) print('d4tools is not installed: no comparison with it');

  const file = await openD4(path);
  const genes = panel(sample, 500);
  await file.statistics({ intervals: genes, thresholds });
  const warm = await best(() => file.statistics({ intervals: genes, thresholds }));
  print(`500 genes again, file kept open   inline    ${seconds(warm)}`);
  file.close();
  clearInterval(watch);
  for (const { pool } of pools) await pool.close();

  const server = await serveFile(path);
  const gene = { chromosome: 'chr2', begin: 15_000_000, end: 15_040_000 };
  const since = performance.now();
  const remote = await openD4(server.url);
  await remote.statistics({ intervals: [gene], thresholds });
  const cold = performance.now() - since;
  print(
    `one gene cold over HTTP: ${cold.toFixed(0)} ms, ${server.requests()} requests, ${(server.sent() / 1024).toFixed(0)} KiB`,
  );
  remote.close();
  await server.close();
}

/** Reads a file as fast as this platform can, through a buffer that stays in the cache. */
function readAll(path: string): void {
  const fd = openSync(path, 'r');
  const buffer = new Uint8Array(256 * 1024);
  while (readSync(fd, buffer, 0, buffer.length, null) > 0);
  closeSync(fd);
}

async function best(work: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < repeats; i++) {
    const since = performance.now();
    await work();
    least = Math.min(least, performance.now() - since);
  }
  return least;
}

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(3).padStart(8)} s`;

/** Times d4tools on one and two threads, when it is there. */
function d4tools(
  path: string,
  bedPath: string,
): { time(intervals: Region[], kinds: string[][]): Record<1 | 2, number> } | undefined {
  if (spawnSync('d4tools', ['--version']).error) return undefined;
  const run = (threads: 1 | 2, kinds: string[][]) => {
    const since = performance.now();
    for (const kind of kinds) {
      const line = ['stat', '--no-index', '-t', `${threads}`, '-r', bedPath, '-s', ...kind, path];
      const { status } = spawnSync('d4tools', line, { stdio: 'ignore' });
      if (status !== 0) throw new Error(`d4tools ${line.join(' ')} fails`);
    }
    return performance.now() - since;
  };
  return {
    time(intervals, kinds) {
      writeFileSync(
        bedPath,
        intervals.map(({ chromosome, begin, end }) => `${chromosome}\t${begin}\t${end}\n`).join(''),
      );
      const times = { 1: Number.POSITIVE_INFINITY, 2: Number.POSITIVE_INFINITY };
      for (let i = 0; i < repeats; i++) {
        times[1] = Math.min(times[1], run(1, kinds));
        times[2] = Math.min(times[2], run(2, kinds));
      }
      return times;
    },
  };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [, , size, keep] = process.argv;
  await bench((line) => console.log(line), { ...(size && { size }), ...(keep && { keep }) });
}
