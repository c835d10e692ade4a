/** `create`: makes a D4 file from depth text. */
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { dirname, join, parse } from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  type CreateOptions,
  createD4,
  type D4Chromosome,
  D4Error,
  mergeD4,
  type TextFormat,
  type TextInputOptions,
  textInput,
} from '../../d4/index.js';
import {
  type D4Command,
  type D4Input,
  filesArgument,
  forceOption,
  inputsAndOutput,
  numberOption,
  textOption,
} from './command.js';

const deflateLevel = 5;

/** Makes a D4 file from depth text. */
export const createCommand: D4Command = {
  name: 'create',
  summary: 'make a D4 file from bedGraph, per-base BED (of mosdepth) or samtools-depth text',
  description:
    'Texts may be gzipped (bgzip too); - is standard input. Several texts become the tracks of one file, named after them. ' +
    'The output appears only when it is complete.',
  arguments: [filesArgument],
  options: [
    {
      flags: '-g, --genome <file>',
      description: 'names and sizes of the chromosomes (also a .fai)',
    },
    { flags: '-z, --deflate', description: 'compress the secondary table' },
    { flags: '-S, --sparse', description: 'for depths in a few regions only: the same as -z -R 0-1' },
    { flags: '--deflate-level <level>', description: `1 to 9 (default: ${deflateLevel}); implies --deflate` },
    {
      flags: '-R, --dict-range <low-high>',
      description: 'values that get a code, high exclusive (default: the cheapest choice)',
    },
    {
      flags: '--denominator <n>',
      description:
        'factor from depths to stored integers, to which they are rounded (default: the power of ten that they need, up to a billion)',
    },
    {
      flags: '--format <format>',
      description: 'bedgraph or depth (default: detected from the columns, if they are clear)',
    },
    {
      flags: '--column <n>',
      description: 'depth column in the output of samtools depth for several files (default: 1)',
    },
    { flags: '--allow-empty', description: 'with --genome: read a text without depths as depth 0 everywhere' },
    { flags: '--allow-cut', description: 'read a last line without a line end' },
    forceOption,
  ],
  async run(input, io) {
    const { inputs, output } = inputsAndOutput(input);
    const genome = textOption(input, 'genome');
    const level =
      numberOption(input, 'deflateLevel') ?? (input.options.deflate || input.options.sparse ? deflateLevel : undefined);
    const options: CreateOptions = {
      chromosomes: genome === undefined ? undefined : await io.readGenome(genome),
      dictionary: parseRange(input.options.sparse ? '0-1' : textOption(input, 'dictRange')),
      denominator: numberOption(input, 'denominator'),
      round: true,
      deflate: level,
      progress: io.progress,
      signal: input.signal,
    };
    const textOptions = textOptionsOf(input, options.chromosomes);
    // Temporary files are beside the output, where there must be room anyway.
    let folder: string;
    try {
      folder = await mkdtemp(join(dirname(output), '.trefoil-d4-'));
    } catch (cause) {
      throw new D4Error('unreachable', 'The folder of the output is not writable', output, { cause });
    }
    try {
      const parts = [];
      for (const [i, given] of inputs.entries()) {
        const source = given === '-' ? await spool(join(folder, `stdin${i}`)) : given;
        const path = inputs.length === 1 ? output : join(folder, `${i}.d4`);
        await createD4(path, textInput(source, textOptions), options);
        parts.push({ path, name: given === '-' ? 'stdin' : parse(given).name });
      }
      if (inputs.length > 1) await mergeD4(output, parts, io.progress);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    return 0;
  },
};

/** Writes standard input to a file, because it is read twice. */
async function spool(path: string): Promise<string> {
  await pipeline(process.stdin, createWriteStream(path));
  return path;
}

function textOptionsOf(input: D4Input, chromosomes: readonly D4Chromosome[] | undefined): TextInputOptions {
  const given = numberOption(input, 'column');
  const format = parseFormat(textOption(input, 'format')) ?? (given === undefined ? undefined : 'depth');
  const column = (given ?? 1) - 1;
  if (!(Number.isInteger(column) && column >= 0))
    throw new D4Error('invalid', 'A column must be a whole number from 1', '--column');
  if (given !== undefined && format === 'bedgraph')
    throw new D4Error('invalid', 'A bedGraph has one column of depths', '--column');
  const allowEmpty = input.options.allowEmpty === true;
  if (allowEmpty && chromosomes === undefined)
    throw new D4Error('invalid', 'A text without depths names no chromosomes: use --genome, too', '--allow-empty');
  return { format, column, chromosomes, allowEmpty, allowCut: input.options.allowCut === true };
}

function parseRange(given: string | undefined): { low: number; high: number } | undefined {
  if (given === undefined) return undefined;
  const [, low, high] = /^(-?\d+)-(\d+)$/.exec(given) ?? [];
  if (low === undefined || high === undefined) throw new D4Error('invalid', 'A range must be LOW-HIGH', '--dict-range');
  return { low: Number(low), high: Number(high) };
}

function parseFormat(given: string | undefined): TextFormat | undefined {
  if (given === undefined || given === 'bedgraph' || given === 'depth') return given;
  throw new D4Error('invalid', `${JSON.stringify(given)} is neither bedgraph nor depth`, '--format');
}
