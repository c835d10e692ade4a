/**
 * All commands of the library, and the shorter ones: `gaps` prints regions with low coverage, `ls-track` and `merge` concern
 * the tracks of files, `verify` checks a file.
 */
import { existsSync } from 'node:fs';
import { parse } from 'node:path';
import {
  builds,
  D4Error,
  D4Pool,
  type D4Report,
  type MergeInput,
  mergeD4,
  openD4,
  type ReferenceBuild,
  stretches,
  verifyD4,
} from '../../d4/index.js';
import {
  type D4Command,
  fileArgument,
  fileOfInput,
  filesArgument,
  forceOption,
  inputsAndOutput,
  numberOption,
  openTrack,
  textOption,
  trackArgument,
} from './command.js';
import { createCommand } from './create.js';
import { Lines } from './output.js';
import { bedRegions, wholeGenome } from './regions.js';
import { statCommand } from './stat.js';
import { viewCommand } from './view.js';

// `gaps`: prints regions with low coverage.

/** Prints the regions below a depth as BED. */
const gapsCommand: D4Command = {
  name: 'gaps',
  summary: 'print the regions of a D4 file whose depth is below a threshold, as BED',
  arguments: [trackArgument],
  options: [
    {
      flags: '-b, --below <depth>',
      description: 'print regions whose every base has less than this depth (default: 10)',
    },
    { flags: '-r, --region <bed>', description: 'BED file of regions to search (default: the whole genome)' },
    { flags: '-m, --min-length <bases>', description: 'ignore shorter gaps' },
    { flags: '--alias', description: 'accept chr1 for 1, M for MT and so on' },
  ],
  async run(input, io) {
    const below = numberOption(input, 'below') ?? 10;
    const minLength = numberOption(input, 'minLength') ?? 1;
    if (minLength < 1) throw new D4Error('invalid', 'The least length of a gap must be 1 or more', '--min-length');
    const alias = input.options.alias === true;
    const bed = textOption(input, 'region');
    const file = await openTrack(fileOfInput(input), { http: io.http, s3: io.s3 });
    const lines = new Lines(io.out);
    try {
      if (file.tracks.length > 1) {
        const names = file.tracks.map(({ name }) => name).join(', ');
        throw new D4Error(
          'invalid',
          `The file has several tracks: name one as FILE:TRACK (${names})`,
          file.source.name,
        );
      }
      const track = file.track();
      const intervals = bed === undefined ? wholeGenome(track) : [...(await bedRegions(io, bed, track, alias))];
      const options = { alias, minLength, signal: input.signal };
      for (const [i, interval] of intervals.entries()) {
        for await (const { chromosome, begin, end } of stretches(track, interval, { below }, options)) {
          lines.addRegion(chromosome, begin, end);
          await lines.end();
        }
        io.progress?.((i + 1) / intervals.length, 'searching gaps');
      }
      return 0;
    } finally {
      await lines.flush();
      file.close();
    }
  },
};

// `ls-track` and `merge`: the tracks of files.

/** Lists the tracks of a file. */
const listTracksCommand: D4Command = {
  name: 'ls-track',
  summary: 'list the tracks of a D4 file',
  description: 'Each is printed as FILE:TRACK; the only track of most files has no name.',
  arguments: [fileArgument],
  options: [],
  async run(input, io) {
    const file = await openD4(fileOfInput(input), { http: io.http, s3: io.s3 });
    const lines = new Lines(io.out);
    const given = fileOfInput(input);
    for (const { name } of file.tracks) await lines.line(name === '' ? given : `${given}:${name}`);
    await lines.flush();
    file.close();
    return 0;
  },
};

/** Merges several files into one. */
const mergeCommand: D4Command = {
  name: 'merge',
  summary: 'merge D4 files into one file with a track for each',
  description: 'A track is named after its file, or by a name that follows the file after a colon: FILE:NAME.',
  arguments: [filesArgument],
  options: [forceOption],
  async run(input, io) {
    const { inputs, output } = inputsAndOutput(input);
    await mergeD4(output, inputs.map(namedInput), io.progress, { http: io.http, s3: io.s3 });
    return 0;
  },
};

function namedInput(given: string): MergeInput {
  const [, path, name] = existsSync(given) ? [] : (/^(.+):([^:/]+)$/.exec(given) ?? []);
  return path && name ? { path, name } : { path: given, name: parse(given).name };
}

// `verify`: checks a file.

/** Checks whether a file can be relied on. */
const verifyCommand: D4Command = {
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
      const report = await verifyD4(fileOfInput(input), {
        open: openTrack,
        http: io.http,
        s3: io.s3,
        summary: textOption(input, 'summary'),
        perBase: textOption(input, 'perBase'),
        build: parseBuild(textOption(input, 'build')),
        progress: io.progress,
        signal: input.signal,
        sweeper: pool.sweeper,
      });
      const lines = new Lines(io.out);
      for (const line of input.options.json ? [JSON.stringify(report, undefined, 1)] : reportLines(report)) {
        await lines.line(line);
      }
      await lines.flush();
      return report.verdict === 'fail' ? 1 : 0;
    } finally {
      await pool.close();
    }
  },
};

function parseBuild(given: string | undefined): ReferenceBuild | undefined {
  if (given === undefined) return undefined;
  const build = builds.find((name) => name.toLowerCase() === given.toLowerCase());
  if (!build) throw new D4Error('invalid', `${JSON.stringify(given)} is not one of ${builds.join(', ')}`, '--build');
  return build;
}

function reportLines({ file, verdict, findings, tracks }: D4Report): string[] {
  const lines = [`${verdict.toUpperCase()}\t${file}`];
  const add = (list: D4Report['findings'], track: string) => {
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

export type { D4Command, D4Input, D4Io } from './command.js';

/** The library's commands, in the order of a manual. */
export const d4Commands: readonly D4Command[] = [
  createCommand,
  viewCommand,
  statCommand,
  gapsCommand,
  listTracksCommand,
  mergeCommand,
  verifyCommand,
];
