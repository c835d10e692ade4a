/**
 * matchmaker-resources@1: the ontology, disease annotations, genes, lift-over chains and mappings of diseases that
 * matching needs, kept in the storage so that all processes share one set.
 */
import { type Contract, defineContract } from '../../../core/storage.js';

/** Each kind is one file that an operator loads and replaces by itself. */
export const resourceKinds = ['ontology', 'annotations', 'genes', 'lift-37-38', 'lift-38-37', 'diseases'] as const;
export type ResourceKind = (typeof resourceKinds)[number];

/** A resource without its content. */
export interface ResourceRelease {
  kind: ResourceKind;
  /** As the file states it, or the date in its name: `2024-08-13`. Undefined if unknown. */
  version?: string;
  /** File name without folder, with the host that it was downloaded from. */
  source: string;
  /** Number of terms, annotated diseases, genes, aligned blocks, or ids of diseases that are mapped. */
  entries: number;
  /** When it was loaded. */
  loaded: Date;
}

export interface StoredResource extends ResourceRelease {
  /** The packed form (`packed.ts`), gzip. */
  content: Uint8Array;
}

export interface ResourceRepository {
  /** Number of replacements so far; 0 before the first. */
  revision(): Promise<number>;
  /** What is stored, in the order of `resourceKinds`, and its revision; both of one moment. */
  releases(): Promise<{ revision: number; releases: ResourceRelease[] }>;
  /** The same with contents. */
  load(): Promise<{ revision: number; resources: StoredResource[] }>;
  /**
   * Replaces the resources of these kinds in one transaction, and returns the new revision, which is unique to this
   * replacement. Other kinds stay. After a failure nothing has changed. Throws an `invalid` fault if a kind is given twice,
   * or none at all.
   */
  replace(resources: readonly StoredResource[]): Promise<number>;
}

export const matchmakerResources: Contract<ResourceRepository> = defineContract<ResourceRepository>(
  'matchmaker-resources@1',
  { revision: 'needed', releases: 'needed', load: 'needed', replace: 'needed' },
);
