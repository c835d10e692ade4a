/**
 * The search field, and what a search for it finds. Its text is a gene, an allele in HGVS notation, a place, an allele as people
 * write it, or a line of a VCF file. Positions are one-based there, the last base included; the parameters that come of it are
 * those of Beacon v2.
 */
import { contigNamed } from '../../../../core/genome.js';
import {
  endOfStructural,
  kindOfStructural,
  otherEnd,
  statedLength,
  structuralInfo,
  symbol,
} from '../../../../core/vcf.js';
import type { GeneStructure } from '../../../services/coverage.js';
import { type Assembly, type Dataset, type FoundAllele, isInsertion } from '../../contract.js';
import type { Denominator } from '../../counts/denominator.js';
import { type NamedChange, namedChange } from '../../vcf/consequences/hgvs.js';
import type { VariantParameters } from '../query/filters.js';
import type { NamingNote } from '../query/naming.js';

/** What the field was read as; the page says so, so that people see what was searched. */
export type FieldForm = 'gene' | 'hgvs' | 'change' | 'place' | 'allele' | 'vcf';

/** Parameters of a Beacon v2 query, without the assembly. */
export type FieldParameters = Omit<VariantParameters, 'assemblyId'>;

type SearchField = { form: FieldForm; parameters: FieldParameters } | { mistake: FieldMistake };

/** Why a field could not be read. */
export type FieldMistake =
  | 'unreadable'
  | 'transcript-form'
  | 'several-alternates'
  | 'no-alternate'
  | 'position'
  | 'backwards'
  | 'no-end';

/** Longest text that is read: a line of a VCF file with a long insertion. */
export const longestField = 10_000;

export function readField(text: string): SearchField {
  const trimmed = text.trim();
  const columns = trimmed.split(/\t+|\s+/);
  if (columns.length >= 5 && contigNamed(columns[0] ?? '') && /^\d+$/.test(columns[1] ?? '')) return vcfLine(columns);
  const compact = trimmed.replace(/\s+/g, ' ');
  const change = namedChange(compact);
  if (change) return { form: 'change', parameters: parametersOfChange(change, compact) };
  if (/^[NXE][MPRST][_A-Z]?\S*:/i.test(compact) || /:\s*[cnpr]\./.test(compact)) return { mistake: 'transcript-form' };
  if (/:\s*[gm]\./.test(compact)) {
    return { form: 'hgvs', parameters: { genomicAlleleShortForm: compact.replace(/ /g, '') } };
  }
  return place(compact) ?? gene(compact) ?? { mistake: 'unreadable' };
}

/** Of a protein change of a gene; anything else is a description in HGVS. */
function parametersOfChange({ gene, sequence, system, change }: NamedChange, text: string): FieldParameters {
  if (sequence || system === 'transcript') return { genomicAlleleShortForm: text };
  return { ...(gene !== undefined && { geneId: gene }), aminoacidChange: change };
}

const positionPattern = String.raw`\d{1,3}(?:[, ]\d{3})+|\d{1,12}`;
const rangePattern = String.raw` ?[:\-_ ] ?`;
const basesPattern = '[ACGTUNRYSWKMBDHV]+';
const alleleForm = new RegExp(
  `^(\\w+)${rangePattern}(${positionPattern})(?:${rangePattern}| ?)(${basesPattern}) ?(?:>|/|${rangePattern}) ?(${basesPattern})$`,
  'i',
);
const rangeForm = new RegExp(
  `^(\\w+) ?[:\\-_ ] ?(${positionPattern})(?: ?(?:-|–|\\.\\.|_| to ) ?(${positionPattern}))?$`,
  'i',
);

function place(text: string): SearchField | undefined {
  const [, chromosome = '', at = '', reference = '', alternate = ''] = alleleForm.exec(text) ?? [];
  if (contigNamed(chromosome)) return allele(chromosome, at, reference, alternate, 'allele');
  const [, name = '', first = '', last = first] = rangeForm.exec(text) ?? [];
  if (!contigNamed(name)) return undefined;
  const [from, to] = [numberInText(first), numberInText(last)];
  if (from < 1) return { mistake: 'position' };
  if (to < from) return { mistake: 'backwards' };
  return { form: 'place', parameters: { referenceName: name, start: [from - 1], end: [to] } };
}

function gene(text: string): SearchField | undefined {
  if (!/^[A-Za-z][A-Za-z0-9._@:-]{0,63}$/.test(text)) return undefined;
  return { form: 'gene', parameters: { geneId: text } };
}

/** CHROM, POS, ID, REF, ALT, QUAL, FILTER, INFO. */
function vcfLine([
  chromosome = '',
  at = '',
  ,
  reference = '',
  alternate = '',
  ,
  ,
  info = '',
]: readonly string[]): SearchField {
  if (alternate === '.' || alternate === '<NON_REF>' || alternate === '<*>') return { mistake: 'no-alternate' };
  const alternates = alternate.split(',').filter((one) => one !== '<NON_REF>' && one !== '<*>' && one !== '*');
  const [only = '', ...others] = alternates;
  if (others.length > 0) return { mistake: 'several-alternates' };
  if (only === '') return { mistake: 'no-alternate' };
  if (/^[A-Z]+$/i.test(only)) return allele(chromosome, at, reference, only, 'vcf');
  const start = numberInText(at);
  if (start < 1) return { mistake: 'position' };
  const [, mateName, mateAt] = /[[\]](?:chr)?([^:[\]]+):(\d+)[[\]]/i.exec(only) ?? [];
  if (mateName !== undefined && mateAt !== undefined)
    return junction(chromosome, start, mateName, numberInText(mateAt));
  const read = structuralInfo(info);
  const word = symbol(only);
  if (word === undefined && read.svtype === undefined) return { mistake: 'unreadable' };
  const type = kindOfStructural(read.svtype, word, false);
  const length = statedLength(read, type, 0, 1);
  const contig = contigNamed(chromosome);
  const place = contig && word !== undefined ? { kind: type, contig, position: start, length } : undefined;
  const other = place && otherEnd(read, place, contigNamed);
  if (other === 'unknown') return { mistake: 'no-end' };
  if (other) return junction(chromosome, start, other.contig, other.position);
  const extent = { kind: type, start: start - 1, reference, symbolic: true, end: read.end, length, isEndShared: false };
  const last = isInsertion(type) ? (read.end ?? start) : endOfStructural(extent);
  if (typeof last === 'string') return { mistake: 'no-end' };
  return {
    form: 'vcf',
    parameters: { referenceName: chromosome, start: [start - 1, start], end: [last, last + 1], variantType: type },
  };
}

/** A breakend with its mate at a one-based position; at a telomere before the first base it stands beside that. */
function junction(chromosome: string, start: number, mateName: string, mateAt: number): SearchField {
  const place = { referenceName: chromosome, start: [start - 1, start], end: [start, start + 1] };
  return { form: 'vcf', parameters: { ...place, variantType: 'BND', mateName, mateStart: [Math.max(mateAt - 1, 0)] } };
}

function allele(
  chromosome: string,
  at: string,
  reference: string,
  alternate: string,
  form: 'allele' | 'vcf',
): SearchField {
  const start = numberInText(at);
  if (start < 1) return { mistake: 'position' };
  const written = { referenceBases: reference.toUpperCase(), alternateBases: alternate.toUpperCase() };
  return { form, parameters: { referenceName: chromosome, start: [start - 1], ...written } };
}

function numberInText(text: string): number {
  return Number(text.replace(/[, ]/g, ''));
}

// What the search page shows.

/** One dataset; numbers that the caller may not know are undefined. */
export interface SearchedDataset {
  dataset: Pick<Dataset, 'id' | 'name'>;
  exists: boolean;
  variants: number | undefined;
  samples: number | undefined;
  /** Of a search for one variant, if the caller may know it. */
  denominator?: Denominator | undefined;
}

/** An allele of a dataset. */
export interface ListedAllele {
  dataset: Pick<Dataset, 'id' | 'name'>;
  allele: FoundAllele;
  /** The genes of which the change was asked for, in the order of their names; empty in other searches. */
  genes: readonly string[];
}

export interface SearchResult {
  form: FieldForm;
  assembly: Assembly;
  /** Whether the search is for one allele of plain bases, which has a frequency. */
  isOne: boolean;
  /** By dataset; empty if none of the assembly may be searched. */
  datasets: readonly SearchedDataset[];
  /** Of datasets whose records the caller may see, by place. */
  alleles: readonly ListedAllele[];
  /** How many there are in all. */
  allAlleles: number;
  /** The genes that are drawn; undefined if no plugin knows genes. */
  genes: readonly GeneStructure[] | undefined;
  /** What the query model has to say, in English. */
  warnings: readonly string[];
  /** What it has to say of a change that annotations name, in place of the warnings. */
  notes: readonly NamingNote[];
}

export type SearchOutcome = SearchResult | { /** What is wrong, in one sentence. */ error: string };

export interface SearchInput {
  /** The field as it was sent. */
  text: string;
  /** As it was sent; empty if none was. */
  assembly: string;
}
