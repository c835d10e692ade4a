/** Keys of services and events, such as `coverage/callability@1`: the plugin, its service or event, the major version. */
import { Fault } from '../fault.js';

const pattern = /^[a-z][a-z0-9-]*\/[a-z][a-z0-9-]*@[1-9]\d*$/;

/** Throws an `invalid` fault for a key that is malformed or of another plugin than its owner. */
export function checkKey(what: 'service' | 'event', owner: string, key: string): void {
  if (pattern.test(key) && key.startsWith(`${owner}/`)) return;
  throw new Fault('invalid', `The key of this ${what} must read ${owner}/name@1; got "${key}"`);
}
