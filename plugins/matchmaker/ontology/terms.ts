/** Terms of an ontology as read from files: validates and packs them. */
import { fileFault } from '../../../core/files.js';
import { type Column, pack, textColumns } from '../formats/packed.js';

/** The digits of `HP:0000252` as a number. */
export type TermNumber = number;

export interface Term {
  id: TermNumber;
  name: string;
  obsolete: boolean;
  /** For obsolete terms: the term to use instead. */
  replacedBy?: TermNumber;
  alternatives: TermNumber[];
  parents: TermNumber[];
}

export interface TermList {
  version?: string;
  terms: Term[];
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

/** The number of an HPO id; throws an Error if the text is none, for readers of files. */
export function neededTerm(id: string): TermNumber {
  const number = termNumber(id);
  if (number === undefined) throw new Error(`${JSON.stringify(id.slice(0, 60))} is not an HPO id`);
  return number;
}

/**
 * Checks the terms as a whole, and packs them: ids of active terms ascending, names, parents by position, and for every id
 * that resolves to another term that term's position. Throws an `unprocessable` fault that names the file.
 */
export function packTerms(file: string, terms: readonly Term[]): { packed: Uint8Array<ArrayBuffer>; active: number } {
  const byId = new Map<TermNumber, Term>();
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
  const columns: Record<string, Column> = {
    ids: Uint32Array.from(active, ({ id }) => id),
    ...textColumns(
      'names',
      active.map(({ name }) => name),
    ),
    parents: Uint32Array.from(parents.flat()),
    'parents.offsets': offsetsOf(parents),
    obsolete: Uint32Array.from(obsolete).sort(),
    'redirections.from': Uint32Array.from(redirections, ({ from }) => from),
    'redirections.to': Uint32Array.from(redirections, ({ to }) => to),
    'redirections.replaced': Uint8Array.from(redirections, ({ replaced }) => Number(replaced)),
  };
  return { packed: pack('ontology', columns), active: active.length };
}

/** The offsets of lists that are written one after the other. */
export function offsetsOf(lists: readonly { length: number }[]): Uint32Array {
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
  active: readonly Term[],
  byId: ReadonlyMap<TermNumber, Term>,
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
function lastReplacement(start: TermNumber, byId: ReadonlyMap<TermNumber, Term>): TermNumber {
  const seen = new Set<TermNumber>();
  let id = start;
  for (let term = byId.get(id); term?.replacedBy !== undefined && !seen.has(id); term = byId.get(id)) {
    seen.add(id);
    id = term.replacedBy;
  }
  return id;
}

function checkAcyclic(file: string, active: readonly Term[], parents: readonly (readonly number[])[]): void {
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
