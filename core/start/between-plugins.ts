/**
 * What plugins offer each other in one process: services, built once all plugins have registered, and events with any number of
 * listeners, both found by their key.
 */
import { Fault } from '../fault.js';
import { eachPlugin, type Plugin } from '../plugin-context.js';

interface Offer {
  build(): object;
  state: 'waiting' | 'building' | 'built';
  service?: object;
}

export interface ServiceRegistry {
  /** Throws an `invalid` fault for a key that is malformed, of another plugin, or offered already. */
  offer(owner: string, key: string, build: () => object): void;
  /** The service, or undefined if no enabled plugin offers it. Throws an `internal` fault before `build`. */
  find(key: string): object | undefined;
  /** Builds every service; an `invalid` fault names the keys of services that need each other to be built. */
  build(): void;
}

export function createServices(): ServiceRegistry {
  const offers = new Map<string, Offer>();
  const path: string[] = [];
  let open = true;

  const built = (key: string): object | undefined => {
    const offer = offers.get(key);
    if (offer === undefined) return undefined;
    if (offer.state === 'building') {
      const circle = [...path.slice(path.indexOf(key)), key].join(' → ');
      throw new Fault('invalid', `Services need each other to be built: ${circle}`);
    }
    if (offer.state === 'waiting') {
      offer.state = 'building';
      path.push(key);
      offer.service = offer.build();
      path.pop();
      offer.state = 'built';
    }
    return offer.service;
  };

  return {
    offer(owner, key, build) {
      if (!open) throw new Fault('internal', 'Services are offered while a plugin registers, not later');
      checkOwnKey('service', owner, key);
      if (offers.has(key)) throw new Fault('invalid', `The service ${key} is offered twice`);
      offers.set(key, { build, state: 'waiting' });
    },
    find(key) {
      if (open) {
        throw new Fault(
          'internal',
          `The service ${key} is looked for during registration; look for it when it is used`,
        );
      }
      return built(key);
    },
    build() {
      open = false;
      for (const key of offers.keys()) built(key);
    },
  };
}

// Events that plugins announce to each other: one announcer, any number of listeners, in one process.

type Listener = (event: object) => Promise<void> | void;

type EventPlugin = Pick<Plugin, 'name' | 'listens'>;

/** Whether the plugin may listen to the event. */
export function mayListen({ listens }: Pick<Plugin, 'listens'>, key: string): boolean {
  return listens === undefined || listens.includes(key);
}

interface PluginListener {
  plugin: string;
  listener: Listener;
}

export interface Events {
  /** Throws an `internal` fault for an event that the plugin does not declare in `listens`. */
  on(plugin: EventPlugin, key: string, listener: Listener): void;
  /** Closes registration. */
  seal(): void;
  /** Throws an `invalid` fault for a malformed key or one of another plugin, and `unavailable` if listeners failed. */
  announce(owner: string, key: string, event: object): Promise<void>;
}

export function createEvents(): Events {
  const listeners = new Map<string, PluginListener[]>();
  let open = true;
  return {
    on(plugin, key, listener) {
      if (!open) throw new Fault('internal', 'A plugin begins to listen while it registers, not later');
      if (!mayListen(plugin, key)) {
        throw new Fault('internal', `The plugin "${plugin.name}" listens to ${key}, which is not among its events`);
      }
      listeners.set(key, [...(listeners.get(key) ?? []), { plugin: plugin.name, listener }]);
    },
    seal() {
      open = false;
    },
    async announce(owner, key, event) {
      checkOwnKey('event', owner, key);
      if (open) throw new Fault('internal', `${key} is announced during registration; announce it when it happens`);
      await eachPlugin(listeners.get(key) ?? [], key, ({ listener }) => listener(event));
    },
  };
}

// Keys of services and events, such as `coverage/callability@1`: the plugin, its service or event, the major version.

const pattern = /^[a-z][a-z0-9-]*\/[a-z][a-z0-9-]*@[1-9]\d*$/;

/** Throws an `invalid` fault for a key that is malformed or of another plugin than its owner. */
export function checkOwnKey(what: 'service' | 'event', owner: string, key: string): void {
  if (pattern.test(key) && key.startsWith(`${owner}/`)) return;
  throw new Fault('invalid', `The key of this ${what} must read ${owner}/name@1; got "${key}"`);
}
