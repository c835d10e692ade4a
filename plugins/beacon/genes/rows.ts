/** Reads single lines of files with places of genes. */
import { contigNamed, ensemblId, lengthOf } from '../../../core/genome.js';
import type { Assembly, Contig, Gene } from '../contract.js';

/** Why a line yields no gene, or the gene. */
export type Row = Gene | 'incomplete' | 'withoutHgnc' | 'otherContig' | 'otherFeature';

/** Throws a plain Error with a reason; the caller knows file and line. */
export type RowReader = (columns: readonly string[], assembly: Assembly) => Row;

/** The columns of a BioMart table by their names in the query and in its result, in the order of our query. */
const biomartColumns = [
  ['ensembl_gene_id', 'Gene stable ID'],
  ['hgnc_id', 'HGNC ID'],
  ['hgnc_symbol', 'HGNC symbol'],
  ['chromosome_name', 'Chromosome/scaffold name'],
  ['start_position', 'Gene start (bp)'],
  ['end_position', 'Gene end (bp)'],
] as const;

export const biomartAttributes: readonly string[] = biomartColumns.map(([attribute]) => attribute);

/**
 * The index of each column in a header line; undefined if it is not a header. Throws if a column is missing.
 */
export function biomartOrder(columns: readonly string[]): number[] | undefined {
  const known = biomartColumns.map((names) =>
    columns.findIndex((column) => (names as readonly string[]).includes(column)),
  );
  if (known.every((index) => index < 0)) return undefined;
  const missing = biomartColumns.find((_, i) => known[i] === -1);
  if (missing) throw new Error(`the column "${missing[1]}" is missing`);
  return known;
}

/** Reads rows of a BioMart table with its columns in this order. Genes without HGNC id are left out, as cgbeacon2 does. */
export function biomartRow(order: readonly number[], width: number): RowReader {
  return (columns, assembly) => {
    if (columns.length !== width) return 'incomplete';
    const [ensembl = '', hgnc = '', symbol = '', chromosome = '', start = '', end = ''] = order.map((i) =>
      (columns[i] ?? '').trim(),
    );
    if (hgnc === '') return 'withoutHgnc';
    return geneOf(assembly, { ensembl, hgnc, symbol, chromosome, start, end });
  };
}

/** A line of GFF3 or GTF, of Ensembl or GENCODE. */
export const annotationRow: RowReader = (columns, assembly) => {
  const [chromosome = '', , feature = '', start = '', end = '', , , , attributes = ''] = columns;
  if (columns.length !== 9) return 'incomplete';
  if (!/^(gene|ncRNA_gene|pseudogene)$/.test(feature)) return 'otherFeature';
  const value = (name: string) => new RegExp(`(?:^|[;\\s])${name}[= ]"?([^";]+)`).exec(attributes)?.[1]?.trim() ?? '';
  const hgnc = value('hgnc_id') || (/Acc(?:%3A|:)HGNC(?:%3A|:)(\d+)/i.exec(attributes)?.[1] ?? '');
  const symbol = value('gene_name') || value('Name');
  return geneOf(assembly, { ensembl: value('gene_id'), hgnc, symbol, chromosome, start, end });
};

interface Words {
  ensembl: string;
  hgnc: string;
  symbol: string;
  chromosome: string;
  /** One-based, inclusive, as both kinds of file have it. */
  start: string;
  end: string;
}

function geneOf(assembly: Assembly, words: Words): Row {
  const contig = contigNamed(words.chromosome);
  if (!contig) return 'otherContig';
  const ensembl = ensemblId(words.ensembl, 'ENSG');
  if (!ensembl) return 'incomplete';
  const hgnc = words.hgnc === '' ? undefined : hgncId(words.hgnc);
  if (words.hgnc !== '' && hgnc === undefined) throw new Error(`"${words.hgnc.slice(0, 40)}" is not an HGNC id`);
  const [start, end] = interval(words, assembly, contig);
  return { ensembl, ...(hgnc && { hgnc }), ...(words.symbol !== '' && { symbol: words.symbol }), contig, start, end };
}

/** Zero-based half-open. */
function interval({ start, end }: Words, assembly: Assembly, contig: Contig): [start: number, end: number] {
  if (!/^\d{1,10}$/.test(start) || !/^\d{1,10}$/.test(end)) {
    throw new Error(`start and end of a gene are numbers, not "${start.slice(0, 20)}" and "${end.slice(0, 20)}"`);
  }
  const [first, last] = [Number(start), Number(end)];
  if (first < 1 || first > last) throw new Error(`a gene cannot lie from ${first} to ${last}`);
  const length = lengthOf(assembly, contig);
  if (last > length) throw new Error(`${contig}:${last} is beyond the end of the chromosome in ${assembly}, ${length}`);
  return [first - 1, last];
}

/** 17284 of `17284` or `HGNC:17284`; undefined for anything else. */
export function hgncId(text: string): number | undefined {
  const digits = /^(?:HGNC:)*(\d{1,9})$/i.exec(text)?.[1];
  return digits !== undefined && Number(digits) > 0 ? Number(digits) : undefined;
}
