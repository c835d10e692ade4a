/** Cuts bytes into blocks of whole lines, as text with one character a byte. */
import { Fault } from '../../../core/plugin.js';

/** No line of a VCF is longer than this; a file that is no text might never end its first. */
const longestLine = 64 * 1024 * 1024;

/**
 * Blocks of one or more lines, each ended by a line feed (one is added where the last line has none). Latin-1, so that
 * positions are bytes and no time goes into decoding what nobody looks at; `utf8` restores a part of it.
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

/** A part of a block as the text that the file means. */
export function utf8(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8');
}
