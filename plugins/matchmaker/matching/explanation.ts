/**
 * Why a patient matches: genes, variants, terms and disorders that it has in common with the query, and what each pair of terms
 * adds to the score.
 */
import { knownJson } from '../../../core/plugin.js';
import {
  type GenomicFeature,
  type Inheritance,
  inheritanceOfFeature,
  type Patient,
  type Variant,
} from '../patients/patient.js';
import { disorderKey, type WayStep } from '../resources/diseases.js';
import type { Ontology } from '../resources/ontology.js';
import type { Resources } from '../resources/resources.js';
import { type FeatureLikeness, pairFeatures } from './genotype.js';
import type { Information, Profile, Profiler } from './profile.js';
import { countedPairs, countOfPairs, type DisorderPair, pairDisorders } from './relatives.js';
import { type MatchScore, phenotypeSimilarity, sharedMass, termSimilarity } from './score.js';
import type { Work } from './work.js';

export interface MatchedGene {
  /** The Ensembl id if the gene is known and has one, else the query's id. */
  id: string;
  _geneName?: string;
  /** As stated for the first features of the gene that were paired; it is not compared. */
  _inheritance?: { query: Inheritance; patient: Inheritance };
  /** What features of the gene add to the score that are not among the variants. */
  adds?: number;
}

export interface MatchedVariant {
  gene: MatchedGene;
  /** `off-by-one`: the same, with a start that differs by one base; `position`: another variant at the same start. */
  likeness: Exclude<FeatureLikeness, 'gene' | 'none'>;
  query: Variant;
  patient: Variant;
  /** What it adds to the score, with the gene. */
  adds?: number;
}

/** Two ids of one disease, or of diseases one step apart. */
export interface RelatedDisorder {
  /** As each of them is stated. */
  query: string;
  patient: string;
  /** How much it counts: 1 for one disease, ½ for a step. */
  counts: 1 | 0.5;
  /** From the query's id to the patient's, as MONDO relates them. */
  way: WayStep[];
}

/** Empty lists are left out. */
export interface Explanation {
  _matchedGenes?: MatchedGene[];
  _matchedVariants?: MatchedVariant[];
  _matchedFeatures?: MatchedFeature[];
  /** The query's ids of the disorders that both have. */
  _matchedDisorders?: string[];
  /** The disorders for which they state different ids. */
  _relatedDisorders?: RelatedDisorder[];
  /** What these disorders add to the score together. */
  _disordersAdd?: number;
}

export interface ExplainedPatient {
  patient: Patient;
  profile: Profile;
}

interface ExplainOptions {
  /** The score that is explained. If given, each entry states what it adds, and all of them add up to it. */
  score?: MatchScore;
  work?: Work;
}

export function explain(
  query: ExplainedPatient,
  found: ExplainedPatient,
  profiler: Profiler,
  { score, work }: ExplainOptions = {},
): Explanation {
  const genes: MatchedGene[] = [];
  const variants: MatchedVariant[] = [];
  const pairs = pairFeatures(query.profile.genomic, found.profile.genomic, work);
  const whole = pairs.reduce((sum, { sixteenths }) => sum + sixteenths, 0);
  for (const pair of pairs) {
    const adds = score && rounded((score.genotype * pair.sixteenths) / whole);
    const [mine, theirs] = [query.profile.genomic[pair.query], found.profile.genomic[pair.other]];
    const asked = query.patient.genomicFeatures?.[mine?.index ?? -1];
    const other = found.patient.genomicFeatures?.[theirs?.index ?? -1];
    if (!mine || !theirs || !asked || !other) continue;
    const gene = geneOf(asked, profiler.resources);
    if (mine.gene !== undefined && mine.gene === theirs.gene && !genes.some(({ id }) => id === gene.id)) {
      genes.push({ ...gene, ...statedInheritance(asked, other) });
    }
    const { likeness } = pair;
    if (asked.variant && other.variant && likeness !== 'gene' && likeness !== 'none') {
      variants.push({ gene, likeness, query: asked.variant, patient: other.variant, ...(adds && { adds }) });
    } else if (adds) {
      const shown = genes.find(({ id }) => id === gene.id);
      if (shown) shown.adds = rounded((shown.adds ?? 0) + adds);
    }
  }
  const shared = pairDisorders(query.profile, found.profile);
  const parts = score && phenotypeParts(query.profile, found.profile, shared, score, profiler);
  const features = termMatcher(profiler).pairs(query.profile, found.profile, parts?.ofTerms);
  const disorders = sharedDisorders(query.patient, found.profile, profiler.resources);
  const related = relatedDisorders(query, found, shared, profiler.resources);
  return {
    ...(genes.length > 0 && { _matchedGenes: genes }),
    ...(variants.length > 0 && { _matchedVariants: variants }),
    ...(features.length > 0 && { _matchedFeatures: features }),
    ...(disorders.length > 0 && { _matchedDisorders: disorders }),
    ...(related.length > 0 && { _relatedDisorders: related }),
    ...(parts && parts.disorders > 0 && { _disordersAdd: rounded(parts.disorders) }),
  };
}

const matchers = new WeakMap<Profiler, TermMatcher>();

function termMatcher(profiler: Profiler): TermMatcher {
  const known = matchers.get(profiler) ?? new TermMatcher(profiler);
  matchers.set(profiler, known);
  return known;
}

/** What terms add for each unit of information that they share, and what disorders add. */
function phenotypeParts(
  query: Profile,
  found: Profile,
  pairs: readonly DisorderPair[],
  score: MatchScore,
  { information }: Profiler,
) {
  const shared = sharedMass(query, found, information);
  const terms = termSimilarity(shared, query.mass, found.mass);
  const disorders = countOfPairs(query, pairs);
  const ofAll = phenotypeSimilarity(terms, disorders);
  const byTerms = ofAll === 0 ? 0 : (score.phenotype * terms) / ofAll;
  return { ofTerms: shared === 0 ? 0 : byTerms / shared, disorders: score.phenotype - byTerms };
}

function geneOf({ gene }: GenomicFeature, { genes }: Resources): MatchedGene {
  const known = genes.resolve(gene.id);
  return known ? { id: known.ensembl ?? gene.id, _geneName: known.symbol } : { id: gene.id };
}

function statedInheritance(asked: GenomicFeature, other: GenomicFeature): Pick<MatchedGene, '_inheritance'> {
  const [query, patient] = [inheritanceOfFeature(asked), inheritanceOfFeature(other)];
  const isStated = [query, patient].some(({ mode, origin }) => mode !== undefined || origin !== undefined);
  return isStated ? { _inheritance: { query, patient } } : {};
}

function sharedDisorders({ disorders = [] }: Patient, found: Profile, resources: Resources): string[] {
  return disorders.map(({ id }) => id).filter((id) => found.disorders.includes(diseaseOf(id, resources) ?? -1));
}

/** The pairs that count and have no id in common. */
function relatedDisorders(
  query: ExplainedPatient,
  found: ExplainedPatient,
  pairs: readonly DisorderPair[],
  resources: Resources,
): RelatedDisorder[] {
  const { disorders } = query.profile;
  const stated = ({ patient }: ExplainedPatient, disease: number | undefined) =>
    (patient.disorders ?? []).filter(({ id }) => diseaseOf(id, resources) === disease).map(({ id }) => id);
  return countedPairs(query.profile, pairs).flatMap(([i, disease]) => {
    const [own, theirs] = [stated(query, disorders[i]), stated(found, disease)];
    const keys = new Set(theirs.map(disorderKey));
    const [mine, other] = [own[0], theirs[0]];
    if (mine === undefined || other === undefined || own.some((id) => keys.has(disorderKey(id)))) return [];
    const way = resources.diseases.way(disorderKey(mine) ?? 0, disorderKey(other) ?? 0) ?? [];
    return [{ query: mine, patient: other, counts: disorders[i] === disease ? 1 : 0.5, way }];
  });
}

function diseaseOf(id: string, { diseases }: Resources): number | undefined {
  const key = disorderKey(id);
  return key === undefined ? undefined : diseases.disease(key);
}

// Which terms of two patients match, and what each pair adds to the score.

/** A term, named by the ontology in use. */
interface NamedTerm {
  readonly id: string;
  readonly label: string;
}

export interface MatchedFeature {
  /** A term of the query, and the term of the patient that is most similar to it. */
  query: NamedTerm;
  patient: NamedTerm;
  /** The most informative common term: one of the two, or a common ancestor. */
  shared: NamedTerm & {
    /** −ln of the fraction of diseases that have it, in nats, to three decimals. */
    readonly information: number;
  };
  /** What the query's term adds to the score by all that the patient shares of it, apart from what terms before it added. */
  adds?: number;
}

/** To four decimals, like the scores on pages and in mails. */
function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

/** Texts of 0.0000 … 1.0000: to find the shortest text of a fraction takes as long as the rest of a matched feature. */
const fractions: string[] = [];

function fractionText(adds: number): string {
  const at = Math.round(adds * 10_000);
  if (!(at <= 10_000)) return String(adds);
  fractions[at] ??= String(adds);
  return fractions[at];
}

type StatedProfile = Pick<Profile, 'stated'>;

/** A term as a member of matched features, with its JSON text. */
interface TermMember<Value> {
  value: Value;
  text: string;
}

/** With one version of the resources. Names of terms are made once, and the same objects and texts in all pairs. */
class TermMatcher {
  readonly #ontology: Ontology;
  readonly #information: Information;
  /** By term: each as a term of the query or the patient, and as the common term. */
  readonly #named: (TermMember<NamedTerm> | undefined)[];
  readonly #shared: (TermMember<MatchedFeature['shared']> | undefined)[];
  /** Of each term itself, in nats. */
  readonly #nats: Float64Array;
  /** By term, in the round in which it was noted: a term of the patient that is it or descends from it. */
  readonly #bearers: Int32Array;
  readonly #borne: Uint32Array;
  /** By term: the round in which the patient states it, and that in which it was counted. */
  readonly #stated: Uint32Array;
  readonly #counted: Uint32Array;
  #round = 0;

  constructor({ resources: { ontology }, information }: Pick<Profiler, 'resources' | 'information'>) {
    this.#ontology = ontology;
    this.#information = information;
    this.#named = new Array(ontology.size).fill(undefined);
    this.#shared = new Array(ontology.size).fill(undefined);
    this.#nats = Float64Array.from({ length: ontology.size }, (_, term) => ontology.information(term));
    this.#bearers = new Int32Array(ontology.size);
    this.#borne = new Uint32Array(ontology.size);
    this.#stated = new Uint32Array(ontology.size);
    this.#counted = new Uint32Array(ontology.size);
  }

  /**
   * The best pair for each term of the query, most informative first, without pairs that share nothing; with what each adds
   * to the score if it is known what a unit of information adds.
   */
  pairs(query: StatedProfile, patient: StatedProfile, forInformation?: number): MatchedFeature[] {
    this.#note(patient);
    const round = this.#round;
    const pairs: { term: number; ancestor: number; information: number }[] = [];
    for (const term of query.stated) {
      const ancestor = this.#bestShared(term);
      if (ancestor >= 0) pairs.push({ term, ancestor, information: this.#nats[ancestor] as number });
    }
    pairs.sort((one, other) => other.information - one.information);
    let text = '';
    const features = pairs.map(({ term, ancestor }): MatchedFeature => {
      const [mine, theirs] = [this.#name(term), this.#name(this.#bearers[ancestor] as number)];
      const common = this.#nameShared(ancestor);
      const pair = { query: mine.value, patient: theirs.value, shared: common.value };
      text += `${text === '' ? '' : ','}{"query":${mine.text},"patient":${theirs.text},"shared":${common.text}`;
      if (forInformation === undefined) {
        text += '}';
        return pair;
      }
      const adds = rounded(this.#sharedOf(term, round) * forInformation);
      text += `,"adds":${fractionText(adds)}}`;
      return { ...pair, adds };
    });
    return knownJson(features, `[${text}]`);
  }

  /** Of several terms below an ancestor the first bears it; a term that is stated bears itself. */
  #note({ stated }: StatedProfile): void {
    if (++this.#round === 2 ** 32) {
      for (const noted of [this.#borne, this.#stated, this.#counted]) noted.fill(0);
      this.#round = 1;
    }
    const round = this.#round;
    const { terms, offsets } = this.#ontology.ancestorLists;
    for (const term of stated) {
      for (let i = offsets[term] as number; i < (offsets[term + 1] as number); i++) {
        const ancestor = terms[i] as number;
        if (this.#borne[ancestor] === round) continue;
        this.#borne[ancestor] = round;
        this.#bearers[ancestor] = term;
      }
    }
    for (const term of stated) {
      this.#bearers[term] = term;
      this.#stated[term] = round;
    }
  }

  /** The most informative ancestor of a term that the patient has; −1 if there is none. */
  #bestShared(term: number): number {
    const { terms, offsets } = this.#ontology.ancestorLists;
    const [borne, nats, round] = [this.#borne, this.#nats, this.#round];
    let [best, most] = [-1, 0];
    const end = offsets[term + 1] as number;
    for (let i = offsets[term] as number; i < end; i++) {
      const ancestor = terms[i] as number;
      if (borne[ancestor] !== round) continue;
      const information = nats[ancestor] as number;
      if (information > most || (information === most && best >= 0 && this.#isCloser(ancestor, best, term))) {
        best = ancestor;
        most = information;
      }
    }
    return best;
  }

  /** Of two ancestors with equal information, whether the first is the term itself, or the more specific one. */
  #isCloser(one: number, other: number, term: number): boolean {
    return one === term || (other !== term && this.#ontology.ancestors(one).includes(other));
  }

  /** The information that both have by a term of the query, apart from what terms before it had. */
  #sharedOf(term: number, round: number): number {
    const { added, stated } = this.#information;
    const { terms, offsets } = this.#ontology.ancestorLists;
    let shared = this.#borne[term] === round ? (stated[term] as number) : 0;
    for (let i = offsets[term] as number; i < (offsets[term + 1] as number); i++) {
      const ancestor = terms[i] as number;
      if (this.#borne[ancestor] !== round || this.#counted[ancestor] === round) continue;
      this.#counted[ancestor] = round;
      shared += (added[ancestor] as number) + (this.#stated[ancestor] === round ? (stated[ancestor] as number) : 0);
    }
    return shared;
  }

  #name(term: number): TermMember<NamedTerm> {
    const known = this.#named[term];
    if (known !== undefined) return known;
    const named = termMember({ id: this.#ontology.id(term), label: this.#ontology.name(term) });
    this.#named[term] = named;
    return named;
  }

  #nameShared(term: number): TermMember<MatchedFeature['shared']> {
    const known = this.#shared[term];
    if (known !== undefined) return known;
    const information = Math.round((this.#nats[term] as number) * 1000) / 1000;
    const shared = termMember({ ...this.#name(term).value, information });
    this.#shared[term] = shared;
    return shared;
  }
}

function termMember<Value>(value: Value): TermMember<Value> {
  return { value, text: JSON.stringify(value) };
}
