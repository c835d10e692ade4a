/** `stat`: prints statistics of regions. */
import { posix } from 'node:path';
import {
  D4Error,
  type D4File,
  D4Pool,
  type D4Track,
  type StatisticsColumns,
  type StatisticsRequest,
} from '../../d4/index.js';
import {
  type D4Command,
  fileOfInput,
  numberOption,
  openTrack,
  parseNumber,
  textOption,
  trackArgument,
} from './command.js';
import { Lines, plainNumber } from './output.js';
import { bedRegions, Regions, wholeGenome } from './regions.js';

/** Bins of a histogram by default. */
const defaultBins = 1000;

/** A thread costs as much as sweeping about a gigabase, so that a command starts some only for several times that. */
const inlineBases = 5_000_000_000;

type StatisticKind = TableKind | { name: 'hist' };

/** What a table has in columns. */
type TableKind =
  | { name: 'mean' | 'sum' | 'count' }
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
    const kind = parseKind(textOption(input, 'stat') ?? 'mean');
    const threads = numberOption(input, 'threads');
    const maxBin = numberOption(input, 'maxBin') ?? defaultBins;
    if (threads !== undefined && !(Number.isInteger(threads) && threads > 0)) {
      throw new D4Error('invalid', 'The number of threads must be a whole number from 1', '--threads');
    }
    const pool = new D4Pool({ threads, inlineBases: threads === undefined ? inlineBases : undefined });
    const lines = new Lines(io.out);
    let file: D4File | undefined;
    try {
      file = await openTrack(fileOfInput(input), { sweeper: pool.sweeper, http: io.http, s3: io.s3 });
      const bed = textOption(input, 'region');
      const alias = input.options.alias === true;
      const track = file.track();
      const regions = bed === undefined ? Regions.of(wholeGenome(track)) : await bedRegions(io, bed, track, alias);
      const request = requestOf(kind, regions, alias, input.signal);
      // As in d4tools, histograms and fractions are those of the first track.
      const tracks = kind.name === 'hist' || kind.name === 'perc_cov' ? 1 : file.tracks.length;
      const printing = { lines, file, kind, request, tracks };
      if (input.options.json) await printJson(printing);
      else if (kind.name === 'hist') await printHistogram(printing, maxBin);
      else await printTable(printing, kind, input.options.header === true);
      return 0;
    } finally {
      await lines.flush();
      file?.close();
      await pool.close();
    }
  },
};

interface StatisticsOutput {
  lines: Lines;
  file: D4File;
  kind: StatisticKind;
  request: StatisticsRequest & { intervals: Regions };
  /** How many of the file's tracks are printed: the first ones. */
  tracks: number;
}

function parseKind(given: string): StatisticKind {
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

function requestOf(
  kind: StatisticKind,
  intervals: Regions,
  alias: boolean,
  signal: AbortSignal | undefined,
): StatisticsOutput['request'] {
  return {
    intervals,
    alias,
    signal,
    thresholds: kind.name === 'perc_cov' ? kind.thresholds : undefined,
    percentiles: kind.name === 'percentile' ? [kind.percent] : undefined,
    histogram: kind.name === 'hist',
  };
}

/** From columns: an object for each row would take longer than to measure it. */
async function printTable(
  { lines, file, request, tracks }: StatisticsOutput,
  kind: TableKind,
  header: boolean,
): Promise<void> {
  const shown = file.tracks.slice(0, tracks);
  if (header) {
    const columns =
      kind.name === 'perc_cov'
        ? kind.thresholds.map((threshold) => `${threshold}x`)
        : shown.map(({ name }) => posix.basename(name) || kind.name);
    const begin = kind.name === 'perc_cov' ? 'Start' : 'Begin';
    await lines.line(['#Chr', begin, 'End', ...columns].join('\t'));
  }
  // Asked in the order of the file, in which they are measured: their results need not be put into another order.
  const { regions, stretches } = request.intervals.sorted(inOrderOf(file.track()));
  const sums = kind.name === 'mean' || kind.name === 'sum';
  const inOrder = { ...request, intervals: regions, sums };
  const found = await Promise.all(shown.map((_, place) => file.columns(inOrder, place)));
  const cells = found.map((columns, place) => cellsOfKind(kind, columns, file.track(place).denominator, lines));
  for (const { name, from, to } of [...stretches].sort((one, other) => byBytes(one.name, other.name))) {
    for (let i = from; i < to; i++) {
      const pause = printRow(name, i);
      if (pause) await pause;
    }
  }

  function printRow(name: string, row: number): Promise<void> | undefined {
    const [begin, end] = [regions.begins[row] as number, regions.ends[row] as number];
    lines.addRegion(name, begin, end);
    for (const add of cells) add(row, end - begin);
    return lines.end();
  }
}

/** The order of d4tools. */
function byBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

/** The order of the track's chromosomes, with other names after them. */
function inOrderOf({ chromosomes }: D4Track): (one: string, other: string) => number {
  const ranks = new Map(chromosomes.map(({ name }, i) => [name, i]));
  const rankOf = (name: string) => ranks.get(name) ?? chromosomes.length;
  return (one, other) => rankOf(one) - rankOf(other) || byBytes(one, other);
}

/** Adds the cells of one track to a row, each after a tab. */
type AddCells = (row: number, length: number) => void;

function cellsOfKind(
  kind: TableKind,
  { means, sums, counts, percentiles }: StatisticsColumns,
  denominator: number,
  lines: Lines,
): AddCells {
  switch (kind.name) {
    case 'mean':
      return (row) => lines.addCell(plainNumber(means[row] as number));
    case 'sum':
      return (row) => lines.addCell(plainNumber((sums[row] as number) / denominator));
    case 'count':
      return (_, length) => lines.addCell(String(length));
    case 'percentile':
      return (row) => {
        const value = percentiles[row] as number;
        lines.addCell(plainNumber(Number.isNaN(value) ? 0 : value));
      };
    case 'perc_cov': {
      const each = kind.thresholds.length;
      return (row, length) => {
        for (let at = row * each; at < (row + 1) * each; at++) lines.addFraction(counts[at] as number, length);
      };
    }
  }
}

/** Prints one histogram of all regions; bases in several regions count several times. */
async function printHistogram({ lines, file, request }: StatisticsOutput, maxBin: number): Promise<void> {
  const { denominator } = file.track();
  const bins = new Float64Array(maxBin);
  let below = 0;
  let above = 0;
  for await (const rows of file.rows(request)) {
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

async function printJson({ lines, file, kind, request, tracks }: StatisticsOutput): Promise<void> {
  const inOrder = { ...request, intervals: request.intervals.sorted(byBytes).regions };
  const found = await Promise.all(
    file.tracks.slice(0, tracks).map(async ({ name }, place) => ({
      track: name,
      rows: await file.statistics(inOrder, place),
    })),
  );
  await lines.line(JSON.stringify({ file: file.source.name, statistic: kind, tracks: found }, undefined, 1));
}
