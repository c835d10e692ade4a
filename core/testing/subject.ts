/** An adapter under test, and empty storages of the built-in ones. */
import { Faults } from '../config/layer.js';
import { loadAdapter, loadTestHome } from '../load.js';
import type { Plugin } from '../plugin.js';
import { broughtBy } from '../plugin-context.js';
import type { Adapter, Capabilities, Contract, Storage, StorageLog } from '../storage.js';

/** A storage that the author's subject opened for one case. */
export interface Opened {
  readonly storage: Storage;
  /**
   * Opens the same data again, whether the first storage is closed or not. Required of an adapter that declares `durable`
   * or `concurrentWriters`.
   */
  again?(): Promise<Storage>;
  /** Called after everything is closed: removes the files and databases created for this case. */
  discard?(): Promise<void>;
}

/** An adapter under test. This is all that its author has to write. */
export interface Subject {
  /** Title of the report, for example `PostgreSQL`. */
  readonly name: string;
  /** As declared by the adapter. Declared capabilities are tested; others must not be relied upon. */
  readonly capabilities?: Capabilities;
  /** Opens a new, empty storage for these contracts and runs its migrations. */
  open(contracts: readonly Contract[]): Promise<Opened>;
}

export interface StorageOptions {
  /** Plugins whose own bindings and stores are used, as in a server: contracts that a store keeps need theirs. */
  plugins?: readonly Plugin[];
  /**
   * For `postgres`: a server, as `postgres://user:password@host:port/database`, on which the user may create databases.
   * Each opening makes a database of its own and drops it afterwards.
   */
  url?: string;
  /** The adapter's log; silent if omitted. */
  log?: StorageLog;
}

const logNothing = () => {};
const silent: StorageLog = { debug: logNothing, info: logNothing, warn: logNothing, error: logNothing };

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
  const brought = broughtBy(options.plugins ?? [], known.family);
  return {
    name,
    capabilities: known.capabilities,
    async open(contracts): Promise<Opened> {
      const { settings, discard } = await home({ url: options.url });
      const again = async () => {
        const checked = await known.settings['~standard'].validate(settings);
        if (checked.issues) throw new TypeError(checked.issues.map(({ message }) => message).join('; '));
        return known.open({ settings: checked.value, contracts, ...brought, log: options.log ?? silent });
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
