/** The Human Phenotype Ontology (HPO) as matching uses it. */

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
