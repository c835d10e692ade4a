/** The core's own commands: data, like those of plugins, with a context of their own. */
import type { CommandInput, Terminal } from '../commands.js';
import type { ConfigureOptions } from '../config.js';
import type { ChildLog } from '../lazy-log.js';
import type { Interruption } from './signals.js';
import type { CommandShape } from './words.js';

export interface CoreContext {
  /** The chosen configuration file. */
  configuration: ConfigureOptions;
  terminal: Terminal;
  interruption: Interruption;
  /** The log of a command that is not a server: on stderr, warnings only unless LOG_LEVEL names another level. */
  log(): ChildLog;
  now(): Date;
}

export interface CoreCommand extends CommandShape {
  /** Returns the exit code. */
  run(context: CoreContext, input: CommandInput): Promise<number>;
}
