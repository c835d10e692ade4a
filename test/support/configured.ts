/** Runs `configure` and returns the configuration or the faults. */
import { fileURLToPath } from 'node:url';
import { type ConfigurationFault, ConfigurationFaults } from '../../core/config/layer.js';
import { type Configuration, type ConfigureOptions, configure } from '../../core/config.js';

/** A plugin by path with two settings: `greeting` (text) and `limit` (a number, also by PROBE_LIMIT). */
export const probe = fileURLToPath(new URL('./plugins/probe.mjs', import.meta.url));

/** A configuration without faults, independent of the environment. */
export async function configured(options: ConfigureOptions): Promise<Configuration> {
  return configure({ environment: {}, ...options });
}

/** The faults of a configuration that must have some. */
export async function faultsOf(options: ConfigureOptions): Promise<readonly ConfigurationFault[]> {
  try {
    await configured(options);
  } catch (error) {
    if (error instanceof ConfigurationFaults) return error.list;
    throw error;
  }
  throw new Error('The configuration was expected to be refused');
}

/** A fault as the operator reads it. */
export function shown({ path, message, source }: ConfigurationFault): string {
  return `${path}: ${message} (${source ?? ''})`;
}
