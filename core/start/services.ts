/** Services that plugins offer each other: built once, after all plugins have registered, and found by their key. */
import { Fault } from '../fault.js';
import { checkKey } from './key.js';

interface Offer {
  build(): object;
  state: 'waiting' | 'building' | 'built';
  service?: object;
}

export interface Services {
  /** Throws an `invalid` fault for a key that is malformed, of another plugin, or offered already. */
  offer(owner: string, key: string, build: () => object): void;
  /** The service, or undefined if no enabled plugin offers it. Throws an `internal` fault before `build`. */
  find(key: string): object | undefined;
  /** Builds every service; an `invalid` fault names the keys of services that need each other to be built. */
  build(): void;
}

export function createServices(): Services {
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
      checkKey('service', owner, key);
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
