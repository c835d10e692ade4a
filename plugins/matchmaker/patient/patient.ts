/**
 * A patient as the Matchmaker Exchange describes one (mme-apis, search-api.md, 1.0 and 1.1). This is what is stored and
 * exchanged: checked by `schema.ts`, otherwise as it was sent. Members that the specification does not know are kept.
 */
export interface Patient {
  /** At most 255 characters; stable, and unique on this node. */
  id: string;
  /** At most 255 characters, without personal data. */
  label?: string;
  contact: Contact;
  /** `NCBITaxon:<n>`; humans where absent. */
  species?: string;
  sex?: Sex;
  /** HPO id of an onset term. */
  ageOfOnset?: string;
  /** HPO id of a mode of inheritance. */
  inheritanceMode?: string;
  disorders?: Disorder[];
  features?: Feature[];
  genomicFeatures?: GenomicFeature[];
  /** A test: it may be matched and answered, but nobody is notified because of it. */
  test?: boolean;
  [other: string]: unknown;
}

export const sexes = ['FEMALE', 'MALE', 'OTHER', 'MIXED_SAMPLE', 'NOT_APPLICABLE'] as const;
export type Sex = (typeof sexes)[number];

export interface Contact {
  name: string;
  /** `mailto:`, `http:` or `https:`; a plain e-mail address was made a `mailto:` one. */
  href: string;
  institution?: string;
  email?: string | string[];
  roles?: string[];
  [other: string]: unknown;
}

export interface Disorder {
  /** `MIM:<n>`, `OMIM:<n>`, `Orphanet:<n>`, `ORPHA:<n>` or `MONDO:<n>`, as sent. */
  id: string;
  label?: string;
  [other: string]: unknown;
}

export interface Feature {
  /** `HP:nnnnnnn`, as sent: it may be obsolete, or unknown to the ontology that is loaded. */
  id: string;
  label?: string;
  /** Present where absent. */
  observed?: 'yes' | 'no';
  ageOfOnset?: string;
  [other: string]: unknown;
}

export interface GenomicFeature {
  gene: Gene;
  variant?: Variant;
  /** Copies of the allele: 1 heterozygous or hemizygous, 2 homozygous. */
  zygosity?: number;
  /** Effect, a Sequence Ontology term. */
  type?: { id: string; label?: string; [other: string]: unknown };
  [other: string]: unknown;
}

export interface Gene {
  /** Any id or symbol, as sent: Ensembl, Entrez, HGNC, a symbol of today or of yesterday. */
  id: string;
  [other: string]: unknown;
}

/** Zero-based, half open. One without a start says no more than that its gene has some variant. */
export interface Variant {
  /** `NCBI36`, `GRCh37` or `GRCh38`, with or without a patch (`GRCh37.p13`). */
  assembly: string;
  /** 1 to 22, X, Y, M or MT. */
  referenceName: string;
  start?: number;
  end?: number;
  referenceBases?: string;
  alternateBases?: string;
  [other: string]: unknown;
}
