/** Reads hp.obo (OBO format 1.2 and 1.4). */
import { eachLine, fileFault, quoted, releaseDate, type TextFile } from '../../../core/files.js';
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
