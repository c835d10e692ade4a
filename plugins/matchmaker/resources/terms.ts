/** Terms of HPO: read from hp.obo or a table, validated and packed. */
import { eachLine, fileFault, quoted, releaseDate, rowsOf, type TextFile } from '../../../core/files.js';
import { type PackedColumn, pack, textColumns } from './packed.js';

/** The digits of `HP:0000252` as a number. */
export type TermNumber = number;

export interface HpoTerm {
  id: TermNumber;
  name: string;
  obsolete: boolean;
  /** For obsolete terms: the term to use instead. */
  replacedBy?: TermNumber;
  alternatives: TermNumber[];
  parents: TermNumber[];
}

export interface HpoTerms {
  version?: string;
  terms: HpoTerm[];
}

/** Phenotypic abnormality: only terms below it are compared. */
export const phenotypicAbnormality: TermNumber = 118;

/** The number of `HP:nnnnnnn`, or of an address that ends with `HP_nnnnnnn`; undefined for anything else. */
export function termNumber(id: string): TermNumber | undefined {
  const digits = /^(?:HP:|.*\/HP_)(\d{7})$/i.exec(id)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

export function termId(number: TermNumber): string {
  return `HP:${String(number).padStart(7, '0')}`;
}

/** The number of an HPO id; throws an Error if the text is not one, for readers of files. */
export function neededTerm(id: string): TermNumber {
  const number = termNumber(id);
  if (number === undefined) throw new Error(`${JSON.stringify(id.slice(0, 60))} is not an HPO id`);
  return number;
}

/**
 * Checks the terms as a whole, and packs them: ids of active terms ascending, names, parents by position, and for every id
 * that resolves to another term that term's position. Throws an `unprocessable` fault that names the file.
 */
export function packTerms(
  file: string,
  terms: readonly HpoTerm[],
): { packed: Uint8Array<ArrayBuffer>; active: number } {
  const byId = new Map<TermNumber, HpoTerm>();
  for (const term of terms) {
    if (byId.has(term.id)) throw fileFault(file, `${termId(term.id)} is defined twice`);
    byId.set(term.id, term);
  }
  const active = terms.filter(({ obsolete }) => !obsolete).sort((left, right) => left.id - right.id);
  if (!active.some(({ id }) => id === phenotypicAbnormality)) {
    throw fileFault(file, 'not the complete HPO: the term HP:0000118 (Phenotypic abnormality) is missing');
  }
  const position = new Map(active.map(({ id }, index) => [id, index]));
  const parents = active.map((term) =>
    term.parents
      .map((parent) => {
        const index = position.get(parent);
        if (index !== undefined) return index;
        const what = byId.has(parent) ? 'is obsolete' : 'is not in the file';
        throw fileFault(file, `${termId(parent)}, a parent of ${termId(term.id)}, ${what}`);
      })
      .sort((left, right) => left - right),
  );
  checkAcyclic(file, active, parents);
  const obsolete = terms.filter((term) => term.obsolete).map(({ id }) => id);
  const redirections = redirectionsOf(active, byId, position);
  const columns: Record<string, PackedColumn> = {
    ids: Uint32Array.from(active, ({ id }) => id),
    ...textColumns(
      'names',
      active.map(({ name }) => name),
    ),
    parents: Uint32Array.from(parents.flat()),
    'parents.offsets': offsetsOfLists(parents),
    obsolete: Uint32Array.from(obsolete).sort(),
    'redirections.from': Uint32Array.from(redirections, ({ from }) => from),
    'redirections.to': Uint32Array.from(redirections, ({ to }) => to),
    'redirections.replaced': Uint8Array.from(redirections, ({ replaced }) => Number(replaced)),
  };
  return { packed: pack('ontology', columns), active: active.length };
}

/** The offsets of lists that are written one after the other. */
export function offsetsOfLists(lists: readonly { length: number }[]): Uint32Array {
  const offsets = new Uint32Array(lists.length + 1);
  lists.forEach((list, i) => {
    offsets[i + 1] = (offsets[i] as number) + list.length;
  });
  return offsets;
}

interface Redirection {
  from: TermNumber;
  /** Position of an active term. */
  to: number;
  replaced: boolean;
}

/** The replacement that an obsolete term names takes precedence over another term's alternative id. */
function redirectionsOf(
  active: readonly HpoTerm[],
  byId: ReadonlyMap<TermNumber, HpoTerm>,
  position: ReadonlyMap<TermNumber, number>,
): Redirection[] {
  const found = new Map<TermNumber, Redirection>();
  active.forEach(({ alternatives }, to) => {
    for (const from of alternatives) {
      if (!position.has(from)) found.set(from, { from, to, replaced: false });
    }
  });
  for (const { id, obsolete } of byId.values()) {
    if (!obsolete) continue;
    const to = position.get(lastReplacement(id, byId));
    if (to !== undefined) found.set(id, { from: id, to, replaced: true });
  }
  return [...found.values()].sort((left, right) => left.from - right.from);
}

/** A replacement may be replaced itself. */
function lastReplacement(start: TermNumber, byId: ReadonlyMap<TermNumber, HpoTerm>): TermNumber {
  const seen = new Set<TermNumber>();
  let id = start;
  for (let term = byId.get(id); term?.replacedBy !== undefined && !seen.has(id); term = byId.get(id)) {
    seen.add(id);
    id = term.replacedBy;
  }
  return id;
}

function checkAcyclic(file: string, active: readonly HpoTerm[], parents: readonly (readonly number[])[]): void {
  const state = new Uint8Array(active.length); // 1: on the current path, 2: done
  for (let start = 0; start < active.length; start++) {
    const path = [start];
    while (path.length > 0) {
      const term = path.at(-1) as number;
      if (state[term] === 0) {
        state[term] = 1;
        for (const parent of parents[term] ?? []) {
          if (state[parent] === 1) {
            throw fileFault(file, `${termId(active[term]?.id ?? 0)} is among its own ancestors`);
          }
          if (state[parent] === 0) path.push(parent);
        }
      } else {
        state[term] = 2;
        path.pop();
      }
    }
  }
}

// Reads terms of HPO: hp.obo (OBO format 1.2 and 1.4), and the table of the excerpt.

/** Skips terms of other ontologies. Throws an `unprocessable` fault with file and line. */
export function readObo(file: TextFile): HpoTerms {
  const terms: HpoTerm[] = [];
  let version: string | undefined;
  let term: HpoTerm | undefined;
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
      named = takeTag(term, tag, value) || named;
    }
  });
  if (isNameless()) throw fileFault(file.name, 'the file is truncated: its last term has no name');
  return { ...(version && { version }), terms };
}

/** Takes one tag of a term; returns whether it is its name. */
function takeTag(term: HpoTerm, tag: string, value: string): boolean {
  if (tag === 'name') term.name = value;
  else if (tag === 'is_obsolete') term.obsolete = value === 'true';
  else if (tag === 'replaced_by') {
    const id = termNumber(idInTag(value));
    if (id !== undefined) term.replacedBy = id; // terms of other ontologies are unknown here
  } else if (tag === 'alt_id' && /^HP:/i.test(value)) term.alternatives.push(neededTerm(idInTag(value)));
  else if (tag === 'is_a' && /^HP:/i.test(value)) term.parents.push(neededTerm(idInTag(value)));
  return tag === 'name';
}

/** The id without modifiers and comment: `HP:0000118 {is_inferred="true"} ! Phenotypic abnormality`. */
function idInTag(value: string): string {
  return value.split(/[\s!{]/, 1)[0] ?? '';
}

const termColumns = ['id', 'name', 'obsolete', 'replaced_by', 'parents'] as const;

/** Whether a line is the header of such a table. */
export function isTermTable(line: string): boolean {
  return /^id\tname\tobsolete\t/i.test(line);
}

interface TermTable extends HpoTerms {
  /** Diseases by term id; empty without the column. */
  counts: Map<number, number>;
}

export function readTermTable(file: TextFile): TermTable {
  const terms: HpoTerm[] = [];
  const counts = new Map<number, number>();
  const rowOf = rowsOf(termColumns);
  let version = releaseDate(file.name);
  eachLine(file, (line) => {
    if (line.startsWith('#version:')) version = releaseDate(line) ?? version;
    if (line === '' || line.startsWith('#')) return;
    const row = rowOf(line);
    if (row === undefined) return;
    const cell = (name: (typeof termColumns)[number]): string => row(name)?.trim() ?? '';
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
    if (diseases !== undefined && !obsolete) counts.set(id, diseaseCount(diseases));
  });
  if (terms.length === 0) throw fileFault(file.name, 'this file has no terms');
  return { ...(version && { version }), terms, counts };
}

function diseaseCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`diseases must be a whole number, not ${quoted(text)}`);
  return Number(text);
}
