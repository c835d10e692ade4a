/** Why a patient matches: what it has in common with the query, as each of them states it. */
import { disorderKey, type WayStep } from '../ontology/diseases.js';
import { type Inheritance, inheritanceOf } from '../patient/extensions.js';
import type { GenomicFeature, Patient, Variant } from '../patient/patient.js';
import type { Resources } from '../resources/resources.js';
import { type Likeness, pairFeatures } from './genotype.js';
import { type MatchedFeature, rounded, TermMatcher } from './matched-terms.js';
import type { Profile, Profiler } from './profile.js';
import { countedPairs, countOf, type DisorderPair, pairDisorders } from './relatives.js';
import { phenotypeSimilarity, type Score, sharedMass, termSimilarity } from './score.js';
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
  likeness: Exclude<Likeness, 'gene' | 'none'>;
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

export interface Explained {
  patient: Patient;
  profile: Profile;
}

export interface ExplainOptions {
  /** The score that is explained. If given, each entry states what it adds, and all of them add up to it. */
  score?: Score;
  work?: Work;
}

export function explain(
  query: Explained,
  found: Explained,
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
  score: Score,
  { information }: Profiler,
) {
  const shared = sharedMass(query, found, information);
  const terms = termSimilarity(shared, query.mass, found.mass);
  const disorders = countOf(query, pairs);
  const ofAll = phenotypeSimilarity(terms, disorders);
  const byTerms = ofAll === 0 ? 0 : (score.phenotype * terms) / ofAll;
  return { ofTerms: shared === 0 ? 0 : byTerms / shared, disorders: score.phenotype - byTerms };
}

function geneOf({ gene }: GenomicFeature, { genes }: Resources): MatchedGene {
  const known = genes.resolve(gene.id);
  return known ? { id: known.ensembl ?? gene.id, _geneName: known.symbol } : { id: gene.id };
}

function statedInheritance(asked: GenomicFeature, other: GenomicFeature): Pick<MatchedGene, '_inheritance'> {
  const [query, patient] = [inheritanceOf(asked), inheritanceOf(other)];
  const isStated = [query, patient].some(({ mode, origin }) => mode !== undefined || origin !== undefined);
  return isStated ? { _inheritance: { query, patient } } : {};
}

function sharedDisorders({ disorders = [] }: Patient, found: Profile, resources: Resources): string[] {
  return disorders.map(({ id }) => id).filter((id) => found.disorders.includes(diseaseOf(id, resources) ?? -1));
}

/** The pairs that count and have no id in common. */
function relatedDisorders(
  query: Explained,
  found: Explained,
  pairs: readonly DisorderPair[],
  resources: Resources,
): RelatedDisorder[] {
  const { disorders } = query.profile;
  const stated = ({ patient }: Explained, disease: number | undefined) =>
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
