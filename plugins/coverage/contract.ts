/**
 * coverage@1: the genes, transcripts and exons of each genome build, and the names of genes. They come in *sets*, each
 * the whole of one kind for one build, that are replaced as wholes. All places are zero-based half-open.
 */
import { type Contract, defineContract } from '../../core/storage.js';
import type { GeneAnswer } from './intervals/gene-answer.js';
import type {
  Build,
  Chromosome,
  Exon,
  Gene,
  GeneNames,
  Transcript,
  TranscriptWithExons,
} from './intervals/interval.js';

export * from './intervals/gene-answer.js';
export * from './intervals/gene-name.js';
export * from './intervals/interval.js';
export { type Findings, type NameRow, resolveGenes } from './intervals/resolve.js';

export const intervalKinds = ['genes', 'transcripts', 'exons'] as const;
export type IntervalKind = (typeof intervalKinds)[number];

/** Names of genes (`names`) hold for every build. */
export type SetKind = IntervalKind | 'names';

/** What is recorded of a set when it is put in place. */
export interface SetRecord {
  /** Which release of its source, as the operator or the file says: `Ensembl 115`, `GENCODE 49`. */
  release?: string;
  /** The file's name, without folders. */
  source: string;
  /** Of the file as it was read: `sha256:` and 64 hexadecimal digits. */
  checksum: string;
  /** Rows of the file that went in, repeated ones included. */
  read: number;
  /** Rows of the file that did not go in: reason → count. */
  skipped: Readonly<Record<string, number>>;
}

/** A set that is in place. */
export interface IntervalSet extends SetRecord {
  kind: SetKind;
  /** Absent for names. */
  build?: Build;
  loaded: Date;
  /** Genes, transcripts (each once), exons of transcripts, or genes with names. */
  rows: number;
  /** Rows by chromosome, in the order of `chromosomes`, those without rows left out; empty for names. */
  chromosomes: { chromosome: Chromosome; rows: number }[];
}

/** What a set would be, all rows of it being there, before it is put in place. */
export interface StagedSet {
  kind: SetKind;
  build?: Build;
  rows: number;
  chromosomes: { chromosome: Chromosome; rows: number }[];
  /** The set in whose place it would go. */
  replaces?: IntervalSet;
}

/** Rows of several kinds; a key that is absent adds nothing. */
export interface Batch {
  genes?: readonly Gene[];
  transcripts?: readonly Transcript[];
  exons?: readonly Exon[];
  names?: readonly GeneNames[];
}

export interface Load {
  /** What is replaced, all together: kinds of one build, or names. No kind twice, at least one. */
  sets: readonly { kind: SetKind; build?: Build }[];
  /** Batches in any order, of the kinds in `sets` only. Read once, with back-pressure. */
  rows: AsyncIterable<Batch>;
  /**
   * Called once, after the last row, with what would be put in place, in the order of `sets`. Answers what is recorded
   * of all of them (or, as a list, of each); throwing leaves everything as it was.
   */
  accept(staged: readonly StagedSet[]): SetRecord | readonly SetRecord[];
  /** Aborting throws the signal's reason and leaves everything as it was. */
  signal?: AbortSignal;
}

export interface GeneLookup {
  /** One for each item, in their order, repeated ones included. */
  answers: GeneAnswer[];
  /** The gene set that was looked in; absent where the build has none. */
  genes?: IntervalSet;
  /** The names that were looked in; absent where there are none. */
  names?: IntervalSet;
}

export interface TranscriptLookup {
  /** By chromosome, start, end and id. */
  transcripts: TranscriptWithExons[];
  /** The sets that they come from; absent where the build has none. */
  sets: { transcripts?: IntervalSet; exons?: IntervalSet };
}

/** Which intervals: those with one of these Ensembl ids of their own, or those of one of these genes (Ensembl ids). */
export type IntervalFilter = { ids: readonly string[] } | { genes: readonly string[] };

export interface Intervals {
  genes: Gene;
  transcripts: Transcript;
  exons: Exon;
}

export interface IntervalRepository {
  /**
   * Puts sets in the place of others, all seen at once or (after any failure, `kill -9` included) not at all. Other
   * calls go on meanwhile and see the sets before. A transcript may come more than once: its references are brought
   * together; an exon of a transcript that comes again counts once. Where such repeats contradict each other in place,
   * gene or strand: an `unprocessable` fault. Of two loads of one set at once the one that ends later holds, whole.
   * Answers the sets in the order of `sets`.
   */
  load(request: Load, now: Date): Promise<IntervalSet[]>;
  /** The sets in place: names last, else by build and kind in the order of `intervalKinds`. */
  sets(): Promise<IntervalSet[]>;
  /**
   * Looks genes up by number of HGNC, Ensembl id or any symbol (`geneName`), in one state of the store. A symbol is
   * first that of a gene set or an approved one, then a previous one, then an alias: the first that fits anything
   * decides. Empty lists answer nothing.
   */
  findGenes(build: Build, asked: readonly string[]): Promise<GeneLookup>;
  /** The transcripts of these genes (Ensembl ids) with their exons, in one state of the store. */
  transcriptsOf(build: Build, genes: readonly string[]): Promise<TranscriptLookup>;
  /**
   * The intervals that the filter names, by chromosome, start, end and id (exons: then by transcript and rank). Genes
   * are filtered alike by `ids` and `genes`. An empty filter names none.
   */
  select<Kind extends IntervalKind>(kind: Kind, build: Build, filter: IntervalFilter): Promise<Intervals[Kind][]>;
  /**
   * Hands intervals of a set to `take`, in the order in which they were loaded, in portions of a few thousand at most,
   * each after the one before was taken; `limit` of them, or all where absent. All are of one set, whatever is loaded
   * meanwhile; a `conflict` fault where that set is swept away in the middle. Throws what `take` throws.
   */
  each<Kind extends IntervalKind>(
    kind: Kind,
    build: Build,
    limit: number | undefined,
    take: (rows: readonly Intervals[Kind][]) => Promise<void>,
  ): Promise<void>;
  /**
   * Frees the rows of sets that were replaced before `idleSince`, and of loads that were not heard of since. Answers of
   * the look-ups do not change. Answers how many sets were cleared away.
   */
  sweep(idleSince: Date): Promise<number>;
}

export const coverage: Contract<IntervalRepository> = defineContract<IntervalRepository>('coverage@1');
