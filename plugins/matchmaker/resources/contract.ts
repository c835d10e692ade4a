/**
 * matchmaker-resources@1: the ontology, disease annotations, genes and lift-over chains that matching needs, kept in the
 * storage so that all processes share one set.
 */
import { type Contract, defineContract } from '../../../core/storage.js';

/** Each kind is one file that an operator loads, and is replaced by itself. */
export const resourceKinds = ['ontology', 'annotations', 'genes', 'lift-37-38', 'lift-38-37'] as const;
export type ResourceKind = (typeof resourceKinds)[number];

/** What is known of a resource without its content. */
export interface ResourceRelease {
  kind: ResourceKind;
  /** As the file states it, or the date in its name: `2024-08-13`. Absent where neither says. */
  version?: string;
  /** Name of the file without its folder, or the address that it came from. */
  source: string;
  /** Entries: terms, annotated diseases, genes, chained blocks. */
  entries: number;
  /** When it was put in place. */
  loaded: Date;
}

export interface StoredResource extends ResourceRelease {
  /** The packed form (formats/packed.ts), gzip. */
  content: Uint8Array;
}

export interface ResourceRepository {
  /** Counts the replacements; 0 before the first. */
  revision(): Promise<number>;
  /** What is stored, in the order of `resourceKinds`, and the revision that it belongs to; both of one moment. */
  releases(): Promise<{ revision: number; releases: ResourceRelease[] }>;
  /** The same with contents. */
  load(): Promise<{ revision: number; resources: StoredResource[] }>;
  /**
   * Puts these in the place of those of their kinds, all seen at once, and answers the new revision, which no other
   * replacement ever got. Kinds that are not given stay. After any failure the old ones are there. Of one kind given
   * twice, or of none at all: `invalid`.
   */
  replace(resources: readonly StoredResource[]): Promise<number>;
}

export const matchmakerResources: Contract<ResourceRepository> =
  defineContract<ResourceRepository>('matchmaker-resources@1');
