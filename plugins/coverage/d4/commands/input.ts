import { existsSync } from 'node:fs';
import { D4Error } from '../error.js';
import type { CommandArgument, CommandInput, CommandOption } from './command.js';

/** The file that most commands are about: their first argument. */
export function fileOf(input: CommandInput): string {
  const [file] = input.arguments;
  if (file === undefined) throw new D4Error('invalid', 'A file is needed', 'arguments');
  return file;
}

export const fileArgument: CommandArgument = { name: 'file', description: 'D4 file or URL', required: true };

/** Files of which the last is to be written. It must not exist yet, unless forced: a forgotten output would cost an input. */
export function inputsAndOutput(input: CommandInput): { inputs: string[]; output: string } {
  const inputs = [...input.arguments];
  const output = inputs.pop();
  if (output === undefined || inputs.length === 0) {
    throw new D4Error('invalid', 'At least one input and the output are needed', 'arguments');
  }
  if (existsSync(output) && input.options.force !== true) {
    throw new D4Error('invalid', 'The output exists; --force replaces it', output);
  }
  return { inputs, output };
}

export const filesArgument: CommandArgument = {
  name: 'files',
  description: 'the inputs, and last the D4 file to write',
  required: true,
  variadic: true,
};

export const forceOption: CommandOption = { flags: '-f, --force', description: 'replace the output when it exists' };

/** An option's text, when it was given. */
export function text({ options }: CommandInput, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

/** An option's number, when it was given. */
export function number(input: CommandInput, name: string): number | undefined {
  const given = text(input, name);
  return given === undefined ? undefined : parseNumber(given, `--${name}`);
}

export function parseNumber(given: string, place: string): number {
  const value = given.trim() === '' ? Number.NaN : Number(given);
  if (!Number.isFinite(value)) throw new D4Error('invalid', `${JSON.stringify(given)} is no number`, place);
  return value;
}
