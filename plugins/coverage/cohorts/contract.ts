/**
 * coverage-cohorts@1: for each build, exact values of registered samples at the regions of a *layout*: a matrix with a column for
 * each sample, kept in blocks. What blocks contain is in `blocks.ts`; adapters store them as they are.
 */
import { crc32 } from 'node:zlib';
import { type Contract, defineContract } from '../../../core/storage.js';
import type { Build } from '../intervals/interval.js';

/** Which values the columns of a build have. */
export interface CohortLayout {
  /** Another text for other regions or thresholds. */
  id: string;
  build: Build;
  /** Depths, ascending. */
  thresholds: readonly number[];
  /** Identifies the interval sets whose regions it has, and how coding bases are counted. */
  sets: string;
}

/** Values of some regions in the columns [from, to). */
export interface CohortBlock {
  /** Which regions; negative for blocks of one column. */
  part: number;
  /** Which value: 0 for sums of depths, then one for each threshold. */
  plane: number;
  from: number;
  to: number;
  /** `blockChecksum`. */
  checksum: number;
  /** At most 256 kB. */
  content: Uint8Array;
}

/** The values of one sample: blocks of one column, whose number is not known yet. */
export type ColumnBlock = Pick<CohortBlock, 'part' | 'plane' | 'content'>;

/** What is known of a sample besides its values. */
export interface CohortEntry {
  sample: string;
  /** Identifies the file and track that the values were read from. */
  source: string;
  /** Stored sums are depths times this. */
  denominator: number;
  /** Median of the mean depths of the autosomal exons with depth; omitted if there are none. */
  median?: number;
  /** Sums that are too great for their place in a block: region and sum. */
  beyond: readonly (readonly [region: number, sum: number])[];
  /** Bytes of its values. */
  bytes: number;
}

export interface CohortMember extends CohortEntry {
  column: number;
}

export interface CohortState {
  layout: CohortLayout;
  /** Another number whenever members, columns or blocks change, and none that the build ever had. */
  version: number;
  /** Columns that were ever added. */
  columns: number;
  /** The samples that count, by column. */
  members: readonly CohortMember[];
  /** Columns of samples that do not count now, ascending. */
  suspended: readonly number[];
  /** Columns of no sample whose values blocks of several columns may still have, ascending. */
  left: readonly number[];
}

export interface BlocksWanted {
  parts: readonly number[];
  planes: readonly number[];
  /** Only blocks in these columns; all if omitted. */
  columns?: { from: number; to: number };
}

export interface BlocksFound {
  /** Omitted if it has the version that the caller has. */
  state?: CohortState;
  /** By part, plane and column. */
  blocks: CohortBlock[];
}

export interface CohortRepository {
  /** The layout of each build that has one, by build. */
  layouts(): Promise<CohortLayout[]>;
  /** The description of the regions that was given to `use`, unchanged; undefined if no build has this layout. */
  regions(layout: string): Promise<Uint8Array[] | undefined>;
  /**
   * Makes this the layout of its build. If it is already, only `sets` is replaced; otherwise all members and values of the
   * build's former layout are gone at once. Pieces of `regions` have at most 256 kB each.
   */
  use(layout: CohortLayout, regions: readonly Uint8Array[]): Promise<void>;
  /** Removes the layout of a build, with all members and values. */
  clear(build: Build): Promise<void>;
  state(build: Build): Promise<CohortState | undefined>;
  /**
   * Adds the values of a sample in a new column, in the place of those that it had in any layout; all or nothing, `kill -9`
   * included. If its column has values of the same source, it stays, and counts again. Returns false, and changes nothing, if
   * no build has the layout. The checksums of blocks are those in the new column. Until the end of the transaction, no other member of the build is added or removed.
   */
  add(layout: string, entry: CohortEntry, blocks: readonly ColumnBlock[]): Promise<boolean>;
  /** The samples are no members until they are added again; their columns stay. Others are ignored. */
  suspend(samples: readonly string[]): Promise<void>;
  /**
   * Removes members, whether they count or not: their blocks of one column, and every mention of them. Columns before the end of
   * some columns that were arranged are then `left`.
   */
  remove(samples: readonly string[]): Promise<void>;
  /** The blocks of these parts and planes, and the state, as of one moment; undefined if no build has the layout. */
  read(layout: string, wanted: BlocksWanted, version?: number): Promise<BlocksFound | undefined>;
  /**
   * Replaces all blocks of these parts in the columns [from, to) by others in the same columns, all or nothing. Returns false,
   * and changes nothing, unless the state has this version. No block is partly in these columns.
   */
  arrange(
    layout: string,
    version: number,
    replaced: { parts: readonly number[]; from: number; to: number },
    blocks: readonly CohortBlock[],
  ): Promise<boolean>;
  /** No block has values of these columns any more: they are not `left`. */
  overwritten(layout: string, columns: readonly number[]): Promise<void>;
  /** Frees what former layouts occupy; results of the other verbs do not change. Returns the number of blocks. */
  sweep(): Promise<number>;
}

export const coverageCohorts: Contract<CohortRepository> = defineContract<CohortRepository>('coverage-cohorts@1', {
  layouts: 'needed',
  regions: 'needed',
  use: 'needed',
  clear: 'needed',
  state: 'needed',
  add: 'needed',
  suspend: 'needed',
  remove: 'needed',
  read: 'needed',
  arrange: 'needed',
  overwritten: 'needed',
  sweep: 'needed',
});

/** Of the content and its place, as an unsigned 32-bit number. */
export function blockChecksum({ part, plane, from, to, content }: Omit<CohortBlock, 'checksum'>): number {
  return crc32(content, crc32(`${part} ${plane} ${from} ${to}`));
}
