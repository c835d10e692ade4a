/** The options by which commands of the audit select entries. */
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { callerNames } from '../../audit/names.js';
import type { Sought } from '../../audit/read.js';
import { dayOf } from '../../command-input.js';
import type { CommandInput, CommandOption } from '../../commands.js';
import { utf8Text } from '../../encoding.js';
import { Fault } from '../../fault.js';

const day = 24 * 60 * 60 * 1000;

/** Kinds of things that entries are about; options name them. */
const kinds = ['sample', 'case', 'patient', 'dataset'];

export const aboutOptions: readonly CommandOption[] = [
  { flags: '--sample <id...>', description: 'entries about these samples', repeatable: true },
  { flags: '--sample-file <file>', description: 'the samples in this file, one on each line; - for stdin' },
  { flags: '--case <id...>', description: 'entries about these cases', repeatable: true },
  { flags: '--patient <id...>', description: 'entries about these patients', repeatable: true },
  { flags: '--dataset <id...>', description: 'entries about these datasets', repeatable: true },
];

export const selectionOptions: readonly CommandOption[] = [
  ...aboutOptions,
  {
    flags: '--actor <name...>',
    description: 'entries of these callers: the owner of a token, or a name as `audit list` shows it',
    repeatable: true,
  },
  {
    flags: '--action <action...>',
    description: 'only these actions, such as beacon.query or beacon',
    repeatable: true,
  },
  { flags: '--from <day>', description: 'from this day on, such as 2026-03-01 (UTC)' },
  { flags: '--to <day>', description: 'until this day, included' },
];

/** What the options select. Throws an `invalid` fault for days that do not exist. */
export async function soughtBy({ options }: CommandInput): Promise<Sought> {
  const about = await namesIn(options);
  const actors = options.actor as string[] | undefined;
  const [from, to] = [options.from, options.to].map((text) => (text === undefined ? undefined : dayOf(String(text))));
  const before = to && new Date(to.getTime() + day);
  if (from && before && before <= from) throw new Fault('invalid', '--to must not be before --from');
  return {
    about: about.length > 0 ? about : undefined,
    actors: actors?.flatMap(callerNames),
    actions: options.action as string[] | undefined,
    from,
    before,
  };
}

/** The names that options of `aboutOptions` give, each once. */
export async function namesIn(options: CommandInput['options']): Promise<string[]> {
  const given = kinds.flatMap((kind) => ((options[kind] as string[] | undefined) ?? []).map((id) => `${kind}:${id}`));
  const file = options.sampleFile as string | undefined;
  const listed = file === undefined ? [] : (await linesOf(file)).map((id) => `sample:${id}`);
  if (file !== undefined && listed.length === 0) throw new Fault('invalid', `${file} names no sample`);
  return [...new Set([...given, ...listed])];
}

async function linesOf(file: string): Promise<string[]> {
  const text = utf8Text(file === '-' ? await buffer(process.stdin) : await readFile(file).catch(refuse(file)));
  if (text === undefined) throw new Fault('unprocessable', `The file ${file} is not UTF-8 text`);
  return text.split(/\r?\n/).flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
}

function refuse(file: string): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    throw new Fault('unprocessable', `The file ${file} cannot be read (${error.code})`, { cause: error });
  };
}
