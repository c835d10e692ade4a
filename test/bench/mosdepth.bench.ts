/**
 * `trefoil d4 mosdepth` against reading the bytes of the D4 file: processor time of this process, workers included. A tenth
 * of a genome by default; `--size=genome` takes a whole one, `--keep=FILE` keeps the sample or uses one.
 */
import { closeSync, existsSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runMosdepth } from '../../plugins/coverage/commands/mosdepth/run.js';
import { readers } from '../plugins/coverage/d4/support/runner.js';
import { exons, sampleGenome, writeSample } from './d4-sample.js';
import type { BenchOptions, Print } from './run.js';

export default async function bench(print: Print, { size, keep }: BenchOptions): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'trefoil-bench-'));
  try {
    const sample = sampleGenome(size === 'genome' ? 1 : 10);
    const path = keep ?? join(folder, 'sample.d4');
    if (!existsSync(path)) writeSample(path, sample, print);
    const bed = join(folder, 'exons.bed');
    const rows = exons(sample, size === 'genome' ? 20_000 : 2_000, 10);
    writeFileSync(bed, rows.map(({ chromosome, begin, end }) => `${chromosome}\t${begin}\t${end}\texon\n`).join(''));
    await cpu(async () => readAll(path));
    const reading = await cpu(async () => readAll(path));
    print(`the bytes merely read          ${reading.toFixed(2)} s`);
    const by = (regions: string, more = {}) => ({ perBase: false, by: regions, ...more });
    for (const [name, options] of [
      ['summary and distribution', { perBase: false }],
      [`${rows.length} exons, 5 thresholds`, by(bed, { thresholds: '10,15,20,30,50' })],
      ['windows of 500 bases', by('500')],
      ['windows of 1,000, 4 thresholds', by('1000', { thresholds: '1,10,20,30' })],
      ['depths of every base', { perBase: true }],
    ] as const) {
      const input = { arguments: [join(folder, 'out'), path], options: { force: true, ...options } };
      const io = { out: process.stdout, err: process.stderr, isTTY: false, ...readers };
      const took = await cpu(() => runMosdepth(input, io));
      print(`${name.padEnd(30)} ${took.toFixed(2)} s   ${(took / reading).toFixed(1)} × reading`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Seconds of processor time. */
async function cpu(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

function readAll(path: string): void {
  const buffer = Buffer.allocUnsafe(2 ** 20);
  const file = openSync(path, 'r');
  while (readSync(file, buffer) > 0);
  closeSync(file);
}
