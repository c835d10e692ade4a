/** Collects all faults of the configuration before anything is started, so that they are reported together. */
import { Fault } from '../fault.js';
import type { Origin, Path } from './layer.js';
import { showPath } from './layer.js';

/** One thing that is wrong with the configuration. */
export interface ConfigurationFault {
  /** The setting, as in `plugins.beacon.id`; empty if the fault is about a file or a variable as a whole. */
  path: string;
  message: string;
  /** Where it was written: file, line and column, a variable or an option. */
  source?: string;
}

/** All faults of the configuration, as one `invalid` fault. */
export class ConfigurationFaults extends Fault {
  readonly list: readonly ConfigurationFault[];

  constructor(list: readonly ConfigurationFault[]) {
    const lines = list.map((fault) => `  - ${sentence(fault)}`);
    const count = lines.length === 1 ? 'One thing is' : `${lines.length} things are`;
    super('invalid', `${count} wrong with the configuration:\n${lines.join('\n')}`, {
      fields: list.map((fault) => ({ path: fault.path, message: sentence({ ...fault, path: '' }) })),
    });
    this.list = list;
  }
}

export class Faults {
  readonly #found: ConfigurationFault[] = [];
  /** The settings that have one, as JSON. */
  readonly #settings = new Set<string>();

  get empty(): boolean {
    return this.#found.length === 0;
  }

  get all(): readonly ConfigurationFault[] {
    return this.#found;
  }

  /** Adds a fault, unless the same setting or a section around it already has one: that one is the cause. */
  add(keys: Path, message: string, origin?: Origin): void {
    if (keys.length > 0 && this.covers(keys)) return;
    if (keys.length > 0) this.#settings.add(JSON.stringify(keys));
    this.#found.push({ path: showPath(keys), message, ...(origin ? { source: origin.source } : {}) });
  }

  /** Whether the setting, or a section around it, has a fault. */
  covers(keys: Path): boolean {
    return keys.some((_, i) => this.#settings.has(JSON.stringify(keys.slice(0, i + 1))));
  }

  /** Throws all faults as one; returns if there are none. */
  throwIfAny(): void {
    if (!this.empty) throw new ConfigurationFaults(this.all);
  }
}

function sentence({ path, message, source }: ConfigurationFault): string {
  return `${path === '' ? '' : `${path}: `}${message}${source === undefined ? '' : ` (${source})`}`;
}
