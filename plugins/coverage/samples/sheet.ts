/** Sheets of samples to register: tab-separated text whose first line names the columns, or a JSON list of objects. */
import { linesOfSheet, Mistakes, sheetRows } from '../../../core/commands.js';
import { Fault } from '../../../core/plugin.js';
import type { SampleDescription } from '../contract.js';
import { openIntervals } from '../intervals/reader.js';
import { readCells, requiredColumns, sheetColumns } from './description.js';

interface SheetSample {
  /** `line 3`, or `entry 2` of a JSON list. */
  place: string;
  cells: Readonly<Record<string, unknown>>;
}

/**
 * The samples of a sheet, plain or gzip; `-` reads standard input. An empty cell says nothing. Throws an `unprocessable` fault
 * that names every mistake.
 */
export async function readSheet(path: string): Promise<SampleDescription[]> {
  const source = await openIntervals(path);
  const { name } = source;
  const lines = await linesOfSheet(name, source.blocks());
  const mistakes = new Mistakes(name);
  const first = lines.find((line) => line.trim() !== '');
  if (first === undefined) throw new Fault('unprocessable', `${name} is empty; expected ${expected}`);
  const rows: readonly SheetSample[] = first.trimStart().startsWith('[')
    ? jsonRows(lines.join('\n'), name)
    : sheetRows(lines, { columns: sheetColumns, required: requiredColumns }, cellsOfLine, mistakes);
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

function jsonRows(text: string, name: string): SheetSample[] {
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

function cellsOfLine(line: string): string[] {
  return line
    .replace(/\r$/, '')
    .split('\t')
    .map((cell) => cell.trim());
}
