/** What two patients have in common, and whether that is worth a notification. */
import type { MatchedPatient, Patient } from '../contract.js';
import type { GeneTable } from '../genes/gene-table.js';
import { explain } from '../matching/explanation.js';
import type { Profiler } from '../matching/profile.js';
import { simGic } from '../matching/score.js';
import { geneKey } from '../patient/keys.js';

export interface Common {
  /** Symbols or ids. */
  genes: string[];
  /** `HP:0001250 Seizure`, the most informative first. */
  terms: string[];
  /** Share of the information of both phenotypes that both have (simGIC), by the ontology of this node, 0 to 1. */
  phenotype: number;
}

/** Terms that a mail names. */
const mostTerms = 10;

export function commonOf(profiler: Profiler, one: Patient, other: Patient): Common {
  const [mine, theirs] = [one, other].map((patient) => {
    const compared = comparable(patient);
    return { patient: compared, profile: profiler.profile(compared) };
  }) as [Parameters<typeof explain>[0], Parameters<typeof explain>[0]];
  const { profile } = mine;
  const { ontology } = profiler.resources;
  const phenotype =
    profile.species === theirs.profile.species
      ? simGic(profile, theirs.profile, (term) => ontology.information(term))
      : 0;
  const { _matchedFeatures: features = [] } = explain(mine, theirs, profiler);
  const terms = features.map(({ shared: { id, label } }) => `${id} ${label}`);
  return {
    genes: sharedGenes(one, other, profiler.resources.genes),
    terms: [...new Set(terms)].slice(0, mostTerms),
    phenotype,
  };
}

/** Only checked members: other nodes may send any others with any type, and withhold features and genes. */
function comparable({ id, contact, features, disorders, species }: Patient): Patient {
  return {
    id,
    contact,
    features: features ?? [],
    disorders: disorders ?? [],
    species: typeof species === 'string' ? species : undefined,
  };
}

/** Whether they share a gene, or the score of the match or of the phenotypes alone reaches `minScore`. */
export function isWorthTelling({ genes, phenotype }: Common, { score }: MatchedPatient, minScore: number): boolean {
  return genes.length > 0 || phenotype >= minScore || score.patient >= minScore;
}

/** Genes in common: symbols, or ids of unknown genes, in the order of the first patient. */
function sharedGenes(one: Patient, other: Patient, genes: GeneTable): string[] {
  const keys = new Set((other.genomicFeatures ?? []).map(({ gene }) => geneKey(gene, genes)));
  const shared = (one.genomicFeatures ?? [])
    .filter(({ gene }) => gene.id.trim() !== '' && keys.has(geneKey(gene, genes)))
    .map(({ gene }) => genes.resolve(gene.id)?.symbol ?? gene.id);
  return [...new Set(shared)];
}
