/** A command's way to the storage: opened at the first use, seen to be up to date, closed at the end. */
import type { Logger } from 'pino';
import type { Configuration } from '../config.js';
import { bringUpToDate, openStorage } from '../start/storage.js';
import type { Storage } from '../storage.js';

export interface Session {
  /** The storage, migrated where the configuration lets us; otherwise a fault says what is pending. */
  storage(): Promise<Storage>;
  /** The storage as it is, migrated or not. */
  unchecked(): Promise<Storage>;
  close(): Promise<void>;
}

export function createSession(configuration: Configuration, log: Logger): Session {
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
      // Where it could not be opened the command has said so already.
      const storage = await opened?.catch(() => undefined);
      await storage?.close();
    },
  };
}
