/** Rows of a small text file. */
import { blocks, openSource, utf8Lines } from '../../../core/files.js';
import { Fault } from '../../../core/plugin.js';

/** Largest file in bytes: a line for each of more samples than a dataset has. */
const largest = 64 * 1024 * 1024;

export interface Row {
  /** 1-based. */
  line: number;
  text: string;
}

/** The text of a file, plain or gzipped, without a byte-order mark. Throws an `unprocessable` fault if it is not UTF-8. */
export async function readText(path: string): Promise<string> {
  const source = await openSource(path);
  const lines: string[] = [];
  let bytes = 0;
  for await (const block of blocks(source.chunks(), source.name)) {
    bytes += block.length;
    if (bytes > largest) throw new Fault('unprocessable', `${path}: the file is longer than ${largest} bytes`);
    for (const line of utf8Lines(block, source, lines.length + 1)) lines.push(line);
  }
  return lines.join('\n').replace(/^\uFEFF/, '');
}

/** The lines of a file, plain or gzipped, without those that are blank. */
export async function readRows(path: string): Promise<Row[]> {
  return rowsOf(await readText(path));
}

export function rowsOf(text: string): Row[] {
  const lines = text.split('\n').map((line, i) => ({ line: i + 1, text: line.replace(/\r$/, '') }));
  return lines.filter((row) => row.text.trim() !== '');
}

/** A place in the file, as in a message. */
export function cellAt(line: number, column: string): string {
  return `line ${line}, column ${column}`;
}
