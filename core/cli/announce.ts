/** Announces events from commands: a command loads only its own plugin, so the listening plugins are loaded first. */
import type { Logger } from 'pino';
import type { ConfigureOptions } from '../config.js';
import type { Events } from '../start/events.js';
import { assembled } from './assembled.js';

/** Registers every enabled plugin, announces, and closes everything. */
export async function announceToAll(
  options: ConfigureOptions,
  tools: { log: Logger; now(): Date },
  announce: (events: Events) => Promise<void>,
): Promise<void> {
  const { events, close } = await assembled(options, tools);
  try {
    await announce(events);
  } finally {
    await close();
  }
}
