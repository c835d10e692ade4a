/**
 * beacon-consequences@1: what VEP or SnpEff wrote of the alleles of a dataset, stored once an allele whoever carries it. Nothing is
 * annotated here. An allele that nobody carries any more tells of a person: it leaves (`prune`). What a load reads is staged, and
 * visible once it is published: at once, or with the publication of a protected dataset.
 */
import { type Contract, defineContract } from '../../../../core/storage.js';
import type { Allele, CalledAllele } from '../../domain/allele.js';

/** Who annotated, as the header of the file says. */
export interface AnnotationSource {
  annotator: 'VEP' | 'SnpEff';
  /** As written: `v110`, `5.1d (build 2022-04-19 15:49)`; empty if the header does not say. */
  version: string;
  /** What VEP used, by its names: `assembly` GRCh38.p14, `ClinVar` 202301, `gnomADe` r2.1.1 …. */
  databases: Readonly<Record<string, string>>;
}

/** A source of the consequences that a dataset has. */
export interface UsedSource extends AnnotationSource {
  /** Alleles whose consequences are of this source. */
  alleles: number;
  /** When a load with it was last published. */
  loaded: Date;
}

/** Why a transcript was chosen: see `GeneConsequence`. */
export const transcriptChoices = ['mane-select', 'mane-plus-clinical', 'canonical', 'worst'] as const;
export type ChosenAs = (typeof transcriptChoices)[number];

/** What an allele does to one transcript. */
export interface TranscriptConsequence {
  choice: ChosenAs;
  /** With its version if the file has it: `ENST00000376590.9`, `NM_005957.5`; absent outside of transcripts. */
  transcript?: string;
  /** The RefSeq transcript that the MANE column names for it: `NM_005957.5`. */
  mane?: string;
  /** Terms of `consequenceTerms`, the worst first; never empty. */
  terms: readonly string[];
  /** HGVS without the accession: `c.665C>T`, `n.12A>G`. */
  coding?: string;
  /** HGVS without the accession, with three letters and without parentheses; a stop is `Ter`: `p.Ala222Val`, `p.Arg97Ter`. */
  protein?: string;
}

/** By what a gene is known: its number at HGNC (7436 for `HGNC:7436`), its symbol, or both. */
export interface GeneIdentity {
  hgnc?: number;
  /** As the file writes it; the id of Ensembl for genes without a symbol. */
  symbol?: string;
}

/**
 * What an allele does to one gene, or outside of all genes (without a name; then it is the only one). Its transcripts are MANE
 * Select and each MANE Plus Clinical, else the canonical one, in this order; last the one with the worst consequence of all, unless
 * one of these is as bad.
 */
export interface GeneConsequence extends GeneIdentity {
  transcripts: readonly TranscriptConsequence[];
}

/** What an annotation says of one allele. */
export interface AlleleAnnotation {
  genes: readonly GeneConsequence[];
  /** The largest of the frequencies of populations that the file has, and the column it is from: `gnomADe_AF`. */
  frequency?: { readonly value: number; readonly field: string };
  /** The classes of ClinVar, as VEP writes them: `pathogenic`, `likely_benign`. */
  clinVar?: readonly string[];
}

/** With who says it. */
export interface CallAnnotation extends AlleleAnnotation {
  source: AnnotationSource;
}

/** A call as a load reads it. */
export interface AnnotatedCall extends CalledAllele {
  readonly annotation?: CallAnnotation;
}

/** `VEP v110 (ClinVar 202301)`. */
export function sourceText({ annotator, version, databases: { ClinVar } }: AnnotationSource): string {
  return [annotator, version, ...(ClinVar === undefined ? [] : [`(ClinVar ${ClinVar})`])].filter(Boolean).join(' ');
}

/** An allele with what is stored of it. */
export interface AnnotatedAllele extends CallAnnotation {
  allele: Allele;
}

/** Where a page of the alleles of a gene ends. */
export interface GeneCursor {
  /** `rankOf` the worst term at the gene. */
  rank: number;
  allele: Allele;
}

/** Which alleles of a gene; all if empty. */
export interface GeneQuestion {
  /** Alleles of which a transcript of the gene has one of these terms. */
  terms?: ReadonlySet<string>;
  /** Alleles with this change of the protein, as stored: `p.Ala222Val`. */
  protein?: string;
  /** Alleles with this change, as stored: `c.665C>T`. */
  coding?: string;
  /** Alleles that are at most so frequent in populations, and those of unknown frequency. */
  maxFrequency?: number;
  /** Of a page: after the end of the page before, and at most so many. */
  after?: GeneCursor;
  limit?: number;
}

export interface GeneAlleles {
  /** By the worst term at the gene, then in the order of `byAllele`; `genes` has this gene alone. */
  alleles: readonly AnnotatedAllele[];
  /** The end of the page; undefined if nothing follows. */
  next?: GeneCursor;
}

/** See `prune`. */
export type AbsentAlleles = (alleles: readonly Allele[]) => Promise<ReadonlyMap<string, Allele | undefined>>;

export interface ConsequenceRepository {
  /** Begins a load of these samples into a dataset; returns its number. Loads have ascending numbers. */
  begin(dataset: string, samples: readonly string[], now: Date): Promise<number>;
  /** Adds to what is staged of a load; of an allele that comes again the last stays. Throws `conflict` if the load is gone. */
  stage(load: number, alleles: readonly AnnotatedAllele[], now: Date): Promise<void>;
  /** Ends a load: it waits to be published. Nothing waits of a load without alleles. Throws `conflict` if it is gone. */
  complete(load: number): Promise<void>;
  /** Gives up a load; nothing if it is complete or gone. */
  abandon(load: number): Promise<void>;
  /** The loads of a dataset that are complete and not published, ascending; with `among`, those whose samples, of which there are some, all are among these. */
  waiting(dataset: string, among?: readonly string[]): Promise<number[]>;
  /**
   * Publishes these loads, ascending: what they say of an allele replaces what was known of it. An allele has either all the time;
   * after a failure (`kill -9` included) part of them may be published, and another call publishes the rest.
   */
  publish(dataset: string, loads: readonly number[], now: Date): Promise<void>;
  /** What is published of these alleles, each once; others are left out. In the order of `byAllele`. */
  find(dataset: string, alleles: readonly Allele[]): Promise<AnnotatedAllele[]>;
  /** The published alleles of a gene. A name with number and symbol finds those that have either. */
  ofGene(dataset: string, gene: GeneIdentity, question?: GeneQuestion): Promise<GeneAlleles>;
  /**
   * The published alleles that any of these genes has, each once, in the order of `byAllele`: those of which a transcript of one of the
   * genes has one of these terms, at most so frequent in populations or of unknown frequency. `genes` has all genes of the allele.
   * Genes that are near each other are read together for little more than one of them.
   */
  ofGenes(
    dataset: string,
    genes: readonly GeneIdentity[],
    question: Pick<GeneQuestion, 'terms' | 'maxFrequency'>,
  ): Promise<AnnotatedAllele[]>;
  /**
   * The published alleles of plain bases of which a transcript of any gene has this change of the protein, in the form of
   * `proteinChange`: `Ala222Val`. At most so many, in the order of `byAllele`; `genes` has those with the change alone.
   */
  ofProtein(dataset: string, change: string, limit: number): Promise<AnnotatedAllele[]>;
  /** The genes of which a RefSeq transcript with this accession (`NM_005957`, without version) was chosen, by its id or by MANE. */
  genesOfTranscript(dataset: string, accession: string): Promise<GeneIdentity[]>;
  /** Who annotated what is published, the last one that was loaded first; empty if the dataset has no consequences. */
  sources(dataset: string): Promise<UsedSource[]>;
  /** Notes that alleles may be gone, until a `prune` that begins later ends. Nothing if the dataset has no consequences. */
  mark(dataset: string): Promise<void>;
  /** Datasets that are marked, or have loads that wait, by id ascending. */
  unsettled(): Promise<{ dataset: string; isMarked: boolean }[]>;
  /**
   * Removes alleles that a dataset does not have, published or waiting. `absent` is called with alleles that are near each other,
   * perhaps more than once, and returns by their keys (`alleleKey`) those that the dataset does not have now, with the form in which
   * it has them if it has another: what is known of them moves there, unless something is published of it.
   */
  prune(dataset: string, absent: AbsentAlleles): Promise<void>;
  /**
   * Keeps what is published of alleles under others too, which are the same in another form; what these have already stays. Marks
   * the dataset.
   */
  copy(dataset: string, moved: readonly (readonly [from: Allele, to: Allele])[]): Promise<void>;
  /** Removes all that is known of a dataset, staged loads included. */
  remove(dataset: string): Promise<void>;
  /**
   * Gives up loads of these samples that are not complete, in one dataset or in all; those that are complete forget that they are of
   * them. What only they carry leaves by `prune`.
   */
  forget(samples: readonly string[], dataset?: string): Promise<void>;
  /** Gives up loads without a sign of life since then that are not complete. Returns how many. */
  sweep(idleSince: Date): Promise<number>;
}

export const beaconConsequences: Contract<ConsequenceRepository> = defineContract<ConsequenceRepository>(
  'beacon-consequences@1',
  {
    begin: 'needed',
    stage: 'needed',
    complete: 'needed',
    abandon: 'needed',
    waiting: 'needed',
    publish: 'needed',
    find: 'needed',
    ofGene: 'needed',
    ofGenes: 'needed',
    ofProtein: 'needed',
    genesOfTranscript: 'needed',
    sources: 'needed',
    mark: 'needed',
    unsettled: 'needed',
    prune: 'needed',
    copy: 'needed',
    remove: 'needed',
    forget: 'needed',
    sweep: 'needed',
  },
);
