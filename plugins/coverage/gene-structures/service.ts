/** Where genes lie, and which parts of them are exons, for other plugins, which see these types only. */
import type { IntervalSet } from '../contract.js';
import type { NotMeasured } from '../domain/select.js';
import type { TranscriptChoice, UnmetTranscript } from '../domain/transcripts.js';
import type { Build, Chromosome, Place, Span, Strand } from '../intervals/interval.js';

/** The service `coverage/gene-structures@1`. */
export interface GeneStructures {
  /**
   * The genes that an HGNC id, Ensembl id or symbol means in this build, by position: several if its places are several. Empty
   * if there is none, or if a symbol is ambiguous.
   */
  named(build: Build, name: string, signal: AbortSignal): Promise<readonly GeneStructure[]>;
  /**
   * The genes that share a base with a stretch (zero-based, half-open, at least one base), those that code for proteins first,
   * then by position; `most` at most.
   */
  at(
    build: Build,
    chromosome: Chromosome,
    stretch: Span,
    options: { most: number; signal: AbortSignal },
  ): Promise<readonly GeneStructure[]>;
  /**
   * The exons of the transcripts by which reports measure these genes: those that are named for a gene, if any of them is loaded
   * and `choice` is `preferred`; else those of `choice`. A gene that is missing, or has no exons, is listed with the reason.
   */
  exonsOf(
    build: Build,
    genes: readonly WantedGene[],
    options: { choice: TranscriptChoice; signal: AbortSignal },
  ): Promise<GeneExons>;
}

export interface WantedGene {
  /** 950 for `HGNC:950`. */
  hgnc: number;
  /** Ensembl or RefSeq ids, with or without version. */
  transcripts?: readonly string[];
}

export interface GeneExons {
  /** By gene as asked, then by position. A gene with several positions has transcripts at each. */
  transcripts: readonly ExonicTranscript[];
  missing: readonly { hgnc: number; reason: MissingGene }[];
  /** Named transcripts that are not loaded, or only in another version. */
  unmet: readonly (UnmetTranscript & { hgnc: number })[];
  /** The interval sets that were read. */
  sets: readonly IntervalSet[];
}

/** Why a gene has no exons: it is unknown, not in the genes of this build, no genes are loaded, or its transcripts are not. */
export type MissingGene = NotMeasured['reason'];

export interface ExonicTranscript {
  hgnc: number;
  chromosome: Chromosome;
  /** Stable id without version: `ENST00000376590`. */
  transcript: string;
  /** By rank, in the direction of transcription. */
  exons: readonly (Span & { rank: number })[];
}

export interface GeneStructure extends Place {
  /** Stable id without version: `ENSG00000177000`. */
  ensembl: string;
  /** 7436 for `HGNC:7436`. */
  hgnc?: number;
  symbol?: string;
  strand?: Strand;
  /** The transcript that is drawn: the first of those preferred for reports; absent if none is loaded. */
  transcript?: string;
  /** Its exons by position; empty if none are loaded. */
  exons: readonly Span[];
}
