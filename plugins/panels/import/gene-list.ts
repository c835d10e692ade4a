/**
 * Panels as lines of text: Scout's export of a panel (`##key=value`, then a table), any table with a column of HGNC ids, symbols
 * or Ensembl ids, separated by tabs, semicolons or commas, and plain lists of ids or symbols, one or several a line. Every
 * cell that can name a gene becomes an entry or is refused.
 */
import { counted } from '../../../core/commands.js';
import { eachLine, fileFault, quoted, type TextFile } from '../../../core/files.js';
import { ensemblId } from '../../../core/genome.js';
import { type GeneByName, geneOfWord } from '../genes/gene-table.js';
import { type Confidence, confidences, countedBases, type PanelRequirement } from '../versions/content.js';
import type { DraftEntry, PanelDraft } from './drafts.js';

/** The columns that are read, by their names in lower case; of several of one kind, the first of this list. */
const columns = {
  hgnc_id: 'id',
  hgnc_idnumber: 'id',
  hgncid: 'id',
  hgnc: 'id',
  hgnc_symbol: 'symbol',
  hgncsymbol: 'symbol',
  symbol: 'symbol',
  gene_symbol: 'symbol',
  gene: 'symbol',
  // BioMart's title of symbols, elsewhere that of names in words: last of all.
  gene_name: 'symbol',
  ensembl_gene_id: 'ensembl',
  ensembl_id: 'ensembl',
  ensembl_gene: 'ensembl',
  ensembl: 'ensembl',
  ensg: 'ensembl',
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
} as const;
type GeneListColumn = (typeof columns)[keyof typeof columns];

/** More than all genes that there are: what has more is no list of genes. */
const mostEntries = 60_000;

/** Separators of tables, in the order in which they are preferred. */
const separators = ['\t', ';', ','] as const;

interface GeneListHeader {
  separator: string;
  width: number;
  places: ReadonlyMap<GeneListColumn, number>;
  /** Further columns of symbols. */
  more: readonly number[];
  /** Titles of the columns that are not read. */
  unread: readonly string[];
  /** Columns without a title. */
  untitled: ReadonlySet<number>;
  /** A title of ids that two columns have. */
  twice: string | undefined;
}

/** `isGene` says whether a word is certainly a gene. Throws an `unprocessable` fault with file and line. */
export function readGeneList(file: TextFile, isGene: (word: string) => boolean): PanelDraft {
  const facts: Record<string, string> = {};
  const entries: DraftEntry[] = [];
  let header: GeneListHeader | 'none' | undefined;
  let comments = 0;
  eachLine(file, (line, number) => {
    const fact = /^##\s*([a-z_]+)\s*=\s*(.*)$/i.exec(line);
    if (fact) facts[(fact[1] ?? '').toLowerCase()] = (fact[2] ?? '').trim();
    else if (line.startsWith('##')) comments++;
    if (line.startsWith('##') || isEmpty(line)) return;
    if (/[^\P{Cc}\t]/u.test(line)) throw new Error('expected text without control characters');
    if (header === undefined) {
      const found = headerOf(line);
      if (found !== undefined) {
        const gene = found.unread.find(isGene);
        if (gene !== undefined)
          throw new Error(`expected titles of columns, found the gene ${quoted(gene)} among them`);
        if (found.twice !== undefined) throw new Error(`two columns of the header are called ${quoted(found.twice)}`);
        header = found;
        return;
      }
    }
    if (line.startsWith('#')) {
      comments++;
      return;
    }
    if (header === undefined) refuseOtherTable(line, isGene);
    header ??= 'none';
    const added = header === 'none' ? entriesOfLine(line, number) : rowEntries(line, header, number);
    if (entries.length + added.length > mostEntries) throw new Error(`expected at most ${mostEntries} genes`);
    entries.push(...added);
  });
  if (entries.length === 0) throw fileFault(file.name, 'there are no genes in it');
  const { panel_id, panel_name, version, display_name } = facts;
  const requirement = requirementOf(facts, file.name);
  const { unread, more } =
    header === undefined || header === 'none' ? { unread: [], more: [] } : (header as GeneListHeader);
  const notes = [
    ...(unread.length === 0 ? [] : [`Columns that are not read: ${unread.join(', ')}`]),
    ...(more.length === 0 ? [] : ['Of further columns of symbols, numbers and Ensembl ids are not read']),
    ...(comments === 0 ? [] : [`Left out as ${counted(comments, 'comment')}: lines that begin with #`]),
  ];
  const id = panel_id ?? panel_name;
  return {
    ...(id ? { id } : {}),
    ...(version ? { version } : {}),
    ...(display_name ? { name: display_name } : {}),
    ...(requirement === undefined ? {} : { requirement }),
    entries,
    ...(notes.length === 0 ? {} : { notes }),
    source: { kind: id ? 'scout' : 'list', ...(version ? { version } : {}) },
  };
}

/** `##required_depth=15` and `##required_percent=99`: one means nothing without the other; and `##required_bases=coding`. */
function requirementOf(
  { required_depth, required_percent, required_bases = 'exons' }: Record<string, string>,
  file: string,
): PanelRequirement | undefined {
  if (required_depth === undefined && required_percent === undefined) return undefined;
  const [depth, percent] = [Number(required_depth || Number.NaN), Number(required_percent || Number.NaN)];
  if (!(Number.isInteger(depth) && depth >= 1 && depth <= 100_000))
    throw fileFault(file, 'expected ##required_depth=, a depth from 1 to 100000, beside ##required_percent=');
  if (!(percent > 0 && percent <= 100))
    throw fileFault(file, 'expected ##required_percent=, above 0 and at most 100, beside ##required_depth=');
  const bases = countedBases.find((one) => one === required_bases);
  if (bases === undefined) throw fileFault(file, `expected ##required_bases= to be one of ${countedBases.join(', ')}`);
  return { depth, percent, bases };
}

/** The header of a table; undefined if the line names no column of genes: the first line of a plain list. */
function headerOf(line: string): GeneListHeader | undefined {
  const [best] = separators
    .map((separator) => ({ separator, ...columnsIn(cellsOfLine(line, separator)) }))
    .sort((one, two) => two.places.size - one.places.size || two.width - one.width);
  return best !== undefined && best.places.size > 0 ? best : undefined;
}

/** The columns that are read; none if no column has genes. */
export function columnsIn(titles: readonly string[]): Omit<GeneListHeader, 'separator'> {
  const places = new Map<GeneListColumn, number>();
  const more: number[] = [];
  const unread: string[] = [];
  const untitled = new Set<number>();
  let twice: string | undefined;
  const keys = titles.map((cell) => titleOf(cell).toLowerCase().replaceAll(' ', '_'));
  for (const [key, column] of Object.entries(columns)) {
    const first = keys.indexOf(key);
    for (let place = first; place >= 0; place = keys.indexOf(key, place + 1)) {
      if (!places.has(column)) places.set(column, place);
      else if (column === 'symbol' && key !== 'gene_name') more.push(place);
      else if (place > first && (column === 'id' || column === 'ensembl')) twice = key;
    }
  }
  const read = new Set([...places.values(), ...more]);
  for (const [place, cell] of titles.entries()) {
    if (titleOf(cell) === '') untitled.add(place);
    else if (!read.has(place)) unread.push(titleOf(cell));
  }
  const hasGenes = places.has('id') || places.has('symbol') || places.has('ensembl');
  return { width: titles.length, places: hasGenes ? places : new Map(), more, unread, untitled, twice };
}

function titleOf(cell: string): string {
  return cell.replace(/^\uFEFF?#?/, '').trim();
}

/** The cells of a line. Cells in quotation marks may have separators, and quotation marks twice. */
export function cellsOfLine(line: string, separator: string): string[] {
  const cells: string[] = [];
  let cell = '';
  let open = false;
  for (let i = 0; i < line.length; i++) {
    const char = line.charAt(i);
    if (open) {
      if (char !== '"') cell += char;
      else if (line[i + 1] === '"') {
        cell += char;
        i++;
      } else open = false;
    } else if (char === '"' && cell.trim() === '') {
      open = true;
      cell = '';
    } else if (separator.includes(char)) {
      cells.push(cell.trim());
      cell = '';
    } else cell += char;
  }
  if (open)
    throw new Error('expected a quotation mark at the end of a cell: cells end on the line on which they begin');
  return [...cells, cell.trim()];
}

/** The words of a cell that may name genes: several symbols in a cell are several genes. */
function wordsOfCell(cell: string): string[] {
  return cell
    .replaceAll(/\bHGNC:\s+/gi, 'HGNC:')
    .split(/[\s,;|/()"]+/)
    .filter((word) => word !== '');
}

/** A line of a list without a header: each of its words. */
function entriesOfLine(line: string, number: number, named: (word: string) => GeneByName = geneOfWord): DraftEntry[] {
  const words = cellsOfLine(line, separators.join('')).flatMap(wordsOfCell);
  return words.map((word) => ({ at: `line ${number}`, confidence: 'unrated', ...named(word) }));
}

/** A first line of several columns, most of which are no genes, is of a table whose header is missing or has other titles. */
function refuseOtherTable(line: string, isGene: (word: string) => boolean): void {
  const words = cellsOfLine(line, separators.join('')).flatMap(wordsOfCell);
  const isKnown = (word: string) => geneOfWord(word).hgnc !== undefined || isGene(word);
  const other = words.find((word) => !isKnown(word));
  if (
    other !== undefined &&
    cellsOfLine(line, separators.join('')).length > 1 &&
    words.filter(isKnown).length * 2 < words.length
  )
    throw new Error(`expected a header with hgnc_id or symbol, or a list of genes; ${quoted(other)} is not a gene`);
}

/** The entries of a line of a table: one, but for cells with several symbols. */
function rowEntries(
  line: string,
  { separator, width, places, more, untitled }: GeneListHeader,
  number: number,
): DraftEntry[] {
  // The separator of a table with one column is unknown.
  if (width === 1) return entriesOfLine(line, number, places.has('id') ? geneOfWord : symbolOf);
  const cells = cellsOfLine(line, separator);
  const beyond = cells.findIndex((cell, place) => cell !== '' && (place >= width || untitled.has(place)));
  if (beyond >= width)
    throw new Error(
      `expected ${width} cells, as in the header, found ${cells.length}: put cells that contain ${names[separator]} in quotation marks`,
    );
  if (beyond >= 0) throw new Error(`the column of ${quoted(cells[beyond] ?? '')} has no title in the header`);
  const cell = (name: GeneListColumn) => cells[places.get(name) ?? -1] ?? '';
  const at = `line ${number}`;
  const id = cell('id');
  const hgnc = id === '' ? undefined : geneOfWord(id.replace(/\s/g, '')).hgnc;
  if (id !== '' && hgnc === undefined) throw new Error(`${quoted(id)} is not an HGNC id`);
  const [symbol, ...further] =
    symbolsIn(cells, cell('symbol'), more) ?? (id === '' ? wordsOfCell(cell('ensembl')) : []);
  const inheritance = cell('custom') || cell('inheritance');
  const transcripts = cell('transcripts')
    .split(/[,|]/)
    .flatMap((one) => one.trim() || []);
  const facts = {
    at,
    confidence: confidenceOf(cell('confidence')),
    ...(inheritance === '' ? {} : { inheritance }),
    ...(isYes(cell('reduced')) ? { penetrance: 'reduced' } : {}),
    ...(isYes(cell('core')) ? { core: true as const } : {}),
    ...(isYes(cell('mosaicism')) ? { tags: ['mosaicism'] } : {}),
    ...(cell('comment') === '' ? {} : { comment: cell('comment') }),
  };
  const first = {
    ...facts,
    ...(symbol === undefined ? {} : symbolOf(symbol)),
    ...(hgnc === undefined ? {} : { hgnc }),
    ...(transcripts.length === 0 ? {} : { transcripts }),
  };
  return [first, ...further.map((word) => ({ ...facts, ...symbolOf(word) }))];
}

/** The words of the column of symbols, and what further columns of symbols name besides; undefined if there are none. */
function symbolsIn(cells: readonly string[], chosen: string, more: readonly number[]): string[] | undefined {
  const words = wordsOfCell(chosen);
  const seen = new Set(words.map((word) => word.toUpperCase()));
  for (const word of more.flatMap((place) => wordsOfCell(cells[place] ?? ''))) {
    // Ids of the same gene, in a column that is named after genes.
    if (words.length > 0 && (/^\d+$/.test(word) || ensemblId(word, 'ENSG') !== undefined)) continue;
    if (!seen.has(word.toUpperCase())) words.push(word);
    seen.add(word.toUpperCase());
  }
  return words.length === 0 ? undefined : words;
}

/** In a column of symbols, a bare number may be the id of another database. */
function symbolOf(word: string): GeneByName {
  return /^HGNC:/i.test(word) ? geneOfWord(word) : { symbol: word };
}

const names: Readonly<Record<string, string>> = { '\t': 'tabs', ';': 'semicolons', ',': 'commas' };

function confidenceOf(cell: string): Confidence {
  const level = confidences.find((one) => one === (cell.toLowerCase() || 'unrated'));
  if (level === undefined) throw new Error(`${quoted(cell)} is not a confidence: expected ${confidences.join(', ')}`);
  return level;
}

/** Spreadsheets write rows of separators only. */
function isEmpty(line: string): boolean {
  return /^[\s;,]*$/.test(line);
}

function isYes(cell: string): boolean {
  return /^(?:yes|true|1|y|x)$/i.test(cell);
}
