/**
 * Speed of the D4 library, as ratios within one run: against reading the same bytes from the page cache, and against
 * d4tools if installed. `size` is `small` (a tenth of a genome) or `genome` (3.1 Gb; a 2.4-GB file, made in minutes).
 *
 *   node --import=tsx/esm test/bench/d4.bench.ts [size] [file to keep]
 *
 * The loader that compiles the sources takes some 90 MB of its own. Without it:
 *
 *   tsc --noEmit false --outDir dist/bench && node dist/bench/test/bench/d4.bench.js [size] [file to keep]
 */
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { D4Pool, openD4 } from '../../plugins/coverage/d4/index.js';
import { exons, panel, type Region, type Sample, sampleGenome, writeSample } from './d4-sample.js';
import { serveFile } from './d4-server.js';

const thresholds = [10, 15, 20, 30, 50];
const repeats = 3;

interface Task {
  name: string;
  intervals(sample: Sample): Region[];
  thresholds: number[];
  /** The form of the answer: columns, slices of rows as a stream takes them, or one array of rows. */
  answer?: 'columns' | 'slices';
  /** Also finds the runs below this depth. */
  below?: number;
  /** The equivalent runs of d4tools, one after the other. */
  against: string[];
}

const everything = ({ chromosomes }: Sample) =>
  chromosomes.map(({ name, size }) => ({ chromosome: name, begin: 0, end: size }));
const coverage = `perc_cov=${thresholds}`;
const tasks: Task[] = [
  { name: 'means of chromosomes', intervals: everything, thresholds: [], against: ['mean'] },
  { name: 'the same and five thresholds', intervals: everything, thresholds, against: ['mean', coverage] },
  {
    name: '200k exons, mean and thresholds',
    intervals: (sample) => exons(sample, 20_000, 10),
    thresholds,
    answer: 'columns',
    against: ['mean', coverage],
  },
  {
    name: 'the same in slices of rows',
    intervals: (sample) => exons(sample, 20_000, 10),
    thresholds,
    answer: 'slices',
    against: ['mean', coverage],
  },
  {
    name: '500 genes, mean and thresholds',
    intervals: (sample) => panel(sample, 500),
    thresholds,
    against: ['mean', coverage],
  },
  {
    name: 'the same and runs below 10x',
    intervals: (sample) => panel(sample, 500),
    thresholds,
    below: 10,
    against: ['mean', coverage],
  },
];
/** Threads to use: the calling one, or workers. */
const ways = [0, 1, 2];
const wayName = (threads: number) => (threads === 0 ? 'inline' : `${threads} worker${threads > 1 ? 's' : ''}`);

export default async function bench(
  print: (line: string) => void,
  options: { size?: string; keep?: string } = {},
): Promise<void> {
  const { size = 'small', keep } = options;
  if (size !== 'small' && size !== 'genome') throw new Error(`There is no size ${size}: small or genome`);
  const sample = sampleOf(size);
  const path = keep ?? join(tmpdir(), `trefoil-bench-${process.pid}.d4`);
  const bedPath = `${path}.bed`;
  try {
    if (!existsSync(path)) writeSample(path, sample, print);
    const bytes = statSync(path).size;
    print(`${(sample.bases / 1e6).toFixed(0)} Mb, ${(bytes / 1e9).toFixed(2)} GB, Node ${process.version}`);
    readAll(path);
    const limit = await best(async () => readAll(path));
    print(`the bytes merely read                       ${seconds(limit)}   ${(bytes / limit / 1e6).toFixed(1)} GB/s`);
    const tool = d4tools(path, bedPath);
    if (!tool) print('d4tools is not installed: no comparison with it');
    for (const [i, { name, intervals, against }] of tasks.entries()) {
      const whose = tool?.time(intervals(sample), against);
      for (const threads of ways) {
        const { took, first, memory, pause } = measureApart(path, size, i, threads);
        const ratios = [
          `${(took / limit).toFixed(2)} × reading`,
          `first ${seconds(first).trim()}`,
          `${memory} MB`,
          `event loop held ${pause.p99.toFixed(1)} ms (p99), ${pause.max.toFixed(1)} ms (max)`,
        ];
        if (whose) {
          const [one, two] = [whose[1], whose[2]].map((other) => (other / took).toFixed(1));
          ratios.push(`d4tools ÷ ours: ${one} (-t1), ${two} (-t2)`);
        }
        print(`${name.padEnd(33)} ${wayName(threads).padEnd(9)} ${seconds(took)}   ${ratios.join(', ')}`);
      }
    }
    await remote(print, path);
  } finally {
    rmSync(bedPath, { force: true });
    if (!keep) rmSync(path, { force: true });
  }
}

function sampleOf(size: string): Sample {
  return sampleGenome(size === 'genome' ? 1 : 10);
}

interface Measured {
  /** Milliseconds: the best of the repeats, and the first, which includes compilation. */
  took: number;
  first: number;
  /** Peak memory of the process, in megabytes. */
  memory: number;
  /** Milliseconds for which the event loop of the calling thread was blocked. */
  pause: { p99: number; max: number };
}

/** Measures one task in a separate process, so that its memory is its own. */
function measureApart(path: string, size: string, task: number, threads: number): Measured {
  const line = [...process.execArgv, import.meta.filename, 'measure', path, size, `${task}`, `${threads}`];
  const { stdout, stderr } = spawnSync(process.execPath, line, { encoding: 'utf8' });
  try {
    return JSON.parse(stdout) as Measured;
  } catch (cause) {
    throw new Error(`The measurement fails: ${stderr}`, { cause });
  }
}

async function measure(path: string, size: string, task: number, threads: number): Promise<Measured> {
  const { intervals: choose, thresholds, answer, below } = tasks[task] as Task;
  const intervals = choose(sampleOf(size));
  const pool = threads > 0 ? new D4Pool({ threads, inlineBases: 0 }) : undefined;
  let first: number | undefined;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  // The first readings include the start.
  await setTimeout(50);
  delay.reset();
  // Every repeat opens the file anew, so that only the page cache is warm; workers, though, keep it open.
  const took = await best(async () => {
    const since = performance.now();
    const file = await openD4(path, { sweeper: pool?.sweeper });
    const request = { intervals, thresholds, runs: below === undefined ? undefined : { below } };
    if (answer === 'columns') await file.columns(request);
    else if (answer === 'slices') for await (const _ of file.rows(request));
    else await file.statistics(request);
    file.close();
    first ??= performance.now() - since;
  });
  delay.disable();
  await pool?.close();
  const pause = { p99: delay.percentile(99) / 1e6, max: delay.max / 1e6 };
  return { took, first: first ?? took, pause, memory: Math.round(process.resourceUsage().maxRSS / 1024) };
}

async function remote(print: (line: string) => void, path: string): Promise<void> {
  const server = await serveFile(path);
  const gene = { chromosome: 'chr2', begin: 15_000_000, end: 15_040_000 };
  const since = performance.now();
  const file = await openD4(server.url);
  await file.statistics({ intervals: [gene], thresholds });
  const took = (performance.now() - since).toFixed(0);
  print(`one gene cold over HTTP: ${took} ms, ${server.requests()} requests, ${(server.sent() / 1024).toFixed(0)} KiB`);
  file.close();
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

/** Times d4tools on one and two threads, if installed. */
function d4tools(
  path: string,
  bedPath: string,
): { time(intervals: Region[], kinds: string[]): Record<1 | 2, number> } | undefined {
  if (spawnSync('d4tools', ['--version']).error) return undefined;
  const run = (threads: 1 | 2, kinds: string[]) => {
    const since = performance.now();
    for (const kind of kinds) {
      const line = ['stat', '--no-index', '-t', `${threads}`, '-r', bedPath, '-s', kind, path];
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
  const [, , size, keep, ...rest] = process.argv;
  if (size === 'measure' && keep) {
    const [genome = '', task, threads] = rest;
    console.log(JSON.stringify(await measure(keep, genome, Number(task), Number(threads))));
  } else await bench((line) => console.log(line), { ...(size && { size }), ...(keep && { keep }) });
}
