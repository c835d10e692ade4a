/** Cuts bytes into blocks of whole lines, as text with one character a byte. */
import { Fault } from '../fault.js';

/** Longest line in bytes: a file that is not text might have no line end at all. */
const longestLine = 64 * 1024 * 1024;

/**
 * Blocks of one or more lines, each ended by a line feed (added to the last line if missing). Latin-1, so that positions are
 * bytes and unused columns are never decoded; `utf8` decodes a part.
 */
export async function* blocks(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<string> {
  let started: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    const last = chunk.lastIndexOf(10);
    if (last < 0) {
      started.push(chunk);
      length += chunk.length;
      if (length > longestLine) throw new Fault('unprocessable', `${name}: a line is longer than ${longestLine} bytes`);
      continue;
    }
    started.push(chunk.subarray(0, last + 1));
    yield Buffer.concat(started).toString('latin1');
    started = [chunk.subarray(last + 1)];
    length = chunk.length - last - 1;
  }
  if (length > 0) yield `${Buffer.concat(started).toString('latin1')}\n`;
}

/** Decodes a part of a block. */
export function utf8(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8');
}
