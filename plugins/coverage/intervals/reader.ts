/** What the readers of the several kinds of file have in common. */
import type { Batch, SetKind } from '../contract.js';

/** Why a row that is no error does not go in. */
export type Skip =
  | 'other sequence' // scaffolds, patches, alternative haplotypes, LRG
  | 'incomplete' // cells that every row needs are missing
  | 'without Ensembl id'
  | 'without rank'
  | 'not approved'; // withdrawn by HGNC

/** Rows as they are gathered. */
export type Rows = { [Kind in keyof Batch]-?: Mutable<NonNullable<Batch[Kind]>> };
type Mutable<List> = List extends readonly (infer Row)[] ? Row[] : never;

export interface IntervalReader {
  /** What it yields. */
  readonly kinds: readonly SetKind[];
  /** Takes a line; undefined where that is no row. Throws a Refusal where the file cannot be what it should be. */
  line(text: string, rows: Rows): Skip | 'read' | undefined;
  /** Hands over what was held back. */
  finish(rows: Rows): void;
  /** Sentences about the file as a whole, after `finish`. */
  warnings(): string[];
  /** The release, where the file says it. */
  release?(): string | undefined;
}

export function emptyRows(): Rows {
  return { genes: [], transcripts: [], exons: [], names: [] };
}
