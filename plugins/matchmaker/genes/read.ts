/** Reads genes: the complete set of HGNC, or a table merged from several sources. */
import { eachLine, fileFault, quoted, releaseDate, type TextFile } from '../../../core/files.js';
import { type GeneId, geneId } from './gene-table.js';

export interface GeneEntry {
  symbol: string;
  ensembl?: number;
  hgnc?: number;
  entrez?: number;
  previous: string[];
  aliases: string[];
}

export interface GeneList {
  version?: string;
  genes: GeneEntry[];
}

/** Accepted names of the columns. */
const names = {
  symbol: ['symbol'],
  hgnc: ['hgnc_id', 'hgnc'],
  ensembl: ['ensembl_gene_id', 'ensembl'],
  entrez: ['entrez_id', 'entrez'],
  previous: ['prev_symbol', 'prev_symbols'],
  aliases: ['alias_symbol', 'alias_symbols'],
  status: ['status'],
  modified: ['date_modified'],
} as const;
type Name = keyof typeof names;
const optional: readonly Name[] = ['status', 'modified'];

/** Whether a line is the header of a gene table. */
export function isGeneTable(line: string): boolean {
  const columns = placesIn(line);
  return columns.symbol !== undefined && columns.hgnc !== undefined;
}

/**
 * Reads genes; skips entries that HGNC has withdrawn. The version is the date in the file's name, else the latest change of
 * an entry. Throws an `unprocessable` fault with file and line.
 */
export function readGenes(file: TextFile): GeneList {
  const genes: GeneEntry[] = [];
  let width = 0;
  let at: Partial<Record<Name, number>> = {};
  let version = releaseDate(file.name);
  let modified = '';
  eachLine(file, (line) => {
    if (line.startsWith('#version:')) version = releaseDate(line) ?? version;
    if (line === '' || line.startsWith('#')) return;
    const cells = line.split('\t');
    if (width === 0) {
      at = placesIn(line);
      const missing = (Object.keys(names) as Name[]).find((name) => at[name] === undefined && !optional.includes(name));
      if (missing) throw new Error(`the column ${quoted(names[missing][0])} is missing`);
      width = cells.length;
      return;
    }
    if (cells.length !== width) throw new Error(`expected ${width} columns, found ${cells.length}`);
    const cell = (name: Name): string => unquoted(cells[at[name] ?? -1] ?? '');
    if (/withdrawn/i.test(cell('status'))) return;
    const date = releaseDate(cell('modified')) ?? '';
    if (date > modified) modified = date;
    const symbol = cell('symbol');
    if (symbol === '') throw new Error('the symbol is missing');
    genes.push({
      symbol,
      ...idOf('ensembl', cell('ensembl')),
      ...idOf('hgnc', cell('hgnc')),
      ...idOf('entrez', cell('entrez')),
      previous: list(cell('previous')),
      aliases: list(cell('aliases')),
    });
  });
  if (genes.length === 0) throw fileFault(file.name, 'this file has no genes');
  version ??= modified || undefined;
  return { ...(version && { version }), genes: joined(genes) };
}

function placesIn(line: string): Partial<Record<Name, number>> {
  const cells = line.split('\t').map((cell) => unquoted(cell).toLowerCase());
  const places: Partial<Record<Name, number>> = {};
  for (const name of Object.keys(names) as Name[]) {
    const index = cells.findIndex((cell) => (names[name] as readonly string[]).includes(cell));
    if (index >= 0) places[name] = index;
  }
  return places;
}

/** Files exported from spreadsheets have quotes around lists. */
function unquoted(cell: string): string {
  const text = cell.trim();
  return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}

function list(cell: string): string[] {
  return cell.split('|').flatMap((part) => part.trim() || []);
}

function idOf<Type extends 'ensembl' | 'hgnc' | 'entrez'>(type: Type, cell: string): { [key in Type]?: number } {
  if (cell === '') return {};
  const id: GeneId = geneId(type === 'hgnc' && /^\d+$/.test(cell) ? `HGNC:${cell}` : cell);
  if (id.type !== type) throw new Error(`${quoted(cell)} is not an ${words[type]} id`);
  return { [type]: id.number } as { [key in Type]?: number };
}

const words = { ensembl: 'Ensembl gene', hgnc: 'HGNC', entrez: 'Entrez gene' };

/**
 * A merged table may have one gene in two lines: HGNC's without an Ensembl id, and Ensembl's with only the symbol. If each is
 * the only one of its kind with the symbol, they become one gene.
 */
function joined(genes: readonly GeneEntry[]): GeneEntry[] {
  const halves = new Map<string, { named: GeneEntry[]; placed: GeneEntry[] }>();
  for (const gene of genes) {
    const key = gene.symbol.toUpperCase();
    const half = halves.get(key) ?? { named: [], placed: [] };
    halves.set(key, half);
    if (gene.hgnc === undefined && gene.entrez === undefined) half.placed.push(gene);
    else half.named.push(gene);
  }
  const merged = new Set<GeneEntry>();
  const whole = new Map<GeneEntry, GeneEntry>();
  for (const { named, placed } of halves.values()) {
    const [name, place] = [named[0], placed[0]];
    if (named.length !== 1 || placed.length !== 1 || !name || !place || name.ensembl !== undefined) continue;
    if (place.ensembl === undefined) continue;
    merged.add(place);
    whole.set(name, {
      ...name,
      ensembl: place.ensembl,
      previous: [...name.previous, ...place.previous],
      aliases: [...name.aliases, ...place.aliases],
    });
  }
  return genes.filter((gene) => !merged.has(gene)).map((gene) => whole.get(gene) ?? gene);
}
