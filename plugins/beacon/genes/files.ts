/** Reads the positions of genes from a table of Ensembl BioMart, GFF3 or GTF, and downloads them from BioMart. */
import { Readable } from 'node:stream';
import { failedDownload, lineBlocks, SkippedLines, type Source, sourceOf } from '../../../core/files.js';
import { contigNamed, ensemblId, lengthOf } from '../../../core/genome.js';
import { ForbiddenHost, fetchNamed } from '../../../core/outgoing.js';
import { Fault } from '../../../core/plugin.js';
import { type Assembly, type Contig, contigs, type Gene, type GeneIds } from '../contract.js';

// Reads single lines of files with places of genes.

/** Why a line yields no gene, or the gene. */
type GeneLine = Gene | 'incomplete' | 'withoutHgnc' | 'otherContig' | 'otherFeature';

/** Throws a plain Error with a reason; the caller knows file and line. */
type GeneLineReader = (columns: readonly string[], assembly: Assembly) => GeneLine;

/** The columns of a BioMart table by their names in the query and in its result, in the order of our query. */
const biomartColumns = [
  ['ensembl_gene_id', 'Gene stable ID'],
  ['hgnc_id', 'HGNC ID'],
  ['hgnc_symbol', 'HGNC symbol'],
  ['chromosome_name', 'Chromosome/scaffold name'],
  ['start_position', 'Gene start (bp)'],
  ['end_position', 'Gene end (bp)'],
] as const;

const biomartAttributes: readonly string[] = biomartColumns.map(([attribute]) => attribute);

/**
 * The index of each column in a header line; undefined if it is not a header. Throws if a column is missing.
 */
function biomartOrder(columns: readonly string[]): number[] | undefined {
  const known = biomartColumns.map((names) =>
    columns.findIndex((column) => (names as readonly string[]).includes(column)),
  );
  if (known.every((index) => index < 0)) return undefined;
  const missing = biomartColumns.find((_, i) => known[i] === -1);
  if (missing) throw new Error(`the column "${missing[1]}" is missing`);
  return known;
}

/** Reads rows of a BioMart table with its columns in this order. Genes without HGNC id are left out, as cgbeacon2 does. */
function biomartRow(order: readonly number[], width: number): GeneLineReader {
  return (columns, assembly) => {
    if (columns.length !== width) return 'incomplete';
    const [ensembl = '', hgnc = '', symbol = '', chromosome = '', start = '', end = ''] = order.map((i) =>
      (columns[i] ?? '').trim(),
    );
    if (hgnc === '') return 'withoutHgnc';
    return geneOfFields(assembly, { ensembl, hgnc, symbol, chromosome, start, end });
  };
}

/** A line of GFF3 or GTF, of Ensembl or GENCODE. */
const annotationRow: GeneLineReader = (columns, assembly) => {
  const [chromosome = '', , feature = '', start = '', end = '', , , , attributes = ''] = columns;
  if (columns.length !== 9) return 'incomplete';
  if (!/^(gene|ncRNA_gene|pseudogene)$/.test(feature)) return 'otherFeature';
  const value = (name: string) => new RegExp(`(?:^|[;\\s])${name}[= ]"?([^";]+)`).exec(attributes)?.[1]?.trim() ?? '';
  const hgnc = value('hgnc_id') || (/Acc(?:%3A|:)HGNC(?:%3A|:)(\d+)/i.exec(attributes)?.[1] ?? '');
  const symbol = value('gene_name') || value('Name');
  return geneOfFields(assembly, { ensembl: value('gene_id'), hgnc, symbol, chromosome, start, end });
};

interface GeneFields {
  ensembl: string;
  hgnc: string;
  symbol: string;
  chromosome: string;
  /** One-based, inclusive, as both kinds of file have it. */
  start: string;
  end: string;
}

function geneOfFields(assembly: Assembly, words: GeneFields): GeneLine {
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
function interval({ start, end }: GeneFields, assembly: Assembly, contig: Contig): [start: number, end: number] {
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

/** The ids that a client means by the name of one gene: of Ensembl, of HGNC, else its symbol. */
export function geneIdsNamed(name: string): GeneIds {
  const ensembl = ensemblId(name, 'ENSG');
  if (ensembl !== undefined) return { type: 'Ensembl', ids: [ensembl] };
  const hgnc = hgncId(name);
  if (hgnc !== undefined) return { type: 'HGNC', ids: [hgnc] };
  return { type: 'symbol', ids: [name] };
}

export interface ReadGenes {
  /** Every gene once. */
  genes: Gene[];
  /** Lines that yield no gene. */
  skipped: Record<SkipReason, number>;
}

const skips = ['incomplete', 'withoutHgnc', 'otherContigs'] as const;
type SkipReason = (typeof skips)[number];

/** The line that ends every complete response of BioMart. */
const stamp = '[success]';

/** More genes than any release has. */
const mostGenes = 1_000_000;

/**
 * Throws an `unprocessable` fault with file and line if a line is wrong, if there is no gene, with `stamped` if the last line is
 * not the stamp of completeness, and without `force` if more than one in twenty lines are incomplete.
 */
export async function readGenes(
  source: Source,
  assembly: Assembly,
  { stamped = false, force = false } = {},
): Promise<ReadGenes> {
  const found = new Map<string, Gene>();
  const lines = new SkippedLines<SkipReason>();
  let line = 0;
  let complete = false;
  let reader: GeneLineReader | undefined;

  const take = (text: string): void => {
    const failed = failedDownload(text);
    if (failed !== undefined) throw new Error(failed);
    if (text.startsWith('#')) checkBuild(text, assembly);
    if (text === '' || text.startsWith('#')) return;
    complete = text === stamp;
    if (complete) return;
    const columns = text.split('\t');
    if (!reader) {
      const order = columns.length === 9 ? undefined : biomartOrder(columns);
      reader =
        columns.length === 9 ? annotationRow : biomartRow(order ?? inOrder, order ? columns.length : inOrder.length);
      if (order) return;
    }
    const row = reader(columns, assembly);
    if (row === 'incomplete' || row === 'withoutHgnc') lines.skip('genes', row, line, text);
    else if (row === 'otherContig') lines.skip('genes', 'otherContigs', line, text);
    else if (row !== 'otherFeature') {
      lines.read('genes');
      found.set(`${row.ensembl} ${row.hgnc} ${row.contig}:${row.start}-${row.end}`, row);
    }
    if (found.size > mostGenes) throw new Error(`more than ${mostGenes} genes`);
  };

  for await (const { lines: block } of lineBlocks(source)) {
    for (const text of block) {
      line++;
      try {
        take(text);
      } catch (cause) {
        throw new Fault('unprocessable', `${source.name}, line ${line}: ${(cause as Error).message}`, { cause });
      }
    }
  }
  if (stamped && !complete) {
    throw new Fault('unprocessable', `${source.name}: the list of genes is truncated; it does not end with ${stamp}`);
  }
  if (found.size === 0) throw new Fault('unprocessable', `${source.name}: the file has no genes`);
  if (!force) lines.check(source.name, ['withoutHgnc', 'otherContigs']);
  const skipped = Object.fromEntries(skips.map((skip) => [skip, lines.reasons[skip] ?? 0])) as ReadGenes['skipped'];
  return { genes: [...found.values()], skipped };
}

const inOrder = biomartAttributes.map((_, i) => i);

/** GFF3 and GTF of Ensembl name their build in a comment. */
function checkBuild(comment: string, assembly: Assembly): void {
  const stated = /^#!?#?\s*genome-(?:build|version)\b.*?\b(GRCh\d+)/i.exec(comment)?.[1];
  if (stated && stated.toLowerCase() !== assembly.toLowerCase()) {
    throw new Error(`the file is of ${stated}, not of ${assembly}`);
  }
}

// The genes of Ensembl, from its BioMart.

export interface GeneDownload {
  /** Address of the service, such as `https://ensembl.org/biomart/martservice`. */
  url: string;
  /** For the whole answer, in seconds. */
  timeout: number;
  /** Largest answer in bytes. */
  limit: number;
  /** Aborting throws the signal's reason. */
  signal: AbortSignal;
}

/** The query: all genes of the 25 chromosomes, without a header, ended by a stamp. */
const query = [
  '<?xml version="1.0" encoding="UTF-8"?>',
  '<!DOCTYPE Query>',
  '<Query virtualSchemaName="default" formatter="TSV" header="0" uniqueRows="0" count="" completionStamp="1">',
  '<Dataset name="hsapiens_gene_ensembl" interface="default">',
  `<Filter name="chromosome_name" value="${contigs.join(',')}"/>`,
  ...biomartAttributes.map((name) => `<Attribute name="${name}"/>`),
  '</Dataset>',
  '</Query>',
].join('');

/** Begins the download. Throws an `unavailable` fault, now or during reading, if the service does not deliver. */
export async function downloadGenes({ url, timeout, limit, signal }: GeneDownload): Promise<Source> {
  const name = `Ensembl BioMart (${new URL(url).host})`;
  const patience = AbortSignal.timeout(timeout * 1000);
  const failed = (cause: unknown): unknown => {
    if (signal.aborted) return signal.reason;
    if (cause instanceof Fault) return cause;
    if (cause instanceof ForbiddenHost) return new Fault('unavailable', `${name}: ${cause.message}`);
    const reason = patience.aborted
      ? `did not answer completely within ${timeout} s`
      : 'cannot be reached, or closed the connection';
    return new Fault('unavailable', `${name} ${reason}; the genes stay as they were`, { cause });
  };
  const address = new URL(url);
  address.searchParams.set('query', query);
  let response: Response;
  try {
    response = await fetchNamed(address, { signal: AbortSignal.any([signal, patience]) });
  } catch (cause) {
    throw failed(cause);
  }
  const { body } = response;
  if (!response.ok || !body) {
    await body?.cancel();
    throw new Fault('unavailable', `${name} answered with status ${response.status}; the genes stay as they were`);
  }
  async function* bounded(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let read = 0;
    try {
      for await (const chunk of chunks) {
        read += chunk.length;
        if (read > limit)
          throw new Fault('unavailable', `${name} sends more than ${limit} bytes, too much for a list of genes`);
        yield chunk;
      }
    } catch (cause) {
      throw failed(cause);
    }
  }
  return sourceOf(name, 0, () => Readable.from(bounded(body), { objectMode: false }));
}
