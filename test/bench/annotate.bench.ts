/**
 * `beacon annotate` against `bcftools annotate` on one large VCF: processor time of each, and the largest memory of ours.
 * Options: `--records=5000000`, `--cases=20`, `--share=0.2` (of the records that a case carries).
 */
import { spawnSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { BgzfWriter } from '../../core/files.js';
import { contigs } from '../../plugins/beacon/contract.js';
import { lengthOf } from '../../plugins/beacon/domain/reference.js';
import { beaconBin } from '../support/trefoil.js';
import type { Print } from './run.js';
import { grouped } from './support/machine.js';
import { random } from './support/vcf.js';

export default async function annotateBench(print: Print, options: Readonly<Record<string, string>>): Promise<void> {
  const records = Number(options.records ?? 5_000_000);
  const cases = Number(options.cases ?? 20);
  const share = Number(options.share ?? 0.2);
  const folder = await mkdtemp(join(tmpdir(), 'trefoil-annotate-'));
  try {
    const samples = Array.from({ length: cases }, (_, i) => `case${i}`);
    await writeVcf(join(folder, 'in.vcf.gz'), records, []);
    // The same places, thinned out: what the cases carry, and what bcftools has to look up.
    await writeVcf(join(folder, 'cohort.vcf.gz'), records, samples, share);
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
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Sorted SNVs over chromosomes 1 to 22 and X; with samples, a share of them, each carried by a few. */
async function writeVcf(path: string, records: number, samples: readonly string[], share = 1): Promise<void> {
  const next = random(5);
  const target = createWriteStream(path);
  const writer = new BgzfWriter(target);
  const used = contigs.slice(0, 23);
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
