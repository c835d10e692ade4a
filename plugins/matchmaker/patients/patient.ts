/**
 * A patient as the Matchmaker Exchange defines it (mme-apis, search-api.md, 1.0 and 1.1). This is what is stored and
 * exchanged: validated by `reading.ts`, otherwise as it was sent. Members beyond the specification are kept.
 */
export interface Patient {
  /** At most 255 characters; stable, and unique on this node. */
  id: string;
  /** At most 255 characters, without personal data. */
  label?: string;
  contact: Contact;
  /** `NCBITaxon:<n>`; human if omitted. */
  species?: string;
  sex?: Sex;
  /** HPO id of an onset term. */
  ageOfOnset?: string;
  /** HPO id of a mode of inheritance. */
  inheritanceMode?: string;
  disorders?: Disorder[];
  features?: Feature[];
  genomicFeatures?: GenomicFeature[];
  /** A test: it may be matched and returned, but causes no notification. */
  test?: boolean;
  /** `clinical` or `research`: why it is compared; see `members.ts`. */
  _purpose?: unknown;
  /** The id under which the coverage of its sample is registered here; never shown to other clients and nodes. */
  _sample?: unknown;
  [other: string]: unknown;
}

export const sexes = ['FEMALE', 'MALE', 'OTHER', 'MIXED_SAMPLE', 'NOT_APPLICABLE'] as const;
export type Sex = (typeof sexes)[number];

export interface Contact {
  name: string;
  /** `mailto:`, `http:` or `https:`. A plain e-mail address is stored as `mailto:`. */
  href: string;
  institution?: string;
  email?: string | string[];
  roles?: string[];
  [other: string]: unknown;
}

export interface Disorder {
  /** `MIM:<n>`, `OMIM:<n>`, `Orphanet:<n>`, `ORPHA:<n>`, `MONDO:<n>` or `DECIPHER:<n>`, as sent. */
  id: string;
  label?: string;
  [other: string]: unknown;
}

export interface Feature {
  /** `HP:nnnnnnn`, as sent: it may be obsolete, or missing in the ontology in use. */
  id: string;
  label?: string;
  /** `yes` if omitted. */
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
  /** HPO id of the mode of inheritance in this gene. */
  _inheritance?: unknown;
  [other: string]: unknown;
}

export interface Gene {
  /** Any id or symbol, as sent: Ensembl, Entrez, HGNC, a current or previous symbol. */
  id: string;
  [other: string]: unknown;
}

/** Zero-based, half-open. Without a start it only states that its gene has some variant. */
export interface Variant {
  /** `NCBI36`, `GRCh37` or `GRCh38`, with or without a patch (`GRCh37.p13`). */
  assembly: string;
  /** 1 to 22, X, Y, M or MT. */
  referenceName: string;
  start?: number;
  end?: number;
  referenceBases?: string;
  alternateBases?: string;
  /** From whom the allele comes. */
  _inheritance?: unknown;
  [other: string]: unknown;
}
