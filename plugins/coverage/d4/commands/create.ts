/** `create`: makes a D4 file from depth text. */
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { dirname, join, parse } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { D4Error } from '../error.js';
import type { Chromosome } from '../metadata.js';
import { type CreateOptions, createD4 } from '../write/create.js';
import { textInput } from '../write/input.js';
import { mergeD4 } from '../write/merge.js';
import type { TextFormat } from '../write/text.js';
import type { D4Command } from './command.js';
import { filesArgument, forceOption, inputsAndOutput, number, text } from './input.js';

const deflateLevel = 5;

/** Makes a D4 file of depth texts. */
export const createCommand: D4Command = {
  name: 'create',
  summary: 'make a D4 file of bedGraph, per-base BED or samtools-depth text',
  description:
    'Texts may be gzipped (bgzip too); - is standard input. Several texts become the tracks of one file, named after them. ' +
    'The output appears only when it is complete.',
  arguments: [filesArgument],
  options: [
    {
      flags: '-g, --genome <file>',
      description: 'names and sizes of the chromosomes, separated by tabs (also a .fai)',
    },
    { flags: '-z, --deflate', description: 'compress the secondary table' },
    { flags: '-S, --sparse', description: 'for depths of a few regions only: the same as -z -R 0-1' },
    { flags: '--deflate-level <level>', description: `1 to 9 (default: ${deflateLevel}); implies --deflate` },
    {
      flags: '-R, --dict-range <low-high>',
      description: 'values to give codes, high exclusive, instead of the cheapest choice',
    },
    { flags: '--denominator <n>', description: 'what depths are multiplied by, instead of the power of ten they need' },
    { flags: '--format <format>', description: 'bedgraph or depth, instead of judging by the columns' },
    { flags: '--column <n>', description: 'which depth column of samtools depth on several files (default: 1)' },
    forceOption,
  ],
  async run(input, io) {
    const { inputs, output } = inputsAndOutput(input);
    const genome = text(input, 'genome');
    const level =
      number(input, 'deflateLevel') ?? (input.options.deflate || input.options.sparse ? deflateLevel : undefined);
    const options: CreateOptions = {
      chromosomes: genome === undefined ? undefined : await readGenome(genome),
      dictionary: parseRange(input.options.sparse ? '0-1' : text(input, 'dictRange')),
      denominator: number(input, 'denominator'),
      deflate: level,
      progress: io.progress,
      signal: input.signal,
    };
    const format = parseFormat(text(input, 'format'));
    const column = (number(input, 'column') ?? 1) - 1;
    if (!(Number.isInteger(column) && column >= 0)) throw new D4Error('invalid', 'Columns count from 1', '--column');
    // Everything temporary lies beside the output, where there is room for it.
    let folder: string;
    try {
      folder = await mkdtemp(join(dirname(output), '.trefoil-d4-'));
    } catch (cause) {
      throw new D4Error('unreachable', 'Nothing can be written there', output, { cause });
    }
    try {
      const parts = [];
      for (const [i, given] of inputs.entries()) {
        const source = given === '-' ? await spool(join(folder, `stdin${i}`)) : given;
        const path = inputs.length === 1 ? output : join(folder, `${i}.d4`);
        await createD4(path, textInput(source, { format, column }), options);
        parts.push({ path, name: given === '-' ? 'stdin' : parse(given).name });
      }
      if (inputs.length > 1) await mergeD4(output, parts, io.progress);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    return 0;
  },
};

/** Keeps standard input on the disk, because it is gone through twice. */
async function spool(path: string): Promise<string> {
  await pipeline(process.stdin, createWriteStream(path));
  return path;
}

async function readGenome(path: string): Promise<Chromosome[]> {
  let content: string;
  try {
    content = await readFile(path, 'utf8');
  } catch (cause) {
    throw new D4Error('not-found', 'The genome file cannot be read', path, { cause });
  }
  return content.split(/\r?\n/).flatMap((line, i) => {
    if (line === '' || line.startsWith('#')) return [];
    const [name = '', size = ''] = line.split('\t');
    if (!/^\d+$/.test(size) || name === '') {
      throw new D4Error(
        'invalid',
        'A chromosome needs a name and a size, separated by a tab',
        `${path}: line ${i + 1}`,
      );
    }
    return [{ name, size: Number(size) }];
  });
}

function parseRange(given: string | undefined): { low: number; high: number } | undefined {
  if (given === undefined) return undefined;
  const [, low, high] = /^(-?\d+)-(\d+)$/.exec(given) ?? [];
  if (low === undefined || high === undefined) throw new D4Error('invalid', 'A range is LOW-HIGH', '--dict-range');
  return { low: Number(low), high: Number(high) };
}

function parseFormat(given: string | undefined): TextFormat | undefined {
  if (given === undefined || given === 'bedgraph' || given === 'depth') return given;
  throw new D4Error('invalid', `${JSON.stringify(given)} is neither bedgraph nor depth`, '--format');
}
