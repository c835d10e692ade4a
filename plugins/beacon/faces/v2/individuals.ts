/** Individuals as Beacon v2 describes them: samples that a caller may know of, their pseudonyms, zygosity, and ontology terms. */
import { createHmac } from 'node:crypto';
import {
  type Allele,
  type Assembly,
  type BeaconRepository,
  type DatasetAlleles,
  type FoundAllele,
  isSexSpecific,
  type OntologyTerm,
  ploidyAt,
  type Sample,
  type Sex,
  termKey,
} from '../../contract.js';
import type { DisclosedDataset } from '../../disclosure.js';
import type { TermResource } from './framework/entry-type.js';

/** Samples by dataset, of datasets whose cases the caller may know; in the order of the datasets. */
export type People = ReadonlyMap<string, readonly Sample[]>;

export async function peopleIn(
  source: Pick<BeaconRepository, 'sampleFacts'>,
  datasets: readonly DisclosedDataset[],
): Promise<People> {
  const people = new Map<string, readonly Sample[]>();
  for (const { dataset, cases } of datasets) {
    if (cases) people.set(dataset.id, await source.sampleFacts(dataset.id));
  }
  return people;
}

/** Phenotypes and diseases of a sample. */
export function termsOfSample({ phenotypes, diseases }: Sample): readonly OntologyTerm[] {
  return [...phenotypes, ...diseases];
}

/** The terms that are stated of any of the people, by `termKey`; of several spellings the first with a label. */
export function statedTerms(people: People): Map<string, OntologyTerm> {
  const stated = new Map<string, OntologyTerm>();
  for (const samples of people.values()) {
    for (const term of samples.flatMap(termsOfSample)) {
      const key = termKey(term.id);
      const known = stated.get(key);
      if (!known || (known.label === undefined && term.label !== undefined)) stated.set(key, term);
    }
  }
  return stated;
}

// Ids of people and samples for callers: the laboratory's own names, and its cases, stay with the laboratory.

export type Pseudonymous = 'individual' | 'biosample' | 'run' | 'analysis';

/** Characters of a pseudonym: 132 bits. */
const length = 22;

/**
 * The id that a sample of a dataset has as one of these, by the salt of the dataset: the same as long as the dataset exists,
 * another one in every dataset and for every kind. It cannot be computed without the salt, nor reversed: to resolve an id
 * it is looked for among the pseudonyms of all samples.
 */
export function pseudonym(salt: string, kind: Pseudonymous, sample: string): string {
  return createHmac('sha256', salt).update(`${kind}\n${sample}`).digest('base64url').slice(0, length);
}

const written = /^[A-Za-z0-9_-]{22}$/;

export function isPseudonym(id: string): boolean {
  return written.test(id);
}

// How a carrier has an allele.

export const zygosities = ['heterozygous', 'homozygous', 'hemizygous'] as const;
export type Zygosity = (typeof zygosities)[number];

/**
 * Follows from the copies that were called, the sex and the place, as in counts of observations (`ObservedCounts`). Undefined
 * if it does not: of mitochondrial alleles, and of one copy on X or Y if the sex is unknown.
 */
export function zygosityOfCarrier(
  { contig, start }: Pick<Allele, 'contig' | 'start'>,
  { assembly, sex, copies }: { assembly: Assembly; sex: Sex; copies: number },
): Zygosity | undefined {
  const sexSpecific = isSexSpecific(assembly, contig, start);
  if (sexSpecific && sex === 'male') return 'hemizygous';
  if (ploidyAt(assembly, contig, start, sex) !== 2) return undefined;
  if (copies >= 2) return 'homozygous';
  return sexSpecific && sex === 'unknown' ? undefined : 'heterozygous';
}

// Alleles as some of their carriers have them.

interface CarrierSelection {
  samples: readonly Sample[];
  assembly: Assembly;
  /** Only carriers who have the allele so; in any way if undefined. */
  zygosity?: ReadonlySet<Zygosity> | undefined;
}

/**
 * The alleles that any of the samples carries, with the calls and carriers of these samples alone. The alleles must have been
 * found with their carriers named.
 */
export function carriedBy(
  { alleles }: Pick<DatasetAlleles, 'alleles'>,
  { samples, assembly, zygosity }: CarrierSelection,
): FoundAllele[] {
  const counted = new Map(samples.map((sample) => [sample.name, sample]));
  return alleles.flatMap((allele) => {
    if (allele.named === undefined) throw new RangeError('Carriers must be named');
    const named = allele.named.filter(([name, copies]) => {
      const sample = counted.get(name);
      if (!sample) return false;
      const how = zygosity && zygosityOfCarrier(allele, { assembly, sex: sample.sex, copies });
      return zygosity === undefined || (how !== undefined && zygosity.has(how));
    });
    if (named.length === 0) return [];
    return [{ ...allele, named, samples: named.length, calls: named.reduce((sum, [, copies]) => sum + copies, 0) }];
  });
}

// The ontology terms with which a beacon describes people (Beacon v2.1.1).

interface LabelledTerm {
  id: string;
  label: string;
}

export const sexTerms: Readonly<Record<Sex, LabelledTerm>> = {
  female: { id: 'NCIT:C16576', label: 'female' },
  male: { id: 'NCIT:C20197', label: 'male' },
  unknown: { id: 'NCIT:C17998', label: 'unknown' },
};

export const zygosityTerms: Readonly<Record<Zygosity, LabelledTerm>> = {
  heterozygous: { id: 'GENO:0000458', label: 'simple heterozygous' },
  homozygous: { id: 'GENO:0000136', label: 'homozygous' },
  hemizygous: { id: 'GENO:0000134', label: 'hemizygous' },
};

/** Further ids of zygosities: `GENO:0000135` is heterozygous of any kind. */
export const zygosityIds: ReadonlyMap<string, Zygosity> = new Map([
  ...Object.entries(zygosityTerms).map(([zygosity, { id }]) => [id, zygosity as Zygosity] as const),
  ['GENO:0000135', 'heterozygous'],
]);

const obo = 'http://purl.obolibrary.org/obo/';

/** Ontologies by the prefix of their terms. */
export const ontologies: ReadonlyMap<string, TermResource> = new Map(
  (
    [
      ['HP', 'hp', 'Human Phenotype Ontology', `${obo}hp.owl`, `${obo}HP_`],
      ['NCIT', 'ncit', 'NCI Thesaurus', `${obo}ncit.owl`, `${obo}NCIT_`],
      ['GENO', 'geno', 'Genotype Ontology', `${obo}geno.owl`, `${obo}GENO_`],
      ['MONDO', 'mondo', 'Mondo Disease Ontology', `${obo}mondo.owl`, `${obo}MONDO_`],
      ['OMIM', 'omim', 'Online Mendelian Inheritance in Man', 'https://omim.org', 'https://omim.org/entry/'],
      ['ORPHA', 'orphanet', 'Orphanet', 'https://www.orpha.net', 'http://www.orpha.net/ORDO/Orphanet_'],
    ] as const
  ).map(([nameSpacePrefix, id, name, url, iriPrefix]) => [
    nameSpacePrefix,
    { id, name, url, nameSpacePrefix, iriPrefix },
  ]),
);

/** Prefixes of terms for phenotypes and diseases: such a term is known even if no sample has it. */
export const phenotypePrefixes: ReadonlySet<string> = new Set(['HP', 'MONDO', 'OMIM', 'ORPHA']);
