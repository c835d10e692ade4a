/**
 * The words of the command line: its parser, the core's commands by their first word, each loaded only if asked for, and the
 * outline of all commands. The build records the outline in `commands.json`, so that a help is printed without loading them.
 */
import { existsSync, readFileSync } from 'node:fs';
import { CommanderError, type OutputConfiguration, Command as Program } from 'commander';
import { Faults } from '../config/layer.js';
import { builtIn, builtInWords, commandsOfPlugin, loadGroup, loadPlugin, loadTool } from '../load.js';
import { codeFolder, version } from '../package.js';
import type { CoreCommand } from './core-command.js';
import { type Action, addCommand, type CommandShape } from './words.js';

/** A word that has commands: of a tool, a plugin, or a group of a plugin's commands. */
interface WordShape {
  readonly summary: string;
  /** What `--version` prints. */
  readonly version?: string;
}

const configOption = ['--config <file>', 'configuration file; default: TREFOIL_CONFIG'] as const;

export function createProgram(name: string, output: OutputConfiguration = {}): Program {
  return new Program(name)
    .version(version)
    .option(...configOption)
    .option('--json', 'print results as JSON')
    .enablePositionalOptions()
    .exitOverride()
    .showHelpAfterError(`(${name} --help shows the usage)`)
    .configureOutput({ ...output, outputError: (text, write) => write(text.replace(/^error: /, `${name}: `)) });
}

/** Adds commands of the core, and what the general help says of the program. */
export function addCoreCommands<Shape extends CommandShape>(
  program: Program,
  commands: readonly Shape[],
  actionOf: (command: Shape) => Action,
): void {
  const name = program.name();
  program.description('Clinical genomics services in one server.');
  program.addHelpText('after', `\nExamples:\n  $ ${name} serve --port 8080\n  $ ${name} check --config lab.yaml`);
  for (const command of commands) addCommand(program, command, name, actionOf(command));
  for (const command of program.commands) {
    const about = coreWords.get(command.name())?.about;
    if (about !== undefined) command.description(about);
  }
}

/** Adds a word without its commands, and returns what these are added to. */
export function addWord(
  program: Program,
  word: string,
  kind: 'tool' | 'plugin' | 'group',
  { summary, version: text }: WordShape,
): Program {
  const parent = program.command(word).description(summary);
  if (kind === 'group') parent.option(...configOption);
  return text === undefined ? parent : parent.version(text);
}

// The core's commands by their first word, in the order of the help. Loaded only if the word or the help is requested.

interface CoreWord {
  /** One line for `--help`, if the word has several commands. */
  about?: string;
  load(): Promise<readonly CoreCommand[]>;
}

export const coreWords: ReadonlyMap<string, CoreWord> = new Map<string, CoreWord>([
  ['serve', { load: async () => [(await import('./serve.js')).serve] }],
  ['work', { load: async () => [(await import('./serve.js')).work] }],
  ['check', { load: async () => [(await import('./check.js')).check] }],
  ['migrate', { load: async () => [(await import('./migrate.js')).migrate] }],
  ['backup', { load: async () => import('./backup.js').then(({ backup, verifyBackup }) => [backup, verifyBackup]) }],
  ['erase', { load: async () => [(await import('./erase.js')).erase] }],
  [
    'erasures',
    {
      about: 'accept the list of erasures as it is',
      load: async () => (await import('./erase.js')).erasuresCommands,
    },
  ],
  ['openapi', { load: async () => [(await import('./describe.js')).openapi] }],
  ['schema', { load: async () => [(await import('./describe.js')).schema] }],
  [
    'consent',
    {
      about: 'record and lift objections to sharing',
      load: async () => (await import('./erase.js')).consentCommands,
    },
  ],
  [
    'token',
    { about: 'issue, list and revoke API tokens', load: async () => (await import('./token.js')).tokenCommands },
  ],
  [
    'session',
    {
      about: 'list and end the sessions of people who are signed in',
      load: async () => (await import('./signed-in.js')).sessionCommands,
    },
  ],
  ['job', { about: 'list and cancel background jobs', load: async () => (await import('./job.js')).jobCommands }],
  [
    'audit',
    {
      about: 'verify, list and export who asked for whose data',
      load: async () => (await import('./audit.js')).auditCommands,
    },
  ],
]);

/** The commands of one word, or of all. */
export async function loadCoreCommands(word?: string): Promise<readonly CoreCommand[]> {
  const chosen = [...coreWords].filter(([own]) => word === undefined || own === word);
  return (await Promise.all(chosen.map(([, { load }]) => load()))).flat();
}

// The commands without what they do: all that a help text needs. The build records them in `commands.json`, so that a
// help is printed without loading the commands, their plugins or the configuration.

export interface Outline {
  readonly core: readonly CommandShape[];
  readonly words: readonly OutlinedWord[];
}

interface OutlinedWord extends WordShape {
  readonly word: string;
  readonly kind: 'tool' | 'plugin' | 'group';
  readonly commands: readonly CommandShape[];
}

const recorded = new URL('commands.json', codeFolder);

/** Returns what the build recorded; undefined if this is not a build. */
export function readOutline(): Outline | undefined {
  return existsSync(recorded) ? (JSON.parse(readFileSync(recorded, 'utf8')) as Outline) : undefined;
}

/** Loads every built-in command. As JSON the outline has no function. */
export async function createOutline(): Promise<Outline> {
  const words: OutlinedWord[] = [];
  for (const [word, module] of builtInWords('tools')) words.push({ word, kind: 'tool', ...(await loadTool(module)) });
  const groups = [...builtInWords('groups')];
  for (const word of builtIn('plugin')) {
    const faults = new Faults();
    const plugin = await loadPlugin({ name: word, path: ['plugins', word], origin: undefined, from: [] }, faults);
    faults.throwIfAny();
    if (!plugin) continue;
    words.push({ word, kind: 'plugin', summary: plugin.summary, commands: await commandsOfPlugin(plugin) });
    for (const [own, module] of groups) {
      if (module.plugin === word) words.push({ word: own, kind: 'group', ...(await loadGroup(module)) });
    }
  }
  return { core: await loadCoreCommands(), words };
}

/**
 * Returns the help or the version that the command line asks for; undefined if it asks for something else or is invalid.
 * With `plugin` the program is that plugin's own. `first` is the first word of the command line.
 */
export async function helpText(
  { core, words }: Outline,
  argv: readonly string[],
  { program: name, plugin, first }: { program: string; plugin?: string | undefined; first?: string | undefined },
): Promise<string | undefined> {
  const written: string[] = [];
  const program = createProgram(name, { writeOut: (text) => written.push(text), writeErr: () => {} });
  const wanted = plugin ?? first;
  const ofCore = core.filter((command) => command.name.split(' ', 1)[0] === wanted);
  const ofOthers = words.filter(({ word }) => word === wanted);
  // Commands of other words cost a start more than reading the outline does.
  const isKnown = ofCore.length + ofOthers.length > 0;
  // The list of all words is that of the plugins that are enabled, and a word may be that of a plugin from elsewhere.
  if (!isKnown && (wanted !== 'help' || argv.filter((word) => !word.startsWith('-')).length < 2)) return undefined;
  if (plugin === undefined) addCoreCommands(program, isKnown ? ofCore : core, () => noAction);
  for (const { word, kind, commands, ...shape } of isKnown ? ofOthers : words) {
    const parent = plugin === undefined ? addWord(program, word, kind, shape) : program.description(shape.summary);
    const prefix = parent === program ? name : `${name} ${word}`;
    for (const command of commands) addCommand(parent, command, prefix, noAction, { common: kind !== 'tool' });
  }
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return written.join('');
  }
  return undefined;
}

const noAction = async (): Promise<void> => {};
