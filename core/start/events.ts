/** Events that plugins announce to each other: one announcer, any number of listeners, in one process. */

import { eachPlugin } from '../each-plugin.js';
import { Fault } from '../fault.js';
import { checkKey } from './key.js';

type Listener = (event: object) => Promise<void> | void;

interface Listening {
  plugin: string;
  listener: Listener;
}

export interface Events {
  on(plugin: string, key: string, listener: Listener): void;
  /** Closes registration. */
  seal(): void;
  /** Throws an `invalid` fault for a malformed key or one of another plugin, and `unavailable` if listeners failed. */
  announce(owner: string, key: string, event: object): Promise<void>;
}

export function createEvents(): Events {
  const listeners = new Map<string, Listening[]>();
  let open = true;
  return {
    on(plugin, key, listener) {
      if (!open) throw new Fault('internal', 'A plugin begins to listen while it registers, not later');
      listeners.set(key, [...(listeners.get(key) ?? []), { plugin, listener }]);
    },
    seal() {
      open = false;
    },
    async announce(owner, key, event) {
      checkKey('event', owner, key);
      if (open) throw new Fault('internal', `${key} is announced during registration; announce it when it happens`);
      await eachPlugin(listeners.get(key) ?? [], key, ({ listener }) => listener(event));
    },
  };
}
