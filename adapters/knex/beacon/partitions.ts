/**
 * What an engine may offer to the large table of alleles, and to no other: partitions, which may be on other servers, and indexes
 * in two parts. The binding has an answer for engines that lack them.
 */
import type { Knex } from 'knex';

export interface Partitioning {
  /**
   * Partitions a table by the values of a column: a statement that restricts the column then reads no other partition. The
   * table was just created, and has neither rows nor indexes; columns and names stay as they are. For migrations.
   */
  partition(schema: Knex, table: string, by: Partitions): Promise<void>;
  /** The values of a partitioned table's column whose rows are on other servers; none if there are no others. */
  farParts(on: Knex, table: string): Promise<number[]>;
  /**
   * Whether no reader has a state of the database from before this call. Rows on other servers must not be deleted while one
   * may look for them: its state says nothing of theirs.
   */
  olderReadersGone(on: Knex): Promise<boolean>;
  /** How rows on other servers are looked up. */
  readonly far: FarPartitions;
}

/** The partitions of a table `t`, named `t_<part>`, by the column's value in them, a whole number. */
export interface Partitions {
  column: string;
  /** Every value that the column may have. */
  parts: Readonly<Record<string, number>>;
  /** The primary key, which must contain the column. */
  key: readonly string[];
}

export interface FarPartitions {
  /** Whether a partition was on another server when it was first asked about: it decides how rows are looked up, and no more. */
  has(database: { readonly read: Knex }, table: string, part: number): Promise<boolean>;
  /**
   * A table of the rows of a partition that fulfil a condition, and have a value of a column of `bound` in one of theirs. The
   * other server is asked once for all of them; `Engine.lookUp` asks it once for each row of `bound`.
   */
  rows(table: string, where: string, column: string, bound: string, of: string): string;
}

/** For engines that write whole pages: rows that are added and removed again then touch few of them. */
export interface SplitIndexes {
  /** Splits an index by a condition. For migrations. */
  split(schema: Knex, index: SplitIndex): Promise<void>;
  /**
   * Two conditions, one of which is true of every row: a statement uses an index that is split by the condition if it selects
   * the rows of each half by themselves.
   */
  halves(condition: string): readonly [string, string];
}

/** An index; `condition` is true of the rows of one half, and false, never null, of the others. */
export interface SplitIndex {
  name: string;
  table: string;
  columns: string;
  condition: string;
}
