/**
 * Reads terms from a table: `id`, `name`, `obsolete` (0 or 1), `replaced_by`, `parents` (joined by `|`), and optionally
 * `diseases`, the number of annotated diseases with the term or a descendant.
 */
import { columnsOf, eachLine, fileFault, quoted, releaseDate, type TextFile } from '../../../core/files.js';
import { neededTerm, type Term, type TermList } from './terms.js';

const needed = ['id', 'name', 'obsolete', 'replaced_by', 'parents'] as const;

/** Whether a line is the header of such a table. */
export function isTermTable(line: string): boolean {
  return /^id\tname\tobsolete\t/i.test(line);
}

export interface TermTable extends TermList {
  /** Diseases by term id; empty without the column. */
  counts: Map<number, number>;
}

export function readTermTable(file: TextFile): TermTable {
  const terms: Term[] = [];
  const counts = new Map<number, number>();
  let header: string[] | undefined;
  let version = releaseDate(file.name);
  eachLine(file, (line) => {
    if (line.startsWith('#version:')) version = releaseDate(line) ?? version;
    if (line === '' || line.startsWith('#')) return;
    const cells = line.split('\t');
    if (!header) {
      columnsOf(cells, needed);
      header = cells.map((name) => name.trim().toLowerCase());
      return;
    }
    if (cells.length !== header.length) throw new Error(`expected ${header.length} columns, found ${cells.length}`);
    const names = header;
    const cell = (name: (typeof needed)[number]): string => cells[names.indexOf(name)]?.trim() ?? '';
    if (!/^[01]$/.test(cell('obsolete'))) throw new Error(`obsolete must be 0 or 1, not ${quoted(cell('obsolete'))}`);
    if (cell('name') === '') throw new Error('the name is missing');
    const obsolete = cell('obsolete') === '1';
    const id = neededTerm(cell('id'));
    terms.push({
      id,
      name: cell('name'),
      obsolete,
      ...(cell('replaced_by') !== '' && { replacedBy: neededTerm(cell('replaced_by')) }),
      alternatives: [],
      parents: cell('parents').split('|').filter(Boolean).map(neededTerm),
    });
    const column = header.indexOf('diseases');
    if (column >= 0 && !obsolete) counts.set(id, count(cells[column] ?? ''));
  });
  if (terms.length === 0) throw fileFault(file.name, 'this file has no terms');
  return { ...(version && { version }), terms, counts };
}

function count(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`diseases must be a whole number, not ${quoted(text)}`);
  return Number(text);
}
