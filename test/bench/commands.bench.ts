/**
 * Processor time of commands of the installed package, as a ratio to something that runs anywhere: the start to
 * `node -e 0`, statistics to `cat` of the same file, `create` to awk over the same text. `--file=` names a D4 file to keep
 * and use again, `--size=genome` makes it as long as a genome (a 2.4-GB file, made in minutes) instead of a tenth.
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
  const cost = (program: string, ...line: string[]) => cpuOf(program, line, folder);
  const command = (path: string, ...line: string[]) => cost(process.execPath, path, ...line);
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
    const tasks: [name: string, line: string[]][] = [
      ['means of chromosomes', []],
      ['the same and five thresholds', thresholds],
      ['200k exons, five thresholds', [...thresholds, ...whole]],
      ['the same and means in one run', ['-s', 'mean', ...thresholds, ...whole]],
      ['500 genes, five thresholds', [...thresholds, ...genes]],
    ];
    for (const [name, line] of tasks) print(told(name, command(trefoil, 'd4', 'stat', ...line, path), plain, 'cat'));
    print(told('view of chr21', command(trefoil, 'd4', 'view', path, 'chr21'), plain, 'cat'));

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

/** Seconds of processor time, the least of several runs. Throws if the program fails. */
function cpuOf(program: string, line: string[], cwd: string): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < repeats; i++) {
    const ran = spawnSync('/usr/bin/time', ['-f', '%U %S', program, ...line], {
      cwd,
      encoding: 'utf8',
      // Node.js parses extra certificates at every start, which is no work of a command.
      env: { ...process.env, TREFOIL_CONFIG: '', NODE_EXTRA_CA_CERTS: '' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    if (ran.status !== 0) throw new Error(`${program} ${line.join(' ')} ended with ${ran.status}: ${ran.stderr}`);
    const [user = 0, system = 0] = (ran.stderr.trim().split('\n').at(-1) ?? '').split(' ').map(Number);
    least = Math.min(least, user + system);
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
