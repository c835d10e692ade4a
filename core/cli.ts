/** The command line: the core's commands and those of every enabled plugin. */
import { CommanderError, type Command as Program } from 'commander';
import { type CoreContext, configure } from './cli/core-command.js';
import {
  addCoreCommands,
  addWord,
  coreWords,
  createProgram,
  helpText,
  loadCoreCommands,
  readOutline,
} from './cli/outline.js';
import { createTerminal, harmless, onInterrupt } from './cli/process.js';
import { addCommand, type CommonOptions, type SpelledCommand, withoutAliases } from './cli/words.js';
import type { Command, CommandInput, ToolContext } from './commands.js';
import { ConfigurationFaults } from './config/layer.js';
import type { Configuration, EnabledPlugin } from './config.js';
import { Fault, isFault } from './fault.js';
import { builtIn, builtInWords, commandsOfPlugin, loadGroup, loadTool } from './load.js';

export interface CliOptions {
  /** The program's name, in its help and messages. */
  program: string;
  /** If given, the program is this plugin's own and has its commands at the top level. */
  plugin?: string;
}

/** Loaded only with a command that reads such a file. */
const readers: Pick<ToolContext, 'readBed' | 'readGenome'> = {
  readBed: async (path) => (await import('./files/bed.js')).readBedFile(path),
  async readGenome(path) {
    const [{ readGenome }, { readTextFile }] = await Promise.all([
      import('./files/bed.js'),
      import('./files/text-file.js'),
    ]);
    return readGenome(await readTextFile(path));
  },
};

/** Runs one command line (without node and script) and returns the exit code: 0 success, 1 a fault, 2 misuse. */
export async function runCli(argv: readonly string[], { program: name, plugin }: CliOptions): Promise<number> {
  const interruption = onInterrupt();
  const broken = (error: unknown): void => process.exit(complain(name, error));
  process.on('uncaughtException', broken);
  let code = 0;
  const contextOf = async (common: CommonOptions): Promise<CoreContext> => {
    const { lazyCommandLog } = await import('./log.js');
    const log = lazyCommandLog();
    return {
      configuration: { file: common.config },
      terminal: createTerminal(common.json, interruption.signal),
      interruption,
      log: () => log,
      now: () => new Date(),
    };
  };

  const program = createProgram(name);
  const spelled: SpelledCommand[] = [];
  const addPlugin = (
    parent: Program,
    enabled: EnabledPlugin,
    configuration: Configuration,
    commands: readonly Command[],
  ): void => {
    for (const command of commands) {
      const prefix = parent === program ? name : `${name} ${parent.name()}`;
      const words = [...(parent === program ? [] : [parent.name()]), ...command.name.split(' ')];
      spelled.push({ words, options: command.options ?? [] });
      addCommand(parent, command, prefix, async (input, common) => {
        const { runPluginCommand } = await import('./cli/plugin-command.js');
        code = await runPluginCommand(command, input, enabled, configuration, await contextOf(common));
      });
    }
  };

  try {
    const asked = scan(argv);
    const outline = mayBeRecorded(asked) ? readOutline() : undefined;
    const help = outline && (await helpText(outline, argv, { program: name, plugin, first: asked.word }));
    if (help !== undefined) {
      process.stdout.write(help);
      return 0;
    }
    if (plugin !== undefined && (asked.general || asked.word !== undefined)) {
      const configuration = await configure({ file: asked.config, only: plugin });
      const [enabled] = configuration.plugins;
      if (enabled) {
        program.description(enabled.plugin.summary);
        addPlugin(program, enabled, configuration, await commandsOfPlugin(enabled.plugin));
      }
    } else if (plugin === undefined && (asked.general || asked.word !== undefined)) {
      const core = await loadCoreCommands(isKnown(asked.word) ? asked.word : undefined);
      addCoreCommands(program, core, (command) => async (input, common) => {
        code = await command.run(await contextOf(common), input);
      });
      if (!(await addTools(asked))) await addPlugins(asked);
    }
    await program.parseAsync(withoutAliases(argv, spelled), { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (interruption.code !== undefined) {
      process.stderr.write(`${name}: interrupted\n`);
      return interruption.code;
    }
    return complain(name, error);
  } finally {
    interruption.release();
    process.removeListener('uncaughtException', broken);
  }

  /** Adds the tools if one of them or the general help is requested; returns whether one of them is. */
  async function addTools({ word, general }: CommandLine): Promise<boolean> {
    const tools = builtInWords('tools');
    for (const [own, module] of tools) {
      if (own !== word && !general) continue;
      const tool = await loadTool(module);
      const parent = addWord(program, own, 'tool', tool);
      for (const command of tool.commands) {
        const action = async (input: CommandInput, common: CommonOptions) => {
          const { signal } = interruption;
          code = (await command.run({ terminal: createTerminal(common.json, signal), signal, ...readers }, input)) ?? 0;
        };
        addCommand(parent, command, `${name} ${own}`, action, { common: false });
      }
    }
    return word !== undefined && tools.has(word);
  }

  /** Adds the plugins' commands if one of them or the general help may be requested. */
  async function addPlugins({ word, general, config }: CommandLine): Promise<void> {
    if (word !== undefined && coreWords.has(word)) return;
    const groups = builtInWords('groups');
    let configuration: Configuration;
    try {
      // Commands of a built-in plugin begin with its name, or with the word of a group: no other plugin needs loading.
      const owner = word !== undefined && builtIn('plugin').includes(word) ? word : groups.get(word ?? '')?.plugin;
      configuration = await configure({ file: config, ...(owner !== undefined && { only: owner }) });
    } catch (error) {
      if (!general || !isFault(error)) throw error;
      process.stderr.write(`${name}: the commands of the plugins cannot be listed. ${error.message}\n\n`);
      return;
    }
    for (const enabled of configuration.plugins) {
      const { plugin: owner } = enabled;
      // A command of this plugin must open only its own contracts, not those of the others.
      const alone = { ...configuration, plugins: [enabled] };
      const commands = await commandsOfPlugin(owner);
      if (commands.length > 0) {
        if (coreWords.has(owner.name) || builtInWords('tools').has(owner.name)) {
          throw new Fault('invalid', `The plugin "${owner.name}" has the same name as a command of ${name}`);
        }
        addPlugin(addWord(program, owner.name, 'plugin', { summary: owner.summary }), enabled, alone, commands);
      }
      for (const [own, module] of groups) {
        // An external plugin with the name of a built-in one has none of its groups.
        if (module.plugin !== enabled.key || (own !== word && !general)) continue;
        const group = await loadGroup(module);
        addPlugin(addWord(program, own, 'group', group), enabled, alone, group.commands);
      }
    }
  }
}

interface CommandLine {
  /** The first word that is neither an option nor an option's value. */
  word: string | undefined;
  /** Whether the help of all commands may be requested. */
  general: boolean;
  /** Whether the help or the version of one word or command may be requested. */
  help: boolean;
  config: string | undefined;
}

/** Finds the words that decide which commands to load, before the command line is parsed. */
function scan(argv: readonly string[]): CommandLine {
  let word: string | undefined;
  let config: string | undefined;
  let version = false;
  let help = false;
  for (let i = 0; i < argv.length; i++) {
    const part = argv[i] ?? '';
    if (part === '--') break;
    if (part === '--config') config = argv[++i];
    else if (part.startsWith('--config=')) config = part.slice('--config='.length);
    else if (part === '--version' || part === '-V') version = true;
    else if (part === '--help' || part === '-h') help = true;
    else if (!part.startsWith('-')) word ??= part;
  }
  return {
    word,
    general: word === 'help' || (word === undefined && !version),
    help: word !== undefined && (help || version),
    config,
  };
}

/**
 * Whether the build may have recorded the requested help. That of all commands shows which plugins the chosen
 * configuration enables; the default configuration enables every built-in one.
 */
function mayBeRecorded({ general, help, config }: CommandLine): boolean {
  return general ? config === undefined && !process.env.TREFOIL_CONFIG : help;
}

/** Whether a word's commands are in the core or in a built-in plugin, so that no others need loading. */
function isKnown(word: string | undefined): boolean {
  if (word === undefined) return false;
  const isBuiltIn = (kind: 'tools' | 'groups') => builtInWords(kind).has(word);
  return coreWords.has(word) || isBuiltIn('tools') || isBuiltIn('groups') || builtIn('plugin').includes(word);
}

/** Prints one readable sentence, and the stack only if LOG_LEVEL is debug; returns the exit code. */
function complain(name: string, error: unknown): number {
  if (isFault(error)) {
    process.stderr.write(`${name}: ${harmless(error.message)}\n`);
    // A wrong value of an option is misuse; a chosen file that cannot be read is not.
    const misused =
      error instanceof ConfigurationFaults &&
      error.list.every(({ path, source }) => path !== '' && source?.startsWith('--'));
    return misused ? 2 : 1;
  }
  const reason = error instanceof Error ? error.message : 'a value that is not an Error was thrown';
  process.stderr.write(`${name}: unexpected error: ${reason}\n`);
  if (process.env.LOG_LEVEL === 'debug' && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  else process.stderr.write('Set LOG_LEVEL=debug for the stack trace.\n');
  return 1;
}
