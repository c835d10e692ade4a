/**
 * What is stored of a sample beside its alleles: sex, labels, ontology terms, what was searched in it, and how many copies of a
 * position it has.
 */
import { pseudoautosomal } from '../../../core/genome.js';
import type { Assembly, Contig } from './allele.js';

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

/** The facts of a sample for which none were stated. */
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

/** The same of a sample whose alleles of some kinds are replaced: as if it had not been searched for these. */
export function searchedWithout(
  { searched, unsearched }: Pick<Sample, 'searched' | 'unsearched'>,
  kinds: Searched,
): Pick<Sample, 'searched' | 'unsearched'> {
  const left = Object.entries(unsearched ?? {}).filter(([kind]) => !kinds[kind as keyof Searched]);
  return {
    searched: { small: searched.small && !kinds.small, structural: searched.structural && !kinds.structural },
    ...(left.length > 0 && { unsearched: Object.fromEntries(left) }),
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

// Terms of ontologies, such as `HP:0001250`, as operators and clients state them of samples.

export interface OntologyTerm {
  /** Prefix and local id: `HP:0001250`. Compared regardless of case. */
  id: string;
  label?: string;
}

/** Largest number of phenotypes, and of diseases, of a sample. */
export const mostTerms = 200;
const longestLabel = 200;

const written = /^[A-Za-z][A-Za-z0-9_.]{1,29}:[A-Za-z0-9_.-]{1,60}$/;

export function isTermId(text: string): boolean {
  return written.test(text);
}

/** The key by which two ids are the same term: regardless of case, and of the names that OMIM and Orphanet go by. */
export function termKey(id: string): string {
  return id
    .toUpperCase()
    .replace(/^MIM:/, 'OMIM:')
    .replace(/^ORPHANET:/, 'ORPHA:');
}

function sameTerms(one: readonly OntologyTerm[], other: readonly OntologyTerm[]): boolean {
  return (
    one.length === other.length && one.every(({ id, label }, i) => other[i]?.id === id && other[i]?.label === label)
  );
}

/** Each term once, by id; of several with one id the first that has a label. */
export function distinctTerms(terms: readonly OntologyTerm[]): OntologyTerm[] {
  const byKey = new Map<string, OntologyTerm>();
  for (const term of terms) {
    const known = byKey.get(termKey(term.id));
    if (!known || (known.label === undefined && term.label !== undefined)) byKey.set(termKey(term.id), term);
  }
  return [...byKey.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, term]) => term);
}

/** Explains why a term is not valid; undefined if it is. */
export function wrongWithTerm({ id, label }: OntologyTerm): string | undefined {
  if (!isTermId(id)) return `"${id.slice(0, 40)}" is not the id of a term, such as HP:0001250`;
  if (label === undefined) return undefined;
  if (label.length > longestLabel) return `the label of ${id} has more than ${longestLabel} characters`;
  return /\p{Cc}/u.test(label) ? `the label of ${id} must be one line without control characters` : undefined;
}

/** A term as one reads it in a cell: up to a separator that is not within the double quotes of a label. */
const parts = /(?:[^",;]|"(?:[^"]|"")*")+|"/g;

/**
 * Terms separated by commas or semicolons, each an id that a label may follow: `HP:0001250=Seizure; HP:0001263`. A label
 * with a comma or semicolon is in double quotes. All of it may be in double quotes, as spreadsheets write such cells.
 */
export function readTerms(text: string): { terms: OntologyTerm[] } | { wrong: string } {
  const plain = /^"(?:[^"]|"")*"$/.test(text) ? text.slice(1, -1).replaceAll('""', '"') : text;
  const terms: OntologyTerm[] = [];
  for (const part of plain.match(parts) ?? []) {
    if (part.trim() === '') continue;
    const at = part.indexOf('=');
    const id = (at < 0 ? part : part.slice(0, at)).trim();
    const label = at < 0 ? '' : unquoted(part.slice(at + 1).trim());
    const term = { id, ...(label !== '' && { label }) };
    const wrong = wrongWithTerm(term);
    if (wrong) return { wrong };
    terms.push(term);
  }
  return terms.length > mostTerms ? { wrong: `more than ${mostTerms} terms` } : { terms: distinctTerms(terms) };
}

function unquoted(label: string): string {
  return /^".*"$/s.test(label) ? label.slice(1, -1).replaceAll('""', '"').trim() : label;
}

// How many copies of a place a person has.

/**
 * Copies of the base at a zero-based position: two of autosomes and the pseudo-autosomal regions; of the rest of X one in
 * males, of Y one in males and none in females; one of MT. An unknown sex counts as two copies of X and one of Y.
 */
export function ploidyAt(assembly: Assembly, contig: Contig, start: number, sex: Sex): 0 | 1 | 2 {
  if (contig === 'MT') return 1;
  if (!isSexSpecific(assembly, contig, start)) return 2;
  if (contig === 'Y') return sex === 'female' ? 0 : 1;
  return sex === 'male' ? 1 : 2;
}

/** Whether a place lies on X or Y outside the pseudo-autosomal regions. */
export function isSexSpecific(assembly: Assembly, contig: Contig, start: number): boolean {
  if (contig !== 'X' && contig !== 'Y') return false;
  return !pseudoautosomal[assembly].some((par) => par.chromosome === contig && par.start <= start && start < par.end);
}
