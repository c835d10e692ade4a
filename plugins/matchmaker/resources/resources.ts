/** What a process makes of the stored resources: all that matching looks up. */
import type { GeneTable } from '../genes/gene-table.js';
import type { LiftOver } from '../liftover/lift-over.js';
import type { Ontology } from '../ontology/ontology.js';
import type { ResourceRelease } from './contract.js';

/** What a release is to a process: stored ones as they are, and the parts of the excerpt that comes with Trefoil. */
export interface UsedRelease extends Omit<ResourceRelease, 'loaded'> {
  /** Absent for the excerpt. */
  loaded?: Date;
  excerpt: boolean;
}

/** Everything that matching asks for, of one revision. Immutable: a change of the stored resources gives another one. */
export interface Resources {
  /** Of the storage; 0 where nothing was ever loaded. */
  readonly revision: number;
  readonly ontology: Ontology;
  readonly genes: GeneTable;
  /** Always there; without chains it lifts the mitochondrion only (`lift.from` is empty). */
  readonly lift: LiftOver;
  /** What is in use, in the order of `resourceKinds`; kinds that are missing are left out. */
  readonly releases: readonly UsedRelease[];
  /** True where ontology or genes are the excerpt: good for the demo, not for patients. */
  readonly excerpt: boolean;
  /** Bytes of typed arrays. */
  readonly bytes: number;
}
