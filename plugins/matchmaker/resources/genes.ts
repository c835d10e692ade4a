/** Genes: read from the complete set of HGNC or a table, packed, and found by id or symbol. */
import { eachLine, fileFault, quoted, releaseDate, type TextFile } from '../../../core/files.js';
import {
  byBytes,
  bytesOfColumns,
  numbers,
  type PackedColumn,
  type PackedColumns,
  PackedTexts,
  pack,
  rangeOfValue,
  textColumns,
} from './packed.js';

export interface GeneRecord {
  /** 0 … size − 1; valid within one `Resources` only. */
  readonly number: number;
  readonly symbol: string;
  /** `ENSG00000167468`, without version; undefined if the gene has none. */
  readonly ensembl?: string;
  /** `HGNC:4556`. */
  readonly hgnc?: string;
  /** `2879`. */
  readonly entrez?: string;
}

export interface GeneTable {
  readonly size: number;
  /**
   * The gene of an id in any form: `ENSG00000167468`, with or without version; `HGNC:4556`; `NCBIGene:2879` (also `Entrez:`,
   * `GeneID:`), bare digits (Entrez); a symbol in any case. An approved symbol takes precedence over a previous one, and that
   * over an alias. Undefined if unknown, or ambiguous: a previous symbol or alias of several genes is never guessed
   * (`candidates` names them).
   */
  resolve(id: string): GeneRecord | undefined;
  /** The genes that an ambiguous symbol can mean, by number; empty if it is not ambiguous. */
  candidates(id: string): GeneRecord[];
  /** Throws a RangeError if no gene has the number. */
  gene(number: number): GeneRecord;
  /**
   * The normal spelling of an id that the table lacks, so that its spellings match: upper case, an Ensembl id without
   * version, an Entrez id as `NCBIGene:<digits>`.
   */
  spelling(id: string): string;
}

type GeneId = { type: 'ensembl' | 'hgnc' | 'entrez'; number: number } | { type: 'symbol'; symbol: string };

/** Ids are stored as 32-bit numbers: of its eleven digits Ensembl uses only the last few so far. */
const largest = 0xffff_ffff;

/** Parses any form; what is not an id of a known kind is a symbol, in upper case. */
function geneId(text: string): GeneId {
  const id = text.trim();
  const number = ensemblNumber(id);
  if (number !== undefined) return { type: 'ensembl', number };
  const [, prefix = '', digits] = /^(?:(HGNC|NCBIGene|NCBI_?Gene|Entrez|GeneID)[:_])?(\d{1,10})$/i.exec(id) ?? [];
  if (digits === undefined || Number(digits) > largest) return { type: 'symbol', symbol: id.toUpperCase() };
  return { type: prefix.toUpperCase() === 'HGNC' ? 'hgnc' : 'entrez', number: Number(digits) };
}

/** The number of `ENSG00000167468`, with or without version and the suffix `_PAR_Y`; undefined for anything else. */
function ensemblNumber(id: string): number | undefined {
  const digits = /^ENSG(\d{11})(?:\.\d+)?(?:_PAR_Y)?$/i.exec(id)?.[1];
  return digits !== undefined && Number(digits) <= largest ? Number(digits) : undefined;
}

/** How ids are written in responses. */
function geneIdText(id: GeneId): string {
  switch (id.type) {
    case 'ensembl':
      return `ENSG${String(id.number).padStart(11, '0')}`;
    case 'hgnc':
      return `HGNC:${id.number}`;
    case 'entrez':
      return `NCBIGene:${id.number}`;
    case 'symbol':
      return id.symbol;
  }
}

// The gene table in memory: packed columns, searched in place.

type IdType = 'ensembl' | 'hgnc' | 'entrez';

/** Ids that are remembered, and the length of the longest one. */
const remembered = 10_000;
const longestRemembered = 32;

export class PackedGenes implements GeneTable {
  readonly size: number;
  readonly bytes: number;
  readonly #symbols: PackedTexts;
  readonly #keys: PackedTexts;
  readonly #keyGenes: Uint32Array;
  readonly #resolved = new Map<string, GeneRecord>();
  readonly #ids: Record<IdType, { byGene: Uint32Array; sorted: Uint32Array; genes: Uint32Array }>;

  constructor(columns: PackedColumns) {
    this.#symbols = new PackedTexts(columns, 'symbols');
    this.#keys = new PackedTexts(columns, 'keys');
    this.#keyGenes = numbers(columns, 'keys.genes');
    const ids = (type: IdType) => ({
      byGene: numbers(columns, type),
      sorted: numbers(columns, `${type}.sorted`),
      genes: numbers(columns, `${type}.genes`),
    });
    this.#ids = { ensembl: ids('ensembl'), hgnc: ids('hgnc'), entrez: ids('entrez') };
    this.size = this.#symbols.length;
    this.bytes = bytesOfColumns(columns);
  }

  /** Genes that were looked up lately are remembered: a query or a patient needs each of its genes several times. */
  resolve(id: string): GeneRecord | undefined {
    const known = this.#resolved.get(id);
    if (known !== undefined) return known;
    const [only, ...others] = this.#found(geneId(id));
    if (only === undefined || others.length > 0) return undefined;
    const found = this.gene(only);
    if (this.#resolved.size >= remembered) this.#resolved.clear();
    if (id.length <= longestRemembered) this.#resolved.set(id, found);
    return found;
  }

  candidates(id: string): GeneRecord[] {
    const found = this.#found(geneId(id));
    return found.length > 1 ? [...found].map((number) => this.gene(number)) : [];
  }

  gene(number: number): GeneRecord {
    if (this.#ids.hgnc.byGene[number] === undefined) throw new RangeError(`no gene has the number ${number}`);
    const [ensembl, hgnc, entrez] = [this.#id('ensembl', number), this.#id('hgnc', number), this.#id('entrez', number)];
    return {
      number,
      symbol: this.#symbols.at(number),
      ...(ensembl && { ensembl }),
      ...(hgnc && { hgnc }),
      ...(entrez && { entrez: entrez.replace('NCBIGene:', '') }),
    };
  }

  spelling(id: string): string {
    return geneIdText(geneId(id));
  }

  #found(id: GeneId): Uint32Array {
    if (id.type === 'symbol') return this.#keyGenes.subarray(...this.#keys.range(id.symbol));
    const { sorted, genes } = this.#ids[id.type];
    return genes.subarray(...rangeOfValue(sorted, id.number));
  }

  #id(type: IdType, gene: number): string | undefined {
    const number = this.#ids[type].byGene[gene] ?? noId;
    return number === noId ? undefined : geneIdText({ type, number });
  }
}

/** Stands for a missing id: no id is 0. */
const noId = 0;

export function packGenes(genes: readonly GeneEntry[]): Uint8Array<ArrayBuffer> {
  const symbols = symbolKeys(genes);
  return pack('genes', {
    ...textColumns(
      'symbols',
      genes.map(({ symbol }) => symbol),
    ),
    ...idColumns('ensembl', genes),
    ...idColumns('hgnc', genes),
    ...idColumns('entrez', genes),
    ...textColumns(
      'keys',
      symbols.map(({ key }) => key),
    ),
    'keys.genes': Uint32Array.from(symbols, ({ gene }) => gene),
  });
}

/** The ids by gene, and ascending with their genes; an id of several genes is there several times. */
function idColumns(type: 'ensembl' | 'hgnc' | 'entrez', genes: readonly GeneEntry[]): Record<string, PackedColumn> {
  const ids = Uint32Array.from(genes, (gene) => gene[type] ?? noId);
  const order = Uint32Array.from(ids.keys())
    .filter((gene) => ids[gene] !== noId)
    .sort((left, right) => (ids[left] as number) - (ids[right] as number) || left - right);
  return { [type]: ids, [`${type}.sorted`]: order.map((gene) => ids[gene] as number), [`${type}.genes`]: order };
}

/**
 * Every symbol in upper case with the genes that it can mean, from the first of these that has any: approved by HGNC, symbol
 * in another source, previous symbol, alias.
 */
function symbolKeys(genes: readonly GeneEntry[]): { key: string; gene: number }[] {
  const ranks = new Map<string, Map<number, number>>();
  const add = (symbol: string, rank: number, gene: number): void => {
    const key = symbol.toUpperCase();
    const found = ranks.get(key) ?? new Map<number, number>();
    ranks.set(key, found);
    found.set(gene, Math.min(rank, found.get(gene) ?? rank));
  };
  genes.forEach(({ symbol, hgnc, previous, aliases }, gene) => {
    add(symbol, hgnc === undefined ? 1 : 0, gene);
    for (const old of previous) add(old, 2, gene);
    for (const alias of aliases) add(alias, 3, gene);
  });
  return [...ranks]
    .flatMap(([key, found]) => {
      const best = Math.min(...found.values());
      return [...found].flatMap(([gene, rank]) => (rank === best ? { key, gene } : []));
    })
    .sort((left, right) => byBytes(left.key, right.key) || left.gene - right.gene);
}

// Reads genes: the complete set of HGNC, or a table merged from several sources.

interface GeneEntry {
  symbol: string;
  ensembl?: number;
  hgnc?: number;
  entrez?: number;
  previous: string[];
  aliases: string[];
}

interface GeneFile {
  version?: string;
  genes: GeneEntry[];
}

/** Accepted names of the columns. */
const geneColumns = {
  symbol: ['symbol'],
  hgnc: ['hgnc_id', 'hgnc'],
  ensembl: ['ensembl_gene_id', 'ensembl'],
  entrez: ['entrez_id', 'entrez'],
  previous: ['prev_symbol', 'prev_symbols'],
  aliases: ['alias_symbol', 'alias_symbols'],
  status: ['status'],
  modified: ['date_modified'],
} as const;
type GeneColumn = keyof typeof geneColumns;
const optional: readonly GeneColumn[] = ['status', 'modified'];

/** Whether a line is the header of a gene table. */
export function isGeneTable(line: string): boolean {
  const columns = placesIn(line);
  return columns.symbol !== undefined && columns.hgnc !== undefined;
}

/**
 * Reads genes; skips entries that HGNC has withdrawn. The version is the date in the file's name, else the latest change of
 * an entry. Throws an `unprocessable` fault with file and line.
 */
export function readGenes(file: TextFile): GeneFile {
  const genes: GeneEntry[] = [];
  let width = 0;
  let at: Partial<Record<GeneColumn, number>> = {};
  let version = releaseDate(file.name);
  let modified = '';
  eachLine(file, (line) => {
    if (line.startsWith('#version:')) version = releaseDate(line) ?? version;
    if (line === '' || line.startsWith('#')) return;
    const cells = line.split('\t');
    if (width === 0) {
      at = placesIn(line);
      const missing = (Object.keys(geneColumns) as GeneColumn[]).find(
        (name) => at[name] === undefined && !optional.includes(name),
      );
      if (missing) throw new Error(`the column ${quoted(geneColumns[missing][0])} is missing`);
      width = cells.length;
      return;
    }
    if (cells.length !== width) throw new Error(`expected ${width} columns, found ${cells.length}`);
    const cell = (name: GeneColumn): string => unquoted(cells[at[name] ?? -1] ?? '');
    if (/withdrawn/i.test(cell('status'))) return;
    const date = releaseDate(cell('modified')) ?? '';
    if (date > modified) modified = date;
    const symbol = cell('symbol');
    if (symbol === '') throw new Error('the symbol is missing');
    genes.push({
      symbol,
      ...geneIdIn('ensembl', cell('ensembl')),
      ...geneIdIn('hgnc', cell('hgnc')),
      ...geneIdIn('entrez', cell('entrez')),
      previous: cellValues(cell('previous')),
      aliases: cellValues(cell('aliases')),
    });
  });
  if (genes.length === 0) throw fileFault(file.name, 'this file has no genes');
  version ??= modified || undefined;
  return { ...(version && { version }), genes: joinedEntries(genes) };
}

function placesIn(line: string): Partial<Record<GeneColumn, number>> {
  const cells = line.split('\t').map((cell) => unquoted(cell).toLowerCase());
  const places: Partial<Record<GeneColumn, number>> = {};
  for (const name of Object.keys(geneColumns) as GeneColumn[]) {
    const index = cells.findIndex((cell) => (geneColumns[name] as readonly string[]).includes(cell));
    if (index >= 0) places[name] = index;
  }
  return places;
}

/** Files exported from spreadsheets have quotes around lists. */
function unquoted(cell: string): string {
  const text = cell.trim();
  return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}

function cellValues(cell: string): string[] {
  return cell.split('|').flatMap((part) => part.trim() || []);
}

function geneIdIn<Type extends 'ensembl' | 'hgnc' | 'entrez'>(type: Type, cell: string): { [key in Type]?: number } {
  if (cell === '') return {};
  const id: GeneId = geneId(type === 'hgnc' && /^\d+$/.test(cell) ? `HGNC:${cell}` : cell);
  if (id.type !== type) throw new Error(`${quoted(cell)} is not an ${idWords[type]} id`);
  return { [type]: id.number } as { [key in Type]?: number };
}

const idWords = { ensembl: 'Ensembl gene', hgnc: 'HGNC', entrez: 'Entrez gene' };

/**
 * A merged table may have one gene in two lines: HGNC's without an Ensembl id, and Ensembl's with only the symbol. If each is
 * the only one of its kind with the symbol, they become one gene.
 */
function joinedEntries(genes: readonly GeneEntry[]): GeneEntry[] {
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
