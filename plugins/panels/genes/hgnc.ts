/**
 * Reads HGNC's files: `hgnc_complete_set.txt` with the approved genes, and `withdrawn.txt` with the entries that were
 * withdrawn, merged or split.
 */
import { eachLine, fileFault, quoted, releaseDate, type TextFile } from '../../../core/files.js';
import { ensemblId } from '../../../core/genome.js';
import type { NamedGene, WithdrawnGene } from './gene-table.js';

export interface HgncGenes {
  /** The date in the file's name, else the latest change of an entry. */
  release: string | undefined;
  genes: NamedGene[];
}

/** Throws an `unprocessable` fault with file and line. */
export function readApproved(file: TextFile): HgncGenes {
  const genes: NamedGene[] = [];
  const seen = new Set<number>();
  let latest = '';
  eachRow(file, { required: ['hgnc_id', 'symbol', 'prev_symbol', 'alias_symbol'] }, (cell) => {
    const status = cell('status');
    if (status !== '' && status !== 'Approved') return;
    const hgnc = idInCell(cell('hgnc_id'));
    if (seen.has(hgnc)) throw new Error(`HGNC:${hgnc} is there twice`);
    seen.add(hgnc);
    const symbol = cell('symbol');
    if (symbol === '') throw new Error('the symbol is missing');
    const changed = releaseDate(cell('date_modified')) ?? '';
    if (changed > latest) latest = changed;
    const coding = cell('locus_group') === '' || cell('locus_group') === 'protein-coding gene';
    const [elsewhere] = /alternate reference locus|not on reference assembly|unplaced/.exec(cell('location')) ?? [];
    const names = { previous: namesInCell(cell('prev_symbol')), aliases: namesInCell(cell('alias_symbol')) };
    const ensembl = ensemblId(cell('ensembl_gene_id'), 'ENSG');
    const more = { ...(elsewhere !== undefined && { elsewhere }), ...(ensembl !== undefined && { ensembl }) };
    genes.push({ hgnc, symbol, coding, ...names, ...more });
  });
  if (genes.length === 0) throw fileFault(file.name, 'there are no approved genes in it');
  return { release: releaseDate(file.name) ?? (latest || undefined), genes };
}

/** Throws an `unprocessable` fault with file and line. */
export function readWithdrawn(file: TextFile): WithdrawnGene[] {
  const withdrawn: WithdrawnGene[] = [];
  eachRow(file, { required: ['hgnc_id', 'status', 'withdrawn_symbol'], starts: ['merged_into_report'] }, (cell) => {
    // `HGNC:1234|SYMBOL|Approved`, several separated by commas.
    const into = cell('merged_into_report')
      .split(',')
      .flatMap((one) => (one.trim() === '' ? [] : idInCell(one.split('|', 1)[0] ?? '')));
    withdrawn.push({ hgnc: idInCell(cell('hgnc_id')), symbol: cell('withdrawn_symbol'), into });
  });
  return withdrawn;
}

/** `starts` are the beginnings of names that differ from release to release. */
function eachRow(
  file: TextFile,
  { required, starts = [] }: { required: readonly string[]; starts?: readonly string[] },
  take: (cell: (name: string) => string) => void,
): void {
  let places: Map<string, number> | undefined;
  let width = 0;
  eachLine(file, (line) => {
    if (line === '') return;
    const cells = line.split('\t').map(unquoted);
    if (places === undefined) {
      places = new Map(cells.map((cell, place) => [columnName(cell, starts), place]));
      const missing = [...required, ...starts].find((name) => places?.has(name) !== true);
      if (missing !== undefined) throw new Error(`the column ${quoted(missing)} is missing`);
      width = cells.length;
      return;
    }
    if (cells.length > width) throw new Error(`expected ${width} columns, found ${cells.length}`);
    const known = places;
    take((name) => cells[known.get(name) ?? -1] ?? '');
  });
  if (places === undefined) throw fileFault(file.name, 'it is empty');
}

function columnName(cell: string, starts: readonly string[]): string {
  const name = cell
    .replace(/^\uFEFF/, '')
    .trim()
    .toLowerCase()
    .replaceAll(' ', '_');
  return starts.find((start) => name.startsWith(start)) ?? name;
}

function unquoted(cell: string): string {
  return cell
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .trim();
}

function namesInCell(cell: string): string[] {
  return [...new Set(cell.split('|').flatMap((name) => name.trim() || []))];
}

function idInCell(cell: string): number {
  const digits = /^(?:HGNC:)?([1-9]\d{0,8})$/i.exec(cell.trim())?.[1];
  if (digits === undefined) throw new Error(`${quoted(cell)} is not an HGNC id`);
  return Number(digits);
}
