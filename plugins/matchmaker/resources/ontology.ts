/** The Human Phenotype Ontology as matching uses it: packed columns, and the ancestors and information computed from them. */
import { bytes, bytesOfColumns, numbers, type PackedColumns, PackedTexts, rangeOfValue } from './packed.js';
import { phenotypicAbnormality, termId, termNumber } from './terms.js';

/** The term that an id resolves to. */
export interface ResolvedTerm {
  term: number;
  /** How, if the id is not the term's own. */
  through?: 'alt_id' | 'replaced_by';
}

/**
 * The active terms of HPO, numbered 0 … size − 1 in ascending order of their ids. Numbers are valid within one `Resources`
 * only. Methods that take a term throw a RangeError if there is no term of the number.
 */
export interface Ontology {
  /** Number of active terms. */
  readonly size: number;
  /** The term of an id (`HP:` in any case and seven digits); undefined if unknown, or obsolete without a replacement. */
  resolve(id: string): ResolvedTerm | undefined;
  /** Whether the id is of an obsolete term, replaced or not: distinguishes it from an unknown id. */
  isObsolete(id: string): boolean;
  /** `HP:0000252`. */
  id(term: number): string;
  name(term: number): string;
  /** Direct parents in all branches, ascending. */
  parents(term: number): Uint32Array;
  /**
   * The term and its ancestors up to and including HP:0000118 (Phenotypic abnormality), ascending; empty if the term is not
   * in that branch (onset, inheritance, modifiers, HP:0000001). A view: do not write to it.
   */
  ancestors(term: number): Uint32Array;
  /** All of these lists, one after the other: that of a term begins at its offset and ends at the next one. */
  readonly ancestorLists: { readonly terms: Uint32Array; readonly offsets: Uint32Array };
  /**
   * −ln(fraction of annotated diseases that have the term or one of its descendants), in nats; 0 for HP:0000118 and for
   * terms outside its branch. A term that no disease has counts as if one had it: ln(diseases).
   */
  information(term: number): number;
  /** Diseases with at least one phenotypic abnormality: the denominator of the fraction. */
  readonly diseases: number;
}

// The ontology in memory.

/** Counts the diseases, and for each term the diseases that have it or one of its descendants. */
type DiseaseCounts = (ontology: PackedOntology) => { diseases: number; counts: Uint32Array };

/** Of `HP:0000252`: other forms have any length, so that clients could send any number of them. */
const usualLength = 10;

/** Made of packed columns (terms.ts), with information from the counts. */
export class PackedOntology implements Ontology {
  readonly size: number;
  readonly diseases: number;
  readonly bytes: number;
  readonly #ids: Uint32Array;
  readonly #names: PackedTexts;
  readonly #parents: Uint32Array;
  readonly #parentOffsets: Uint32Array;
  readonly #obsolete: Uint32Array;
  readonly #redirections: { from: Uint32Array; to: Uint32Array; replaced: Uint8Array };
  readonly #ancestors: Uint32Array;
  readonly #ancestorOffsets: Uint32Array;
  readonly #information: Float64Array;
  readonly #resolved = new Map<string, ResolvedTerm>();

  constructor(columns: PackedColumns, counting: DiseaseCounts) {
    this.#ids = numbers(columns, 'ids');
    this.size = this.#ids.length;
    this.#names = new PackedTexts(columns, 'names');
    this.#parents = numbers(columns, 'parents');
    this.#parentOffsets = numbers(columns, 'parents.offsets');
    this.#obsolete = numbers(columns, 'obsolete');
    this.#redirections = {
      from: numbers(columns, 'redirections.from'),
      to: numbers(columns, 'redirections.to'),
      replaced: bytes(columns, 'redirections.replaced'),
    };
    [this.#ancestors, this.#ancestorOffsets] = this.#closure();
    const { diseases, counts } = counting(this);
    this.diseases = diseases;
    this.#information = Float64Array.from(counts, (count, term) =>
      // Adding 0 makes −0 of the branch's root 0.
      this.#isPhenotype(term) ? -Math.log(Math.max(count, 1) / Math.max(diseases, 1)) + 0 : 0,
    );
    this.bytes =
      bytesOfColumns(columns) +
      this.#ancestors.byteLength +
      this.#ancestorOffsets.byteLength +
      this.#information.byteLength;
  }

  /** Ids in their usual form are remembered: there are few of them, and each query has many. */
  resolve(id: string): ResolvedTerm | undefined {
    const known = this.#resolved.get(id);
    if (known !== undefined) return known;
    const found = this.#resolve(id);
    if (found !== undefined && id.length === usualLength) this.#resolved.set(id, found);
    return found;
  }

  #resolve(id: string): ResolvedTerm | undefined {
    const number = termNumber(id);
    if (number === undefined) return undefined;
    const [term, end] = rangeOfValue(this.#ids, number);
    if (term < end) return { term };
    const { from, to, replaced } = this.#redirections;
    const [index, last] = rangeOfValue(from, number);
    const target = to[index];
    if (index === last || target === undefined) return undefined;
    return { term: target, through: replaced[index] ? 'replaced_by' : 'alt_id' };
  }

  isObsolete(id: string): boolean {
    const number = termNumber(id);
    if (number === undefined) return false;
    const [from, to] = rangeOfValue(this.#obsolete, number);
    return from < to;
  }

  id(term: number): string {
    return termId(this.#ids[this.#checked(term)] as number);
  }

  name(term: number): string {
    return this.#names.at(this.#checked(term));
  }

  parents(term: number): Uint32Array {
    this.#checked(term);
    return this.#parents.subarray(this.#parentOffsets[term], this.#parentOffsets[term + 1]);
  }

  ancestors(term: number): Uint32Array {
    this.#checked(term);
    return this.#ancestors.subarray(this.#ancestorOffsets[term], this.#ancestorOffsets[term + 1]);
  }

  get ancestorLists(): { terms: Uint32Array; offsets: Uint32Array } {
    return { terms: this.#ancestors, offsets: this.#ancestorOffsets };
  }

  information(term: number): number {
    return this.#information[this.#checked(term)] as number;
  }

  #checked(term: number): number {
    if (this.#ids[term] === undefined) throw new RangeError(`no term has the number ${term}`);
    return term;
  }

  #isPhenotype(term: number): boolean {
    return this.#ancestorOffsets[term] !== this.#ancestorOffsets[term + 1];
  }

  /** The ancestors of each term, one list after the other in the order of the terms. */
  #closure(): [ancestors: Uint32Array, offsets: Uint32Array] {
    const [root] = rangeOfValue(this.#ids, phenotypicAbnormality);
    const lists: (Uint32Array | undefined)[] = new Array(this.size);
    const none = new Uint32Array();
    const stamp = new Uint32Array(this.size);
    const gathered: number[] = [];
    const path: number[] = [];
    for (let start = 0; start < this.size; start++) {
      path.push(start);
      while (path.length > 0) {
        const term = path.at(-1) as number;
        const parents = this.parents(term);
        const before = path.length;
        if (!lists[term]) {
          for (const parent of parents) if (!lists[parent] && term !== root) path.push(parent);
        }
        if (path.length > before) continue;
        path.pop();
        if (lists[term]) continue;
        gathered.length = 0;
        for (const parent of term === root ? none : parents) {
          for (const ancestor of lists[parent] ?? none) {
            if (stamp[ancestor] !== term + 1) {
              stamp[ancestor] = term + 1;
              gathered.push(ancestor);
            }
          }
        }
        lists[term] = gathered.length > 0 || term === root ? Uint32Array.from([...gathered, term]).sort() : none;
      }
    }
    const offsets = new Uint32Array(this.size + 1);
    for (let term = 0; term < this.size; term++)
      offsets[term + 1] = (offsets[term] as number) + (lists[term]?.length ?? 0);
    const ancestors = new Uint32Array(offsets[this.size] as number);
    for (let term = 0; term < this.size; term++) ancestors.set(lists[term] ?? none, offsets[term]);
    return [ancestors, offsets];
  }
}

/** Counts packed annotations. A disease counts if at least one of its terms is a phenotypic abnormality. */
export function countedFrom(annotations: PackedColumns): DiseaseCounts {
  return (ontology) => {
    const terms = numbers(annotations, 'terms');
    const offsets = numbers(annotations, 'terms.offsets');
    const counts = new Uint32Array(ontology.size);
    const seen = new Uint32Array(ontology.size);
    const known = new Map<number, Uint32Array | undefined>();
    const ancestorsOf = (id: number): Uint32Array | undefined => {
      if (!known.has(id)) {
        const resolved = ontology.resolve(termId(id));
        known.set(id, resolved && ontology.ancestors(resolved.term));
      }
      return known.get(id);
    };
    for (let disease = 0; disease + 1 < offsets.length; disease++) {
      for (let i = offsets[disease] as number; i < (offsets[disease + 1] as number); i++) {
        for (const ancestor of ancestorsOf(terms[i] as number) ?? []) {
          if (seen[ancestor] === disease + 1) continue;
          seen[ancestor] = disease + 1;
          counts[ancestor] = (counts[ancestor] as number) + 1;
        }
      }
    }
    return { diseases: wholeOf(ontology, counts), counts };
  };
}

/** Takes counts by term id, as the excerpt has them. */
export function countedAs(byId: ReadonlyMap<number, number>): DiseaseCounts {
  return (ontology) => {
    const counts = new Uint32Array(ontology.size);
    for (const [id, count] of byId) {
      const resolved = ontology.resolve(termId(id));
      if (resolved) counts[resolved.term] = count;
    }
    return { diseases: wholeOf(ontology, counts), counts };
  };
}

function wholeOf(ontology: Parameters<DiseaseCounts>[0], counts: Uint32Array): number {
  const root = ontology.resolve(termId(phenotypicAbnormality));
  return root ? (counts[root.term] ?? 0) : 0;
}
