/** `verify`: checks a file. */
import { D4Error } from '../error.js';
import { D4Pool } from '../pool/pool.js';
import { type Build, builds } from '../verify/contigs.js';
import type { Report } from '../verify/report.js';
import { verifyD4 } from '../verify/verify.js';
import type { D4Command } from './command.js';
import { fileOf, openTrack, text, trackArgument } from './input.js';
import { Lines } from './output.js';

/** Checks whether a file can be relied on. */
export const verifyCommand: D4Command = {
  name: 'verify',
  summary: 'check whether a D4 file can be relied on',
  description:
    'Reads the whole file: its structure, lost or capped depths, holes between partitions, its chromosomes against the build and its ' +
    "means against mosdepth's. Ends with status 0 for pass and warn, 1 for fail.",
  arguments: [trackArgument],
  options: [
    { flags: '--summary <file>', description: "mosdepth's summary of the same sample" },
    { flags: '--per-base <file>', description: "mosdepth's per-base.bed.gz of the same sample" },
    { flags: '--build <build>', description: `genome build of the alignment: ${builds.join(' or ')}` },
    { flags: '--json', description: 'print the report as JSON' },
  ],
  async run(input, io) {
    const pool = new D4Pool();
    try {
      const report = await verifyD4(fileOf(input), {
        open: openTrack,
        http: io.http,
        s3: io.s3,
        summary: text(input, 'summary'),
        perBase: text(input, 'perBase'),
        build: parseBuild(text(input, 'build')),
        progress: io.progress,
        signal: input.signal,
        sweeper: pool.sweeper,
      });
      const lines = new Lines(io.out);
      for (const line of input.options.json ? [JSON.stringify(report, undefined, 1)] : describe(report)) {
        await lines.line(line);
      }
      await lines.flush();
      return report.verdict === 'fail' ? 1 : 0;
    } finally {
      await pool.close();
    }
  },
};

function parseBuild(given: string | undefined): Build | undefined {
  if (given === undefined) return undefined;
  const build = builds.find((name) => name.toLowerCase() === given.toLowerCase());
  if (!build) throw new D4Error('invalid', `${JSON.stringify(given)} is not one of ${builds.join(', ')}`, '--build');
  return build;
}

function describe({ file, verdict, findings, tracks }: Report): string[] {
  const lines = [`${verdict.toUpperCase()}\t${file}`];
  const add = (list: Report['findings'], track: string) => {
    for (const { level, code, message } of list) lines.push(`${level}\t${code}\t${track}${message}`);
  };
  add(findings, '');
  for (const { name, findings: own, chromosomes } of tracks) {
    add(own, name === '' ? '' : `${name}: `);
    const bases = chromosomes.reduce((sum, { size }) => sum + size, 0);
    const depth = chromosomes.reduce((sum, { size, mean }) => sum + size * mean, 0);
    const records = chromosomes.reduce((sum, one) => sum + one.records, 0);
    const mean = bases === 0 ? 0 : depth / bases;
    lines.push(
      `note\tsize\t${chromosomes.length} chromosomes, ${bases} bases, mean ${mean.toFixed(2)}, ${records} records.`,
    );
  }
  return lines;
}
