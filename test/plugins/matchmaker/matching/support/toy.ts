/** Small resources to match in: terms, diseases, genes, and patients drawn from them. */
import fc from 'fast-check';
import type { GenomicFeature, Patient } from '../../../../../plugins/matchmaker/contract.js';
import type { Profile, Profiler } from '../../../../../plugins/matchmaker/matching/profile.js';
import {
  byRank,
  compareProfiles,
  type PlacedItem,
  type SharedGenePlaces,
} from '../../../../../plugins/matchmaker/matching/score.js';
import type { IndexSearchOptions, PatientHit, PatientHits } from '../../../../../plugins/matchmaker/matching/search.js';
import type { Work } from '../../../../../plugins/matchmaker/matching/work.js';
import type { Resources } from '../../../../../plugins/matchmaker/resources/resources.js';
import { annotation, hp, hpoa, obo, resourcesOf, type ToyTerm } from '../../resources/support/build.js';

/** The toy of the reference: R (118) over A (10) and D (20), A over B (11) and C (12). */
export const fourTerms: ToyTerm[] = [
  { id: 1, parents: [] },
  { id: 118, parents: [1] },
  { id: 10, parents: [118] },
  { id: 11, parents: [10] },
  { id: 12, parents: [10] },
  { id: 20, parents: [118] },
];

/** A directed acyclic graph of 40 terms: each has up to three parents among those before it. */
export const manyTerms: ToyTerm[] = [
  { id: 1, parents: [] },
  { id: 118, parents: [1] },
  ...Array.from({ length: 40 }, (_, i) => ({
    id: 200 + i,
    parents: [...new Set(i < 3 ? [118] : [200 + ((i - 1) >> 1), 200 + ((i * 7) % i), 200 + ((i * 5) % (i - 1))])],
    ...(i === 4 && { alternatives: [900] }),
  })),
  { id: 901, parents: [], obsolete: true },
];

export const genes = `hgnc_id\tsymbol\tensembl_gene_id\tentrez_id\tprev_symbol\talias_symbol
HGNC:1\tGENA\tENSG00000000001\t1\tOLDA\tALIASA
HGNC:2\tGENB\tENSG00000000002\t2\t\t
HGNC:3\tGENC\tENSG00000000003\t3\t\t
`;

/** Other files are added. */
export function smallWorld(...more: string[]): Promise<Resources> {
  const lines = Array.from({ length: 60 }, (_, i) => annotation(`OMIM:${1 + (i % 25)}`, 200 + ((i * i + 3 * i) % 40)));
  return resourcesOf(obo(manyTerms), hpoa(lines), genes, ...more);
}

export function toyWorld(): Promise<Resources> {
  const lines = [11, 12, 20, 20].map((term, i) => annotation(`OMIM:${i + 1}`, term));
  return resourcesOf(obo(fourTerms), hpoa(lines), genes);
}

/** Ids of one disease, and steps to a broader one: MONDO:1 and MONDO:3 to MONDO:2, DECIPHER:7 to MONDO:3. */
export const exactMappings = [
  ['MONDO:0000001', 'OMIM:1'],
  ['MONDO:0000001', 'Orphanet:1'],
  ['MONDO:0000002', 'OMIM:2'],
  ['MONDO:0000003', 'Orphanet:2'],
] as const;
export const broaderSteps = [
  ['MONDO:0000001', 'MONDO:0000002'],
  ['Orphanet:2', 'OMIM:2'],
  ['DECIPHER:7', 'MONDO:0000003'],
] as const;

/** Rows of an SSSOM table. */
export function sssom(rows: readonly (readonly string[])[], head = ''): string {
  return `${head}${[['subject_id', 'predicate_id', 'object_id'], ...rows].map((row) => row.join('\t')).join('\n')}\n`;
}

export function worldOfDiseases(): Promise<Resources> {
  const exact = exactMappings.map(([one, other]) => [one, 'skos:exactMatch', other]);
  const broader = broaderSteps.map(([one, other]) => [one, 'skos:broadMatch', other]);
  return smallWorld(sssom([...exact, ...broader]));
}

export function patientOf(id: string, parts: Partial<Patient>): Patient {
  return { id, contact: { name: 'Somebody', href: 'mailto:somebody@example.org' }, ...parts };
}

export const featuresOf = (...terms: number[]) => terms.map((term) => ({ id: hp(term) }));

const variant = fc.record(
  {
    assembly: fc.constantFrom('GRCh37', 'GRCh37.p13', 'GRCh38', 'NCBI36'),
    referenceName: fc.constantFrom('1', 'X', 'M', 'MT'),
    start: fc.integer({ min: 0, max: 4 }),
    end: fc.integer({ min: 4, max: 6 }),
    referenceBases: fc.constantFrom('A', 'a', 'AC', 'G'),
    alternateBases: fc.constantFrom('T', 'AT', 'ACC'),
  },
  { requiredKeys: ['assembly', 'referenceName'] },
);

export const genomicFeature: fc.Arbitrary<GenomicFeature> = fc
  .record(
    {
      gene: fc
        .constantFrom('GENA', 'olda', 'ENSG00000000001.4', 'HGNC:2', '3', 'unheard-of', 'UNHEARD-OF', 'other', ' ')
        .map((id) => ({ id })),
      variant,
      zygosity: fc.constantFrom(0, 1, 2, 7, 254, 255, 300),
      type: fc.constantFrom('SO:0001587', 'SO:0001583', 'SO:0000159').map((id) => ({ id })),
    },
    { requiredKeys: ['gene'] },
  )
  .map((feature) => feature as GenomicFeature);

export const patientParts: fc.Arbitrary<Partial<Patient>> = fc
  .record({
    features: fc.array(
      fc.record({
        id: fc.integer({ min: 198, max: 241 }).map((term) => hp(term > 239 ? term + 660 : term)),
        observed: fc.constantFrom<'yes' | 'no'>('yes', 'yes', 'yes', 'no'),
      }),
      { maxLength: 6 },
    ),
    genomicFeatures: fc.array(genomicFeature, { maxLength: 4 }),
    disorders: fc.array(
      fc
        .constantFrom(
          ...['MIM:1', 'OMIM:1', 'ORPHA:1', 'Orphanet:2', 'MONDO:0000001', 'MIM:2', 'MONDO:0000002', 'DECIPHER:7'],
        )
        .map((id) => ({ id })),
      { maxLength: 4 },
    ),
  })
  .map((parts) => parts as Partial<Patient>);

/** Mostly human; some state it. */
export const ofAnySpecies: fc.Arbitrary<Partial<Patient>> = fc
  .tuple(patientParts, fc.constantFrom(undefined, undefined, undefined, 'NCBITaxon:9606', 'NCBITaxon:10090'))
  .map(([parts, species]) => (species === undefined ? parts : { ...parts, species }));

/** The expected result of the index: every patient compared, sorted and cut. */
export function bruteForce(
  query: Profile,
  patients: ReadonlyMap<number, Profile>,
  profiler: Profiler,
  { limit, places, ...options }: IndexSearchOptions,
): PatientHits {
  const all = everyHit(query, patients, profiler, options);
  const sharing = places === undefined ? [] : all.filter(sharesGeneWith(query, patients));
  const first = sharing.slice(0, places);
  const hits = all.filter((hit, i) => i < limit || first.includes(hit));
  return { hits, first: new Set(first.map(({ number }) => number)), sharing: sharing.length, sharers: [] };
}

/** Whether a hit has a gene of the query. */
export function sharesGeneWith(query: Profile, patients: ReadonlyMap<number, Profile>): (hit: PatientHit) => boolean {
  const genesOf = (profile: Profile | undefined) => (profile?.genomic ?? []).flatMap(({ gene = [] }) => gene);
  return ({ number }) => genesOf(patients.get(number)).some((gene) => genesOf(query).includes(gene));
}

/**
 * The rule of the places as it is promised, without a look at how it is computed: the best that share a gene, then the
 * best of the others; whoever has a place and is behind a patient left out gets the score of the best one left out.
 */
export function expectedAnswer(
  ranked: readonly PatientHit[],
  { limit, places }: SharedGenePlaces,
  shares: (hit: PatientHit) => boolean,
): PlacedItem<PatientHit>[] {
  const first: PatientHit[] = [];
  for (const hit of ranked) if (shares(hit) && first.length < Math.min(places, limit)) first.push(hit);
  const chosen = [...first];
  for (const hit of ranked) if (!first.includes(hit) && chosen.length < limit) chosen.push(hit);
  const out = ranked.filter((hit) => !chosen.includes(hit));
  const most = Math.max(...out.map(({ score }) => score.total));
  const rank = (hit: PatientHit) => ranked.indexOf(hit);
  return chosen
    .map((item) => ({ item, raised: out.some((other) => rank(other) < rank(item)) ? most : undefined }))
    .sort(
      (one, other) =>
        (other.raised ?? other.item.score.total) - (one.raised ?? one.item.score.total) ||
        Number(one.raised !== undefined) - Number(other.raised !== undefined) ||
        rank(one.item) - rank(other.item),
    );
}

/** Every patient that reaches the threshold, by rank. */
export function everyHit(
  query: Profile,
  patients: ReadonlyMap<number, Profile>,
  profiler: Profiler,
  { weights, threshold }: Pick<IndexSearchOptions, 'weights' | 'threshold'>,
): PatientHit[] {
  return [...patients]
    .map(([number, profile]) => ({
      number,
      id: profile.id,
      score: compareProfiles(query, profile, profiler.information, weights),
    }))
    .filter(({ score }) => score.total > 0 && score.total >= threshold)
    .sort(byRank);
}

/** A search beside other work: how often the other work got a turn, and the most steps of the search between two turns. */
export async function steppedBeside<Result>(
  work: Work,
  search: Promise<Result>,
): Promise<{ result: Result; turns: number; most: number }> {
  let [turns, most, before, isOver] = [0, 0, 0, false];
  const others = (async () => {
    while (!isOver) {
      await new Promise((resolve) => setImmediate(resolve));
      turns++;
      most = Math.max(most, work.steps - before);
      before = work.steps;
    }
  })();
  const result = await search;
  isOver = true;
  await others;
  return { result, turns, most };
}
