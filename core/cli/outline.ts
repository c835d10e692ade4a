/**
 * The commands without what they do: all that a help text needs. The build records them in `commands.json`, so that a
 * help is printed without loading the commands, their plugins or the configuration.
 */
import { existsSync, readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import { Faults } from '../config/faults.js';
import { builtIn, builtInWords, commandsOf, loadGroup, loadPlugin, loadTool } from '../load.js';
import { codeFolder } from '../package.js';
import { loadCoreCommands } from './core-words.js';
import { addCoreCommands, addWord, createProgram, type WordShape } from './program.js';
import { addCommand, type CommandShape } from './words.js';

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
    words.push({ word, kind: 'plugin', summary: plugin.summary, commands: await commandsOf(plugin) });
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
