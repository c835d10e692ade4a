import { contigNamed } from '../../../../core/genome.js';
import {
  endOfStructural,
  kindOfStructural,
  otherEnd,
  statedLength,
  structuralInfo,
  symbol,
} from '../../../../core/vcf.js';
import { isInsertion } from '../../contract.js';
/**
 * Reads the one field of the search page: a gene, an allele in HGVS notation, a place, an allele as people write it, or a line of
 * a VCF file. Positions are one-based there, the last base included; the parameters that come of it are those of Beacon v2.
 */

/** What the field was read as; the page says so, so that people see what was searched. */
export type FieldForm = 'gene' | 'hgvs' | 'place' | 'allele' | 'vcf';

/** Parameters of a Beacon v2 query (zero-based, half-open), without the assembly. */
export interface FieldParameters {
  referenceName?: string;
  start?: readonly number[];
  end?: readonly number[];
  referenceBases?: string;
  alternateBases?: string;
  variantType?: string;
  mateName?: string;
  mateStart?: readonly number[];
  geneId?: string;
  genomicAlleleShortForm?: string;
}

export type Field = { form: FieldForm; parameters: FieldParameters } | { mistake: FieldMistake };

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

export function readField(text: string): Field {
  const trimmed = text.trim();
  const columns = trimmed.split(/\t+|\s+/);
  if (columns.length >= 5 && contigNamed(columns[0] ?? '') && /^\d+$/.test(columns[1] ?? '')) return vcfLine(columns);
  const compact = trimmed.replace(/\s+/g, ' ');
  if (/^[NXE][MPRST][_A-Z]?\S*:/i.test(compact) || /:\s*[cnpr]\./.test(compact)) return { mistake: 'transcript-form' };
  if (/:\s*[gm]\./.test(compact)) {
    return { form: 'hgvs', parameters: { genomicAlleleShortForm: compact.replace(/ /g, '') } };
  }
  return place(compact) ?? gene(compact) ?? { mistake: 'unreadable' };
}

const position = String.raw`\d{1,3}(?:[, ]\d{3})+|\d{1,12}`;
const between = String.raw` ?[:\-_ ] ?`;
const bases = '[ACGTUNRYSWKMBDHV]+';
const alleleForm = new RegExp(
  `^(\\w+)${between}(${position})(?:${between}| ?)(${bases}) ?(?:>|/|${between}) ?(${bases})$`,
  'i',
);
const rangeForm = new RegExp(`^(\\w+) ?[:\\-_ ] ?(${position})(?: ?(?:-|–|\\.\\.|_| to ) ?(${position}))?$`, 'i');

function place(text: string): Field | undefined {
  const [, chromosome = '', at = '', reference = '', alternate = ''] = alleleForm.exec(text) ?? [];
  if (contigNamed(chromosome)) return allele(chromosome, at, reference, alternate, 'allele');
  const [, name = '', first = '', last = first] = rangeForm.exec(text) ?? [];
  if (!contigNamed(name)) return undefined;
  const [from, to] = [numberOf(first), numberOf(last)];
  if (from < 1) return { mistake: 'position' };
  if (to < from) return { mistake: 'backwards' };
  return { form: 'place', parameters: { referenceName: name, start: [from - 1], end: [to] } };
}

function gene(text: string): Field | undefined {
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
]: readonly string[]): Field {
  if (alternate === '.' || alternate === '<NON_REF>' || alternate === '<*>') return { mistake: 'no-alternate' };
  const alternates = alternate.split(',').filter((one) => one !== '<NON_REF>' && one !== '<*>' && one !== '*');
  const [only = '', ...others] = alternates;
  if (others.length > 0) return { mistake: 'several-alternates' };
  if (only === '') return { mistake: 'no-alternate' };
  if (/^[A-Z]+$/i.test(only)) return allele(chromosome, at, reference, only, 'vcf');
  const start = numberOf(at);
  if (start < 1) return { mistake: 'position' };
  const [, mateName, mateAt] = /[[\]](?:chr)?([^:[\]]+):(\d+)[[\]]/i.exec(only) ?? [];
  if (mateName !== undefined && mateAt !== undefined) return junction(chromosome, start, mateName, numberOf(mateAt));
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
function junction(chromosome: string, start: number, mateName: string, mateAt: number): Field {
  const place = { referenceName: chromosome, start: [start - 1, start], end: [start, start + 1] };
  return { form: 'vcf', parameters: { ...place, variantType: 'BND', mateName, mateStart: [Math.max(mateAt - 1, 0)] } };
}

function allele(chromosome: string, at: string, reference: string, alternate: string, form: 'allele' | 'vcf'): Field {
  const start = numberOf(at);
  if (start < 1) return { mistake: 'position' };
  const written = { referenceBases: reference.toUpperCase(), alternateBases: alternate.toUpperCase() };
  return { form, parameters: { referenceName: chromosome, start: [start - 1], ...written } };
}

function numberOf(text: string): number {
  return Number(text.replace(/[, ]/g, ''));
}
