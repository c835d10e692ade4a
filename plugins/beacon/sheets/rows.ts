/** Rows of a small text file. */
import { lineBlocks, openSource } from '../../../core/files.js';
import { Fault } from '../../../core/plugin.js';

/** Characters of the largest file: a line for each of more samples than a dataset has. */
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
  let length = 0;
  for await (const block of lineBlocks(source, largest)) {
    for (const line of block.lines) {
      length += line.length + 1;
      lines.push(line);
    }
    if (length > largest) throw new Fault('unprocessable', `${path}: the file is longer than ${largest} bytes`);
  }
  return lines.join('\n');
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
