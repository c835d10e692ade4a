/**
 * `beacon annotate` against `bcftools annotate` on one large VCF: processor time of each, and the largest memory of ours.
 * Options: `--records=5000000`, `--cases=20`, `--share=0.2` (of the records that a case carries), `--contigs=23` (the first
 * ones). With `--covered=dense` or `--covered=scattered`, also against itself when the coverage of each case is registered, in
 * turns, `--rounds=3` of them: each case has a genome of its own, a scattered one with `--runs=1000000` covered runs. What
 * denominators cost was last judged by `--covered=dense --contigs=1 --cases=412 --records=400000`. Run `npm run build` first: to
 * start from source takes seconds of processor time.
 */
import { spawnSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import adapter from '../../adapters/sqlite/adapter.js';
import { BgzfWriter } from '../../core/files.js';
import { lengthOf } from '../../core/genome.js';
import { type Contig, contigs } from '../../plugins/beacon/contract.js';
import { coverageSamples } from '../../plugins/coverage/contract.js';
import { quiet } from '../support/storages.js';
import { stores } from '../support/stores.js';
import { beaconBin, trefoilBin } from '../support/trefoil.js';
import type { Print } from './run.js';
import { grouped } from './support/machine.js';
import { type GenomeOptions, genome, register, shapes } from './support/registered.js';
import { random } from './support/vcf.js';

export default async function annotateBench(print: Print, options: Readonly<Record<string, string>>): Promise<void> {
  const records = Number(options.records ?? 5_000_000);
  const cases = Number(options.cases ?? 20);
  const share = Number(options.share ?? 0.2);
  const folder = await mkdtemp(join(tmpdir(), 'trefoil-annotate-'));
  try {
    const used = contigs.slice(0, Number(options.contigs ?? 23));
    const samples = Array.from({ length: cases }, (_, i) => `case${i}`);
    await writeVcf(join(folder, 'in.vcf.gz'), records, used, []);
    // The same places, thinned out: what the cases carry, and what bcftools has to look up.
    await writeVcf(join(folder, 'cohort.vcf.gz'), records, used, samples, share);
    timed(folder, ['tabix', '-p', 'vcf', 'in.vcf.gz']);
    const beacon = (...args: string[]) => timed(folder, [process.execPath, beaconBin, ...args]);
    beacon('add', 'dataset', '--did', 'local', '--name', 'Local', '--authlevel', 'controlled');
    beacon('add', 'variants', '--ds', 'local', '--vcf', 'cohort.vcf.gz');
    const ours = beacon('annotate', 'in.vcf.gz', '--ds', 'local', '--out', 'ours.vcf.gz');
    // What bcftools looks up: the values themselves, by place, as a laboratory would export them.
    const theirs = timed(folder, [
      ...['bcftools', 'annotate', '-a', 'ours.vcf.gz', '-c', 'INFO/Obs,INFO/Hom,INFO/Frq'],
      ...['-Oz', '-o', 'theirs.vcf.gz', 'in.vcf.gz'],
    ]);
    print(
      `${grouped(records)} records, ${cases} cases: bcftools annotate ${theirs.cpu.toFixed(1)} s of processor time; ` +
        `beacon annotate ${ours.cpu.toFixed(1)} s, ×${(ours.cpu / theirs.cpu).toFixed(2)}, at most ${grouped(ours.memory)} MB`,
    );
    if (options.covered === undefined) return;
    const shape = shapes.find((one) => one === options.covered);
    if (shape === undefined) throw new Error(`--covered must be one of ${shapes.join(', ')}`);
    const runs = Number(options.runs ?? 1_000_000);
    await registerAll(join(folder, 'data', 'trefoil.sqlite'), samples, { build: 'GRCh37', shape, used, runs });
    await writeFile(
      join(folder, 'c.yaml'),
      'storage: { adapter: sqlite, file: data/trefoil.sqlite }\nplugins: { beacon: {}, coverage: {} }\n',
    );
    const trefoil = (...args: string[]) => timed(folder, [process.execPath, trefoilBin, ...args, '--config', 'c.yaml']);
    trefoil('migrate');
    const annotated = (threshold: string) =>
      beacon('annotate', 'in.vcf.gz', ...['--ds', 'local', '--out', `${threshold}.vcf.gz`], ...['--threshold', threshold, '--config', 'c.yaml']); // biome-ignore format: one line
    const compare = (from: string) => {
      const turns = Array.from({ length: Number(options.rounds ?? 3) }, () => {
        const known = annotated('10');
        // Nothing is stored about this one.
        return { known, plain: annotated('11') };
      });
      // Other work on the machine only adds to the time.
      const least = (of: (turn: (typeof turns)[number]) => Measured) => ({
        cpu: Math.min(...turns.map((turn) => of(turn).cpu)),
        memory: Math.max(...turns.map((turn) => of(turn).memory)),
      });
      const [known, plain] = [least(({ known }) => known), least(({ plain }) => plain)];
      print(
        `${shape} genomes from ${from}: with denominators ${known.cpu.toFixed(2)} s and at most ${grouped(known.memory)} MB, ` +
          `without ${plain.cpu.toFixed(2)} s and ${grouped(plain.memory)} MB: ×${(known.cpu / plain.cpu).toFixed(2)}`,
      );
    };
    compare('runs');
    print(`to make the tracks ${trefoil('coverage', 'rebuild', 'tracks').cpu.toFixed(1)} s of processor time`);
    compare('tracks');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The samples' coverage, with the stored runs that their registration leaves. */
async function registerAll(file: string, ids: readonly string[], options: GenomeOptions): Promise<void> {
  const settings = { file, busyTimeout: 15_000 };
  const storage = await adapter.open({
    settings,
    contracts: [coverageSamples],
    bindings: new Map(),
    stores,
    log: quiet,
  });
  try {
    await storage.migrate();
    await register(storage.repository(coverageSamples), ids, (i) => genome(options, i + 1), options.build);
  } finally {
    await storage.close();
  }
}

/** Sorted SNVs; with samples, a share of them, each carried by a few. */
async function writeVcf(
  path: string,
  records: number,
  used: readonly Contig[],
  samples: readonly string[],
  share = 1,
): Promise<void> {
  const next = random(5);
  const target = createWriteStream(path);
  const writer = new BgzfWriter(target);
  const genome = used.reduce((sum, contig) => sum + lengthOf('GRCh37', contig), 0);
  const columns = ['#CHROM', 'POS', 'ID', 'REF', 'ALT', 'QUAL', 'FILTER', 'INFO'];
  if (samples.length > 0) columns.push('FORMAT', ...samples);
  const info = ['DP', 'MQ', 'QD'].map((id) => `##INFO=<ID=${id},Number=1,Type=Float,Description="${id}">`);
  const format = '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">';
  const header = used.map((contig) => `##contig=<ID=${contig},length=${lengthOf('GRCh37', contig)}>`);
  await writer.write(
    Buffer.from(['##fileformat=VCFv4.2', ...header, ...info, format, columns.join('\t'), ''].join('\n')),
  );
  let lines: string[] = [];
  for (const contig of used) {
    const count = Math.round((records * lengthOf('GRCh37', contig)) / genome);
    const step = lengthOf('GRCh37', contig) / (count + 1);
    for (let i = 1; i <= count; i++) {
      const position = Math.floor(i * step);
      const reference = 'ACGT'[position % 4] as string;
      const alternate = 'CGTA'[position % 4] as string;
      const fixed = `${contig}\t${position}\t.\t${reference}\t${alternate}\t50\tPASS\tDP=30;MQ=60.00;QD=12.3`;
      if (samples.length === 0) lines.push(`${fixed}\n`);
      else if (next() < share)
        lines.push(`${fixed}\tGT\t${samples.map(() => (next() < 0.1 ? '0/1' : '0/0')).join('\t')}\n`);
      if (lines.length >= 5000) {
        await writer.write(Buffer.from(lines.join('')));
        lines = [];
      }
    }
  }
  await writer.write(Buffer.from(lines.join('')));
  await writer.end();
  target.end();
  await finished(target);
}

interface Measured {
  /** Seconds of processor time, user and system. */
  cpu: number;
  /** The largest resident memory in MB. */
  memory: number;
}

/** Throws if the program fails. */
function timed(cwd: string, [program = '', ...args]: readonly string[]): Measured {
  const run = spawnSync('/usr/bin/time', ['-f', '%U %S %M', program, ...args], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, TREFOIL_CONFIG: '' },
    maxBuffer: 2 ** 28,
  });
  if (run.status !== 0) throw new Error(`${program} ${args[0]} failed: ${run.stderr}${run.error?.message ?? ''}`);
  const [user = 0, system = 0, memory = 0] = (run.stderr.trim().split('\n').at(-1) ?? '').split(' ').map(Number);
  return { cpu: user + system, memory: memory / 1024 };
}
