/**
 * coverage-reports@1: reports that were kept as they were sent: facts about each, the words by which it is found, and its
 * parts in pieces. A kept report never changes. Needed only if the setting `reports` is made.
 */
import { type Contract, defineContract } from '../../../../core/storage.js';
import type { Build } from '../../intervals/interval.js';

/** The JSON text; the page as data, as browsers show it; and as a PDF file has it, if that differs. */
export const reportParts = ['json', 'page', 'file'] as const;
export type ReportPart = (typeof reportParts)[number];

/** A sample that was requested, whether or not it could be measured. */
export interface KeptSample {
  name: string;
  /** If it was registered. */
  registration?: string;
  /** The path or URL of its coverage file, without what may be secret in a URL. */
  file: string;
  track?: string;
  /** Of the file as it was measured; omitted if it could not be. */
  fingerprint?: string;
  /** Its second file, of unique reads, in the same way. */
  unique?: { file: string; fingerprint?: string; quality?: number };
}

/** The version of a gene panel. */
export interface KeptPanel {
  panel: string;
  version: string;
  sha256: string;
  state: string;
  /** Release of gene names by which its entries were mapped. */
  names?: string;
}

export interface KeptFacts {
  /** The version of the software. */
  software: string;
  /** In which the page is written. */
  language: string;
  /** `report`. */
  page: string;
  /** Who asked for it, to be shown; omitted if the server asks for no token. */
  by?: string;
  build: Build;
  /** The coverage threshold, and all thresholds. */
  level: number;
  thresholds: readonly number[];
  /** As the request names them. */
  caseName?: string;
  panelName?: string;
  panel?: KeptPanel;
  /** The interval sets that were used; times in ISO 8601. */
  sets: readonly { kind: string; release?: string; checksum: string; loaded: string }[];
  /** The sets of regions of caution, if some were loaded. */
  caution?: readonly { name: string; release?: string; checksum: string; loaded: string }[];
  samples: readonly KeptSample[];
  /** Number of genes that were measured, and of requested names that were not. */
  genes: number;
  missing: number;
  /** Set if it says what only readers with the right to see aneuploidies may read. */
  aneuploidy?: true;
  /** Shared datasets with whose samples they were compared. */
  shared: readonly string[];
  /** Of each part: its bytes, and `sha256:` with 64 hexadecimal digits of them. */
  parts: Readonly<Partial<Record<ReportPart, { bytes: number; checksum: string }>>>;
}

export interface KeptReport {
  /** 22 to 64 letters, digits, - and _. */
  id: string;
  made: Date;
  facts: KeptFacts;
}

/** The pieces of each part, of at most 256 kB each. */
export type KeptContent = Readonly<Partial<Record<ReportPart, readonly Uint8Array[]>>>;

export interface KeptSelection {
  /** Only reports that have at least one word of each of these lists; all reports if there is no list. */
  words: readonly (readonly string[])[];
  /** Only reports that come after this one: made before it, or at the same time with a smaller id. */
  after?: { made: Date; id: string };
  /** At most this many. */
  limit: number;
}

/** A report, and which of the selected words it has, each once, by code units. */
export interface KeptMatch {
  report: KeptReport;
  words: string[];
}

export interface ReportRepository {
  /**
   * Stores a report with its words and parts: all or, after any failure (`kill -9` included), nothing. A repeated word counts
   * once. An id that exists is a `conflict` fault, and changes nothing.
   */
  keep(report: KeptReport, words: readonly string[], content: KeptContent): Promise<void>;
  /**
   * Undefined if it does not exist. With `begins` also if one of its words that begin with `file:` goes on with none of these,
   * decided where it is stored: that takes no longer than one that does not exist.
   */
  find(id: string, begins?: readonly string[]): Promise<KeptReport | undefined>;
  /** The pieces of a part, unchanged and in their order; none if the report or the part does not exist. */
  content(id: string, part: ReportPart): Promise<Uint8Array[]>;
  /** The next reports, those made last first; at the same time by id, descending by code units. */
  list(selection: KeptSelection): Promise<KeptMatch[]>;
  /** The words of all reports that begin with this text, each once, by code units. */
  words(begin: string): Promise<string[]>;
  /** Removes reports with all that is stored of them, all at once; returns how many existed. */
  remove(ids: readonly string[]): Promise<number>;
  /** Removes the reports that were made before this time, in steps; returns how many they were. */
  expire(before: Date): Promise<number>;
}

export const coverageReports: Contract<ReportRepository> = defineContract<ReportRepository>('coverage-reports@1', {
  keep: 'needed',
  find: 'needed',
  content: 'needed',
  list: 'needed',
  words: 'needed',
  remove: 'needed',
  expire: 'needed',
});
