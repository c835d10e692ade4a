/**
 * `beacon annotate` against `bcftools annotate` on one large VCF: processor time of each, and the largest memory of ours.
 * Options: `--records=5000000`, `--cases=20`, `--share=0.2` (of the records that a case carries), `--contigs=23` (the first
 * ones). With `--covered`, also against itself when the coverage of each sample is registered: `--runs=1000000` covered runs of
 * a genome, whose covered bases are six of seven.
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
import { beaconBin, trefoilBin } from '../support/trefoil.js';
import type { Print } from './run.js';
import { grouped } from './support/machine.js';
import { genomes, register } from './support/registered.js';
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
    await registerAll(join(folder, 'data', 'trefoil.sqlite'), samples, Number(options.runs ?? 1_000_000), used);
    await writeFile(
      join(folder, 'c.yaml'),
      'storage: { adapter: sqlite, file: data/trefoil.sqlite }\nplugins: { beacon: {}, coverage: {} }\n',
    );
    const covered = (...args: string[]) =>
      beacon('annotate', 'in.vcf.gz', '--ds', 'local', '--out', ...args, '--config', 'c.yaml');
    timed(folder, [process.execPath, trefoilBin, 'migrate', '--config', 'c.yaml']);
    const known = covered('covered.vcf.gz');
    const plain = covered('plain.vcf.gz', '--threshold', '11');
    print(
      `with the coverage of the samples ${known.cpu.toFixed(1)} s, at most ${grouped(known.memory)} MB; at a threshold at ` +
        `which none is known ${plain.cpu.toFixed(1)} s: ×${(known.cpu / plain.cpu).toFixed(2)}`,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The samples' coverage, with the stored runs that their registration leaves. */
async function registerAll(file: string, ids: readonly string[], runs: number, used: readonly Contig[]): Promise<void> {
  const settings = { file, busyTimeout: 15_000 };
  const storage = await adapter.open({ settings, contracts: [coverageSamples], bindings: new Map(), log: quiet });
  try {
    await storage.migrate();
    await register(storage.repository(coverageSamples), ids, genomes('GRCh37', runs, used), 'GRCh37');
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

/** Seconds of processor time (user and system), and the largest resident memory in MB; throws if the program fails. */
function timed(cwd: string, [program = '', ...args]: readonly string[]): { cpu: number; memory: number } {
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
