/**
 * matchmaker-resources@1: the ontology, disease annotations, genes and lift-over chains that matching needs, kept in the
 * storage so that all processes share one set; and what a process makes of them, `Resources`.
 */
import { type Contract, defineContract } from '../../../core/storage.js';

/** Each kind is one file that an operator loads, and is replaced by itself. */
export const resourceKinds = ['ontology', 'annotations', 'genes', 'lift-37-38', 'lift-38-37'] as const;
export type ResourceKind = (typeof resourceKinds)[number];

/** What is known of a resource without its content. */
export interface ResourceRelease {
  kind: ResourceKind;
  /** As the file states it, or the date in its name: `2024-08-13`. Absent where neither says. */
  version?: string;
  /** Name of the file without its folder, or the address that it came from. */
  source: string;
  /** Entries: terms, annotated diseases, genes, chained blocks. */
  entries: number;
  /** When it was put in place. */
  loaded: Date;
}

export interface StoredResource extends ResourceRelease {
  /** The packed form (packed.ts), gzip. */
  content: Uint8Array;
}

export interface ResourceRepository {
  /** Counts the replacements; 0 before the first. */
  revision(): Promise<number>;
  /** What is stored, in the order of `resourceKinds`, and the revision that it belongs to; both of one moment. */
  releases(): Promise<{ revision: number; releases: ResourceRelease[] }>;
  /** The same with contents. */
  load(): Promise<{ revision: number; resources: StoredResource[] }>;
  /**
   * Puts these in the place of those of their kinds, all seen at once, and answers the new revision, which no other
   * replacement ever got. Kinds that are not given stay. After any failure the old ones are there. Of one kind given
   * twice, or of none at all: `invalid`.
   */
  replace(resources: readonly StoredResource[]): Promise<number>;
}

export const matchmakerResources: Contract<ResourceRepository> =
  defineContract<ResourceRepository>('matchmaker-resources@1');

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

export interface Gene {
  /** 0 … size − 1; means nothing in another `Resources`. */
  number: number;
  symbol: string;
  /** `ENSG00000167468`, without version; absent where the gene has none. */
  ensembl?: string;
  /** `HGNC:4556`. */
  hgnc?: string;
  /** `2879`. */
  entrez?: string;
}

export interface GeneTable {
  readonly size: number;
  /**
   * The gene of an id in any form: `ENSG00000167468`, with version or not; `HGNC:4556`; `NCBIGene:2879` (also `Entrez:`,
   * `GeneID:`), bare digits (Entrez); a symbol in any case. An approved symbol wins over a previous one, and that over
   * an alias. Undefined where nothing fits, or where several genes had the symbol as their previous one or have it as
   * their alias: it is never guessed (`candidates` names them).
   */
  resolve(id: string): Gene | undefined;
  /** The genes among which `resolve` would have to guess, by number; empty where it need not. */
  candidates(id: string): Gene[];
  /** Throws a RangeError for a number that is none. */
  gene(number: number): Gene;
  /**
   * One spelling for ids that the table does not hold, so that they meet all the same: upper case, an Ensembl id
   * without its version, an Entrez id as `NCBIGene:<digits>`.
   */
  spelling(id: string): string;
}

export type Build = 'GRCh37' | 'GRCh38';

/** A place in the other build. */
export interface Lifted {
  assembly: Build;
  /** `1` … `22`, `X`, `Y`, `MT`. */
  chromosome: string;
  /** Zero-based half-open. The length differs from the one sent where the builds differ in between. */
  start: number;
  end: number;
  /** On the other strand: alleles read as their reverse complement. */
  reversed: boolean;
}

export interface LiftOver {
  /**
   * A zero-based half-open interval in the other build; start = end is the place between two bases. The mitochondrion is
   * the same in both. Undefined where it has no counterpart, its ends lie in different chains, the assembly or chromosome
   * is not known, or the chains of this direction are not loaded. `assembly` and `chromosome` in any spelling that
   * `buildNamed` and `chromosomeNamed` (liftover/names.ts) know.
   */
  lift(assembly: string, chromosome: string, start: number, end: number): Lifted | undefined;
  /** Builds that can be lifted from. */
  readonly from: readonly Build[];
}

/** What a release is to a process: stored ones as they are, and the parts of the excerpt that comes with Trefoil. */
export interface UsedRelease extends Omit<ResourceRelease, 'loaded'> {
  /** Absent for the excerpt. */
  loaded?: Date;
  excerpt: boolean;
}

/** Everything that matching asks for, of one revision. Immutable: a change of the stored resources gives another one. */
export interface Resources {
  /** Of the storage; 0 where nothing was ever loaded. */
  readonly revision: number;
  readonly ontology: Ontology;
  readonly genes: GeneTable;
  /** Always there; without chains it lifts the mitochondrion only (`lift.from` is empty). */
  readonly lift: LiftOver;
  /** What is in use, in the order of `resourceKinds`; kinds that are missing are left out. */
  readonly releases: readonly UsedRelease[];
  /** True where ontology or genes are the excerpt: good for the demo, not for patients. */
  readonly excerpt: boolean;
  /** Bytes of typed arrays. */
  readonly bytes: number;
}
