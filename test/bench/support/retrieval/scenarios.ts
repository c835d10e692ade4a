/** What is asked and what is stored in each row of the table of retrieval. */
import type { GenomicFeature } from '../../../../plugins/matchmaker/contract.js';
import type { Ontology } from '../../../../plugins/matchmaker/resources/ontology.js';
import { random } from '../vcf.js';
import type { Published } from './published.js';

export interface Scenario {
  name: string;
  /** Whether the query's terms are blurred. */
  noisy: boolean;
  /** Genes in the query; none if it has features only. */
  genes: number;
  /** Whether genomic features have variants and zygosities, in queries and stored patients. */
  variants: boolean;
  /** The part of queries whose list lacks the true gene. */
  missing: number;
  /** Every second stored patient has a list of so many genes as well, the others one. */
  stored: number;
  /** Who has no terms: the query, every second stored patient, or both of these. */
  bare?: 'query' | 'stored' | 'both';
  /** The part of stored patients whose list lacks their own gene; none if omitted. */
  wrong?: number;
  /**
   * So many stored patients have one gene of the query's list and no terms, one of them the query's own gene: that one is to
   * be found. No other patient has a gene of the list.
   */
  alone?: number;
}

const list = { genes: 5, variants: false, missing: 0, stored: 1 };
export const listOfVariants = { ...list, name: 'list of 5 variants, clean', noisy: false, variants: true };

export const scenarios: readonly Scenario[] = [
  { ...list, name: 'features, clean', noisy: false, genes: 0 },
  { ...list, name: 'features, noisy', noisy: true, genes: 0 },
  { ...list, name: 'one gene + variant, clean', noisy: false, genes: 1, variants: true },
  { ...list, name: 'list of 5 genes, clean', noisy: false },
  { ...list, name: 'list of 5 genes, noisy', noisy: true },
  { ...list, name: '  the gene missing in half, noisy', noisy: true, missing: 0.5 },
  listOfVariants,
  { ...list, name: 'list of 5 variants, noisy', noisy: true, variants: true },
  { ...list, name: '  the gene missing in half, noisy', noisy: true, variants: true, missing: 0.5 },
  { ...list, name: 'lists on both sides, clean', noisy: false, stored: 5 },
  { ...list, name: 'lists on both sides, noisy', noisy: true, stored: 5 },
];

/** In which only genes are known of patients, or stored genes are wrong: without cross-validation, which is about terms. */
export const geneScenarios: readonly Scenario[] = [
  { ...list, name: 'lists, no terms in query', noisy: false, stored: 5, bare: 'query' },
  { ...list, name: 'lists, no terms in stored', noisy: false, stored: 5, bare: 'stored' },
  { ...list, name: 'lists, no terms in stored, noisy', noisy: true, stored: 5, bare: 'stored' },
  { ...list, name: 'lists, no terms in either', noisy: false, stored: 5, bare: 'both' },
  ...[0.3, 0.6].flatMap((wrong): Scenario[] => {
    const [row, share] = [{ ...list, noisy: true, stored: 5, wrong }, `${100 * wrong} % wrong`];
    return [
      { ...row, name: `lists on both sides, ${share}` },
      ...(['query', 'stored'] as const).map((bare) => ({ ...row, bare, name: `  no terms in ${bare}, ${share}` })),
    ];
  }),
  ...[1, 2, 3, 10].flatMap((alone) =>
    [1, 2, 3, 5, 10].map((genes): Scenario => {
      return { ...list, name: `gene only, 1 of ${genes}, ${alone} share`, noisy: false, genes, alone };
    }),
  ),
];

/** Up to `most` patients of each disease, from different publications, whose disease another publication has as well. */
export function chosenQueries(cases: readonly Published[], most: number, seed: number): number[] {
  const next = random(seed);
  const byDisease = new Map<string, number[]>();
  for (const [at, { disease }] of cases.entries()) {
    const members = byDisease.get(disease);
    if (members) members.push(at);
    else byDisease.set(disease, [at]);
  }
  const chosen: number[] = [];
  for (const members of byDisease.values()) {
    const publications = new Set<string>();
    for (const at of shuffled(members, next)) {
      const { publication, terms } = cases[at] as Published;
      if (terms.length === 0 || publications.has(publication)) continue;
      publications.add(publication);
      if (publications.size <= most) chosen.push(at);
    }
    if (publications.size === 1) chosen.pop();
  }
  return chosen;
}

function shuffled<Item>(items: readonly Item[], next: () => number): Item[] {
  return items
    .map((item) => ({ item, key: next() }))
    .sort((one, other) => one.key - other.key)
    .map(({ item }) => item);
}

/**
 * Terms as another clinician might have noted them: of five one is not noted, half of the others are noted as a parent, and
 * for every two there is one that has nothing to do with the disease.
 */
export function blurred(terms: readonly string[], ontology: Ontology, next: () => number): string[] {
  const noted: string[] = [];
  for (const id of terms) {
    const resolved = ontology.resolve(id);
    if (!resolved || next() < 0.2) continue;
    const parents = next() < 0.5 ? ontology.parents(resolved.term) : [];
    noted.push(ontology.id(parents[Math.floor(next() * parents.length)] ?? resolved.term));
  }
  for (let i = 0; i < Math.round(terms.length / 2); ) {
    const term = Math.floor(next() * ontology.size);
    if (ontology.information(term) === 0) continue;
    noted.push(ontology.id(term));
    i++;
  }
  return noted;
}

/** The genomic features of a case with candidates of other genes, drawn evenly from all genes of the cases. */
export function candidates(
  { gene, genomic }: Published,
  { genes, variants }: Pick<Scenario, 'genes' | 'variants'>,
  isMissing: boolean,
  all: readonly string[],
  next: () => number,
): GenomicFeature[] {
  const own = variants ? genomic : [{ gene: { id: gene } }];
  const features = isMissing ? [] : [...own];
  const drawn = new Set([gene]);
  while (drawn.size < genes + (isMissing ? 1 : 0)) {
    const id = all[Math.floor(next() * all.length)] as string;
    if (drawn.has(id)) continue;
    drawn.add(id);
    features.push(variants ? privateVariant(id, next) : { gene: { id } });
  }
  return features;
}

/** Heterozygous, and nobody else's. */
function privateVariant(id: string, next: () => number): GenomicFeature {
  const start = Math.floor(next() * 2e8);
  return {
    gene: { id },
    zygosity: 1,
    variant: {
      assembly: 'GRCh38',
      referenceName: '1',
      start,
      end: start + 1,
      referenceBases: 'A',
      alternateBases: 'C',
    },
  };
}
