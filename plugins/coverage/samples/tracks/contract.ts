/**
 * coverage-tracks@1: callable tracks. A track has the covered regions of up to 64 registered samples at one threshold, merged, so
 * that many places are counted in one pass. All of it is derived from the stored runs of the samples: without tracks the answers
 * are the same, and slower. What blocks contain is in `merged-runs.ts`; adapters store them as they are.
 */
import { crc32 } from 'node:zlib';
import { type Contract, defineContract } from '../../../../core/storage.js';
import type { Build, Chromosome } from '../../intervals/interval.js';

/** Samples of one track. */
export const mostMembers = 64;

export interface TrackMember {
  sample: string;
  /** Of the sample, when its runs were read: the track says nothing of any other revision. */
  revision: string;
}

/** Never changes: it is replaced by others. */
export interface Track {
  /** No track ever had it before. */
  id: string;
  build: Build;
  threshold: number;
  /** In the order of their numbers in the blocks; at most `mostMembers`. */
  members: readonly TrackMember[];
}

export interface PublishedTrack extends Track {
  /** Of all blocks. */
  bytes: number;
}

export type TrackKey = Pick<Track, 'id' | 'build' | 'threshold'>;

/** One window of stored runs. */
export interface TrackBlock {
  chromosome: Chromosome;
  start: number;
  /** `trackChecksum`. */
  checksum: number;
  content: Uint8Array;
}

export interface BlockOfTrack extends TrackBlock {
  track: string;
}

export interface TrackRepository {
  /** Begins a track, which does not count until it is published. */
  begin(track: Track, now: Date): Promise<void>;
  /** Adds blocks to a track that was begun. Returns false, and changes nothing, if it was removed or is published. */
  add(track: string, blocks: readonly TrackBlock[]): Promise<boolean>;
  /**
   * From now on the track counts, and those that it replaces are gone: both at once or, after any failure (`kill -9` included),
   * neither. Returns false, and changes nothing, if one of them does not exist, or if the track is published already.
   */
  publish(track: string, bytes: number, replaced: readonly string[]): Promise<boolean>;
  /** All published tracks, by id. */
  published(): Promise<TrackKey[]>;
  /** The published tracks of these ids, by id; others are left out. */
  find(ids: readonly string[]): Promise<PublishedTrack[]>;
  /** The blocks of published tracks that start at this base, unchanged, by id of the track; tracks without one are left out. */
  blocks(ids: readonly string[], chromosome: Chromosome, start: number): Promise<BlockOfTrack[]>;
  /** Removes every track, published or not, that has one of these samples. */
  remove(samples: readonly string[]): Promise<void>;
  /** Removes these tracks, published or not. */
  drop(ids: readonly string[]): Promise<void>;
  /**
   * Removes tracks that were begun before this time and are not published, and frees the blocks of removed tracks. Results of the
   * other verbs do not change. Returns the number of blocks.
   */
  sweep(begunBefore: Date): Promise<number>;
}

export const coverageTracks: Contract<TrackRepository> = defineContract<TrackRepository>('coverage-tracks@1', {
  begin: 'needed',
  add: 'needed',
  publish: 'needed',
  published: 'needed',
  find: 'needed',
  blocks: 'needed',
  remove: 'needed',
  drop: 'needed',
  sweep: 'needed',
});

/** Of the content and its place, as an unsigned 32-bit number. */
export function trackChecksum({ chromosome, start, content }: Omit<TrackBlock, 'checksum'>): number {
  return crc32(content, crc32(`${chromosome} ${start}`));
}
