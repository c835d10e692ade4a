/** The summary of reading a VCF: counts, and what was skipped and why. */
import { utf8 } from '../../../core/files.js';
import type { Contig } from '../domain/allele.js';
import type { Searched } from '../domain/sample.js';

export interface Oddity {
  /** 1-based line of the (decompressed) file. */
  line: number;
  reason: string;
}

/** What the annotations of a file came to. */
export interface AnnotationSummary {
  /** Alleles with a carrier and an annotation; one in several records counts in each. */
  alleles: number;
  /** Records of which an annotation, or a part of it, could not be read. */
  unreadable: number;
  /** The first of them, or the line of the header by which none can be read. */
  first?: Oddity;
}

export interface VcfSummary {
  /** Data lines. */
  records: number;
  /** Records that cannot be read. */
  unreadableRecords: number;
  /** Alleles with a carrier among the chosen samples; one that several records write counts once, if the file is sorted. */
  alleles: number;
  /** Alternate alleles called, over the chosen samples; of an allele in several records, a sample's first call. */
  calls: number;
  /**
   * The kinds of alleles that the file could show: those of its records, carried or not, also of records that FILTER
   * excludes; not of records whose genotypes were all skipped: those without a called one, or without GQ if that is required.
   */
  searched: Searched;
  /** The smallest GQ of a genotype; undefined if any counts. */
  quality: number | undefined;
  skipped: {
    /** Records on other contigs than 1–22, X, Y and MT, by contig as the file spells it. */
    contigs: Record<string, number>;
    /** Records whose FILTER is not accepted. */
    filtered: number;
    /** Alternates outside all regions of the panel. */
    outsidePanel: number;
    /** Records without genotypes (no GT in FORMAT). */
    withoutGenotypes: number;
    /** Alternates that are not alleles: `*`, `<NON_REF>`, `<*>`, `.`. */
    placeholders: number;
    /** Genotypes of chosen samples, with an alternate, that have a lower GQ than required. */
    lowQuality: number;
    /** The same, if they have no GQ and it is required. */
    withoutQuality: number;
    /** Genotypes of chosen samples that were not called, in records with an alternate. */
    uncalled: number;
    /** Alternates that no chosen sample carries. */
    notCarried: number;
    /** Records, or single alternates, that cannot be read. */
    unreadable: number;
  };
  /** The first of the unreadable ones. */
  oddities: Oddity[];
  /** What the header says of another assembly, if stronger signs say that the file is of the dataset's. */
  warnings: readonly string[];
  /** If the file is annotated, and its annotations were asked for. */
  annotations?: AnnotationSummary;
}

/** Chromosomes of a file by kind of alleles: those with records of which a genotype was read, and those with others. */
export type ReadChromosomes = Readonly<Record<keyof Searched, { read: Set<Contig>; skipped: Set<Contig> }>>;

export function noChromosomes(): ReadChromosomes {
  const none = () => ({ read: new Set<Contig>(), skipped: new Set<Contig>() });
  return { small: none(), structural: none() };
}

const oddityLimit = 20;
const contigLimit = 1000;

/** `quality` is the smallest GQ of a genotype; undefined if any counts. */
export function emptySummary(quality: number | undefined): VcfSummary {
  return {
    records: 0,
    unreadableRecords: 0,
    alleles: 0,
    calls: 0,
    searched: { small: false, structural: false },
    quality,
    skipped: {
      contigs: Object.create(null),
      filtered: 0,
      outsidePanel: 0,
      withoutGenotypes: 0,
      placeholders: 0,
      lowQuality: 0,
      withoutQuality: 0,
      uncalled: 0,
      notCarried: 0,
      unreadable: 0,
    },
    oddities: [],
    warnings: [],
  };
}

/** Counts a record on a contig whose name is a part of a block. */
export function countContig(summary: VcfSummary, contig: string): void {
  const { contigs } = summary.skipped;
  const known = contigs[contig];
  if (known !== undefined) contigs[contig] = known + 1;
  else {
    // A copy: a slice would keep the whole block in memory.
    const name = Object.keys(contigs).length < contigLimit ? utf8(contig) : 'others';
    contigs[name] = (contigs[name] ?? 0) + 1;
  }
}

export function countOddity(summary: VcfSummary, line: number, reason: string): void {
  summary.skipped.unreadable++;
  if (summary.oddities.length < oddityLimit) summary.oddities.push({ line, reason });
}
