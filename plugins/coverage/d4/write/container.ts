/** Encodes frames, streams, headers and directories. */
import { directoryFrame } from '../container/directory.js';
import { frameHeader } from '../container/frame.js';

/** First bytes of every file. */
export const fileHeader = Uint8Array.of(0x64, 0x34, 0xdd, 0xdd, 0, 0, 0, 0);
export const rootAt = fileHeader.length;

/** An entry of a directory to be written; `at` is in bytes from the start of the file. */
export interface NewEntry {
  name: string;
  kind: 'stream' | 'directory' | 'blob';
  at: number;
  size: number;
}

const kindBytes = { stream: 0, directory: 1, blob: 2 };

/** The link at the start of a frame; zero if there is no next frame. */
export function frameLink(distance = 0, size = 0): Uint8Array {
  const bytes = Buffer.alloc(frameHeader);
  bytes.writeBigInt64LE(BigInt(distance), 0);
  bytes.writeBigUInt64LE(BigInt(size), 8);
  return bytes;
}

/** A stream of one frame. */
export function singleFrame(payload: Uint8Array): Uint8Array {
  return Buffer.concat([frameLink(), payload]);
}

/** A JSON header. It always ends with a NUL, by which readers find its end. */
export function headerFrame(json: object): Uint8Array {
  return singleFrame(Buffer.from(`${JSON.stringify(json)}\0`));
}

/** Bytes of a directory with these names: a first frame of fixed size, and one more for the rest. */
export function directoryBytes(names: readonly string[]): number {
  const content = names.reduce((sum, name) => sum + 19 + Buffer.byteLength(name), 1);
  const rest = content - (directoryFrame - frameHeader);
  return directoryFrame + (rest > 0 ? frameHeader + rest : 0);
}

/** A directory that starts at a byte of the file. */
export function directory(at: number, entries: readonly NewEntry[]): Uint8Array {
  const content = Buffer.concat([
    ...entries.map(({ name, kind, at: entryAt, size }) => {
      const fixed = Buffer.alloc(18);
      fixed[0] = 1;
      fixed[1] = kindBytes[kind];
      fixed.writeBigUInt64LE(BigInt(entryAt - at), 2);
      fixed.writeBigUInt64LE(BigInt(size), 10);
      return Buffer.concat([fixed, Buffer.from(`${name}\0`)]);
    }),
    Buffer.alloc(1),
  ]);
  const room = directoryFrame - frameHeader;
  const rest = content.subarray(room);
  const first = Buffer.alloc(room);
  content.copy(first, 0, 0, room);
  const link = rest.length > 0 ? frameLink(directoryFrame, frameHeader + rest.length) : frameLink();
  return rest.length > 0 ? Buffer.concat([link, first, frameLink(), rest]) : Buffer.concat([link, first]);
}
