/** Reads the configuration. Its modules are loaded only then: the version, the help and the tools need none of them. */
import type { Configuration, ConfigureOptions } from '../config.js';

export async function configure(options?: ConfigureOptions): Promise<Configuration> {
  return (await import('../config.js')).configure(options);
}
