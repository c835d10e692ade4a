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
  type D4Input,
  fileOfInput,
  numberOption,
  openTrack,
  parseNumber,
  textOption,
  threadsOption,
  trackArgument,
} from './command.js';
import { Lines, plainNumber } from './output.js';
import { bedRegions, Regions, wholeGenome } from './regions.js';

/** Bins of a histogram by default. */
const defaultBins = 1000;

/** A thread costs as much as sweeping about a gigabase, so that a command starts some only for several times that. */
const inlineBases = 5_000_000_000;

type StatisticKind = TableKind | { name: 'hist' };

/** What a table has in columns; it may have several kinds, one after the other. */
type TableKind =
  | { name: 'mean' | 'sum' | 'count' }
  | { name: 'percentile'; percent: number }
  | { name: 'perc_cov'; thresholds: number[] };

const statistics = 'mean, sum, count, median, percentile=P, hist or perc_cov=T1,T2,…';

/** Prints statistics of regions in the columns and the order of d4tools, or as JSON. */
export const statCommand: D4Command = {
  name: 'stat',
  summary: 'print statistics of regions of a D4 file',
  description:
    `KIND is ${statistics} (fraction of bases with at least that depth). ` +
    'Given several times, such as -s mean -s perc_cov=10,20, their columns follow one another, and the file is read once. ' +
    'Rows are sorted by chromosome name, begin and end. Without --region every chromosome is a row.',
  arguments: [trackArgument],
  options: [
    { flags: '-s, --stat <kind>', description: 'what to print (default: mean)', repeatable: true },
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
    const kinds = kindsOf(input);
    const threads = threadsOption(input);
    const maxBin = numberOption(input, 'maxBin') ?? defaultBins;
    const pool = new D4Pool({ threads, inlineBases: threads === undefined ? inlineBases : undefined });
    const lines = new Lines(io.out);
    let file: D4File | undefined;
    try {
      file = await openTrack(fileOfInput(input), { sweeper: pool.sweeper, http: io.http, s3: io.s3 });
      const bed = textOption(input, 'region');
      const alias = input.options.alias === true;
      const track = file.track();
      const regions = bed === undefined ? Regions.of(wholeGenome(track)) : await bedRegions(io, bed, track, alias);
      const request = requestOf(kinds, regions, alias, input.signal);
      // As in d4tools, histograms and fractions are those of the first track.
      const tracks = kinds.every(isOfFirstTrack) ? 1 : file.tracks.length;
      const printing = { lines, file, kinds, request, tracks };
      const table = kinds.filter((kind) => kind.name !== 'hist');
      if (input.options.json) await printJson(printing);
      else if (table.length === 0) await printHistogram(printing, maxBin);
      else await printTable(printing, table, input.options.header === true);
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
  kinds: readonly StatisticKind[];
  request: StatisticsRequest & { intervals: Regions };
  /** How many of the file's tracks are printed: the first ones. */
  tracks: number;
}

/** The kinds of `--stat`, in the order in which they are printed. */
function kindsOf({ options }: D4Input): StatisticKind[] {
  const given = (options.stat as readonly string[] | undefined) ?? ['mean'];
  const kinds = given.map(parseKind);
  if (kinds.length > 1 && kinds.some(({ name }) => name === 'hist')) {
    throw new D4Error('invalid', 'A histogram has other lines than a table: ask for hist alone', '--stat');
  }
  return kinds;
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
  throw new D4Error('invalid', `${JSON.stringify(given)} is not a statistic, which are ${statistics}`, '--stat');
}

function isOfFirstTrack({ name }: StatisticKind): boolean {
  return name === 'hist' || name === 'perc_cov';
}

function requestOf(
  kinds: readonly StatisticKind[],
  intervals: Regions,
  alias: boolean,
  signal: AbortSignal | undefined,
): StatisticsOutput['request'] {
  return {
    intervals,
    alias,
    signal,
    thresholds: kinds.flatMap((kind) => (kind.name === 'perc_cov' ? kind.thresholds : [])),
    percentiles: kinds.flatMap((kind) => (kind.name === 'percentile' ? kind.percent : [])),
    histogram: kinds.some(({ name }) => name === 'hist'),
  };
}

/** From columns: an object for each row would take longer than to measure it. */
async function printTable(
  { lines, file, request, tracks }: StatisticsOutput,
  kinds: readonly TableKind[],
  header: boolean,
): Promise<void> {
  const shown = file.tracks.slice(0, tracks);
  if (header) {
    const columns = kinds.flatMap((kind) =>
      kind.name === 'perc_cov'
        ? kind.thresholds.map((threshold) => `${threshold}x`)
        : shown.map(({ name }) => posix.basename(name) || kind.name),
    );
    const begin = kinds[0]?.name === 'perc_cov' ? 'Start' : 'Begin';
    await lines.line(['#Chr', begin, 'End', ...columns].join('\t'));
  }
  // Asked in the order of the file, in which they are measured: their results need not be put into another order.
  const { regions, stretches } = request.intervals.sorted(inOrderOf(file.track()));
  const sums = kinds.some(({ name }) => name === 'mean' || name === 'sum');
  const inOrder = { ...request, intervals: regions, sums };
  const found = await Promise.all(shown.map((_, place) => file.columns(inOrder, place)));
  const cells: AddCells[] = [];
  const next = { threshold: 0, percentile: 0 };
  for (const kind of kinds) {
    for (const [place, columns] of found.slice(0, isOfFirstTrack(kind) ? 1 : tracks).entries()) {
      cells.push(
        cellsOfKind(kind, { columns, request, first: { ...next }, denominator: file.track(place).denominator, lines }),
      );
    }
    if (kind.name === 'perc_cov') next.threshold += kind.thresholds.length;
    if (kind.name === 'percentile') next.percentile++;
  }
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

/** What the cells of one kind and track are made of; `first` are the places of the kind's own among those of a row. */
interface CellSource {
  columns: StatisticsColumns;
  request: StatisticsRequest;
  first: { threshold: number; percentile: number };
  denominator: number;
  lines: Lines;
}

function cellsOfKind(kind: TableKind, { columns, request, first, denominator, lines }: CellSource): AddCells {
  const { means, sums, counts, percentiles } = columns;
  switch (kind.name) {
    case 'mean':
      return (row) => lines.addCell(plainNumber(means[row] as number));
    case 'sum':
      return (row) => lines.addCell(plainNumber((sums[row] as number) / denominator));
    case 'count':
      return (_, length) => lines.addCell(String(length));
    case 'percentile': {
      const each = request.percentiles?.length ?? 0;
      return (row) => {
        const value = percentiles[row * each + first.percentile] as number;
        lines.addCell(plainNumber(Number.isNaN(value) ? 0 : value));
      };
    }
    case 'perc_cov': {
      const each = request.thresholds?.length ?? 0;
      const own = kind.thresholds.length;
      return (row, length) => {
        const from = row * each + first.threshold;
        for (let at = from; at < from + own; at++) lines.addFraction(counts[at] as number, length);
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

async function printJson({ lines, file, kinds, request, tracks }: StatisticsOutput): Promise<void> {
  const inOrder = { ...request, intervals: request.intervals.sorted(byBytes).regions };
  const found = await Promise.all(
    file.tracks.slice(0, tracks).map(async ({ name }, place) => ({
      track: name,
      rows: await file.statistics(inOrder, place),
    })),
  );
  await lines.line(
    JSON.stringify(
      { file: file.source.name, statistic: kinds.length > 1 ? kinds : kinds[0], tracks: found },
      undefined,
      1,
    ),
  );
}
