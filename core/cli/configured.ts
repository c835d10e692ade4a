/** Reads the configuration. Its modules are loaded only then: the version, the help and the tools need none of them. */
import type { Configuration, ConfigureOptions } from '../config.js';

/** The configuration without the plugins, which are neither loaded nor checked: for commands on what the core stores. */
export function configureCore(options: ConfigureOptions): Promise<Configuration> {
  return configure({ ...options, withoutPlugins: true });
}

export async function configure(options?: ConfigureOptions): Promise<Configuration> {
  return (await import('../config.js')).configure(options);
}
