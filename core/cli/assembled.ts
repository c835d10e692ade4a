/** What a command needs of other plugins: all enabled ones, registered as in a server that serves no requests. */
import type { CommandAudit } from '../audit/audit.js';
import { isFault } from '../fault.js';
import type { AssembledServer } from '../start/assemble.js';
import { unclaimedIn } from '../start/storage.js';
import { type CoreContext, configure } from './core-command.js';
import { commandAuditOf, createSession } from './session.js';

export interface AssembledPlugins extends Pick<AssembledServer, 'events' | 'erasing' | 'services'> {
  /** See `CommandContext.purge`. */
  purge(): Promise<boolean>;
  /** What of the stored data the configuration leaves alone, in a sentence; undefined if there is none. */
  unclaimed(): Promise<string | undefined>;
  /** Records what the operator does, if it is configured. */
  audit: CommandAudit;
  close(): Promise<void>;
}

type CommandScope = Pick<CoreContext, 'configuration' | 'now'>;

/** Opens the storage again and registers every enabled plugin. Neither jobs nor `onReady` hooks run. */
export async function assembled({ configuration: options, now }: CommandScope): Promise<AssembledPlugins> {
  const configuration = await configure(options);
  const { commandLog } = await import('../log.js');
  const log = commandLog();
  const session = createSession(configuration, log);
  try {
    // Imported here so that other commands need not load Koa.
    const { assemble } = await import('../start/assemble.js');
    const readiness = async () => ({ ready: false, checks: {} });
    const storage = await session.storage();
    const { events, erasing, services, onClose } = await assemble({ configuration, storage, log, now, readiness });
    return {
      events,
      erasing,
      audit: await commandAuditOf(session, configuration, now),
      services,
      unclaimed: () => unclaimedIn(storage),
      purge: () => session.purge(),
      async close() {
        for (const { plugin, work } of onClose.toReversed()) {
          await work().catch((error: unknown) => {
            log.error({ plugin, reason: isFault(error) ? error.message : 'an unexpected error' }, 'failed to close');
          });
        }
        await session.close();
      },
    };
  } catch (error) {
    await session.close();
    throw error;
  }
}

/** Works with all enabled plugins, which are closed at the end. */
export async function withAll<Result>(
  scope: CommandScope,
  work: (all: AssembledPlugins) => Promise<Result>,
): Promise<Result> {
  const all = await assembled(scope);
  try {
    return await work(all);
  } finally {
    await all.close();
  }
}
