/**
 * HGNC's complete set (`hgnc_complete_set.txt`), or a custom download of approved symbols with previous symbols and
 * aliases: the names of genes, current and former.
 */
import { ensemblId } from '../../../core/genome.js';
import type { GeneNames } from '../contract.js';
import { hgncNumber, Refusal } from './cells.js';
import type { IntervalReader, Rows, Skip } from './reader.js';

const columns = {
  id: ['hgnc_id', 'HGNC ID'],
  symbol: ['symbol', 'Approved symbol'],
  status: ['status', 'Status'],
  previous: ['prev_symbol', 'Previous symbols', 'Previous symbol'],
  aliases: ['alias_symbol', 'Alias symbols', 'Alias symbol'],
  ensembl: ['ensembl_gene_id', 'Ensembl gene ID', 'Ensembl ID(supplied by Ensembl)'],
} as const satisfies Record<string, readonly string[]>;

type Column = keyof typeof columns;

export class NamesReader implements IntervalReader {
  readonly kinds = ['names'] as const;
  readonly kind = 'names';
  #places: Partial<Record<Column, number>> | undefined;
  readonly #seen = new Set<number>();

  line(text: string, rows: Rows): Skip | 'read' | undefined {
    if (text.trim() === '') return undefined;
    const cells = text.split('\t').map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
    if (!this.#places) {
      this.#places = header(cells);
      return undefined;
    }
    const cell = (column: Column) => cells[this.#places?.[column] ?? -1] ?? '';
    const status = cell('status');
    if (status !== '' && status !== 'Approved') return 'not approved';
    const symbol = cell('symbol');
    const hgnc = hgncNumber(cell('id'));
    if (hgnc === undefined || symbol === '') return 'incomplete';
    if (this.#seen.has(hgnc)) throw new Refusal(`HGNC:${hgnc} is listed twice`);
    this.#seen.add(hgnc);
    const ensembl = ensemblId(cell('ensembl'), 'ENSG');
    const names: GeneNames = { hgnc, symbol, previous: list(cell('previous')), aliases: list(cell('aliases')) };
    rows.names.push(ensembl ? { ...names, ensembl } : names);
    return 'read';
  }

  finish(): void {
    if (!this.#places) throw new Refusal('the file is empty');
  }

  warnings(): string[] {
    return [];
  }
}

function header(cells: readonly string[]): Partial<Record<Column, number>> {
  const places: Partial<Record<Column, number>> = {};
  for (const [column, names] of Object.entries(columns) as [Column, readonly string[]][]) {
    const place = cells.findIndex((cell) => names.includes(cell));
    if (place >= 0) places[column] = place;
  }
  const missing = (['id', 'symbol', 'previous', 'aliases'] as const).filter((column) => places[column] === undefined);
  if (missing.length > 0) {
    const list = missing.map((column) => `"${columns[column][0]}"`).join(', ');
    throw new Refusal(`not the header of HGNC's complete set: ${list} missing`);
  }
  return places;
}

/** Separated by `|` in the complete set, by commas in custom downloads. */
function list(cell: string): string[] {
  const names = cell.split(cell.includes('|') ? '|' : ',').map((name) => name.trim().replace(/^"|"$/g, ''));
  return [...new Set(names.filter((name) => name !== ''))];
}
