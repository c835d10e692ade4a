/** A plugin by path that lets a test find the services, and hear the events, of a server in its own process. */
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { definePlugin, type PluginContext } from '../../core/plugin.js';
import type { Services } from '../../plugins/services/services.js';

export const finder = fileURLToPath(import.meta.url);

let context: PluginContext<unknown> | undefined;

/** Events of the server that was started last, as they came; the name is `event`. */
export const heard: Record<string, unknown>[] = [];

/** A service of the server that was started last, if a plugin offers it. */
export function optionalService<Key extends keyof Services>(key: Key): Services[Key] | undefined {
  return context?.find<Services[Key]>(key);
}

/** A service of the server that was started last. */
export function service<Key extends keyof Services>(key: Key): Services[Key] {
  const found = optionalService(key);
  if (found === undefined) throw new Error(`No plugin offers ${key}`);
  return found;
}

export default definePlugin({
  name: 'finder',
  api: 1,
  summary: 'Finds services for tests',
  settings: z.strictObject({ events: z.array(z.string()).default([]) }),
  contracts: [],
  register(own) {
    context = own;
    heard.length = 0;
    for (const event of own.settings.events)
      own.on(event, async (value) => void heard.push({ event, ...(value as object) }));
  },
});
