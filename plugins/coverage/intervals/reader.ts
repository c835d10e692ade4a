/** What the readers of all kinds of file have in common. */
import type { Batch, SetKind } from '../contract.js';

/** Why a valid row is skipped. */
export type Skip =
  | 'other sequence' // scaffolds, patches, alternative haplotypes, LRG
  | 'incomplete' // cells that every row needs are missing
  | 'without Ensembl id'
  | 'without Ensembl or RefSeq id'
  | 'another place' // of a RefSeq transcript that was read at its first place on the chromosome
  | 'without rank'
  | 'not approved'; // withdrawn by HGNC

/** Reasons for which whole files may have many rows that nobody misses. */
export const expectedSkips: readonly Skip[] = ['other sequence', 'not approved'];

/** The rows of a batch while it is filled. */
export type Rows = { [Kind in keyof Batch]-?: Mutable<NonNullable<Batch[Kind]>> };
type Mutable<List> = List extends readonly (infer Row)[] ? Row[] : never;

export interface IntervalReader {
  /** The kinds of set that the file has rows for. */
  readonly kinds: readonly SetKind[];
  /** The kind of the row that was read or skipped last. */
  readonly kind: SetKind;
  /** Reads a line; undefined if it is not a row. Throws a Refusal if the file cannot be of its kind. */
  line(text: string, rows: Rows): Skip | 'read' | undefined;
  /** Adds the rows that were held back. */
  finish(rows: Rows): void;
  /** Sentences about the file as a whole, after `finish`. */
  warnings(): string[];
  /** The release, if the file states it. */
  release?(): string | undefined;
}

export function emptyRows(): Rows {
  return { genes: [], transcripts: [], exons: [], names: [] };
}
