/**
 * coverage-regions@1: regions of the genome that say something of the bases in them, such as segmental duplications, in *sets*:
 * those of one source (by its name) for one build, which are replaced together. Positions are zero-based half-open.
 */
import { type Contract, defineContract } from '../../../../core/storage.js';
import type { Build, Chromosome, Place } from '../../intervals/interval.js';

/** `caution`: depth alone cannot judge the bases, for example because reads may belong to another copy of the sequence. */
export const regionKinds = ['caution'] as const;
export type RegionKind = (typeof regionKinds)[number];

/** One more than the last base that a region may have. */
export const farthestRegion: number = 2 ** 31 - 1;

/** What is recorded about a set when it is published. */
export interface RegionSetRecord {
  /** The release of the source, if it is stated: `2026-11`. */
  release?: string;
  /** Name of the file, without folders. */
  source: string;
  /** Checksum of the file as it was read: `sha256:` and 64 hexadecimal digits. */
  checksum: string;
  /** Lines of the file that were skipped: reason → count. */
  skipped: Readonly<Record<string, number>>;
}

export interface RegionSetSize {
  /** Those of the file that overlap or touch count as one. */
  regions: number;
  /** Each base counts once. */
  bases: number;
}

/** A published set. */
export interface RegionSet extends RegionSetRecord, RegionSetSize {
  /** `segmental duplications`. */
  name: string;
  build: Build;
  kind: RegionKind;
  loaded: Date;
}

export interface RegionLoad {
  name: string;
  build: Build;
  kind: RegionKind;
  /** In any order, also overlapping; read once, with back-pressure. */
  regions: AsyncIterable<readonly Place[]>;
  /**
   * Called once, after the last region, with the size of the new set and the set that would be replaced. Returns the record of the
   * new set. If it throws, nothing changes.
   */
  accept(size: RegionSetSize, replaces: RegionSet | undefined): RegionSetRecord;
  /** If aborted, the load throws the signal's reason and nothing changes. */
  signal?: AbortSignal;
}

/** Regions of one set; those that overlapped or touched are joined. */
export interface FoundRegions {
  set: RegionSet;
  /** Alternating starts and ends, ascending. A chromosome without regions is absent. */
  bounds: ReadonlyMap<Chromosome, Uint32Array>;
}

/** Regions of one kind that share a base with one of the places. */
export interface RegionsWanted {
  kind: RegionKind;
  /** In any order, also overlapping; not read if there is no set of the build and kind. */
  places: Iterable<Place>;
}

/** Aborting throws the signal's reason, and the storage stops working on the read. */
export interface RegionReadOptions {
  signal?: AbortSignal | undefined;
}

export interface RegionRepository {
  /**
   * Replaces the set of this name and build, whatever its kind: all of it becomes visible at once or (after any failure, `kill -9`
   * included) nothing does. Concurrent calls see the old set meanwhile. Of two concurrent loads of one set the one that ends later
   * wins, as a whole. A region that has no base, or one beyond `farthestRegion`, is an `invalid` fault.
   */
  load(request: RegionLoad, now: Date): Promise<RegionSet>;
  /** The published sets, by name and build. */
  sets(options?: RegionReadOptions): Promise<RegionSet[]>;
  /** The wanted regions, whole, of each set of the build and kind, by name, in one state of the store. */
  find(build: Build, wanted: RegionsWanted, options?: RegionReadOptions): Promise<FoundRegions[]>;
  /** Returns the set that was removed; undefined if there was none. */
  remove(name: string, build: Build): Promise<RegionSet | undefined>;
  /**
   * Frees what loads without activity since `idleSince`, and replaced and removed sets, occupy. Results of the other verbs do
   * not change. Returns the number of sets that were freed.
   */
  sweep(idleSince: Date): Promise<number>;
}

export const coverageRegions: Contract<RegionRepository> = defineContract<RegionRepository>('coverage-regions@1', {
  load: 'needed',
  sets: 'needed',
  find: 'needed',
  remove: 'needed',
  sweep: 'needed',
});
