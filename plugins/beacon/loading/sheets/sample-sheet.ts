/** Sheets of samples: tab-separated text whose first line names the columns, or phenopackets. */
import { stat } from 'node:fs/promises';
import { Mistakes } from '../../../../core/commands.js';
import { Fault } from '../../../../core/plugin.js';
import { type FactField, factFields, readFacts, type StatedFacts } from '../../domain/facts.js';
import { sexWord } from './ped.js';
import { packetFilesIn, readPhenopackets } from './phenopackets.js';
import { cellAt, readText, rowsOf, type TextRow } from './text.js';

/** The columns of a sheet; only the first is required, in any order. */
export const sheetColumns = ['sample', ...factFields] as const;
type SampleSheetColumn = (typeof sheetColumns)[number];

/**
 * What a sheet says of samples that are among `there`: a table, or one or several phenopackets (a JSON file, or a folder of
 * them). An empty cell says nothing. The sex may be a number or a word as in PED files. Throws an `unprocessable` fault that
 * names every mistake.
 */
export async function readSampleSheet(
  path: string,
  there: ReadonlySet<string>,
  warn: (sentence: string) => void,
): Promise<Map<string, StatedFacts>> {
  const isFolder = (await stat(path).catch(() => undefined))?.isDirectory() === true;
  if (isFolder) return readPhenopackets(path, await packetFilesIn(path, warn), there, warn);
  if (/\.ya?ml(\.gz)?$/i.test(path)) {
    throw new Fault('unprocessable', `${path}: phenopackets are read as JSON, and this is YAML: convert it`);
  }
  const text = await readText(path);
  if (!/^\s*[[{]/.test(text)) return readTable(path, text, there);
  return readPhenopackets(path, [{ text: async () => text }], there, warn);
}

function readTable(path: string, text: string, there: ReadonlySet<string>): Map<string, StatedFacts> {
  const [header, ...rows] = rowsOf(text);
  if (!header || rows.length === 0) {
    throw new Fault(
      'unprocessable',
      `${path}: expected a line with the names of the columns and a line for each sample`,
    );
  }
  const mistakes = new Mistakes(path);
  const columns = columnsOf(header, mistakes);
  mistakes.refuse();
  const lines = new Map<string, number>();
  const claimed = new Map<string, number>();
  const all = new Map<string, StatedFacts>();
  for (const row of rows) {
    const cells = row.text.split('\t').map((cell) => cell.trim());
    if (cells.length > columns.length) {
      mistakes.add(cellAt(row.line, String(cells.length)), `the header names only ${columns.length} columns`);
      continue;
    }
    const words: Partial<Record<SampleSheetColumn, string>> = {};
    for (const [i, column] of columns.entries()) if (cells[i]) words[column] = cells[i];
    const { sample = '', ...facts } = words;
    if (facts.sex !== undefined) facts.sex = sexWord(facts.sex);
    const earlier = lines.get(sample);
    if (sample === '') mistakes.add(cellAt(row.line, 'sample'), 'the sample has no name');
    else if (earlier !== undefined)
      mistakes.add(cellAt(row.line, 'sample'), `"${sample}" is already on line ${earlier}`);
    else if (!there.has(sample)) mistakes.add(cellAt(row.line, 'sample'), `"${sample}" is not in the dataset`);
    lines.set(sample, row.line);
    const read = readFacts(facts);
    if ('facts' in read) {
      all.set(sample, read.facts);
      const { coverageId } = read.facts;
      if (coverageId === undefined) continue;
      const other = claimed.get(coverageId);
      if (other === undefined) claimed.set(coverageId, row.line);
      // Almost always a slip; samples that do share their depth can be named one by one.
      else mistakes.add(cellAt(row.line, 'coverage_id'), `"${coverageId.slice(0, 40)}" is already on line ${other}`);
    } else for (const { field, reason } of read.wrong) mistakes.add(cellAt(row.line, field), reason);
  }
  mistakes.refuse();
  return all;
}

function columnsOf({ line, text }: TextRow, mistakes: Mistakes): SampleSheetColumn[] {
  const names = text.split('\t').map((name) => name.trim().toLowerCase());
  for (const [i, name] of names.entries()) {
    if (!isColumn(name))
      mistakes.add(cellAt(line, String(i + 1)), `"${name.slice(0, 40)}" is none of ${sheetColumns.join(', ')}`);
    else if (names.indexOf(name) < i) mistakes.add(cellAt(line, name), 'the column is there twice');
  }
  if (!names.includes('sample')) mistakes.add(cellAt(line, 'sample'), 'the column is missing');
  return names.filter(isColumn);
}

function isColumn(name: string): name is SampleSheetColumn {
  return name === 'sample' || factFields.includes(name as FactField);
}
