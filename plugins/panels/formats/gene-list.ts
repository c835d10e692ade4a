/**
 * Panels as lines of text: Scout's export of a panel (`##key=value`, then a table separated by tabs or semicolons), any table
 * with a column of HGNC ids or symbols, and plain lists of ids or symbols, one a line.
 */
import { eachLine, fileFault, quoted, type TextFile } from '../../../core/files.js';
import { type Confidence, confidences, type PanelRequirement } from '../domain/content.js';
import type { GivenEntry, GivenPanel } from './given-panel.js';

/** The columns that are read, by their names in lower case. */
const columns: Readonly<Record<string, Column>> = {
  hgnc_id: 'id',
  hgnc_idnumber: 'id',
  hgncid: 'id',
  hgnc_symbol: 'symbol',
  hgncsymbol: 'symbol',
  symbol: 'symbol',
  gene: 'symbol',
  disease_associated_transcripts: 'transcripts',
  disease_associated_transcript: 'transcripts',
  transcripts: 'transcripts',
  reduced_penetrance: 'reduced',
  mosaicism: 'mosaicism',
  inheritance_models: 'inheritance',
  inheritance: 'inheritance',
  mode_of_inheritance: 'inheritance',
  moi: 'inheritance',
  genetic_disease_models: 'inheritance',
  custom_inheritance_models: 'custom',
  confidence: 'confidence',
  core: 'core',
  core_gene: 'core',
  comment: 'comment',
};
type Column =
  | 'id'
  | 'symbol'
  | 'transcripts'
  | 'reduced'
  | 'mosaicism'
  | 'inheritance'
  | 'custom'
  | 'confidence'
  | 'core'
  | 'comment';

/** More than all genes that there are: what has more is no list of genes. */
const mostEntries = 60_000;

/** Throws an `unprocessable` fault with file and line. */
export function readGeneList(file: TextFile): GivenPanel {
  const facts: Record<string, string> = {};
  const entries: GivenEntry[] = [];
  let separator: string | undefined;
  let places: Map<Column, number> | undefined;
  let unread: readonly string[] = [];
  eachLine(file, (line, number) => {
    const fact = /^##\s*([a-z_]+)\s*=\s*(.*)$/i.exec(line);
    if (fact) facts[(fact[1] ?? '').toLowerCase()] = (fact[2] ?? '').trim();
    if (line.startsWith('##') || isEmpty(line)) return;
    if (/[^\P{Cc}\t]/u.test(line)) throw new Error('expected text without control characters');
    separator ??= line.includes('\t') ? '\t' : ';';
    const cells = line.split(separator).map(unquoted);
    if (places === undefined) {
      ({ places, unread } = headerOf(cells));
      if (places.size > 0) return;
      if (cells.length > 1) throw new Error('expected a header with hgnc_id or symbol');
    }
    if (line.startsWith('#')) return;
    if (entries.length === mostEntries) throw new Error(`expected at most ${mostEntries} genes`);
    entries.push(entryOf(cells, places, number));
  });
  if (entries.length === 0) throw fileFault(file.name, 'there are no genes in it');
  const { panel_id, panel_name, version, display_name } = facts;
  const requirement = requirementOf(facts, file.name);
  const id = panel_id ?? panel_name;
  return {
    ...(id ? { id } : {}),
    ...(version ? { version } : {}),
    ...(display_name ? { name: display_name } : {}),
    ...(requirement === undefined ? {} : { requirement }),
    entries,
    ...(unread.length === 0 ? {} : { notes: [`Columns that are not read: ${unread.join(', ')}`] }),
    source: { kind: id ? 'scout' : 'list', ...(version ? { version } : {}) },
  };
}

/** `##required_depth=15` and `##required_percent=99`: one means nothing without the other. */
function requirementOf(
  { required_depth, required_percent }: Record<string, string>,
  file: string,
): PanelRequirement | undefined {
  if (required_depth === undefined && required_percent === undefined) return undefined;
  const [depth, percent] = [Number(required_depth || Number.NaN), Number(required_percent || Number.NaN)];
  if (!(Number.isInteger(depth) && depth >= 1 && depth <= 100_000))
    throw fileFault(file, 'expected ##required_depth=, a depth from 1 to 100000, beside ##required_percent=');
  if (!(percent > 0 && percent <= 100))
    throw fileFault(file, 'expected ##required_percent=, above 0 and at most 100, beside ##required_depth=');
  return { depth, percent };
}

/** The columns that are read, and titles of others. No column if the line is no header: a plain list. */
function headerOf(cells: readonly string[]): { places: Map<Column, number>; unread: string[] } {
  const places = new Map<Column, number>();
  const unread: string[] = [];
  for (const [place, cell] of cells.entries()) {
    const title = cell.replace(/^\uFEFF?#?/, '').trim();
    const column = columns[title.toLowerCase().replaceAll(' ', '_')];
    if (column !== undefined && !places.has(column)) places.set(column, place);
    else if (title !== '') unread.push(title);
  }
  return places.has('id') || places.has('symbol') ? { places, unread } : { places: new Map(), unread: [] };
}

function entryOf(cells: readonly string[], places: Map<Column, number>, line: number): GivenEntry {
  const cell = (name: Column) => cells[places.get(name) ?? -1] ?? '';
  const at = `line ${line}`;
  if (places.size === 0) return { at, confidence: 'unrated', ...givenOf(cells[0] ?? '') };
  const id = cell('id');
  const hgnc = id === '' ? undefined : hgncOf(id);
  if (id !== '' && hgnc === undefined) throw new Error(`${quoted(id)} is not an HGNC id`);
  const inheritance = cell('custom') || cell('inheritance');
  const transcripts = cell('transcripts')
    .split(/[,|]/)
    .flatMap((one) => one.trim() || []);
  return {
    at,
    confidence: confidenceOf(cell('confidence')),
    ...(hgnc === undefined ? {} : { hgnc }),
    ...(cell('symbol') === '' ? {} : { symbol: cell('symbol') }),
    ...(inheritance === '' ? {} : { inheritance }),
    ...(transcripts.length === 0 ? {} : { transcripts }),
    ...(isYes(cell('reduced')) ? { penetrance: 'reduced' } : {}),
    ...(isYes(cell('core')) ? { core: true } : {}),
    ...(isYes(cell('mosaicism')) ? { tags: ['mosaicism'] } : {}),
    ...(cell('comment') === '' ? {} : { comment: cell('comment') }),
  };
}

function confidenceOf(cell: string): Confidence {
  const level = confidences.find((one) => one === (cell.toLowerCase() || 'unrated'));
  if (level === undefined) throw new Error(`${quoted(cell)} is not a confidence: expected ${confidences.join(', ')}`);
  return level;
}

/** A cell of a plain list: an id, or else a symbol. */
function givenOf(cell: string): { hgnc: number } | { symbol: string } {
  const hgnc = hgncOf(cell);
  return hgnc === undefined ? { symbol: cell } : { hgnc };
}

function hgncOf(cell: string): number | undefined {
  const digits = /^(?:HGNC:)?([1-9]\d{0,8})$/i.exec(cell)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Spreadsheets write rows of separators only. */
function isEmpty(line: string): boolean {
  return /^[\s;,]*$/.test(line);
}

function unquoted(cell: string): string {
  return cell
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .trim();
}

function isYes(cell: string): boolean {
  return /^(?:yes|true|1|y|x)$/i.test(cell);
}
