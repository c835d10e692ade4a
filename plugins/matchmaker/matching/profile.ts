/** What is compared of a patient, as numbers, with the places of its variants in every build that they can be lifted to. */
import type { GenomicFeature, Patient, Variant } from '../patients/patient.js';
import { disorderKey } from '../resources/diseases.js';
import { buildNamed, chromosomeNamed, chromosomes, type LiftOver } from '../resources/lift-over.js';
import type { Ontology } from '../resources/ontology.js';
import type { Resources } from '../resources/resources.js';

/** A genomic feature as it is compared. */
export interface GenomicProfile {
  /** Number in the gene table, or the id's normal spelling if the table lacks it; undefined for an empty id. */
  gene?: number | string;
  /** In each build; empty without a start. */
  places: readonly VariantPlace[];
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
      genomic: sortedFeatures(genomic),
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
      places: variant ? variantPlaces(variant, type?.id, lift) : [],
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

function sortedFeatures(features: GenomicProfile[]): GenomicProfile[] {
  if (features.length < 2) return features;
  return features
    .map((feature) => ({ feature, key: JSON.stringify({ ...feature, index: 0 }) }))
    .sort((left, right) => (left.key < right.key ? -1 : left.key > right.key ? 1 : 0))
    .map(({ feature }) => feature);
}

// Where a variant is and what it is, in every build that it can be lifted to, so that its different spellings match.

/** A variant's position in one build. */
interface VariantPlace {
  /** Build, chromosome and zero-based start in one number; neighbouring starts have neighbouring numbers. */
  locus: number;
  /** The change: `A>G`, or the class and length of a structural variant; undefined if it is not stated. */
  change?: string;
}

const builds = ['GRCh37', 'GRCh38', 'NCBI36'] as const;
type BuildName = (typeof builds)[number];
const starts = 2 ** 31;

/** Effects (Sequence Ontology) that describe a variant completely, together with a start and an end. */
const structural: ReadonlySet<string> = new Set([
  'SO:0000159', // deletion
  'SO:1000035', // duplication
  'SO:1000173', // tandem duplication
  'SO:1000036', // inversion
  'SO:0001019', // copy number variation
  'SO:0001742', // copy number gain
  'SO:0001743', // copy number loss
]);

/**
 * The places of a variant: in its own build and, if the chains cover it, in the other one. Bases that both alleles share at
 * their ends are trimmed, suffix first. Empty without a start, or if the chromosome is unknown.
 */
function variantPlaces(variant: Variant, effect: string | undefined, lift: LiftOver): VariantPlace[] {
  const build = buildOf(variant.assembly);
  const chromosome = chromosomeNamed(variant.referenceName);
  if (variant.start === undefined || build === undefined || chromosome === undefined) return [];
  const { referenceBases, alternateBases } = variant;
  const alleles =
    referenceBases === undefined || alternateBases === undefined
      ? undefined
      : trimmedAlleles(variant.start, referenceBases.toUpperCase(), alternateBases.toUpperCase());
  const start = alleles?.start ?? variant.start;
  const end = alleles ? start + alleles.reference.length : Math.max(variant.end ?? start + 1, start);
  if (end >= starts - 1) return [];
  const own = { locus: locusOf(build, chromosome, start) };
  if (alleles) {
    const places: VariantPlace[] = [{ ...own, change: `${alleles.reference}>${alleles.alternate}` }];
    const lifted = lift.lift(build, chromosome, start, end);
    if (lifted && lifted.end - lifted.start === end - start) {
      const read = lifted.reversed ? reverseComplement : (bases: string) => bases;
      const change = `${read(alleles.reference)}>${read(alleles.alternate)}`;
      places.push({ locus: locusOf(lifted.assembly, lifted.chromosome, lifted.start), change });
    }
    return places;
  }
  const whole = variant.end !== undefined && effect !== undefined && structural.has(effect);
  const lifted = lift.lift(build, chromosome, start, end);
  const places: VariantPlace[] = [whole ? { ...own, change: `${effect} ${end - start}` } : own];
  if (lifted) {
    const locus = locusOf(lifted.assembly, lifted.chromosome, lifted.start);
    places.push(whole ? { locus, change: `${effect} ${lifted.end - lifted.start}` } : { locus });
  }
  return places;
}

/** Whether the bases at two loci are neighbours. Loci of different chromosomes never are. */
export function areAdjacent(one: number, other: number): boolean {
  return Math.abs(one - other) === 1;
}

function buildOf(assembly: string): BuildName | undefined {
  return /^ncbi36(?:\.|$)/i.test(assembly.trim()) ? 'NCBI36' : buildNamed(assembly);
}

function locusOf(build: BuildName, chromosome: string, start: number): number {
  return (builds.indexOf(build) * chromosomes.length + chromosomes.indexOf(chromosome)) * starts + start;
}

function trimmedAlleles(start: number, reference: string, alternate: string) {
  if (reference === alternate) return { start, reference, alternate };
  const shorter = Math.min(reference.length, alternate.length);
  let last = 0;
  while (last < shorter && reference.at(-1 - last) === alternate.at(-1 - last)) last++;
  let first = 0;
  while (first < shorter - last && reference[first] === alternate[first]) first++;
  const rest = (bases: string) => bases.slice(first, bases.length - last);
  return { start: start + first, reference: rest(reference), alternate: rest(alternate) };
}

const complements: Readonly<Record<string, string>> = { A: 'T', C: 'G', G: 'C', T: 'A' };

function reverseComplement(bases: string): string {
  return [...bases]
    .reverse()
    .map((base) => complements[base] ?? base)
    .join('');
}
