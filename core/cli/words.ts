/**
 * Builds a commander program from commands that are data, and rewrites older spellings of options to the current ones before
 * the command line is parsed.
 */
import { InvalidArgumentError, Option, type Command as Program } from 'commander';
import type { Command, CommandInput, CommandOption } from '../commands.js';

/** A command without its implementation. */
export type CommandShape = Omit<Command, 'run'>;

/** The options that every command accepts besides its own. */
export interface CommonOptions {
  config: string | undefined;
  json: boolean;
}

export type Action = (input: CommandInput, common: CommonOptions) => Promise<void>;

/**
 * Adds a command under its words: `add dataset` becomes `dataset` in the group `add`. With `common` it takes `--config`
 * and `--json` too.
 */
export function addCommand(
  root: Program,
  shape: CommandShape,
  prefix: string,
  action: Action,
  { common = true }: { common?: boolean } = {},
): void {
  const words = shape.name.split(' ');
  const parent = words.slice(0, -1).reduce(group, root);
  const command = parent.command(words.at(-1) ?? '');
  describeGroups(parent, root);
  command.summary(shape.summary).description(shape.description ?? shape.summary);
  command.showHelpAfterError(`(${prefix} ${shape.name} --help shows the usage)`);
  for (const { name, description, required, variadic } of shape.arguments ?? []) {
    const inside = variadic ? `${name}...` : name;
    command.argument(required ? `<${inside}>` : `[${inside}]`, description);
  }
  for (const option of shape.options ?? []) command.addOption(asOption(option));
  const own = new Set(command.options.map((option) => option.long));
  if (common && !own.has('--config')) command.option('--config <file>', 'configuration file; default: TREFOIL_CONFIG');
  if (common && !own.has('--json')) command.option('--json', 'print the result as JSON');
  if (shape.examples?.length) {
    command.addHelpText('after', `\nExamples:\n${shape.examples.map((line) => `  $ ${prefix} ${line}`).join('\n')}`);
  }
  command.action(async () => {
    const options = command.opts<Record<string, unknown>>();
    const missing = (shape.options ?? []).filter(({ required, flags }) => {
      return required && options[new Option(flags).attributeName()] === undefined;
    });
    if (missing.length > 0) {
      const names = missing.map(({ flags }) => `'${new Option(flags).long}'`).join(', ');
      command.error(`Missing option${missing.length > 1 ? 's' : ''} ${names}`, { code: 'trefoil.missingOption' });
    }
    const { config, json }: Partial<CommonOptions> = { ...optionsAbove(command), ...options };
    await action({ options, arguments: command.args }, { config, json: json === true });
  });
}

/** The options given before the command's own words, the nearest first. */
function optionsAbove({ parent }: Program): Record<string, unknown> {
  return parent ? { ...optionsAbove(parent), ...parent.opts() } : {};
}

function group(parent: Program, word: string): Program {
  const known = parent.commands.find((command) => command.name() === word);
  return known ?? parent.command(word);
}

/** Describes a group by the commands in it. */
function describeGroups(group: Program, root: Program): void {
  // A command that has others below it keeps its own description.
  if (group === root || !group.parent || group.registeredArguments.length > 0) return;
  group.description(group.commands.map((command) => command.name()).join(', '));
  describeGroups(group.parent, root);
}

function asOption({
  flags,
  description,
  required,
  repeatable,
  default: preset,
  choices,
  ignoreCase,
}: CommandOption): Option {
  const option = new Option(flags, required ? `${description} (required)` : description);
  const read = (text: string): string | number => {
    if (choices) return chosen(text, choices, ignoreCase === true);
    if (typeof preset !== 'number') return text;
    const value = Number(text);
    if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('It must be a number.');
    return value;
  };
  if (choices) option.description += ` (one of ${choices.join(', ')})`;
  // Flags without a value need no parser: commander makes them booleans.
  if (option.required || option.optional) {
    let given = false;
    option.argParser((text: string, before: unknown) => {
      if (repeatable) return [...(Array.isArray(before) ? before : []), read(text)];
      // Otherwise the last value would silently win.
      if (given) throw new InvalidArgumentError('It must be given only once.');
      given = true;
      return read(text);
    });
  }
  if (repeatable) option.description += ' (may be repeated)';
  if (preset !== undefined) option.default(preset);
  return option;
}

function chosen(text: string, choices: readonly string[], ignoreCase: boolean): string {
  const same = (choice: string) => choice === text || (ignoreCase && choice.toLowerCase() === text.toLowerCase());
  const found = choices.find(same);
  if (found === undefined) throw new InvalidArgumentError(`Allowed are ${choices.join(', ')}.`);
  return found;
}

// Rewrites older spellings of options to the current ones before the command line is parsed.

/** A command as it is typed, with its options. */
export interface SpelledCommand {
  words: readonly string[];
  options: readonly CommandOption[];
}

interface FlagSpelling {
  /** The current flag. */
  flag: string;
  takesValue: boolean;
}

/**
 * Returns the command line with every alias (`-ds-id x`, `-ds-id=x`) replaced by its option. Values of options, and
 * everything after `--`, stay unchanged.
 */
export function withoutAliases(argv: readonly string[], commands: readonly SpelledCommand[]): string[] {
  const command = commands.find(({ words }) => isCommand(argv, words));
  if (!command?.options.some(({ aliases }) => aliases?.length)) return [...argv];
  const spellings = spellingsOf(command.options);
  const rewritten: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const part = argv[i] ?? '';
    if (part === '--') return [...rewritten, ...argv.slice(i)];
    const [name = '', ...value] = part.split('=');
    const spelling = spellings.get(name);
    rewritten.push(spelling ? [spelling.flag, ...value].join('=') : part);
    const next = argv[i + 1];
    if (spelling?.takesValue && value.length === 0 && next !== undefined) {
      rewritten.push(next);
      i++;
    }
  }
  return rewritten;
}

/** Whether the command line without its options begins with the words of the command. */
function isCommand(argv: readonly string[], words: readonly string[]): boolean {
  let found = 0;
  for (let i = 0; i < argv.length && found < words.length; i++) {
    const part = argv[i] ?? '';
    if (part === '--config') i++;
    else if (!part.startsWith('-') && part !== words[found++]) return false;
  }
  return found === words.length;
}

function spellingsOf(options: readonly CommandOption[]): Map<string, FlagSpelling> {
  const spellings = new Map<string, FlagSpelling>([['--config', { flag: '--config', takesValue: true }]]);
  for (const { flags, aliases = [] } of options) {
    const { long, short, required, optional } = new Option(flags);
    const flag = long ?? short ?? '';
    for (const name of [long, short, ...aliases]) {
      if (name) spellings.set(name, { flag, takesValue: required || optional });
    }
  }
  return spellings;
}
