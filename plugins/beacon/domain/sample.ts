/** What is known of a sample beside its alleles. */
import type { Contig } from './allele.js';
import { type OntologyTerm, sameTerms } from './ontology-term.js';

export const sexes = ['female', 'male', 'unknown'] as const;
export type Sex = (typeof sexes)[number];

/**
 * How a sample was analysed; samples of different assays do not carry the same alleles. The dates are days: `2026-01-31`.
 */
export const sampleLabels = ['assay', 'run', 'kit', 'pipeline', 'run_date', 'analysis_date'] as const;
export type SampleLabel = (typeof sampleLabels)[number];

/** Given when a sample is loaded, and correctable later. */
export interface SampleFacts {
  /** The case (family) that the sample belongs to; its own name unless another is given. */
  case: string;
  sex: Sex;
  /** Whether the person has the disease of the case; undefined if not known. */
  affected: boolean | undefined;
  /** Those that are known. */
  labels: Readonly<Partial<Record<SampleLabel, string>>>;
  /** The registered sample that knows the depth of this one: the id of this one, unless another is given. */
  coverageId: string;
  /** Phenotypes that the person has, as far as known: `distinctTerms`. Those that were excluded are not among them. */
  phenotypes: readonly OntologyTerm[];
  /** Diseases that the person is known to have: `distinctTerms`. */
  diseases: readonly OntologyTerm[];
}

/** Which kinds of alleles the files of a sample could show: what was not looked for counts neither as seen nor as absent. */
export interface Searched {
  /** Alleles of plain bases. */
  small: boolean;
  structural: boolean;
}

/** Chromosomes, by kind of alleles. */
export type Chromosomes = Readonly<Partial<Record<keyof Searched, readonly Contig[]>>>;

/** What the files of an import could show. */
export interface Search extends Searched {
  /** Chromosomes of whose records any genotype was read, and others of whose records all genotypes were skipped. */
  read?: Chromosomes;
  skipped?: Chromosomes;
}

/** A sample of a dataset. */
export interface Sample extends SampleFacts {
  name: string;
  /** When it was first added to the dataset; undefined if an earlier release added it and did not keep the date. */
  added: Date | undefined;
  searched: Searched;
  /**
   * For each kind of alleles, how many imports that searched for it have named the sample and added calls, or samples that were not
   * called, after the one that added it; omitted if there are none. As long as the number and `added` stay the same, so do the sample's alleles.
   */
  later?: Readonly<Record<keyof Searched, number>>;
  /** Chromosomes that were not searched for alleles of a kind, as all genotypes there were skipped; none if omitted. */
  unsearched?: Chromosomes;
}

/** The `later` of a sample after another import that named it and added calls, or samples that were not called. */
export function afterImport({ later }: Pick<Sample, 'later'>, searched: Searched): Pick<Sample, 'later'> {
  const small = (later?.small ?? 0) + Number(searched.small);
  const structural = (later?.structural ?? 0) + Number(searched.structural);
  return small + structural === 0 ? {} : { later: { small, structural } };
}

/** Fields to set; an omitted one stays as it is. `labels`, `phenotypes` and `diseases` replace all that there are. */
export type SampleChange = Partial<SampleFacts>;

/** The facts of a sample of which nothing was said. */
export function unknownFacts(name: string): SampleFacts {
  return {
    case: name,
    sex: 'unknown',
    affected: undefined,
    labels: {},
    coverageId: name,
    phenotypes: [],
    diseases: [],
  };
}

/** The facts with a change applied. */
export function changedFacts<Facts extends SampleFacts>(facts: Facts, change: SampleChange): Facts {
  const given = Object.entries(change).filter(([field, value]) => value !== undefined || field === 'affected');
  return { ...facts, ...Object.fromEntries(given) };
}

/** What a sample was searched for, with a further import; `known` is undefined for a new sample. */
export function searchedWith(
  known: Pick<Sample, 'searched' | 'unsearched'> | undefined,
  { small, structural, read, skipped }: Search,
): Pick<Sample, 'searched' | 'unsearched'> {
  const { searched, unsearched } = known ?? { searched: { small: false, structural: false } };
  const left = (kind: keyof Searched) =>
    [...new Set([...(unsearched?.[kind] ?? []), ...(skipped?.[kind] ?? [])])]
      .filter((contig) => !read?.[kind]?.includes(contig))
      .sort();
  const chromosomes = Object.fromEntries(
    (['small', 'structural'] as const)
      .map((kind) => [kind, left(kind)] as const)
      .filter(([, { length }]) => length > 0),
  );
  return {
    searched: { small: searched.small || small, structural: searched.structural || structural },
    ...(Object.keys(chromosomes).length > 0 && { unsearched: chromosomes }),
  };
}

/** Whether two samples were searched for the same. */
export function sameSearch(
  one: Pick<Sample, 'searched' | 'unsearched'>,
  other: Pick<Sample, 'searched' | 'unsearched'>,
): boolean {
  return (['small', 'structural'] as const).every(
    (kind) =>
      one.searched[kind] === other.searched[kind] &&
      (one.unsearched?.[kind] ?? []).join() === (other.unsearched?.[kind] ?? []).join(),
  );
}

export function sameFacts(one: SampleFacts, other: SampleFacts): boolean {
  return (
    one.case === other.case &&
    one.sex === other.sex &&
    one.affected === other.affected &&
    one.coverageId === other.coverageId &&
    sameTerms(one.phenotypes, other.phenotypes) &&
    sameTerms(one.diseases, other.diseases) &&
    sampleLabels.every((label) => one.labels[label] === other.labels[label])
  );
}
