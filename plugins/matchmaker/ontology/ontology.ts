/** The Human Phenotype Ontology as matching uses it. */

/** A term that an id leads to. */
export interface ResolvedTerm {
  term: number;
  /** How, where the id is not the term's own. */
  through?: 'alt_id' | 'replaced_by';
}

/**
 * The active terms of HPO, numbered 0 … size − 1 in ascending order of their ids. A number means nothing in another
 * `Resources`. Methods that take a term throw a RangeError for a number that is none.
 */
export interface Ontology {
  /** Number of active terms. */
  readonly size: number;
  /** The term of an id (`HP:` in any case and seven digits); undefined where there is none, or it went without a replacement. */
  resolve(id: string): ResolvedTerm | undefined;
  /** Whether the id is of a term that was withdrawn, be it replaced or not: for telling it from one that never was. */
  isObsolete(id: string): boolean;
  /** `HP:0000252`. */
  id(term: number): string;
  name(term: number): string;
  /** Direct parents, ascending, over all branches. */
  parents(term: number): Uint32Array;
  /**
   * The term and its ancestors up to and including HP:0000118 (Phenotypic abnormality), ascending; empty where the term
   * is not in that branch (onset, inheritance, modifiers, HP:0000001). A view: not to be written to.
   */
  ancestors(term: number): Uint32Array;
  /**
   * −ln(share of annotated diseases that have the term or one of its descendants), in nats; 0 for HP:0000118 and for
   * terms outside of its branch. A term that no disease has counts as if one had it: as rare as can be seen, ln(diseases).
   */
  information(term: number): number;
  /** Diseases with at least one phenotypic abnormality: the whole of the share. */
  readonly diseases: number;
}
