/**
 * The core's own commands: data, like those of plugins, with a context of their own, and the configuration that they read,
 * whose modules are loaded only then.
 */
import type { CommandInput, Terminal } from '../commands.js';
import type { Configuration, ConfigureOptions } from '../config.js';
import type { ChildLog } from '../lazy-log.js';
import type { Interruption } from './process.js';
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

// Reads the configuration. Its modules are loaded only then: the version, the help and the tools need none of them.

/** The configuration without the plugins, which are neither loaded nor checked: for commands on what the core stores. */
export function configureCore(options: ConfigureOptions): Promise<Configuration> {
  return configure({ ...options, withoutPlugins: true });
}

export async function configure(options?: ConfigureOptions): Promise<Configuration> {
  const { z } = await import('zod');
  // Settings are parsed once: the code that zod generates for each schema would cost more than it saves.
  z.config({ jitless: true });
  try {
    return await (await import('../config.js')).configure(options);
  } finally {
    z.config({ jitless: false });
  }
}
