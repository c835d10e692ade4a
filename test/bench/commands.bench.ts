/**
 * Processor time of commands of the installed package, as a ratio to something that runs anywhere: the start to
 * `node -e 0`, statistics to `cat` of the same file, `create` to awk over the same text. Where d4tools is on the PATH,
 * statistics are compared with it, too: in turns, with one thread, by processor time and by the clock. `--file=` names a D4
 * file to keep and use again, `--size=genome` makes it as long as a genome (a 2.4-GB file, made in minutes) instead of a tenth.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { install } from '../support/installed.js';
import { exons, panel, type Region, type Sample, sampleGenome, writeSample, xorshift } from './d4-sample.js';
import type { BenchOptions, Print } from './run.js';

const repeats = 3;
const thresholds = ['-s', 'perc_cov=10,15,20,30,50'];

/** One of each kind: helps, what the core stores, each plugin, all settings, and the routes of a server. */
const starts = [
  'trefoil --version',
  'trefoil d4 --help',
  'beacon list --help',
  'trefoil --help',
  'trefoil consent list',
  'trefoil token list',
  'trefoil panels list',
  'trefoil coverage list samples',
  'trefoil matchmaker list patients',
  'beacon dataset list',
  'trefoil migrate --status',
  'trefoil check',
  'trefoil openapi',
];

export default async function bench(print: Print, { file, size = 'small' }: BenchOptions): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'trefoil-bench-'));
  const installed = install();
  const binary = (name: string) => join(installed.folder, 'node_modules/.bin', name);
  const trefoil = binary('trefoil');
  const cost = (program: string, ...line: string[]) => cheapest(folder, [[program, ...line]])[0]?.processor as number;
  const command = (path: string, ...line: string[]) => cost(process.execPath, path, ...line);
  const hasD4tools = spawnSync('d4tools', ['--version']).status === 0;
  try {
    const bare = cost(process.execPath, '-e', '0');
    print(`Node ${process.version} by itself: ${seconds(bare)}`);
    command(trefoil, 'migrate');
    for (const words of starts) {
      const [name = '', ...line] = words.split(' ');
      print(told(words, command(binary(name), ...line), bare, 'node -e 0'));
    }

    const sample = sampleGenome(size === 'genome' ? 1 : 10);
    const path = file ?? join(folder, 'sample.d4');
    if (!existsSync(path)) writeSample(path, sample, print);
    const bed = (name: string, regions: Region[]) => {
      const bedPath = join(folder, `${name}.bed`);
      const lines = regions.map(({ chromosome, begin, end }) => `${chromosome}\t${begin}\t${end}\n`);
      writeFileSync(bedPath, lines.join(''));
      return ['-r', bedPath];
    };
    const plain = cost('cat', path);
    print(`cat of ${(statSync(path).size / 1e9).toFixed(2)} GB: ${seconds(plain)}`);
    const whole = bed('exons', exons(sample, 20_000, 10));
    const genes = bed('genes', panel(sample, 500));
    // d4tools has one statistic a run.
    const tasks: [name: string, line: string[], others?: string[][]][] = [
      ['means of chromosomes', []],
      ['five thresholds of them', thresholds],
      ['200k exons, five thresholds', [...thresholds, ...whole]],
      ['the same and means in one run', ['-s', 'mean', ...thresholds, ...whole], [whole, [...thresholds, ...whole]]],
      ['500 genes, five thresholds', [...thresholds, ...genes]],
    ];
    const compare = (name: string, own: string[], others: string[][]) => {
      const theirs = hasD4tools ? others.map((line) => ['d4tools', ...line]) : [];
      const [ours, ...found] = cheapest(folder, [[process.execPath, trefoil, 'd4', ...own], ...theirs]) as [Cost];
      print(told(name, ours.processor, plain, 'cat'));
      if (found.length === 0) return;
      const sum = (by: keyof Cost) => found.reduce((total, each) => total + each[by], 0);
      const turn = (by: keyof Cost) => `${seconds(sum(by))}, ${(sum(by) / ours[by]).toFixed(2)} × ours`;
      print(`  d4tools: ${turn('processor')}; by the clock ${turn('elapsed')}`);
    };
    for (const [name, line, others = [line]] of tasks) {
      compare(
        name,
        ['stat', ...line, path],
        others.map((other) => ['stat', '--no-index', '-t', '1', ...other, path]),
      );
    }
    compare('view of chr21', ['view', path, 'chr21'], [['view', path, 'chr21']]);

    const text = join(folder, 'runs.bedgraph');
    const runs = writeRuns(text, sample);
    const awk = cost('awk', '-F\t', '{ sum += ($3 - $2) * $4 } END { print sum }', text);
    const made = command(trefoil, 'd4', 'create', '-f', text, join(folder, 'runs.d4'));
    print(told(`create from ${(runs / 1e6).toFixed(1)} million runs`, made, awk, 'awk'));
  } finally {
    installed.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Seconds. */
interface Cost {
  processor: number;
  elapsed: number;
}

/** The least of several runs of each program, which are run in turns. Throws if one fails. */
function cheapest(cwd: string, programs: string[][]): Cost[] {
  const least = programs.map((): Cost => ({ processor: Number.POSITIVE_INFINITY, elapsed: Number.POSITIVE_INFINITY }));
  for (let i = 0; i < repeats; i++) {
    for (const [place, program] of programs.entries()) {
      const ran = spawnSync('/usr/bin/time', ['-f', '%U %S %e', ...program], {
        cwd,
        encoding: 'utf8',
        // Node.js parses extra certificates at every start, which is no work of a command.
        env: { ...process.env, TREFOIL_CONFIG: '', NODE_EXTRA_CA_CERTS: '' },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      if (ran.status !== 0) throw new Error(`${program.join(' ')} ended with ${ran.status}: ${ran.stderr}`);
      const last = ran.stderr.trim().split('\n').at(-1) ?? '';
      const [user = 0, system = 0, elapsed = 0] = last.split(' ').map(Number);
      const cost = least[place] as Cost;
      cost.processor = Math.min(cost.processor, user + system);
      cost.elapsed = Math.min(cost.elapsed, elapsed);
    }
  }
  return least;
}

const seconds = (time: number) => `${time.toFixed(2)} s`;

const told = (name: string, time: number, other: number, what: string) =>
  `${name.padEnd(33)} ${seconds(time)}   ${(time / other).toFixed(2)} × ${what}`;

/** Depths that change every two hundred bases, as text. */
function writeRuns(path: string, { chromosomes }: Sample): number {
  const random = xorshift(5);
  const file = openSync(path, 'w');
  let runs = 0;
  let text = '';
  for (const { name, size } of chromosomes) {
    for (let begin = 0; begin < size; ) {
      const end = Math.min(size, begin + 1 + (random() % 400));
      text += `${name}\t${begin}\t${end}\t${20 + (random() % 20)}\n`;
      begin = end;
      if (++runs % 10_000 === 0) {
        writeSync(file, text);
        text = '';
      }
    }
  }
  writeSync(file, text);
  closeSync(file);
  return runs;
}
