/**
 * coverage@1: the genes, transcripts and exons of each genome build, and the names of genes. They are stored as *sets*:
 * all rows of one kind for one build, which are replaced together. All positions are zero-based half-open.
 */
import { type Contract, defineContract } from '../../core/storage.js';
import type {
  Build,
  Chromosome,
  Exon,
  Gene,
  GeneAnswer,
  GeneNames,
  Transcript,
  TranscriptWithExons,
} from './intervals/interval.js';

export * from './cohorts/contract.js';
export * from './intervals/interval.js';
export * from './report/kept/contract.js';
export * from './samples/contract.js';
export * from './samples/tracks/contract.js';
export * from './sites/contract.js';
export * from './sites/regions/contract.js';

export const intervalKinds = ['genes', 'transcripts', 'exons'] as const;
export type IntervalKind = (typeof intervalKinds)[number];

/** The names of genes (`names`) apply to every build. */
export type SetKind = IntervalKind | 'names';

/** What is recorded about a set when it is published. */
export interface SetRecord {
  /** The release of its source, as the operator or the file states it: `Ensembl 115`, `GENCODE 49`. */
  release?: string;
  /** Name of the file, without folders. */
  source: string;
  /** Checksum of the file as it was read: `sha256:` and 64 hexadecimal digits. */
  checksum: string;
  /** Rows of the file that were loaded, including repeated ones. */
  read: number;
  /** Rows of the file that were skipped: reason → count. */
  skipped: Readonly<Record<string, number>>;
}

/** A published set. */
export interface IntervalSet extends SetRecord {
  kind: SetKind;
  /** Absent for names. */
  build?: Build;
  loaded: Date;
  /** Genes, transcripts (each once), exons of transcripts, or genes with names. */
  rows: number;
  /** Rows by chromosome, in the order of `chromosomes`, without chromosomes that have no rows; empty for names. */
  chromosomes: { chromosome: Chromosome; rows: number }[];
}

/** A set with all its rows, before it is published. */
export interface StagedSet {
  kind: SetKind;
  build?: Build;
  rows: number;
  chromosomes: { chromosome: Chromosome; rows: number }[];
  /** The set that it would replace. */
  replaces?: IntervalSet;
}

/** Rows of several kinds; an omitted key adds nothing. */
export interface Batch {
  genes?: readonly Gene[];
  transcripts?: readonly Transcript[];
  exons?: readonly Exon[];
  names?: readonly GeneNames[];
}

export interface Load {
  /** The sets to replace together: kinds of one build, or names. At least one, and no kind twice. */
  sets: readonly { kind: SetKind; build?: Build }[];
  /** Batches in any order, of the kinds in `sets` only. Read once, with back-pressure. */
  rows: AsyncIterable<Batch>;
  /**
   * Called once, after the last row, with the sets that would be published, in the order of `sets`. Returns the record of
   * all of them (or, as a list, of each). If it throws, nothing changes.
   */
  accept(staged: readonly StagedSet[]): SetRecord | readonly SetRecord[];
  /** If aborted, the load throws the signal's reason and nothing changes. */
  signal?: AbortSignal;
}

export interface GeneLookup {
  /** One per name, in their order, including repeated ones. */
  answers: GeneAnswer[];
  /** The gene set that was searched; omitted if the build has none. */
  genes?: IntervalSet;
  /** The names that were searched; omitted if there are none. */
  names?: IntervalSet;
}

export interface TranscriptLookup {
  /** Sorted by chromosome, start, end and id. */
  transcripts: TranscriptWithExons[];
  /** The sets that they come from; omitted if the build has none. */
  sets: { transcripts?: IntervalSet; exons?: IntervalSet };
}

/** Selects intervals by their own Ensembl ids, or by the Ensembl ids of their genes. */
export type IntervalFilter = { ids: readonly string[] } | { genes: readonly string[] };

export interface Intervals {
  genes: Gene;
  transcripts: Transcript;
  exons: Exon;
}

export interface ReadOptions {
  /** Aborting throws the signal's reason, and the storage stops working on the read. */
  signal?: AbortSignal | undefined;
}

export interface IntervalRepository {
  /**
   * Replaces sets: all become visible at once or (after any failure, `kill -9` included) none. Concurrent calls see the
   * old sets meanwhile. A transcript may occur more than once: its references are merged; a repeated exon of a transcript
   * counts once. Repeats that contradict each other in position, gene or strand are an `unprocessable` fault. If two loads
   * of one set run concurrently, the one that ends later wins, as a whole. Returns the sets in the order of `sets`.
   */
  load(request: Load, now: Date): Promise<IntervalSet[]>;
  /** The published sets, by build and by kind in the order of `intervalKinds`; names last. */
  sets(options?: ReadOptions): Promise<IntervalSet[]>;
  /**
   * Looks genes up by HGNC id, Ensembl id or any symbol (`geneName`), in one state of the store. A symbol is matched first
   * against the gene set and the approved symbols, then against previous symbols, then against aliases; the first of these
   * that matches anything decides. If it means an HGNC gene, genes that have it without that HGNC id are left out. An Ensembl
   * id that no gene has finds the gene of RefSeq (`GeneID:4524`) whose HGNC gene has it in the names. An empty list returns no
   * answers.
   */
  findGenes(build: Build, asked: readonly string[], options?: ReadOptions): Promise<GeneLookup>;
  /** The transcripts of these genes (Ensembl ids) with their exons, in one state of the store. */
  transcriptsOf(build: Build, genes: readonly string[], options?: ReadOptions): Promise<TranscriptLookup>;
  /**
   * The intervals that the filter selects, sorted by chromosome, start, end and id (exons: then by transcript and rank).
   * For genes `ids` and `genes` mean the same. An empty filter selects none.
   */
  select<Kind extends IntervalKind>(
    kind: Kind,
    build: Build,
    filter: IntervalFilter,
    options?: ReadOptions,
  ): Promise<Intervals[Kind][]>;
  /**
   * Passes the intervals of a set to `take` in the order in which they were loaded, all exons of a transcript where its first
   * one was: in portions of a few thousand at most, one after the other; `limit` intervals, or all if undefined. All are of one set, even if it is replaced meanwhile; if
   * that set is swept in the middle, a `conflict` fault. Throws what `take` throws.
   */
  each<Kind extends IntervalKind>(
    kind: Kind,
    build: Build,
    limit: number | undefined,
    take: (rows: readonly Intervals[Kind][]) => Promise<void>,
    options?: ReadOptions,
  ): Promise<void>;
  /**
   * Frees the rows of sets that were replaced before `idleSince`, and of loads without activity since. The results of
   * look-ups do not change. Returns the number of sets that were freed.
   */
  sweep(idleSince: Date): Promise<number>;
}

export const coverage: Contract<IntervalRepository> = defineContract<IntervalRepository>('coverage@1', {
  load: 'needed',
  sets: 'needed',
  findGenes: 'needed',
  transcriptsOf: 'needed',
  select: 'needed',
  each: 'needed',
  sweep: 'needed',
});
