/** Reads the places of genes: a table of Ensembl BioMart, GFF3 or GTF; plain, gzip or bgzip. */
import { failedDownload, lineBlocks, SkippedLines, type Source } from '../../../core/files.js';
import { Fault } from '../../../core/plugin.js';
import type { Assembly, Gene } from '../contract.js';
import { annotationRow, biomartAttributes, biomartOrder, biomartRow, type RowReader } from './rows.js';

export interface ReadGenes {
  /** Every gene once. */
  genes: Gene[];
  /** Lines that yield no gene. */
  skipped: Record<Skip, number>;
}

const skips = ['incomplete', 'withoutHgnc', 'otherContigs'] as const;
type Skip = (typeof skips)[number];

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
  const lines = new SkippedLines<Skip>();
  let line = 0;
  let complete = false;
  let reader: RowReader | undefined;

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
