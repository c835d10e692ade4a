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
import { readBed, sortedByName, wholeGenome } from './regions.js';

/** Bins of a histogram by default. */
const defaultBins = 1000;

/** A thread costs as much as sweeping about a gigabase, so that a command starts some only for several times that. */
const inlineBases = 5_000_000_000;

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
    {
      flags: '-t, --threads <n>',
      description: 'worker threads (default: one per processor, and only for work of more than some seconds)',
    },
  ],
  async run(input, io) {
    const kind = parseKind(text(input, 'stat') ?? 'mean');
    const threads = number(input, 'threads');
    const maxBin = number(input, 'maxBin') ?? defaultBins;
    if (threads !== undefined && !(Number.isInteger(threads) && threads > 0)) {
      throw new D4Error('invalid', 'The number of threads must be a whole number from 1', '--threads');
    }
    const pool = new D4Pool({ threads, inlineBases: threads === undefined ? inlineBases : undefined });
    const lines = new Lines(io.out);
    let file: D4File | undefined;
    try {
      file = await openTrack(fileOf(input), { sweeper: pool.sweeper });
      const bed = text(input, 'region');
      const intervals = sortedByName(bed === undefined ? wholeGenome(file.track()) : await readBed(bed));
      const slices = measure(file, kind, intervals, input.options.alias === true, input.signal);
      const print = input.options.json ? printJson : kind.name === 'hist' ? printHistogram : printTable;
      await print({ lines, file, kind, slices, maxBin, header: input.options.header === true });
      return 0;
    } finally {
      await lines.flush();
      file?.close();
      await pool.close();
    }
  },
};

type Slices = AsyncGenerator<IntervalStatistics[]>;

interface Printing {
  lines: Lines;
  file: D4File;
  kind: Kind;
  /** Rows of each track, in slices of the same lengths. */
  slices: Slices[];
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
): Slices[] {
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
  return tracks.map((_, place) => file.rows(request, place));
}

async function printTable({ lines, file, kind, slices, header }: Printing): Promise<void> {
  if (header) {
    const columns =
      kind.name === 'perc_cov'
        ? kind.thresholds.map((threshold) => `${threshold}x`)
        : slices.map((_, i) => posix.basename(file.track(i).name) || kind.name);
    const begin = kind.name === 'perc_cov' ? 'Start' : 'Begin';
    await lines.line(['#Chr', begin, 'End', ...columns].join('\t'));
  }
  const denominators = slices.map((_, place) => file.track(place).denominator);
  for (;;) {
    const found = await Promise.all(slices.map((one) => one.next()));
    const [first, ...others] = found.map(({ value, done }) => (done ? [] : value));
    if (!first || first.length === 0) return;
    for (let i = 0; i < first.length; i++) {
      const row = first[i] as IntervalStatistics;
      let line = `${row.chromosome}\t${row.begin}\t${row.end}${cellsOf(kind, row, denominators[0] as number)}`;
      for (let k = 0; k < others.length; k++) {
        line += cellsOf(kind, others[k]?.[i] as IntervalStatistics, denominators[k + 1] as number);
      }
      await lines.line(line);
    }
  }
}

/** The cells of one track, each after a tab. */
function cellsOf(kind: Kind, row: IntervalStatistics, denominator: number): string {
  const length = row.end - row.begin;
  switch (kind.name) {
    case 'mean':
      return `\t${plainNumber(row.mean)}`;
    case 'sum':
      return `\t${plainNumber(row.sum / denominator)}`;
    case 'count':
      return `\t${length}`;
    case 'percentile':
      return `\t${plainNumber(row.percentiles?.[0] ?? 0)}`;
    case 'perc_cov':
      return row.counts.reduce((cells, count) => `${cells}\t${fraction(count, length)}`, '');
    case 'hist':
      return '';
  }
}

/** Prints one histogram of all regions; bases in several regions count several times. */
async function printHistogram({ lines, file, slices, maxBin }: Printing): Promise<void> {
  const { denominator } = file.track();
  const bins = new Float64Array(maxBin);
  let below = 0;
  let above = 0;
  for await (const rows of slices[0] ?? []) {
    for (const { depth, bases } of rows.flatMap(({ histogram = [] }) => histogram)) {
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

async function printJson({ lines, file, kind, slices }: Printing): Promise<void> {
  const tracks = await Promise.all(
    slices.map(async (own, place) => {
      const rows: IntervalStatistics[] = [];
      for await (const some of own) rows.push(...some);
      return { track: file.tracks[place]?.name, rows };
    }),
  );
  await lines.line(JSON.stringify({ file: file.source.name, statistic: kind, tracks }, undefined, 1));
}
