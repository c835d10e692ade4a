/** Sheets of samples to register: tab-separated text whose first line names the columns, or a JSON list of objects. */
import { Mistakes } from '../../../core/commands.js';
import { Fault } from '../../../core/plugin.js';
import type { SampleDescription } from '../contract.js';
import { openIntervals } from '../intervals/reader.js';
import { readCells, requiredColumns, sheetColumns } from './description.js';

/** Characters of the longest sheet: a line for each of more samples than a server knows. */
const longest = 64 * 1024 * 1024;

interface SheetRow {
  /** `line 3`, or `entry 2` of a JSON list. */
  place: string;
  cells: Readonly<Record<string, unknown>>;
}

/**
 * The samples of a sheet, plain or gzip; `-` reads standard input. An empty cell says nothing. Throws an `unprocessable` fault
 * that names every mistake.
 */
export async function readSheet(path: string): Promise<SampleDescription[]> {
  const { name, lines } = await linesOfSheet(path);
  const mistakes = new Mistakes(name);
  const isJson =
    lines
      .find((line) => line.trim() !== '')
      ?.trimStart()
      .startsWith('[') ?? false;
  const rows = isJson ? jsonRows(lines.join('\n'), name) : tableRows(lines, name, mistakes);
  const places = new Map<string, string>();
  const all: SampleDescription[] = [];
  for (const { place, cells } of rows) {
    const read = readCells(cells);
    if ('wrong' in read) for (const { field, reason } of read.wrong) mistakes.add(`${place}, ${field}`, reason);
    else {
      const { description } = read;
      const earlier = places.get(description.id);
      if (earlier !== undefined) mistakes.add(`${place}, sample`, `"${description.id}" is already in ${earlier}`);
      else places.set(description.id, place);
      all.push(description);
    }
  }
  mistakes.refuse();
  if (all.length === 0) throw new Fault('unprocessable', `${name}: there is no sample; expected ${expected}`);
  return all;
}

const expected = 'a line with the names of the columns and a line for each sample, or a JSON list';

async function linesOfSheet(path: string): Promise<{ name: string; lines: string[] }> {
  const source = await openIntervals(path);
  const lines: string[] = [];
  let length = 0;
  for await (const block of source.blocks()) {
    for (const line of block.lines) {
      length += line.length + 1;
      lines.push(line);
    }
    if (length > longest) throw new Fault('unprocessable', `${source.name}: the sheet is longer than ${longest} bytes`);
  }
  return { name: source.name, lines };
}

function jsonRows(text: string, name: string): SheetRow[] {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch (cause) {
    throw new Fault('unprocessable', `${name} is not valid JSON`, { cause });
  }
  if (!Array.isArray(list)) throw new Fault('unprocessable', `${name}: expected ${expected}`);
  return list.map((entry: unknown, i) => ({ place: `entry ${i + 1}`, cells: objectOf(entry, name, i + 1) }));
}

/** `labels` may be an object of its own, as in requests. */
function objectOf(entry: unknown, name: string, number: number): Record<string, unknown> {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    throw new Fault('unprocessable', `${name}, entry ${number}: expected an object with ${sheetColumns.join(', ')}`);
  }
  const { labels, ...rest } = entry as Record<string, unknown>;
  if (labels === undefined) return rest;
  return typeof labels === 'object' && labels !== null ? { ...labels, ...rest } : { ...rest, labels };
}

function tableRows(lines: readonly string[], name: string, mistakes: Mistakes): SheetRow[] {
  const at = lines.findIndex((line) => line.trim() !== '');
  if (at < 0) throw new Fault('unprocessable', `${name} is empty; expected ${expected}`);
  const columns = cellsOfLine(lines[at] as string).map((column) => column.toLowerCase());
  for (const [i, column] of columns.entries()) {
    const isKnown = (sheetColumns as readonly string[]).includes(column);
    if (!isKnown)
      mistakes.add(`line ${at + 1}, column ${i + 1}`, `"${column.slice(0, 40)}" is none of ${sheetColumns.join(', ')}`);
    else if (columns.indexOf(column) < i) mistakes.add(`line ${at + 1}, ${column}`, 'the column is there twice');
  }
  for (const column of requiredColumns) {
    if (!columns.includes(column)) mistakes.add(`line ${at + 1}, ${column}`, 'the column is missing');
  }
  mistakes.refuse();
  const rows: SheetRow[] = [];
  for (const [i, line] of lines.entries()) {
    if (i <= at || line.trim() === '') continue;
    const cells = cellsOfLine(line);
    if (cells.length > columns.length) {
      mistakes.add(`line ${i + 1}, column ${cells.length}`, `the header names only ${columns.length} columns`);
    }
    const given = columns.flatMap((column, k) => (cells[k] ? [[column, cells[k]] as const] : []));
    rows.push({ place: `line ${i + 1}`, cells: Object.fromEntries(given) });
  }
  return rows;
}

function cellsOfLine(line: string): string[] {
  return line
    .replace(/\r$/, '')
    .split('\t')
    .map((cell) => cell.trim());
}
