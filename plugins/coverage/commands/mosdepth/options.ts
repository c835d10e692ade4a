/**
 * The options of `trefoil d4 mosdepth` (mosdepth's own, as far as they make sense for depths that are known already), and the
 * notation of its numbers and bins.
 */

import { D4Error } from '../../d4/index.js';
import { type D4Input, type D4Option, textOption, threadsOption } from '../d4/command.js';

export interface MosdepthOptions {
  by: string | undefined;
  /** Ascending. */
  thresholds: number[];
  quantize: Quantizer | undefined;
  /** Whether regions get their median instead of their mean. */
  useMedian: boolean;
  perBase: boolean;
  /** The only chromosome, if one was named. */
  chromosome: string | undefined;
  /** The track by its name, if the file has several. */
  track: string | undefined;
  threads: number | undefined;
  force: boolean;
  /** Decimals of means and shares. */
  precision: number;
}

/** More would be a mistake, such as a list of depths. */
const mostThresholds = 100;

/** Options of mosdepth that choose reads, or how they count. */
const aboutReads: readonly string[] = [
  '-F, --flag <flag>',
  '-i, --include-flag <flag>',
  '-Q, --mapq <mapq>',
  '-R, --read-groups <ids>',
  '-x, --fast-mode',
  '-a, --fragment-mode',
  '-l, --min-frag-len <length>',
  '-u, --max-frag-len <length>',
  '-f, --fasta <fasta>',
  '-d, --d4',
];

export const mosdepthOptions: readonly D4Option[] = [
  { flags: '-b, --by <bed|window>', description: 'BED file of regions (gzip too), or the length of windows in bases' },
  {
    flags: '-T, --thresholds <depths>',
    description: 'with --by: also write how many bases of each region have at least these depths, such as 1,10,20,30',
  },
  {
    flags: '-q, --quantize <bins>',
    description: 'also write the runs whose depths are in the same bin, such as 0:1:5:150:',
  },
  { flags: '-m, --use-median', description: 'with --by: the median of each region instead of its mean' },
  { flags: '-n, --no-per-base', description: 'do not write the depth of every base, which takes most of the time' },
  { flags: '-c, --chrom <name>', description: 'this chromosome only' },
  { flags: '--track <name>', description: 'the track of a file with several' },
  { flags: '-t, --threads <n>', description: 'worker threads for long work' },
  // Not -f: that is mosdepth's --fasta.
  { flags: '--force', description: 'replace output files that exist' },
  ...aboutReads.map((flags) => ({
    flags,
    description: 'refused: choose reads when the depths are computed',
  })),
];

/** Throws D4Error `invalid`. */
export function parseOptions(input: D4Input, environment: NodeJS.ProcessEnv): MosdepthOptions {
  for (const flags of aboutReads) {
    const [, long = ''] = /--(\S+)/.exec(flags) ?? [];
    const key = long.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    if (input.options[key] === undefined) continue;
    const message =
      'This option of mosdepth is not available: a D4 file holds depths, and its reads were chosen before';
    throw new D4Error('invalid', message, `--${long}`);
  }
  const threads = threadsOption(input);
  const by = textOption(input, 'by');
  const thresholds = parseThresholds(textOption(input, 'thresholds'));
  if (by === undefined && thresholds.length > 0) {
    throw new D4Error('invalid', 'Thresholds count bases of regions: they need --by', '--thresholds');
  }
  const useMedian = input.options.useMedian === true;
  if (by === undefined && useMedian) {
    throw new D4Error('invalid', 'Medians are those of regions: they need --by', '--use-median');
  }
  const quantize = textOption(input, 'quantize');
  return {
    by,
    thresholds,
    quantize: quantize === undefined ? undefined : parseQuantize(quantize, environment),
    useMedian,
    perBase: input.options.perBase !== false,
    chromosome: textOption(input, 'chrom'),
    track: textOption(input, 'track'),
    threads,
    force: input.options.force === true,
    precision: precisionOf(environment),
  };
}

function parseThresholds(given: string | undefined): number[] {
  if (given === undefined) return [];
  const parts = given.split(',');
  if (parts.length > mostThresholds || !parts.every((part) => /^\d{1,9}$/.test(part))) {
    const message = `Thresholds must be at most ${mostThresholds} whole numbers separated by commas; got ${JSON.stringify(given.slice(0, 100))}`;
    throw new D4Error('invalid', message, '--thresholds');
  }
  return parts.map(Number).sort((a, b) => a - b);
}

// Bins of depths, as mosdepth's `--quantize` names them.

export interface Quantizer {
  /** The label of each bin. */
  labels: readonly string[];
  /** The bin of a depth; −1 for depths outside all bins. */
  binOf(depth: number): number;
}

/** Parses `0:1:5:150:`: bins from each number to below the next; a colon at either end means from 0, or without end. */
function parseQuantize(given: string, environment: NodeJS.ProcessEnv): Quantizer {
  const text = given.includes(':') ? given : `:${given}:`;
  const parts = text.split(':');
  if (parts[0] === '') parts[0] = '0';
  const open = parts.at(-1) === '';
  if (open) parts.pop();
  if (!parts.every((part) => /^\d{1,9}$/.test(part)) || parts.length + (open ? 1 : 0) < 2) {
    const message = `Bins must be whole numbers separated by colons, such as 0:1:5:150:; got ${JSON.stringify(given)}`;
    throw new D4Error('invalid', message, '--quantize');
  }
  const bounds = parts.map(Number).sort((a, b) => a - b);
  const ends = [...bounds.slice(1), ...(open ? [Number.POSITIVE_INFINITY] : [])];
  const labels = ends.map((end, i) => {
    const own = environment[`MOSDEPTH_Q${i}`];
    return own || `${bounds[i]}:${end === Number.POSITIVE_INFINITY ? 'inf' : end}`;
  });
  return {
    labels,
    binOf(depth) {
      const bin = bounds.findLastIndex((bound) => bound <= depth);
      return bin < labels.length ? bin : -1;
    },
  };
}

// Numbers as mosdepth prints them.

const defaultPrecision = 2;
const mostPrecision = 15;

/** The decimals of means and shares: mosdepth's environment variable, or 2. Throws D4Error `invalid`. */
function precisionOf(environment: NodeJS.ProcessEnv): number {
  const given = environment.MOSDEPTH_PRECISION;
  if (given === undefined || given === '') return defaultPrecision;
  const precision = Number(given);
  if (/^\d+$/.test(given) && precision >= 1 && precision <= mostPrecision) return precision;
  const message = `The number of decimals must be a whole number from 1 to ${mostPrecision}; got ${JSON.stringify(given)}`;
  throw new D4Error('invalid', message, 'MOSDEPTH_PRECISION');
}

/**
 * A number of 0 or more with a fixed number of decimals, rounded as C does: a number exactly between two decimals takes the
 * even one, while `toFixed` takes the larger.
 */
export function decimal(value: number, precision: number): string {
  const scaled = value * 10 ** precision;
  const nearest = Math.round(scaled);
  // Far from the middle of two decimals, whole numbers are faster than `toFixed`.
  if (nearest < 2 ** 31 && Math.abs(scaled - nearest) < 0.499) {
    const digits = String(nearest).padStart(precision + 1, '0');
    return `${digits.slice(0, -precision)}.${digits.slice(-precision)}`;
  }
  const rounded = value.toFixed(precision);
  // A number between two decimals is an odd multiple of 2^-(precision + 1): its other factors are powers of five.
  const halves = value * 2 ** (precision + 1);
  const between = Number.isInteger(halves) && halves % 2 === 1;
  if (!between || Number(rounded.at(-1)) % 2 === 0) return rounded;
  return (value - 10 ** -(precision + 1)).toFixed(precision);
}
