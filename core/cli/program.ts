/** The parser of the command line, and the words under which it has commands. */
import { type OutputConfiguration, Command as Program } from 'commander';
import { version } from '../package.js';
import { coreWords } from './core-words.js';
import { type Action, addCommand, type CommandShape } from './words.js';

/** A word that has commands: of a tool, a plugin, or a group of a plugin's commands. */
export interface WordShape {
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
