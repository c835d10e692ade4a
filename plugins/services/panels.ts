/** What the panels plugin offers other plugins: versions of gene panels. */
import type { Contig } from '../../core/genome.js';
import type { Principal } from '../../core/plugin.js';

/** Where a version stands on its way to being signed. */
export type PanelState = 'draft' | 'in review' | 'signed off' | 'retired';

/** How certain it is that a gene belongs to the panel. */
export type Confidence = 'green' | 'amber' | 'red' | 'unrated';

/** What a report keeps and shows of the version of a panel that it used. */
export interface PanelOfReport {
  panel: string;
  version: string;
  name: string;
  state: PanelState;
  /** Of the content: what people sign. */
  sha256: string;
  /** Release of gene names by which the entries were mapped. */
  names?: string;
  /** When the version was signed off, and who signed, first to last. */
  signedOff?: { at: Date; by: readonly string[] };
  /** What the laboratory promises of a report with it. */
  requirement?: PanelRequirement;
  /** By HGNC id. */
  genes: readonly PanelGeneOfReport[];
  /** Regions and short tandem repeats, of which reports show the depth. */
  others: readonly PanelPlaceOfReport[];
  /** Entries for which no gene is certain (drafts only). */
  unmapped: readonly { given: string; why: string }[];
}

export interface PanelGeneOfReport {
  /** 950 of HGNC:950. */
  hgnc: number;
  /** The approved symbol when the entry was made. */
  symbol: string;
  confidence: Confidence;
  /** As the source words it. */
  inheritance?: string;
  /** Transcripts that are wanted instead of the preferred one, with or without their version. */
  transcripts?: readonly string[];
  /** Whether reports ask for all of its bases. */
  core?: true;
}

export interface PanelPlaceOfReport {
  kind: 'region' | 'str';
  name: string;
  confidence: Confidence;
  /** As the panel writes it. */
  place?: string;
  /** As the source words it: repeats, types of variants, scores. */
  detail?: string;
  /** Whether reports ask for all of its bases. */
  core?: true;
  /** Zero-based half-open; without builds in which the panel does not say where it is. */
  places: Readonly<Partial<Record<'GRCh37' | 'GRCh38', { chromosome: Contig; start: number; end: number }>>>;
}

/** What the laboratory promises of a report: `percent` of its bases at `depth` or more. */
export interface PanelRequirement {
  depth: number;
  percent: number;
  /** All exonic bases, as if omitted, or coding bases with splice bases. */
  bases?: 'exons' | 'coding';
}

/** How a gene differs between two versions. */
export interface GeneDifference {
  hgnc: number;
  /** In the later version, or the earlier if it was removed. */
  symbol: string;
  /**
   * `promoted` and `demoted` speak of the confidence, of which `unrated` has none: from or to it, a gene is `changed`. A gene
   * can be renamed and promoted at once; `changed` is any other difference, with the names of what differs.
   */
  what: readonly ('added' | 'removed' | 'promoted' | 'demoted' | 'renamed' | 'changed')[];
  before?: PanelGeneOfReport;
  after?: PanelGeneOfReport;
  /** Names of the members that differ besides symbol and a confidence that was promoted or demoted. */
  changed: readonly string[];
}

export interface HoldingVersion {
  panel: string;
  version: string;
  name: string;
  state: PanelState;
  /** The entry without a gene that may be it; omitted if the version holds the gene. */
  entry?: string;
  /** Of its page, below the server's address. */
  path: string;
}

/** Genes that are none any more by a release of HGNC. */
export interface WithdrawnGenes {
  release: string;
  /** By HGNC id, the symbols of the genes into which it was merged or split; none if it was only withdrawn. */
  became: ReadonlyMap<number, readonly string[]>;
}

/**
 * The service `panels/versions@1`. Callers with the right `panels:read` for a panel read all of its versions. Unless the
 * configuration gives rights to people or tenants, every caller reads those that are or were signed off, as every caller gets
 * reports then; `undefined` is a caller without credentials, and `operator` one whom the asking plugin lets read them all.
 */
export interface PanelsService {
  /**
   * The versions that hold a gene, by any of its names, and those with an entry without a gene that may be it, as far as the
   * caller may read them; for commands of operators all. Undefined if the word means no gene for certain.
   */
  holding(gene: string, caller: Principal | 'operator' | undefined): Promise<readonly HoldingVersion[] | undefined>;
  /**
   * By the names in use, the HGNC ids that each word means for certain: that of the gene, and those of entries that were merged into
   * it. None for other words, and all but ids if no names are loaded.
   */
  idsOf(words: readonly string[]): Promise<readonly (readonly number[])[]>;
  /** Those of the genes that are withdrawn by the names in use; renamed ones are not. Undefined before names are loaded. */
  withdrawn(ids: readonly number[]): Promise<WithdrawnGenes | undefined>;
  /**
   * The service as if these withdrawn entries were loaded (HGNC's `withdrawn.txt`, as `trefoil panels load-hgnc` takes it), for
   * `withdrawn` alone. Throws an `unprocessable` fault that names the file and the line.
   */
  assuming(file: { path: string; release?: string | undefined; signal: AbortSignal }): Promise<PanelsService>;
  /**
   * `ID@VERSION`, or `ID` for the latest that is signed off. Undefined if there is none, if the caller may not read it, or if the
   * reference has another form.
   */
  versionOf(reference: string, caller: Principal | 'operator' | undefined): Promise<PanelOfReport | undefined>;
  /** The latest signed-off version of each panel that the caller may read, by panel: what forms offer. */
  offered(caller: Principal | undefined): Promise<readonly { panel: string; version: string; name: string }[]>;
  /**
   * The latest signed-off version if it is newer than this one, with the genes that differ; undefined if there is none, or if
   * this version was removed.
   */
  newerThan(
    panel: string,
    version: string,
    caller: Principal | 'operator' | undefined,
  ): Promise<{ version: string; differences: readonly GeneDifference[] } | undefined>;
}
