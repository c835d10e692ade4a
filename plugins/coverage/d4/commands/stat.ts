/** `stat`: prints statistics of regions. */
import { posix } from 'node:path';
import { D4Error } from '../error.js';
import type { D4File } from '../file.js';
import type { Interval } from '../interval.js';
import { D4Pool } from '../pool/pool.js';
import type { IntervalStatistics } from '../statistics/statistics.js';
import type { D4Command } from './command.js';
import { fileOf, number, openTrack, parseNumber, text, trackArgument } from './input.js';
import { fraction, Lines, plainNumber } from './output.js';
import { byName, readBed, wholeGenome } from './regions.js';

/** Bins of a histogram by default. */
const defaultBins = 1000;

type Kind =
  | { name: 'mean' | 'sum' | 'count' | 'hist' }
  | { name: 'percentile'; percent: number }
  | { name: 'perc_cov'; thresholds: number[] };

/** Prints statistics of regions in the columns and the order of d4tools, or as JSON. */
export const statCommand: D4Command = {
  name: 'stat',
  summary: 'print statistics of regions of a D4 file',
  description:
    'KIND is mean, sum, count, median, percentile=P, hist or perc_cov=T1,T2,… (fraction of bases with at least that depth). ' +
    'Rows are sorted by chromosome name, begin and end. Without --region every chromosome is a row.',
  arguments: [trackArgument],
  options: [
    { flags: '-s, --stat <kind>', description: 'what to print (default: mean)' },
    { flags: '-r, --region <bed>', description: 'BED file of regions' },
    { flags: '-H, --header', description: 'print a header line' },
    { flags: '--json', description: 'print all results as JSON' },
    { flags: '--alias', description: 'accept chr1 for 1, M for MT and so on' },
    { flags: '--max-bin <n>', description: `bins of a histogram (default: ${defaultBins})` },
    { flags: '-t, --threads <n>', description: 'worker threads for long work' },
  ],
  async run(input, io) {
    const kind = parseKind(text(input, 'stat') ?? 'mean');
    const threads = number(input, 'threads');
    const maxBin = number(input, 'maxBin') ?? defaultBins;
    if (threads !== undefined && !(Number.isInteger(threads) && threads > 0)) {
      throw new D4Error('invalid', 'The number of threads must be a whole number from 1', '--threads');
    }
    const pool = new D4Pool({ threads });
    const lines = new Lines(io.out);
    let file: D4File | undefined;
    try {
      file = await openTrack(fileOf(input), { sweeper: pool.sweeper });
      const bed = text(input, 'region');
      const intervals = (bed === undefined ? wholeGenome(file.track()) : await readBed(bed)).sort(byName);
      const found = await measure(file, kind, intervals, input.options.alias === true, input.signal);
      const print = input.options.json ? printJson : kind.name === 'hist' ? printHistogram : printTable;
      await print({ lines, file, kind, found, maxBin, header: input.options.header === true });
      return 0;
    } finally {
      await lines.flush();
      file?.close();
      await pool.close();
    }
  },
};

interface Printing {
  lines: Lines;
  file: D4File;
  kind: Kind;
  /** Rows of each track. */
  found: IntervalStatistics[][];
  maxBin: number;
  header: boolean;
}

function parseKind(given: string): Kind {
  const [name = '', value] = given.split('=', 2);
  if (value === undefined) {
    if (name === 'mean' || name === 'avg') return { name: 'mean' };
    if (name === 'sum' || name === 'count' || name === 'hist') return { name };
    if (name === 'median') return { name: 'percentile', percent: 50 };
  }
  if (name === 'percentile' && value) return { name, percent: parseNumber(value, '--stat') };
  if (name === 'perc_cov' && value) {
    const thresholds = value.split(',').map((threshold) => parseNumber(threshold, '--stat'));
    return { name, thresholds: thresholds.sort((a, b) => a - b) };
  }
  throw new D4Error('invalid', `${JSON.stringify(given)} is not a statistic`, '--stat');
}

function measure(
  file: D4File,
  kind: Kind,
  intervals: Interval[],
  alias: boolean,
  signal: AbortSignal | undefined,
): Promise<IntervalStatistics[][]> {
  const request = {
    intervals,
    alias,
    signal,
    thresholds: kind.name === 'perc_cov' ? kind.thresholds : undefined,
    percentiles: kind.name === 'percentile' ? [kind.percent] : undefined,
    histogram: kind.name === 'hist',
  };
  // As in d4tools, histograms and fractions are those of the first track.
  const tracks = kind.name === 'hist' || kind.name === 'perc_cov' ? file.tracks.slice(0, 1) : file.tracks;
  return Promise.all(tracks.map((_, place) => file.statistics(request, place)));
}

async function printTable({ lines, file, kind, found, header }: Printing): Promise<void> {
  if (header) {
    const columns =
      kind.name === 'perc_cov'
        ? kind.thresholds.map((threshold) => `${threshold}x`)
        : found.map((_, i) => posix.basename(file.track(i).name) || kind.name);
    const begin = kind.name === 'perc_cov' ? 'Start' : 'Begin';
    await lines.line(['#Chr', begin, 'End', ...columns].join('\t'));
  }
  for (const [i, { chromosome, begin, end }] of (found[0] ?? []).entries()) {
    const cells = found.flatMap((rows, place) => {
      const row = rows[i];
      return row ? cellsOf(kind, row, file.track(place).denominator) : [];
    });
    await lines.line([chromosome, begin, end, ...cells].join('\t'));
  }
}

function cellsOf(kind: Kind, row: IntervalStatistics, denominator: number): string[] {
  const length = row.end - row.begin;
  switch (kind.name) {
    case 'mean':
      return [plainNumber(row.mean)];
    case 'sum':
      return [plainNumber(row.sum / denominator)];
    case 'count':
      return [String(length)];
    case 'percentile':
      return [plainNumber(row.percentiles?.[0] ?? 0)];
    case 'perc_cov':
      return row.counts.map((count) => fraction(count, length));
    case 'hist':
      return [];
  }
}

/** Prints one histogram of all regions; bases in several regions count several times. */
async function printHistogram({ lines, file, found, maxBin }: Printing): Promise<void> {
  const { denominator } = file.track();
  const bins = new Float64Array(maxBin);
  let below = 0;
  let above = 0;
  for (const row of found[0] ?? []) {
    for (const { depth, bases } of row.histogram ?? []) {
      const stored = Math.round(depth * denominator);
      if (stored < 0) below += bases;
      else if (stored >= maxBin) above += bases;
      else bins[stored] = (bins[stored] as number) + bases;
    }
  }
  await lines.line(`<0\t${below}`);
  for (const [stored, bases] of bins.entries()) await lines.line(`${plainNumber(stored / denominator)}\t${bases}`);
  await lines.line(`>${maxBin}\t${above}`);
}

async function printJson({ lines, file, kind, found }: Printing): Promise<void> {
  const tracks = found.map((rows, place) => ({ track: file.tracks[place]?.name, rows }));
  await lines.line(JSON.stringify({ file: file.source.name, statistic: kind, tracks }, undefined, 1));
}
