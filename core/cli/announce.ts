/** Announces events from commands: a command loads only its own plugin, so the listening plugins are loaded first. */
import type { Logger } from 'pino';
import type { ConfigureOptions } from '../config.js';
import { isFault } from '../fault.js';
import type { Events } from '../start/events.js';
import { configure } from './configured.js';
import { createSession } from './session.js';

/**
 * Opens the storage once more, registers every enabled plugin, announces, and closes everything. Serves no requests and
 * runs neither jobs nor `onReady` hooks.
 */
export async function announceToAll(
  options: ConfigureOptions,
  { log, now }: { log: Logger; now(): Date },
  announce: (events: Events) => Promise<void>,
): Promise<void> {
  const configuration = await configure(options);
  const session = createSession(configuration, log);
  try {
    // Imported here so that commands that do not announce need not load Koa.
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
