/** Why a patient matches: what it has in common with the query, as each of them states it. */

import type { Ontology } from '../ontology/ontology.js';
import { type Inheritance, inheritanceOf } from '../patient/extensions.js';
import { disorderKey } from '../patient/keys.js';
import type { GenomicFeature, Patient, Variant } from '../patient/patient.js';
import type { Resources } from '../resources/resources.js';
import { type Likeness, pairFeatures } from './genotype.js';
import type { Profile, Profiler } from './profile.js';
import { phenotypeSimilarity, type Score, sharedMass, termSimilarity } from './score.js';
import type { Work } from './work.js';

/** A term, named by the ontology in use. */
export interface NamedTerm {
  id: string;
  label: string;
}

export interface MatchedFeature {
  /** A term of the query, and the term of the patient that is most similar to it. */
  query: NamedTerm;
  patient: NamedTerm;
  /** The most informative common term: one of the two, or a common ancestor. */
  shared: NamedTerm & {
    /** −ln of the fraction of diseases that have it, in nats, to three decimals. */
    information: number;
  };
  /** What the query's term adds to the score by all that the patient shares of it, apart from what terms before it added. */
  adds?: number;
}

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

/** Empty lists are left out. */
export interface Explanation {
  _matchedGenes?: MatchedGene[];
  _matchedVariants?: MatchedVariant[];
  _matchedFeatures?: MatchedFeature[];
  /** The query's ids of the disorders that both have. */
  _matchedDisorders?: string[];
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
  const parts = score && phenotypeParts(query.profile, found.profile, score, profiler);
  const features = sharedTerms(profiler, query.patient, found, parts?.ofTerms);
  const disorders = sharedDisorders(query.patient, found.patient);
  return {
    ...(genes.length > 0 && { _matchedGenes: genes }),
    ...(variants.length > 0 && { _matchedVariants: variants }),
    ...(features.length > 0 && { _matchedFeatures: features }),
    ...(disorders.length > 0 && { _matchedDisorders: disorders }),
    ...(parts && parts.disorders > 0 && { _disordersAdd: rounded(parts.disorders) }),
  };
}

/** What terms add for each unit of information that they share, and what disorders add. */
function phenotypeParts(query: Profile, found: Profile, score: Score, { information }: Profiler) {
  const shared = sharedMass(query, found, information);
  const terms = termSimilarity(shared, query.mass, found.mass);
  const disorders = query.disorders.filter((key) => found.disorders.includes(key)).length;
  const ofAll = phenotypeSimilarity(terms, disorders);
  const byTerms = ofAll === 0 ? 0 : (score.phenotype * terms) / ofAll;
  return { ofTerms: shared === 0 ? 0 : byTerms / shared, disorders: score.phenotype - byTerms };
}

/** To four decimals, like the scores on pages and in mails. */
function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
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

/** The best pair for each observed term of the query, most informative first, without pairs that share nothing. */
function sharedTerms(profiler: Profiler, query: Patient, found: Explained, forInformation?: number): MatchedFeature[] {
  const { ontology } = profiler.resources;
  const named = (term: number): NamedTerm => ({ id: ontology.id(term), label: ontology.name(term) });
  // The first pair with the most information wins: terms are in ascending order.
  const theirs = profiler.observed(found.patient);
  const theirStated = new Set(theirs);
  const bearer = new Map<number, number>();
  for (const term of theirs) {
    for (const ancestor of ontology.ancestors(term)) if (!bearer.has(ancestor)) bearer.set(ancestor, term);
  }
  for (const term of theirs) if (bearer.has(term)) bearer.set(term, term);
  const pairs: { term: number; feature: MatchedFeature; information: number }[] = [];
  for (const term of profiler.observed(query)) {
    let best: { ancestor: number; other: number } | undefined;
    for (const ancestor of ontology.ancestors(term)) {
      const other = bearer.get(ancestor);
      if (other === undefined || ontology.information(ancestor) === 0) continue;
      if (best && !isBetter(ontology, ancestor, best.ancestor, term)) continue;
      best = { ancestor, other };
    }
    if (!best) continue;
    const information = ontology.information(best.ancestor);
    const shared = { ...named(best.ancestor), information: Math.round(information * 1000) / 1000 };
    pairs.push({ term, feature: { query: named(term), patient: named(best.other), shared }, information });
  }
  pairs.sort((one, other) => other.information - one.information);
  if (forInformation === undefined) return pairs.map(({ feature }) => feature);
  const { added, stated } = profiler.information;
  const counted = new Set<number>();
  return pairs.map(({ term, feature }) => {
    let shared = bearer.has(term) ? (stated[term] as number) : 0;
    for (const ancestor of ontology.ancestors(term)) {
      if (!bearer.has(ancestor) || counted.has(ancestor)) continue;
      counted.add(ancestor);
      shared += (added[ancestor] as number) + (theirStated.has(ancestor) ? (stated[ancestor] as number) : 0);
    }
    return { ...feature, adds: rounded(shared * forInformation) };
  });
}

/** Whether one has more information; with equal information, whether it is the term itself, or the more specific one. */
function isBetter(ontology: Ontology, one: number, other: number, term: number): boolean {
  const [mine, theirs] = [ontology.information(one), ontology.information(other)];
  if (mine !== theirs) return mine > theirs;
  return one === term || (other !== term && ontology.ancestors(one).includes(other));
}

function sharedDisorders(query: Patient, found: Patient): string[] {
  const theirs = new Set((found.disorders ?? []).map(({ id }) => disorderKey(id)));
  return (query.disorders ?? [])
    .map(({ id }) => id)
    .filter((id) => {
      const key = disorderKey(id);
      return key !== undefined && theirs.has(key);
    });
}
