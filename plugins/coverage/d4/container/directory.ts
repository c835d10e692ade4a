/** Reads the directories of the format. */
import { D4Error } from '../error.js';
import { maxHeaderBytes } from '../limits.js';
import { dataView, int64 } from '../source/read.js';
import type { Source } from '../source/source.js';
import type { Extents } from './extents.js';
import { readStream } from './frame.js';

export type EntryKind = 'stream' | 'directory' | 'blob';

/** One name in a directory. */
export interface Entry {
  name: string;
  kind: EntryKind;
  /** Offset in the file, in bytes. */
  at: number;
  /** A stream's first frame, a blob's bytes, or a directory's extent with everything below it. */
  size: number;
}

const kinds: readonly EntryKind[] = ['stream', 'directory', 'blob'];
/** Size of a directory's first frame; the file does not state it. */
export const directoryFrame = 512;
const fixedPart = 18;

/** Reads the directory that starts at a byte of the file. Entries are returned in their order. */
export async function readDirectory(source: Source, at: number, what: string, extents: Extents): Promise<Entry[]> {
  const bytes = await readStream(source, { at, size: directoryFrame }, what, maxHeaderBytes, extents);
  const view = dataView(bytes);
  const decoder = new TextDecoder();
  const entries: Entry[] = [];
  let p = 0;
  while (p < bytes.length && bytes[p] !== 0) {
    const place = `${source.name}: ${what}, entry ${entries.length}`;
    const kind = kinds[bytes[p + 1] ?? -1];
    if (bytes[p] !== 1 || !kind) throw new D4Error('broken', 'A directory entry is of no known kind', place);
    const end = bytes.indexOf(0, p + fixedPart);
    if (end < 0) throw new D4Error('broken', "A directory entry's name does not end", place);
    entries.push({
      name: decoder.decode(bytes.subarray(p + fixedPart, end)),
      kind,
      at: at + int64(view, p + 2),
      size: int64(view, p + 10),
    });
    p = end + 1;
  }
  // Writers leave zeros there. Entries after the end are entries that were lost.
  for (; p < bytes.length; p++) {
    if (bytes[p] === 0) continue;
    const place = `${source.name}: ${what}, entry ${entries.length}`;
    throw new D4Error('broken', 'A directory goes on after its end', place);
  }
  return entries;
}
