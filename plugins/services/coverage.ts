/** What the coverage plugin offers other plugins: which samples are covered, the places of genes, and which reports are kept. */
import type { Assembly, Contig } from '../../core/genome.js';
import type { Principal } from '../../core/plugin.js';

/** The service `coverage/callability@1`; over HTTP the question and the answer are the same as JSON. */
export interface CallabilityService {
  /**
   * For each place, how many samples of each group are covered there: those with at least `threshold` reads at every base of
   * the place. Bases beyond the end of the chromosome are covered by no sample. Faults: `invalid` (an id in two groups or twice
   * in one, a named id in no group, a malformed place, too many places or ids), `unavailable` (try again).
   */
  covered(question: CoveredQuestion, signal: AbortSignal): Promise<CoveredAnswer>;
  /**
   * The sex of each of these samples as it is registered, in their order: the declared one, else the one that the coverage file
   * shows. `contradicted` if they differ; `unknown` also for ids that are not registered. At most 100,000 ids.
   */
  sexes(samples: readonly string[], signal: AbortSignal): Promise<readonly RegisteredSex[]>;
  /**
   * For each of these samples, in their order, a text that is another one whenever what is known of its coverage and sex changes;
   * undefined as long as its coverage is unknown. Omitted by a service of another server.
   */
  standings?(samples: readonly string[]): Promise<readonly (string | undefined)[]>;
  /**
   * For many questions about the same samples, by numbers instead of ids. Throws the `invalid` faults of `covered` that are about
   * samples. Omitted by a service of another server.
   */
  numbered?(samples: QuestionedSamples): NumberedCallability;
}

/** Questions about samples that have numbers: their places in the groups, one group after the other. */
export interface NumberedCallability {
  /**
   * What `covered` answers. A change of the registered samples shows within a second. Faults: `invalid` (a malformed question),
   * `unavailable` (try again).
   */
  covered(question: NumberedQuestion, signal: AbortSignal): Promise<NumberedAnswer>;
}

/** What the coverage plugin offers on its own server. */
export interface TenantCallability extends CallabilityService {
  /** As if only the samples whose files belong to these tenants were registered. */
  ofTenants(names: readonly string[]): CallabilityService;
}

export type RegisteredSex = 'female' | 'male' | 'unknown' | 'contradicted';

export interface QuestionedSamples {
  build: Assembly;
  /** Reads; at least 1. */
  threshold: number;
  /** Ids of registered samples, in groups that are counted apart (by sex, for instance); at most 100,000 ids. */
  groups: readonly (readonly string[])[];
}

export interface CoveredQuestion extends QuestionedSamples {
  /** At most 10,000; fastest in the order of the genome. */
  places: readonly CoveredPlace[];
}

export interface CoveredPlace {
  chromosome: Contig;
  /** Zero-based, half-open, at least one base each, ascending; two for the breakpoints of a structural variant on one chromosome. */
  intervals: readonly { start: number; end: number }[];
  /** Samples of a group for which it is asked whether each is covered: carriers of an allele, for instance. */
  named?: readonly string[];
}

export interface CoveredAnswer {
  /** Samples of the groups of which it is unknown everywhere, and why; in the order of the groups. */
  unknown: readonly { sample: string; reason: UnknownCoverage }[];
  /** In the order of the places. */
  places: readonly CoveredCounts[];
}

export interface CoveredCounts {
  /** For each group: covered samples. All others of the group that are not unknown are not covered. */
  covered: readonly number[];
  /** Those named that are not covered, in their order; none that is unknown. */
  below: readonly string[];
}

/** Places of one interval each, in columns: a batch may name a million samples. */
export interface NumberedQuestion {
  /** Of each place; at most 10,000; fastest in the order of the genome. */
  chromosomes: readonly Contig[];
  /** Zero-based, half-open, at least one base. */
  starts: Uint32Array;
  ends: Uint32Array;
  /** The numbers of the samples for which it is asked whether each is covered, place by place. */
  named: Uint32Array;
  /** For each place, where those named there begin; one more than there are places. */
  namedFrom: Uint32Array;
}

export interface NumberedAnswer {
  /** By ascending number; one list for all answers that rely on one reading of the samples. */
  unknown: readonly { sample: number; reason: UnknownCoverage }[];
  /** For each place, the covered samples of each group. */
  covered: Uint32Array;
  /** For each of those named: 1 if the sample is known and not covered at the place. */
  below: Uint8Array;
}

/**
 * - `unregistered`: no sample of this id is registered;
 * - `other-build`: its file is of another build;
 * - `unchecked`: its file, or the place that is stated for it, was not checked yet;
 * - `unusable`: its file cannot be used, or is no longer the one that was checked;
 * - `other-threshold`: it is not stored which bases are covered at this threshold.
 */
export type UnknownCoverage = 'unregistered' | 'unchecked' | 'unusable' | 'other-build' | 'other-threshold';

/** The service `coverage/covered-samples@1`. */
export interface CoveredSamplesService {
  /**
   * The answer of `coverage/callability@1` as if only those samples were registered that the caller may see (`coverage:read`);
   * undefined if there can be none. It is recorded in the audit that the caller saw them. Faults as there.
   */
  covered(
    request: { principal: Principal; id: string },
    question: CoveredQuestion,
    signal: AbortSignal,
  ): Promise<CoveredAnswer | undefined>;
}

/** The service `coverage/gene-structures@1`. */
export interface GeneStructures {
  /**
   * The genes that an HGNC id, Ensembl id or symbol means in this build, by position: several if its places are several. Empty
   * if there is none, or if a symbol is ambiguous.
   */
  named(build: Assembly, name: string, signal: AbortSignal): Promise<readonly GeneStructure[]>;
  /**
   * The genes that share a base with a stretch (zero-based, half-open, at least one base), those that code for proteins first,
   * then by position; `most` at most.
   */
  at(
    build: Assembly,
    chromosome: Contig,
    stretch: Span,
    options: { most: number; signal: AbortSignal },
  ): Promise<readonly GeneStructure[]>;
  /**
   * The exons of the transcripts by which reports measure these genes: those that are named for a gene, if any of them is loaded
   * and `choice` is `preferred`; else those of `choice`. A gene that is missing, or has no exons, is listed with the reason.
   */
  exonsOf(
    build: Assembly,
    genes: readonly WantedGene[],
    options: { choice: TranscriptChoice; signal: AbortSignal },
  ): Promise<GeneExons>;
  /**
   * The coding bases of these genes, by the transcripts that reports measure them by. Of a gene that codes for no protein, and of all
   * if the loaded exons do not state coding bases, the exons.
   */
  codingOf(build: Assembly, genes: readonly WantedGene[], signal: AbortSignal): Promise<GeneCoding>;
}

export interface GeneCoding {
  /** By gene as asked; a gene has one for each of its transcripts. */
  genes: readonly CodingTranscript[];
  missing: GeneExons['missing'];
  /** The interval sets that were read. */
  sets: readonly IntervalSource[];
}

export interface CodingTranscript {
  hgnc: number;
  chromosome: Contig;
  transcript: string;
  /** By position. */
  coding: readonly Span[];
  /** Coding bases with the splice bases of introns beside them, by position. */
  counted: readonly Span[];
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
  sets: readonly IntervalSource[];
}

/** Why a gene has no exons: it is unknown, not in the genes of this build, no genes are loaded, or its transcripts are not. */
export type MissingGene =
  | 'malformed'
  | 'no-genes-loaded'
  | 'unknown'
  | 'not-in-build'
  | 'ambiguous'
  | 'no-transcripts-loaded'
  | 'unknown-transcript'
  | 'no-transcripts'
  | 'no-exons';

export interface ExonicTranscript {
  hgnc: number;
  chromosome: Contig;
  /** Stable id without version: `ENST00000376590`. */
  transcript: string;
  /** By rank, in the direction of transcription. */
  exons: readonly (Span & { rank: number })[];
}

export interface GeneStructure extends Span {
  chromosome: Contig;
  /** Stable id without version: `ENSG00000177000`. */
  ensembl: string;
  /** 7436 for `HGNC:7436`. */
  hgnc?: number;
  symbol?: string;
  strand?: 1 | -1;
  /** The transcript that is drawn: the first of those preferred for reports; absent if none is loaded. */
  transcript?: string;
  /** Its exons by position; empty if none are loaded. */
  exons: readonly Span[];
}

/** A file of genes, transcripts or exons, as it was loaded. */
export interface IntervalSource {
  kind: 'genes' | 'transcripts' | 'exons' | 'names';
  /** Absent for names. */
  build?: Assembly;
  /** The release of its source, as the operator or the file states it: `Ensembl 115`, `GENCODE 49`. */
  release?: string;
  /** Name of the file, without folders. */
  source: string;
  /** Checksum of the file as it was read: `sha256:` and 64 hexadecimal digits. */
  checksum: string;
  loaded: Date;
}

/**
 * `preferred`: MANE Select; if a gene has none, MANE Plus Clinical; if none, those with a RefSeq mRNA; else all. The others
 * name one of these kinds, without falling back: `mane` is MANE Select and MANE Plus Clinical.
 */
export type TranscriptChoice = 'preferred' | 'mane' | 'mane_select' | 'mane_plus_clinical' | 'refseq_mrna' | 'all';

/** A wanted transcript that is not loaded, or not for certain in the version that is wanted. */
export interface UnmetTranscript {
  wanted: string;
  /**
   * What is measured instead: another version (`NM_004656.4`), or one that is not known, as of all Ensembl ids
   * (`ENST00000460680`); undefined if the transcript is not loaded.
   */
  loaded?: string;
}

/** A run of bases of a chromosome: zero-based, half-open, at least one base. */
export interface Span {
  start: number;
  end: number;
}

/** The service `coverage/kept-reports@1`, offered if the setting `reports` is made. */
export interface KeptReportsService {
  /** The path, below the server's address, of the page with the reports that measured this gene, or could not. */
  pathOf(gene: string): string;
  /**
   * What a kept report was made of, which is recorded in the audit; undefined if there is none that the reader may open today.
   * Aborting throws the signal's reason.
   */
  factsOf(
    id: string,
    reader: { principal: Principal; id: string } | 'operator',
    signal: AbortSignal,
  ): Promise<KeptReportFacts | undefined>;
}

export interface KeptReportFacts {
  made: Date;
  build: Assembly;
  /** The coverage threshold first, then the others. */
  thresholds: readonly number[];
  panel?: { panel: string; version: string };
  /** Those that were requested; without `registration` if a file was named. */
  samples: readonly { name: string; registration?: string }[];
  /** By kind or name, the releases of the sets that were used, as far as they are known: `exons`, `HGNC`. */
  releases: Readonly<Record<string, string>>;
}

/** The service `coverage/calls@1`. */
export interface CallsService {
  /**
   * Compares the depths that the beacon has of samples of a dataset (`beacon/called-depths@1`) with the coverage files that are
   * registered under these ids, and keeps what is found. By id, without those that are not registered, not checked yet, or of
   * another tenant than the dataset. A sentence for each: with `names` it names the other sample that the calls fit.
   */
  compare(
    dataset: string,
    ids: readonly string[],
    options: { names: boolean; signal: AbortSignal },
  ): Promise<CallsFit[]>;
}

export interface CallsFit {
  sample: string;
  /** `elsewhere`: the file of another sample fits as well or better; `untold`: it could not be told. */
  outcome: 'fits' | 'elsewhere' | 'untold';
  message: string;
}

/** The service `coverage/known-sites@1`: sets of known variants, which belong to no tenant. */
export interface KnownSitesService {
  /** The published sets of the build, by name. */
  sets(build: Assembly): Promise<readonly KnownSet[]>;
  /**
   * For each allele (plain bases), in their order, its records in the sets of the build: those of the same allele, however it is
   * written, by `form`, which gives an allele its one form (`formOf` of `beacon/carried-alleles@1`); without it shared bases are left out
   * and no insertion or deletion is moved. Of a classified set (ClinVar) only records that are pathogenic or likely pathogenic are
   * kept: an allele without one is benign, uncertain, conflicting or absent there.
   */
  classesOf(
    build: Assembly,
    alleles: readonly PlainAllele[],
    options: { form?: ((allele: PlainAllele) => PlainAllele) | undefined; signal: AbortSignal },
  ): Promise<readonly (readonly KnownRecord[])[]>;
  /** The records that share a base with one of these places, and those that name one of the genes by symbol; each once for an allele. */
  within(
    build: Assembly,
    wanted: { places: readonly (Span & { chromosome: Contig })[]; genes: readonly string[] },
    signal: AbortSignal,
  ): Promise<readonly (KnownRecord & PlainAllele & PlaceOfSite)[]>;
  /**
   * The service as if this VCF were loaded, as `trefoil coverage load-sites` takes it; it is held in memory, and nothing is stored.
   * Faults as there: they name the file and the line.
   */
  assuming(file: FileOfSites): Promise<KnownSitesService>;
}

/** What is omitted is as `trefoil coverage load-sites` says. */
export interface FileOfSites {
  path: string;
  name?: string | undefined;
  release?: string | undefined;
  build?: Assembly | undefined;
  signal: AbortSignal;
}

/** The bases that have to be covered for a site to be called: those of the reference, and one on each side. */
export interface PlaceOfSite {
  covers: Span;
}

export interface PlainAllele {
  chromosome: Contig;
  /** Zero-based. */
  start: number;
  reference: string;
  alternate: string;
}

export interface KnownSet {
  name: string;
  release: string;
  loaded: Date;
  sites: number;
}

/** What a set says of an allele. */
export interface KnownRecord {
  set: string;
  release: string;
  /** As the source writes it: `Pathogenic/Likely_pathogenic`. Omitted of sets that are not classified. */
  significance?: string;
  /** Review stars, 0 to 4. */
  stars?: number;
  /** The id that the source gives it. */
  id?: string;
  /** Symbols of the genes that the source names. */
  genes: readonly string[];
}
