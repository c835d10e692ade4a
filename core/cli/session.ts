/** A command's access to the storage: opened and checked for pending migrations at the first use, closed at the end. */
import type { Configuration } from '../config.js';
import type { ChildLog } from '../lazy-log.js';
import { bringUpToDate, openStorage } from '../start/storage.js';
import type { Storage } from '../storage.js';

export interface CommandSession {
  /** Returns the storage, migrated if the configuration allows it; else throws a fault that lists what is pending. */
  storage(): Promise<Storage>;
  /** Returns the storage, whether or not migrations are pending. */
  unchecked(): Promise<Storage>;
  close(): Promise<void>;
}

export function createSession(configuration: Configuration, log: ChildLog): CommandSession {
  let opened: Promise<Storage> | undefined;
  let checked: Promise<Storage> | undefined;
  const unchecked = () => (opened ??= openStorage(configuration, log));
  const check = async (): Promise<Storage> => {
    const storage = await unchecked();
    await bringUpToDate(storage, configuration, log);
    return storage;
  };
  return {
    unchecked,
    storage: () => (checked ??= check()),
    async close() {
      // If it could not be opened, the command has already reported that.
      const storage = await opened?.catch(() => undefined);
      await storage?.close();
    },
  };
}
