/** What is compared of a patient, as numbers. */

import { disorderKey } from '../patient/keys.js';
import type { GenomicFeature, Patient } from '../patient/patient.js';
import type { Resources } from '../resources/resources.js';
import { type Place, placesOf } from './variant.js';

/** A genomic feature as it is compared. */
export interface GenomicProfile {
  /** Number in the gene table, or the id's normal spelling if the table lacks it; undefined for an empty id. */
  gene?: number | string;
  /** In each build; empty without a start. */
  places: readonly Place[];
  zygosity?: number;
  /** Sequence Ontology id. */
  effect?: string;
  /** Position among the patient's genomic features. */
  index: number;
}

export interface Profile {
  id: string;
  /** NCBI taxon, without leading zeros. */
  species: string;
  /** Observed terms and their ancestors below HP:0000118, ascending, without those whose information is 0. */
  terms: Uint32Array;
  /** Information of all these terms together, in the units of `Profiler.information`. */
  mass: number;
  /** Keys of the disorders, each once. */
  disorders: readonly number[];
  /** In an order that does not depend on how they were sent. */
  genomic: readonly GenomicProfile[];
}

/**
 * Information is counted in whole units of 2⁻³² nats. Sums of whole numbers are exact: a score does not depend on the order
 * of addition, to the last bit.
 */
const units = 2 ** 32;

/** No karyotype has so many copies of an allele: such a zygosity is ignored. */
export const mostCopies = 255;

/** Makes profiles of patients with one version of the resources. Profiles of different versions must not be compared. */
export class Profiler {
  readonly resources: Resources;
  /** By term, in units of 2⁻³² nats. */
  readonly information: Float64Array;
  readonly #seen: Uint32Array;
  #round = 0;
  readonly #known = new WeakMap<Patient, Profile>();

  constructor(resources: Resources) {
    const { ontology } = resources;
    this.resources = resources;
    this.information = Float64Array.from({ length: ontology.size }, (_, term) =>
      Math.round(ontology.information(term) * units),
    );
    this.#seen = new Uint32Array(ontology.size);
  }

  profile(patient: Patient): Profile {
    const { disorders = [], genomicFeatures = [] } = patient;
    const terms = this.#closure(patient);
    let mass = 0;
    for (const term of terms) mass += this.information[term] as number;
    const keys = disorders.map(({ id }) => disorderKey(id)).filter((key) => key !== undefined);
    const genomic = genomicFeatures.map((feature, index) => this.#genomic(feature, index));
    return {
      id: patient.id,
      species: speciesOf(patient),
      terms,
      mass,
      disorders: [...new Set(keys)],
      genomic: inOrder(genomic),
    };
  }

  /** The same, made once for each object: for patients that are kept, and not changed. */
  profileOfKept(patient: Patient): Profile {
    const known = this.#known.get(patient) ?? this.profile(patient);
    this.#known.set(patient, known);
    return known;
  }

  /** The patient's observed terms, each once, ascending. Ids without a term are left out. */
  observed({ features = [] }: Patient): number[] {
    const terms = features
      .filter(({ observed }) => observed !== 'no')
      .map(({ id }) => this.resources.ontology.resolve(id)?.term)
      .filter((term) => term !== undefined);
    return [...new Set(terms)].sort((left, right) => left - right);
  }

  #closure(patient: Patient): Uint32Array {
    if (++this.#round === 2 ** 32) {
      this.#seen.fill(0);
      this.#round = 1;
    }
    const terms: number[] = [];
    for (const term of this.observed(patient)) {
      for (const ancestor of this.resources.ontology.ancestors(term)) {
        if (this.#seen[ancestor] === this.#round) continue;
        this.#seen[ancestor] = this.#round;
        if (this.information[ancestor] !== 0) terms.push(ancestor);
      }
    }
    return Uint32Array.from(terms).sort();
  }

  #genomic({ gene, variant, zygosity, type }: GenomicFeature, index: number): GenomicProfile {
    const { genes, lift } = this.resources;
    const key = gene.id.trim() === '' ? undefined : (genes.resolve(gene.id)?.number ?? genes.spelling(gene.id));
    return {
      ...(key !== undefined && { gene: key }),
      places: variant ? placesOf(variant, type?.id, lift) : [],
      ...(zygosity !== undefined && zygosity < mostCopies && { zygosity }),
      ...(type && { effect: type.id }),
      index,
    };
  }
}

/** Returns the profiler of the resources in use, a new one after these were replaced. */
export function profilerInUse(resources: () => Resources): () => Profiler {
  let current: Profiler | undefined;
  return () => {
    const used = resources();
    if (current?.resources !== used) current = new Profiler(used);
    return current;
  };
}

const human = '9606';

/** Human if omitted. */
function speciesOf({ species }: Patient): string {
  return species === undefined ? human : species.replace(/^NCBITaxon:0*(?=\d)/, '');
}

function inOrder(features: readonly GenomicProfile[]): GenomicProfile[] {
  return features
    .map((feature) => ({ feature, key: JSON.stringify({ ...feature, index: 0 }) }))
    .sort((left, right) => (left.key < right.key ? -1 : left.key > right.key ? 1 : 0))
    .map(({ feature }) => feature);
}
