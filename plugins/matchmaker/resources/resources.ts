/** The resources in memory: everything that matching looks up. */
import type { GeneTable } from '../genes/gene-table.js';
import type { LiftOver } from '../liftover/lift-over.js';
import type { DiseaseMappings } from '../ontology/diseases.js';
import type { Ontology } from '../ontology/ontology.js';
import type { ResourceRelease } from './contract.js';

/** A release in use: a stored one, or a part of the excerpt that comes with Trefoil. */
export interface UsedRelease extends Omit<ResourceRelease, 'loaded'> {
  /** Undefined for the excerpt. */
  loaded?: Date;
  excerpt: boolean;
}

/** Everything that matching looks up, of one revision. Immutable: a change of the stored resources makes a new object. */
export interface Resources {
  /** Revision in the storage; 0 if nothing was ever loaded. */
  readonly revision: number;
  readonly ontology: Ontology;
  readonly genes: GeneTable;
  /** Without chains it lifts the mitochondrion only (`lift.from` is empty). */
  readonly lift: LiftOver;
  /** Without mappings each id is a disease of its own. */
  readonly diseases: DiseaseMappings;
  /** The releases in use, in the order of `resourceKinds`, without missing kinds. */
  readonly releases: readonly UsedRelease[];
  /** Whether ontology or genes are the excerpt: fit for the demo, not for patients. */
  readonly excerpt: boolean;
  /** Memory of the typed arrays, in bytes. */
  readonly bytes: number;
}
