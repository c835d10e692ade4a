/** Rows of a small text file, and everything that is wrong with them. */
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

const shownMistakes = 20;

/** Collects all mistakes of a file, so that they can be corrected at once. */
export class Mistakes {
  readonly #path: string;
  readonly #found: string[] = [];

  constructor(path: string) {
    this.#path = path;
  }

  add(line: number, column: string, reason: string): void {
    this.#found.push(`line ${line}, column ${column}: ${reason}`);
  }

  /** Throws an `unprocessable` fault that names the mistakes, if there are any. */
  refuse(): void {
    const [first, ...more] = this.#found;
    if (first === undefined) return;
    if (more.length === 0) throw new Fault('unprocessable', `${this.#path}, ${first}`);
    const shown = this.#found.slice(0, shownMistakes);
    if (this.#found.length > shown.length) shown.push('…');
    throw new Fault('unprocessable', `${this.#path}: ${this.#found.length} mistakes\n  ${shown.join('\n  ')}`);
  }
}
