/** Rows of a small text file. */
import { Fault } from '../../../core/plugin.js';
import { blocks, utf8 } from '../vcf/blocks.js';
import { openSource } from '../vcf/source.js';

/** Largest file in bytes: a line for each of more samples than a dataset has. */
const largest = 64 * 1024 * 1024;

export interface Row {
  /** 1-based. */
  line: number;
  text: string;
}

/** The lines of a file, plain or gzipped, without those that are blank. */
export async function readRows(path: string): Promise<Row[]> {
  const source = await openSource(path);
  const rows: Row[] = [];
  let line = 0;
  let bytes = 0;
  for await (const block of blocks(source.chunks(), source.name)) {
    bytes += block.length;
    if (bytes > largest) throw new Fault('unprocessable', `${path}: the file is longer than ${largest} bytes`);
    for (const text of utf8(block).slice(0, -1).split('\n')) {
      line++;
      const row = (line === 1 ? text.replace(/^\uFEFF/, '') : text).replace(/\r$/, '');
      if (row.trim() !== '') rows.push({ line, text: row });
    }
  }
  return rows;
}

/** A place in the file, as in a message. */
export function cellAt(line: number, column: string): string {
  return `line ${line}, column ${column}`;
}
