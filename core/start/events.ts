/** Events that plugins announce to each other: one announcer, any number of listeners, in one process. */
import { Fault, isFault } from '../fault.js';
import type { Erasure } from '../plugin/announcing.js';
import { checkKey } from './key.js';

type Listener = (event: object) => Promise<void> | void;

interface Listening {
  plugin: string;
  listener: Listener;
}

export interface Events {
  on(plugin: string, key: string, listener: Listener): void;
  onErase(plugin: string, listener: (erasure: Erasure) => Promise<void> | void): void;
  /** Closes registration. */
  seal(): void;
  /** Throws an `invalid` fault for a malformed key or one of another plugin, and `unavailable` if listeners failed. */
  announce(owner: string, key: string, event: object): Promise<void>;
  announceErasure(erasure: Erasure): Promise<void>;
}

/** The core's own event, which any plugin may announce. */
const erasure = 'the erasure of a person';

export function createEvents(): Events {
  const listeners = new Map<string, Listening[]>();
  let open = true;

  const listen = (plugin: string, key: string, listener: Listener): void => {
    if (!open) throw new Fault('internal', 'A plugin begins to listen while it registers, not later');
    listeners.set(key, [...(listeners.get(key) ?? []), { plugin, listener }]);
  };

  /** Runs every listener, one after the other in the order of registration, even if others fail. */
  const announce = async (key: string, event: object): Promise<void> => {
    if (open) throw new Fault('internal', `${key} is announced during registration; announce it when it happens`);
    const failures: { plugin: string; error: unknown }[] = [];
    for (const { plugin, listener } of listeners.get(key) ?? []) {
      try {
        await listener(event);
      } catch (error) {
        failures.push({ plugin, error });
      }
    }
    if (failures.length > 0) throw incomplete(key, failures);
  };

  return {
    on: listen,
    onErase: (plugin, listener) => listen(plugin, erasure, (event) => listener(event as Erasure)),
    seal() {
      open = false;
    },
    async announce(owner, key, event) {
      checkKey('event', owner, key);
      await announce(key, event);
    },
    announceErasure: (event) => announce(erasure, event),
  };
}

/** Names every plugin that failed. `unavailable`, so that a job that announces is retried. */
function incomplete(key: string, failures: readonly { plugin: string; error: unknown }[]): Fault {
  const names = failures.map(({ plugin }) => `"${plugin}"`).join(', ');
  const reasons = failures.map(({ plugin, error }) => {
    return `${plugin}: ${isFault(error) ? error.message : 'an unexpected error'}`;
  });
  return new Fault('unavailable', `Some plugins could not act on ${key}: ${reasons.join('; ')}`, {
    public: `Some plugins could not act on ${key}: ${names}. Please try again`,
    cause: new AggregateError(failures.map(({ error }) => error)),
  });
}
