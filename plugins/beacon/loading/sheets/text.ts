/** Reads small text files: their rows, and for messages the line of a value in a JSON text. */
import { lineBlocks, openSource } from '../../../../core/files.js';
import { Fault } from '../../../../core/plugin.js';

/** Characters of the largest file: a line for each of more samples than a dataset has. */
const largest = 64 * 1024 * 1024;

export interface TextRow {
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
export async function readRows(path: string): Promise<TextRow[]> {
  return rowsOfText(await readText(path));
}

export function rowsOfText(text: string): TextRow[] {
  const lines = text.split('\n').map((line, i) => ({ line: i + 1, text: line.replace(/\r$/, '') }));
  return lines.filter((row) => row.text.trim() !== '');
}

/** A place in the file, as in a message. */
export function cellAt(line: number, column: string): string {
  return `line ${line}, column ${column}`;
}

// Where in a JSON text its values are, for messages.

/** Strings, brackets, separators, and everything else between them. */
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|\n|[^\s{}[\]:,"]+/g;

interface JsonLevel {
  /** The path of the object or list itself. */
  path: string;
  /** The name of the next member, or the number of the next item. */
  at: string | number;
  /** Whether the next string names a member. */
  named: boolean;
}

/** The 1-based line on which each value of a valid JSON text begins, by its path as in messages (`pathText`). */
export function linesOfJson(text: string): Map<string, number> {
  const lines = new Map<string, number>();
  const levels: JsonLevel[] = [];
  let line = 1;
  for (const [token] of text.matchAll(tokens)) {
    const level = levels.at(-1);
    if (token === '\n') line++;
    else if (token === ',' && level) {
      if (typeof level.at === 'number') level.at++;
      else level.named = true;
    } else if (token === '}' || token === ']') levels.pop();
    else if (level?.named) {
      level.at = JSON.parse(token) as string;
      level.named = false;
    } else if (token !== ':') {
      const path = level ? `${level.path}${pathText([level.at])}` : '';
      lines.set(path, line);
      if (token === '{') levels.push({ path, at: '', named: true });
      else if (token === '[') levels.push({ path, at: 0, named: false });
    }
  }
  return lines;
}

/** The line of a value, or of the innermost one around it if it is missing. */
export function lineOfValue(lines: ReadonlyMap<string, number>, path: readonly PropertyKey[]): number {
  for (let depth = path.length; depth >= 0; depth--) {
    const line = lines.get(pathText(path.slice(0, depth)));
    if (line !== undefined) return line;
  }
  return 1;
}

/** `[2].subject.id`, with a point before the first member too. */
export function pathText(path: readonly PropertyKey[]): string {
  return path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
}
