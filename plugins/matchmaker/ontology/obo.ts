/** Reads terms of HPO: hp.obo (OBO format 1.2 and 1.4), and the table of the excerpt. */
import { eachLine, fileFault, quoted, releaseDate, rowsOf, type TextFile } from '../../../core/files.js';
import { neededTerm, type Term, type TermList, termNumber } from './terms.js';

/** Skips terms of other ontologies. Throws an `unprocessable` fault with file and line. */
export function readObo(file: TextFile): TermList {
  const terms: Term[] = [];
  let version: string | undefined;
  let term: Term | undefined;
  let stanza = '';
  let named = true;
  // An obsolete term is known by its replacement.
  const isNameless = () => !named && term?.obsolete !== true;

  const finish = (): void => {
    if (isNameless()) throw new Error('the term above this line has no name');
    named = true;
    term = undefined;
  };
  eachLine(file, (line) => {
    if (line.startsWith('[')) {
      finish();
      stanza = line.trim();
      return;
    }
    const colon = line.indexOf(':');
    if (colon < 0) {
      if (line.trim() === '' || line.startsWith('!')) return;
      throw new Error(`${quoted(line)} is not a line of an OBO file`);
    }
    const tag = line.slice(0, colon);
    const value = line.slice(colon + 1).trim();
    if (stanza === '' && tag === 'data-version') version = releaseDate(value) ?? value;
    if (stanza !== '[Term]') return;
    if (tag === 'id') {
      finish();
      const id = termNumber(value);
      if (id === undefined) {
        if (/^HP:/i.test(value)) throw new Error(`${quoted(value)} is not an HPO id`);
        return;
      }
      term = { id, name: '', obsolete: false, alternatives: [], parents: [] };
      named = false;
      terms.push(term);
    } else if (term) {
      named = take(term, tag, value) || named;
    }
  });
  if (isNameless()) throw fileFault(file.name, 'the file is truncated: its last term has no name');
  return { ...(version && { version }), terms };
}

/** Takes one tag of a term; returns whether it is its name. */
function take(term: Term, tag: string, value: string): boolean {
  if (tag === 'name') term.name = value;
  else if (tag === 'is_obsolete') term.obsolete = value === 'true';
  else if (tag === 'replaced_by') {
    const id = termNumber(idIn(value));
    if (id !== undefined) term.replacedBy = id; // terms of other ontologies are unknown here
  } else if (tag === 'alt_id' && /^HP:/i.test(value)) term.alternatives.push(neededTerm(idIn(value)));
  else if (tag === 'is_a' && /^HP:/i.test(value)) term.parents.push(neededTerm(idIn(value)));
  return tag === 'name';
}

/** The id without modifiers and comment: `HP:0000118 {is_inferred="true"} ! Phenotypic abnormality`. */
function idIn(value: string): string {
  return value.split(/[\s!{]/, 1)[0] ?? '';
}

const needed = ['id', 'name', 'obsolete', 'replaced_by', 'parents'] as const;

/** Whether a line is the header of such a table. */
export function isTermTable(line: string): boolean {
  return /^id\tname\tobsolete\t/i.test(line);
}

interface TermTable extends TermList {
  /** Diseases by term id; empty without the column. */
  counts: Map<number, number>;
}

export function readTermTable(file: TextFile): TermTable {
  const terms: Term[] = [];
  const counts = new Map<number, number>();
  const rowOf = rowsOf(needed);
  let version = releaseDate(file.name);
  eachLine(file, (line) => {
    if (line.startsWith('#version:')) version = releaseDate(line) ?? version;
    if (line === '' || line.startsWith('#')) return;
    const row = rowOf(line);
    if (row === undefined) return;
    const cell = (name: (typeof needed)[number]): string => row(name)?.trim() ?? '';
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
    const diseases = row('diseases');
    if (diseases !== undefined && !obsolete) counts.set(id, count(diseases));
  });
  if (terms.length === 0) throw fileFault(file.name, 'this file has no terms');
  return { ...(version && { version }), terms, counts };
}

function count(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`diseases must be a whole number, not ${quoted(text)}`);
  return Number(text);
}
