/** Events from commands: the process of a command loads one plugin, and those that listen are loaded to be told. */
import type { Logger } from 'pino';
import { type ConfigureOptions, configure } from '../config.js';
import { isFault } from '../fault.js';
import type { Events } from '../start/events.js';
import { createSession } from './session.js';

/**
 * Registers every enabled plugin on a storage of its own, announces, and closes them all. Nothing is served, no job is
 * run, and no `onReady` either.
 */
export async function announceToAll(
  options: ConfigureOptions,
  { log, now }: { log: Logger; now(): Date },
  announce: (events: Events) => Promise<void>,
): Promise<void> {
  const configuration = await configure(options);
  const session = createSession(configuration, log);
  try {
    // Koa and all that belongs to it is loaded for the commands that announce, not for every one.
    const { assemble } = await import('../start/assemble.js');
    const readiness = async () => ({ ready: false, checks: {} });
    const storage = await session.storage();
    const { events, onClose } = await assemble({ configuration, storage, log, now, readiness });
    try {
      await announce(events);
    } finally {
      for (const { plugin, work } of onClose.toReversed()) {
        await work().catch((error: unknown) => {
          log.error({ plugin, reason: isFault(error) ? error.message : 'an unexpected error' }, 'failed to close');
        });
      }
    }
  } finally {
    await session.close();
  }
}
