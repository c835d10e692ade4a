/** The options of `trefoil d4 mosdepth`: mosdepth's own, as far as they make sense for depths that are known already. */
import type { CommandInput, CommandOption } from '../d4/commands/command.js';
import { number, text } from '../d4/commands/input.js';
import { D4Error } from '../d4/error.js';
import { precisionOf } from './decimal.js';
import { parseQuantize, type Quantizer } from './quantize.js';

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

export const mosdepthOptions: readonly CommandOption[] = [
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
export function parseOptions(input: CommandInput, environment: NodeJS.ProcessEnv): MosdepthOptions {
  for (const flags of aboutReads) {
    const [, long = ''] = /--(\S+)/.exec(flags) ?? [];
    const key = long.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    if (input.options[key] === undefined) continue;
    const message =
      'This option of mosdepth is not available: a D4 file holds depths, and its reads were chosen before';
    throw new D4Error('invalid', message, `--${long}`);
  }
  const threads = number(input, 'threads');
  if (threads !== undefined && !(Number.isInteger(threads) && threads > 0)) {
    throw new D4Error('invalid', 'The number of threads must be a whole number from 1', '--threads');
  }
  const by = text(input, 'by');
  const thresholds = parseThresholds(text(input, 'thresholds'));
  if (by === undefined && thresholds.length > 0) {
    throw new D4Error('invalid', 'Thresholds count bases of regions: they need --by', '--thresholds');
  }
  const useMedian = input.options.useMedian === true;
  if (by === undefined && useMedian) {
    throw new D4Error('invalid', 'Medians are those of regions: they need --by', '--use-median');
  }
  const quantize = text(input, 'quantize');
  return {
    by,
    thresholds,
    quantize: quantize === undefined ? undefined : parseQuantize(quantize, environment),
    useMedian,
    perBase: input.options.perBase !== false,
    chromosome: text(input, 'chrom'),
    track: text(input, 'track'),
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
