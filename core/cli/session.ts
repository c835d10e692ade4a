/** A command's access to the storage: opened and checked for pending migrations at the first use, closed at the end. */
import { type CommandAudit, noAudit } from '../audit/audit.js';
import type { Configuration } from '../config.js';
import { Fault, isFault } from '../fault.js';
import type { ChildLog } from '../lazy-log.js';
import { bringUpToDate, openStorage } from '../start/storage.js';
import type { Storage } from '../storage.js';
import type { CoreContext } from './core-command.js';

export interface CommandSession {
  /** Returns the storage, migrated if the configuration allows it; else throws a fault that lists what is pending. */
  storage(): Promise<Storage>;
  /** Returns the storage, whether or not migrations are pending. */
  unchecked(): Promise<Storage>;
  /** See `CommandContext.purge`. */
  purge(): Promise<boolean>;
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
  const storage = () => (checked ??= check());
  return {
    unchecked,
    storage,
    async purge() {
      const found = await storage();
      try {
        await found.purge?.();
      } catch (error) {
        if (!isFault(error)) throw error;
        const sentence = 'Deleted data may have left traces in the files of the database: repeat the command';
        throw new Fault(error.code, `${sentence} (${error.message})`, { cause: error });
      }
      return found.purge !== undefined;
    },
    async close() {
      // If it could not be opened, the command has already reported that.
      await (await opened?.catch(() => undefined))?.close();
    },
  };
}

/** Works with a session, which is closed at the end. */
export async function withSession<Result>(
  { log }: Pick<CoreContext, 'log'>,
  configuration: Configuration,
  work: (session: CommandSession) => Promise<Result>,
): Promise<Result> {
  const session = createSession(configuration, log());
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

// The audit of a command, on the storage of its session.

/** Loads the audit only if it is configured, and opens the storage at the first entry. */
export async function commandAuditOf(
  session: CommandSession,
  { core }: Pick<Configuration, 'core'>,
  now: () => Date,
): Promise<CommandAudit> {
  if (core.audit === undefined) return noAudit;
  const { commandAudit } = await import('../audit/attach.js');
  return commandAudit(() => session.storage(), { settings: core.audit, now });
}
