/** What commands share to read their arguments and options. */
import { existsSync } from 'node:fs';
import { D4Error, isD4Error } from '../error.js';
import { type D4File, type OpenOptions, openD4 } from '../file.js';
import type { CommandArgument, CommandInput, CommandOption } from './command.js';

/** The file that most commands read: their first argument. */
export function fileOf(input: CommandInput): string {
  const [file] = input.arguments;
  if (file === undefined) throw new D4Error('invalid', 'A file is needed', 'arguments');
  return file;
}

export const fileArgument: CommandArgument = {
  name: 'file',
  description: 'D4 file, URL or s3://bucket/key',
  required: true,
};

export const trackArgument: CommandArgument = {
  name: 'file',
  description: 'D4 file, URL or s3://bucket/key, or one track of it as FILE:TRACK',
  required: true,
};

/** Most colons of a URL after which the name of a track is tried. */
const mostSplits = 4;

/** Opens `FILE`, or `FILE:TRACK` with that track as its only one: what `ls-track` prints. Throws D4Error. */
export async function openTrack(given: string, options: OpenOptions = {}): Promise<D4File> {
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
export function inputsAndOutput(input: CommandInput): { inputs: string[]; output: string } {
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

export const filesArgument: CommandArgument = {
  name: 'files',
  description: 'the input files, and last the D4 file to write',
  required: true,
  variadic: true,
};

export const forceOption: CommandOption = { flags: '-f, --force', description: 'replace the output if it exists' };

/** The text of an option, if it was given. */
export function text({ options }: CommandInput, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

/** The number of an option, if it was given. */
export function number(input: CommandInput, name: string): number | undefined {
  const given = text(input, name);
  return given === undefined ? undefined : parseNumber(given, `--${name}`);
}

export function parseNumber(given: string, place: string): number {
  const value = given.trim() === '' ? Number.NaN : Number(given);
  if (!Number.isFinite(value)) throw new D4Error('invalid', `${JSON.stringify(given)} is not a number`, place);
  return value;
}
