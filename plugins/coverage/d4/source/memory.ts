/** A source whose bytes are in memory. */
import { D4Error } from '../error.js';
import type { Source, View } from './source.js';

/** Bytes in memory, read like a file. */
export function memorySource(bytes: Uint8Array, name = 'memory'): Source {
  const view: View = {
    copy(target, offset) {
      if (offset + target.length > bytes.length) {
        throw new D4Error('truncated', 'The bytes end early', `${name}: byte ${bytes.length}`);
      }
      target.set(bytes.subarray(offset, offset + target.length));
    },
  };
  return { name, size: bytes.length, remote: false, fetch: () => view, close: () => undefined };
}
