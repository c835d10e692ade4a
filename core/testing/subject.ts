/** Empty storages of the built-in adapters. */

import { Faults } from '../config/faults.js';
import type { Opened, Subject } from '../conformance/case.js';
import { loadAdapter, loadTestHome } from '../load.js';
import type { Plugin } from '../plugin.js';
import type { Adapter, StorageLog } from '../storage.js';

export interface StorageOptions {
  /** Plugins whose own bindings are used, as in a server. */
  plugins?: readonly Plugin[];
  /**
   * For `postgres`: a server, as `postgres://user:password@host:port/database`, on which the user may create databases.
   * Each opening makes a database of its own and drops it afterwards.
   */
  url?: string;
  /** The adapter's log; silent if omitted. */
  log?: StorageLog;
}

const nothing = () => {};
const silent: StorageLog = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/**
 * Opens new, empty, migrated storages of a built-in adapter: `sqlite` (a file in a temporary folder), `postgres` or
 * `memory`. Closing a storage keeps its data; `discard` removes it. Throws an `invalid` fault if `name` is not an
 * adapter, and for `postgres` without a URL.
 */
export async function storageSubject(name: string, options: StorageOptions = {}): Promise<Subject> {
  const faults = new Faults();
  const adapter = await loadAdapter({ name, path: ['storage', 'adapter'], origin: undefined, from: [] }, faults);
  faults.throwIfAny();
  const known = adapter as Adapter;
  const home = await loadTestHome(name);
  const bindings = new Map<string, () => Promise<unknown>>();
  for (const { bindings: own } of options.plugins ?? []) {
    for (const [contract, load] of Object.entries(own?.[known.family ?? ''] ?? {})) bindings.set(contract, load);
  }
  return {
    name,
    capabilities: known.capabilities,
    async open(contracts): Promise<Opened> {
      const { settings, discard } = await home({ url: options.url });
      const again = async () => {
        const checked = await known.settings['~standard'].validate(settings);
        if (checked.issues) throw new TypeError(checked.issues.map(({ message }) => message).join('; '));
        return known.open({ settings: checked.value, contracts, bindings, log: options.log ?? silent });
      };
      try {
        const storage = await again();
        await storage.migrate();
        const { durable, concurrentWriters } = known.capabilities;
        return { storage, discard, ...((durable || concurrentWriters) && { again }) };
      } catch (error) {
        await discard();
        throw error;
      }
    },
  };
}
