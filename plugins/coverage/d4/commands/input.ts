import { existsSync } from 'node:fs';
import { D4Error } from '../error.js';
import type { CommandArgument, CommandInput, CommandOption } from './command.js';

/** The value of an argument that is always there. */
export function argument({ arguments: given }: CommandInput, name: string): string {
  const value = given[name];
  if (typeof value !== 'string') throw new D4Error('invalid', 'This argument is needed', name);
  return value;
}

/** The values of an argument that may be repeated. */
export function argumentList({ arguments: given }: CommandInput, name: string): string[] {
  const value = given[name] ?? [];
  return typeof value === 'string' ? [value] : [...value];
}

/** Files of which the last is to be written. It must not exist yet, unless forced: a forgotten output would cost an input. */
export function inputsAndOutput(input: CommandInput): { inputs: string[]; output: string } {
  const files = argumentList(input, 'files');
  const output = files.pop();
  if (output === undefined || files.length === 0) {
    throw new D4Error('invalid', 'At least one input and the output are needed', 'files');
  }
  if (existsSync(output) && input.options.force !== true) {
    throw new D4Error('invalid', 'The output exists; --force replaces it', output);
  }
  return { inputs: files, output };
}

export const filesArgument: CommandArgument = {
  name: 'files',
  description: 'the inputs, and last the D4 file to write',
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
