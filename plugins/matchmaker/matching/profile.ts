/** What is compared of a patient, as numbers. */
import { disorderKey } from '../ontology/diseases.js';
import type { Ontology } from '../ontology/ontology.js';
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
  /** Observed terms and their ancestors below HP:0000118, ascending, without those that have no information. */
  terms: Uint32Array;
  /** Those of them that the patient was described with, ascending. */
  stated: Uint32Array;
  /** Information of all these together: what `terms` add, and `stated` in full. */
  mass: number;
  /** The diseases that its disorders are (`DiseaseMappings.disease`), each once. */
  disorders: readonly number[];
  /** For each of them those that are one step broader or narrower. */
  nearDisorders: readonly Uint32Array[];
  /** In an order that does not depend on how they were sent. */
  genomic: readonly GenomicProfile[];
}

/**
 * Information of terms, by term, in units of 2⁻³² nats. Sums of whole numbers are exact: a score does not depend on the
 * order of addition, to the last bit.
 */
export interface Information {
  /**
   * What a term adds to its parents: −ln of the fraction of diseases that have it among those that have its most
   * informative parent. The sum over a patient's terms is the information of them all together, each counted once
   * (information accretion: Clark and Radivojac 2013, doi:10.1093/bioinformatics/btt228), where the sum of the terms' own
   * information would count that of a common ancestor again for each descendant.
   */
  added: Float64Array;
  /** Half of the information of a term itself: half because each of two patients can state a term that the other has. */
  stated: Float64Array;
  /** The ancestors of each term, one list after the other; see `Ontology.ancestorLists`. */
  ancestors: Ontology['ancestorLists'];
}

const units = 2 ** 32;

/** No karyotype has so many copies of an allele: such a zygosity is ignored. */
export const mostCopies = 255;

/** Makes profiles of patients with one version of the resources. Profiles of different versions must not be compared. */
export class Profiler {
  readonly resources: Resources;
  readonly information: Information;
  readonly #seen: Uint32Array;
  #round = 0;
  readonly #known = new WeakMap<Patient, Profile>();

  constructor(resources: Resources) {
    const { ontology } = resources;
    this.resources = resources;
    const byTerm = (information: (term: number) => number) =>
      Float64Array.from({ length: ontology.size }, (_, term) => Math.round(information(term) * units));
    this.information = {
      added: byTerm((term) => addedBy(term, ontology)),
      stated: byTerm((term) => ontology.information(term) / 2),
      ancestors: ontology.ancestorLists,
    };
    this.#seen = new Uint32Array(ontology.size);
  }

  profile(patient: Patient): Profile {
    const { disorders = [], genomicFeatures = [] } = patient;
    const { added, stated: halves } = this.information;
    const observed = this.observed(patient);
    const terms = this.#closure(observed);
    const stated = new Uint32Array(observed.filter((term) => halves[term] !== 0));
    let mass = 0;
    for (const term of terms) mass += added[term] as number;
    for (const term of stated) mass += 2 * (halves[term] as number);
    const { diseases } = this.resources;
    const keys = disorders.map(({ id }) => disorderKey(id)).filter((key) => key !== undefined);
    const distinct = [...new Set(keys.map((key) => diseases.disease(key)))];
    const genomic = genomicFeatures.map((feature, index) => this.#genomic(feature, index));
    return {
      id: patient.id,
      species: speciesOf(patient),
      terms,
      stated,
      mass,
      disorders: distinct,
      nearDisorders: distinct.map((disease) => diseases.near(disease)),
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

  #closure(observed: readonly number[]): Uint32Array {
    if (++this.#round === 2 ** 32) {
      this.#seen.fill(0);
      this.#round = 1;
    }
    const [seen, round] = [this.#seen, this.#round];
    const { ancestors: lists, stated } = this.information;
    const terms: number[] = [];
    for (const term of observed) {
      const end = lists.offsets[term + 1] as number;
      for (let i = lists.offsets[term] as number; i < end; i++) {
        const ancestor = lists.terms[i] as number;
        if (seen[ancestor] === round) continue;
        seen[ancestor] = round;
        if (stated[ancestor] !== 0) terms.push(ancestor);
      }
    }
    return new Uint32Array(terms).sort();
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

function addedBy(term: number, ontology: Ontology): number {
  let inherited = 0;
  for (const parent of ontology.parents(term)) inherited = Math.max(inherited, ontology.information(parent));
  return Math.max(0, ontology.information(term) - inherited);
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

function inOrder(features: GenomicProfile[]): GenomicProfile[] {
  if (features.length < 2) return features;
  return features
    .map((feature) => ({ feature, key: JSON.stringify({ ...feature, index: 0 }) }))
    .sort((left, right) => (left.key < right.key ? -1 : left.key > right.key ? 1 : 0))
    .map(({ feature }) => feature);
}
