/** Cuts bytes into blocks of whole lines, as text with one character a byte. */
import { isUtf8 } from 'node:buffer';
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

/**
 * Lines of a block as text, of which `first` is the number of the first one. Throws an `unprocessable` fault if they are not UTF-8:
 * of names in another encoding, different ones would become equal.
 */
export function utf8Lines(latin1: string, { name }: { name: string }, first: number): string[] {
  const bytes = Buffer.from(latin1, 'latin1');
  if (!isUtf8(bytes)) {
    const wrong = latin1.split('\n').findIndex((line) => !isUtf8(Buffer.from(line, 'latin1')));
    throw new Fault('unprocessable', `${name}, line ${first + wrong}: it is not UTF-8 text`);
  }
  // A block ends with a line feed, after which split returns one more, empty text.
  return bytes.toString('utf8').split('\n').slice(0, -1);
}

/** Decodes a part of a block; bytes that are not UTF-8 become U+FFFD. */
export function utf8(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8');
}
