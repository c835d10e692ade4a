/** The ways in which the bytes of a file reach the library. */
import fc from 'fast-check';
import { openD4 as openInPage } from '../../../../../plugins/coverage/d4/browser.js';
import { type D4File, type FileHandle, type OpenOptions, openD4 } from '../../../../../plugins/coverage/d4/index.js';

export type Way = 'bytes' | 'Blob' | 'file handle' | 'position first' | 'in a page';

export const wayArbitrary: fc.Arbitrary<Way> = fc.constantFrom(
  'bytes',
  'Blob',
  'file handle',
  'position first',
  'in a page',
);

/** A handle as GMOD's libraries have it. */
export function handleOf(bytes: Uint8Array): FileHandle {
  return {
    read: async (length, position) => bytes.slice(position, position + length),
    stat: async () => ({ size: bytes.length }),
  };
}

export async function openedBy(way: Way, bytes: Uint8Array, options: OpenOptions = {}): Promise<D4File> {
  const blob = new Blob([new Uint8Array(bytes)]);
  const handle = handleOf(bytes);
  if (way === 'bytes') return openD4(bytes, options);
  if (way === 'Blob') return openD4(blob, options);
  if (way === 'file handle') return openD4(handle, options);
  if (way === 'in a page') return openInPage(blob, options);
  return openD4({ ...handle, read: (position, length) => handle.read(length, position) }, options);
}
