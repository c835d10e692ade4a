/**
 * coverage-sites@1: places of known variants, such as the pathogenic ones of ClinVar, in *sets*: those of one source (by its
 * name) for one build, which are replaced together. Positions are zero-based half-open.
 */
import { type Contract, defineContract, Fault } from '../../../core/storage.js';
import { type Build, chromosomes, type Place } from '../intervals/interval.js';

/** Bases of the longest site. */
export const longestSite = 10_000;

/** One record of the source. Its place is that of the reference bases. */
export interface Site extends Place {
  /** The id that the source gives it: ClinVar's variation id. */
  id?: string;
  /** As the source writes them; alternates are separated by commas. */
  reference: string;
  alternate: string;
  hgvs?: string;
  /** As the source writes it: `Pathogenic/Likely_pathogenic`. */
  significance?: string;
  /** Review stars, 0 to 4. */
  stars?: number;
  /** Symbols of the genes that the source names, each once; empty if it names none. */
  genes: readonly string[];
}

/** What is recorded about a set when it is published. */
export interface SiteSetRecord {
  /** The release of the source: `2026-11`. */
  release: string;
  /** Name of the file, without folders. */
  source: string;
  /** Checksum of the file as it was read: `sha256:` and 64 hexadecimal digits. */
  checksum: string;
  /** Records of the file that were skipped: reason → count. */
  skipped: Readonly<Record<string, number>>;
}

/** A published set. */
export interface SiteSet extends SiteSetRecord {
  /** `ClinVar`. */
  name: string;
  build: Build;
  loaded: Date;
  sites: number;
}

export interface SiteLoad {
  name: string;
  build: Build;
  /** In any order; read once, with back-pressure. */
  sites: AsyncIterable<readonly Site[]>;
  /**
   * Called once, after the last site, with their number and the set that would be replaced. Returns the record of the new set.
   * If it throws, nothing changes.
   */
  accept(sites: number, replaces: SiteSet | undefined): SiteSetRecord;
  /** If aborted, the load throws the signal's reason and nothing changes. */
  signal?: AbortSignal;
}

/** Which sites are wanted: those that share a base with one of the places, and those that name one of the genes. */
export interface SitesWanted {
  places: readonly Place[];
  /** Symbols, compared exactly. */
  genes: readonly string[];
}

export interface FoundSite extends Site {
  /** The name of its set. */
  set: string;
}

export interface SitesFound {
  /** The sets of the build, by name; also those without a wanted site. */
  sets: SiteSet[];
  /** Each once, in the order of `bySite`. */
  sites: FoundSite[];
}

/** Aborting throws the signal's reason, and the storage stops working on the read. */
export interface SiteReadOptions {
  signal?: AbortSignal | undefined;
}

export interface SiteRepository {
  /**
   * Replaces the set of this name and build: all of it becomes visible at once or (after any failure, `kill -9` included)
   * nothing does. Concurrent calls see the old set meanwhile. Of two concurrent loads of one set the one that ends later wins,
   * as a whole. A site with another number of bases than 1 to `longestSite` is an `invalid` fault.
   */
  load(request: SiteLoad, now: Date): Promise<SiteSet>;
  /** The published sets, by name and build. */
  sets(options?: SiteReadOptions): Promise<SiteSet[]>;
  /** The wanted sites of all sets of the build, in one state of the store. */
  find(build: Build, wanted: SitesWanted, options?: SiteReadOptions): Promise<SitesFound>;
  /** Returns the set that was removed; undefined if there was none. */
  remove(name: string, build: Build): Promise<SiteSet | undefined>;
  /**
   * Frees what loads without activity since `idleSince`, and replaced and removed sets, occupy. Results of the other verbs do
   * not change. Returns the number of sets that were freed.
   */
  sweep(idleSince: Date): Promise<number>;
}

export const coverageSites: Contract<SiteRepository> = defineContract<SiteRepository>('coverage-sites@1', {
  load: 'needed',
  sets: 'needed',
  find: 'needed',
  remove: 'needed',
  sweep: 'needed',
});

/** The order of found sites: by chromosome, start, end, set, reference, alternate and id, texts by code units. */
export function bySite(left: FoundSite, right: FoundSite): number {
  return (
    chromosomes.indexOf(left.chromosome) - chromosomes.indexOf(right.chromosome) ||
    left.start - right.start ||
    left.end - right.end ||
    compared(left.set, right.set) ||
    compared(left.reference, right.reference) ||
    compared(left.alternate, right.alternate) ||
    compared(left.id ?? '', right.id ?? '')
  );
}

function compared(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}

/** Throws an `invalid` fault if a site cannot be stored. */
export function refuseOddSites(sites: readonly Site[]): void {
  for (const { chromosome, start, end } of sites) {
    const isPlace = chromosomes.includes(chromosome) && Number.isSafeInteger(start) && start >= 0;
    if (isPlace && Number.isSafeInteger(end) && end > start && end - start <= longestSite) continue;
    throw new Fault(
      'invalid',
      `A site has from 1 to ${longestSite} bases of a chromosome, unlike ${chromosome}:${start}-${end}`,
    );
  }
}
