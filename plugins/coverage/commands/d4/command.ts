/** Commands as data, apart from any parser of command lines, and what they share to read their arguments and options. */
import { existsSync } from 'node:fs';
import type { Writable } from 'node:stream';
import {
  type D4Chromosome,
  D4Error,
  type D4File,
  type HttpOptions,
  isD4Error,
  type OpenOptions,
  openD4,
} from '../../d4/index.js';

/** The regions of a BED file in columns, zero-based half-open. */
interface BedRegions {
  readonly chromosomes: readonly string[];
  /** Of each region, the place of its chromosome in `chromosomes`. */
  readonly ordinals: Uint32Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /**
   * Throws, naming the line, for a region that ends beyond its chromosome, of which `sizeOf` returns the bases, and for one whose size
   * is undefined, with the reason of `unknown`.
   */
  within(sizeOf: (chromosome: string) => number | undefined, unknown: (chromosome: string) => string): void;
}

/** Where a command writes, and how it reads. */
export interface D4Io {
  out: Writable;
  err: Writable;
  isTTY: boolean;
  /** Reads a BED file. Throws, naming file and line, if it is not one. */
  readBed(path: string): Promise<BedRegions>;
  /** Reads names and sizes of chromosomes. Throws, naming file and line, if the file has none. */
  readGenome(path: string): Promise<D4Chromosome[]>;
  /** How to reach http(s) URLs. */
  http?: HttpOptions | undefined;
  /** How to reach s3:// names; they cannot be read if omitted. */
  s3?: HttpOptions | undefined;
  /** Shows the progress of long work, 0 to 1. */
  progress?: ((fraction: number, label: string) => void) | undefined;
}

interface D4Argument {
  name: string;
  description: string;
  /** Whether the command needs it. */
  required?: boolean;
  /** Whether it takes all following arguments. */
  variadic?: boolean;
}

export interface D4Option {
  /** As shown in help: `-s, --stat <kind>`; with `<…>` it takes a value, else it is a switch. */
  flags: string;
  description: string;
  /** May be given several times; the value is an array. */
  repeatable?: boolean;
}

/** The arguments of a command line, in order, and its options by their long name in camel case. */
export interface D4Input {
  arguments: readonly string[];
  options: Readonly<Record<string, unknown>>;
  signal?: AbortSignal | undefined;
}

/** A command as data; the caller parses the command line. */
export interface D4Command {
  name: string;
  /** Other names of the same command. */
  aliases?: readonly string[];
  summary: string;
  description?: string;
  arguments: readonly D4Argument[];
  options: readonly D4Option[];
  /** Returns the exit status. Throws D4Error for problems that the user can solve. */
  run(input: D4Input, io: D4Io): Promise<number>;
}

// What commands share to read their arguments and options.

/** The file that most commands read: their first argument. */
export function fileOfInput(input: D4Input): string {
  const [file] = input.arguments;
  if (file === undefined) throw new D4Error('invalid', 'A file is needed', 'arguments');
  return file;
}

export const fileArgument: D4Argument = {
  name: 'file',
  description: 'D4 file, URL or s3://bucket/key',
  required: true,
};

export const trackArgument: D4Argument = {
  name: 'file',
  description: 'D4 file, URL or s3://bucket/key, or one track of it as FILE:TRACK',
  required: true,
};

/** Most colons of a URL after which the name of a track is tried. */
const mostSplits = 4;

/**
 * Bytes of decoded records that are kept: a command passes over the file once. Sixteen times as many, as for questions one after the
 * other, are as much again to clear and to collect.
 */
const cacheBytes = 2 ** 20;

/** Opens `FILE`, or `FILE:TRACK` with that track as its only one: what `ls-track` prints. Throws D4Error. */
export async function openTrack(given: string, further: OpenOptions = {}): Promise<D4File> {
  const options = { cacheBytes, ...further };
  const [origin = ''] = /^(?:https?|s3):\/\/[^/]*/i.exec(given) ?? [];
  const isUrl = origin !== '';
  if (!isUrl && existsSync(given)) return openD4(given, options);
  // Names of files and tracks, and URLs, may contain colons: the longest file name that exists is taken.
  for (const [location, track] of splits(given, origin.length).slice(0, mostSplits)) {
    if (!isUrl && !existsSync(location)) continue;
    const file = await openD4(location, options).catch((error) => {
      if (isUrl && isD4Error(error)) return undefined; // the colon is part of the URL
      throw error;
    });
    if (file === undefined) continue;
    try {
      if (!isUrl || file.tracks.some(({ name }) => name === track)) return file.only(track);
    } catch (error) {
      file.close();
      throw error;
    }
    file.close();
  }
  return openD4(given, options);
}

/** The texts before and after each colon from an index on, the last colon first. */
function splits(text: string, from: number): [string, string][] {
  const found: [string, string][] = [];
  for (let at = text.indexOf(':', from); at >= 0; at = text.indexOf(':', at + 1)) {
    if (at > 0 && at < text.length - 1) found.unshift([text.slice(0, at), text.slice(at + 1)]);
  }
  return found;
}

/** The inputs, and the output as the last file. It must not exist unless forced: if it is forgotten, an input would be lost. */
export function inputsAndOutput(input: D4Input): { inputs: string[]; output: string } {
  const inputs = [...input.arguments];
  const output = inputs.pop();
  if (output === undefined || inputs.length === 0) {
    throw new D4Error('invalid', 'At least one input file and the output file are needed', 'arguments');
  }
  if (existsSync(output) && input.options.force !== true) {
    throw new D4Error('invalid', 'The output exists; --force replaces it', output);
  }
  return { inputs, output };
}

export const filesArgument: D4Argument = {
  name: 'files',
  description: 'the input files, and last the D4 file to write',
  required: true,
  variadic: true,
};

export const forceOption: D4Option = { flags: '-f, --force', description: 'replace the output if it exists' };

/** The text of an option, if it was given. */
export function textOption({ options }: D4Input, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

/** The number of an option, if it was given. */
export function numberOption(input: D4Input, name: string): number | undefined {
  const given = textOption(input, name);
  return given === undefined ? undefined : parseNumber(given, `--${name}`);
}

export function parseNumber(given: string, place: string): number {
  const value = given.trim() === '' ? Number.NaN : Number(given);
  if (!Number.isFinite(value)) throw new D4Error('invalid', `${JSON.stringify(given)} is not a number`, place);
  return value;
}

/** More threads than a machine has processors for one file: each takes memory and a part of a second to start. */
const mostThreads = 256;

/** The number of `--threads`, if it was given. */
export function threadsOption(input: D4Input): number | undefined {
  const threads = numberOption(input, 'threads');
  if (threads !== undefined && !(Number.isInteger(threads) && threads > 0 && threads <= mostThreads)) {
    throw new D4Error('invalid', `The number of threads must be a whole number from 1 to ${mostThreads}`, '--threads');
  }
  return threads;
}
