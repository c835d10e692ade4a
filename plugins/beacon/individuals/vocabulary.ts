/** The ontology terms with which a beacon says what it knows of people (Beacon v2.1.1). */
import type { Sex } from '../contract.js';
import type { Zygosity } from './zygosity.js';

export interface LabelledTerm {
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

export interface OntologyResource {
  id: string;
  name: string;
  url: string;
  nameSpacePrefix: string;
  iriPrefix: string;
  version?: string;
}

const obo = 'http://purl.obolibrary.org/obo/';

/** Ontologies by the prefix of their terms. */
export const ontologies: ReadonlyMap<string, OntologyResource> = new Map(
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
