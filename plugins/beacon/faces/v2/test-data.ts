/** What requests in test mode see: synthetic people and alleles at arbitrary positions, held apart from every repository. */
import {
  type Allele,
  byAllele,
  type Dataset,
  type DatasetAlleles,
  matches,
  type Sample,
  unknownFacts,
} from '../../contract.js';
import type { DatasetView } from './framework/entry-type.js';

const created = new Date('2024-01-01T00:00:00Z');

/** An allele with its carriers: [name of the sample, copies]. */
interface SyntheticAllele extends Allele {
  carriers: readonly (readonly [sample: string, copies: number])[];
}

const sequence = (start: number, reference: string, alternate: string, kind: string) => ({
  contig: '17' as const,
  start,
  end: start + reference.length,
  reference,
  alternate,
  kind,
  structural: false,
});

const carried: SyntheticAllele[] = [
  {
    ...sequence(43_045_702, 'G', 'A', 'SNP'),
    carriers: [
      ['synthetic-1', 1],
      ['synthetic-2', 2],
    ],
  },
  { ...sequence(43_057_050, 'TA', 'T', 'DEL'), carriers: [['synthetic-1', 1]] },
  { ...sequence(43_063_929, 'C', 'CAG', 'INS'), carriers: [['synthetic-3', 1]] },
  {
    contig: '17',
    start: 43_070_000,
    end: 43_078_000,
    reference: 'A',
    alternate: '<DUP>',
    kind: 'DUP',
    structural: true,
    startRange: { min: 43_069_950, max: 43_070_050 },
    endRange: { min: 43_077_900, max: 43_078_100 },
    carriers: [['synthetic-2', 1]],
  },
];

const alleles: readonly SyntheticAllele[] = carried.sort(byAllele);

const person = (name: string, facts: Partial<Sample>): Sample => ({
  ...unknownFacts(name),
  name,
  added: created,
  searched: { small: true, structural: true },
  ...facts,
});

/** So that each of them has entries of all types. */
const dated = { run_date: '2024-01-01', pipeline: 'synthetic-pipeline', analysis_date: '2024-01-02' };

const samples: readonly Sample[] = [
  person('synthetic-1', {
    sex: 'female',
    labels: { assay: 'WGS', ...dated },
    phenotypes: [{ id: 'HP:0001250', label: 'Seizure' }],
    diseases: [{ id: 'OMIM:607208', label: 'Dravet syndrome' }],
  }),
  person('synthetic-2', { sex: 'male', labels: { assay: 'WGS', ...dated } }),
  person('synthetic-3', { labels: { assay: 'WES', ...dated } }),
];

const dataset: Dataset = {
  id: 'synthetic',
  name: 'Synthetic data',
  description: 'Invented data for requests in test mode.',
  assembly: 'GRCh38',
  access: 'PUBLIC',
  version: 1,
  created,
  updated: created,
  alleleCount: alleles.length,
  callCount: alleles.flatMap(({ carriers }) => carriers).reduce((sum, [, copies]) => sum + copies, 0),
  sampleCount: samples.length,
};

export const syntheticView: DatasetView = {
  open: [{ dataset, granularity: 'record', frequencies: false, cases: true }],
  listed: [],
  annotated: async () => [],
  source: {
    async found(query, datasets, { carriers: isNamed }) {
      if (query.assembly !== dataset.assembly || !datasets.includes(dataset.id)) return [];
      const found = alleles.filter((allele) => matches(allele, query));
      return found.length === 0 ? [] : [syntheticAllelesFound(found, isNamed === true)];
    },
    async present(query, datasets) {
      const isSearched = query.assembly === dataset.assembly && datasets.includes(dataset.id);
      return isSearched && alleles.some((allele) => matches(allele, query)) ? [dataset.id] : [];
    },
    async eachAllele(id, take, { after } = {}) {
      const all = id === dataset.id ? alleles : [];
      const listed = after ? all.filter((allele) => byAllele(allele, after) > 0) : all;
      if (listed.length > 0) await take(syntheticAllelesFound(listed, false).alleles);
    },
    fractions: async () => [],
    sampleFacts: async (id) => (id === dataset.id ? [...samples] : []),
    // The people are invented.
    salt: async (id) => (id === dataset.id ? 'synthetic' : undefined),
  },
  counting: undefined,
};

function syntheticAllelesFound(found: typeof alleles, isNamed: boolean): DatasetAlleles {
  return {
    dataset: dataset.id,
    alleles: found.map(({ carriers, ...allele }) => ({
      ...allele,
      calls: carriers.reduce((sum, [, copies]) => sum + copies, 0),
      samples: carriers.length,
      ...(isNamed && { named: carriers }),
    })),
  };
}
