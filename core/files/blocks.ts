/** Cuts bytes into blocks of whole lines: as text, or with one character a byte. */
import { StringDecoder } from 'node:string_decoder';
import { Fault } from '../fault.js';
import type { Source } from './source.js';

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

/** Some lines of a file. */
export interface LineBlock {
  /** Without their line ends. */
  lines: string[];
  /** Number of the first of them in the file, from 1. */
  first: number;
  /** Whether the last of them ends with a line end; always true but at the end of the file. */
  isEnded: boolean;
}

/** The character that invalid UTF-8 becomes, and the one that no store accepts. */
const illegible = /[\0\uFFFD]/;

/**
 * The lines of a file, in constant memory. They end with LF, CRLF or CR; a byte order mark is left out. Throws an `unprocessable`
 * fault for a line that is not UTF-8, since of names in another encoding different ones would become equal, or that has more than
 * `longest` characters: a binary file might have no line end at all.
 */
export async function* lineBlocks(source: Source, longest = 2 ** 20): AsyncGenerator<LineBlock> {
  const decoder = new StringDecoder('utf8');
  let first = 1;
  let [started, length]: [string[], number] = [[], 0];
  let [isMarked, isReturned] = [false, false];
  const fault = (line: number, reason: string) => new Fault('unprocessable', `${source.name}, line ${line}: ${reason}`);
  const block = (lines: string[], isEnded = true): LineBlock => {
    const wrong = lines.findIndex((line) => illegible.test(line));
    if (wrong >= 0) throw fault(first + wrong, 'it is not UTF-8 text');
    return { lines, first, isEnded };
  };
  for await (const chunk of source.chunks()) {
    let text = `${isReturned ? '\r' : ''}${decoder.write(chunk)}`;
    if (!isMarked && text !== '') {
      text = text.replace(/^\uFEFF/, '');
      isMarked = true;
    }
    // It may be half of a line end.
    isReturned = text.endsWith('\r');
    if (isReturned) text = text.slice(0, -1);
    const lines = text.includes('\r') ? text.split(/\r\n?|\n/) : text.split('\n');
    const rest = lines.pop() ?? '';
    if (lines.length > 0) {
      lines[0] = started.join('') + lines[0];
      yield block(lines);
      first += lines.length;
      [started, length] = [[], 0];
    }
    started.push(rest);
    length += rest.length;
    if (length > longest) throw fault(first, 'the line has no end');
  }
  const last = started.join('') + decoder.end();
  if (last !== '' || isReturned) yield block([last], isReturned);
}

/** Decodes a part of a block; bytes that are not UTF-8 become U+FFFD. */
export function utf8(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8');
}
