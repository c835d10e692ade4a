/**
 * How an allele with its consequences is stored: as a line of text, which says all of it, so that lines are compared without being
 * read; some hundreds of lines, in the order of their alleles, are compressed at once. What follows from the allele is left out.
 */
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import type { Allele, Contig } from '../../domain/allele.js';
import { kindOfSequence } from '../../domain/allele-query.js';
import { complement } from '../../domain/matching.js';
import { symbolKey } from '../../genes/contract.js';
import {
  type AlleleAnnotation,
  type GeneConsequence,
  type GeneIdentity,
  type TranscriptConsequence,
  transcriptChoices,
} from './contract.js';
import { residues } from './hgvs.js';

/** Separate the parts of a line, its genes, their transcripts and the fields of these. Texts of annotations do not have them. */
const [tab, ofGenes, ofTranscripts, ofFields] = ['\t', '\x1e', '\x1f', '\x1d'] as const;

/** Letters of the amino acids, and of a stop, by their three-letter codes. */
const letters: ReadonlyMap<string, string> = new Map(
  Object.entries(residues).flatMap(([letter, word]) => (letter === '*' ? [] : [[word, letter] as const])),
);

/** How a change of one base ends, on either strand, and what is written for it. */
function substitutions({ reference, alternate }: Allele): readonly (readonly [mark: string, end: string])[] {
  if (reference.length !== 1 || alternate.length !== 1) return [];
  return [
    ['>', `${reference}>${alternate}`],
    ['<', `${complement(reference)}>${complement(alternate)}`],
  ];
}

/** `c.665C>T` of the allele G>A is `c.665<`. */
function shortCoding(allele: Allele, coding = ''): string {
  const found = substitutions(allele).find(([, end]) => coding.endsWith(end));
  return found ? coding.slice(0, -found[1].length) + found[0] : coding;
}

function wholeCoding(allele: Allele, short: string): string {
  const found = substitutions(allele).find(([mark]) => short.endsWith(mark));
  return found ? short.slice(0, -1) + found[1] : short;
}

/** The number of the codon of a change of one base, as text. */
function codonOf(coding = ''): string | undefined {
  const base = /^c\.(\d+)[ACGT]>[ACGT]$/.exec(coding)?.[1];
  return base && String(Math.ceil(Number(base) / 3));
}

/** `p.Ala222Val` is `A222V`, or `AV` if the other change says where. */
function shortProtein(coding: string | undefined, protein = ''): string {
  const [, from = '', at, to = ''] = /^p\.([A-Z][a-z]{2})(\d+)([A-Z][a-z]{2}|=)$/.exec(protein) ?? [];
  const [one, other] = [letters.get(from), to === '=' ? to : letters.get(to)];
  if (at === undefined || one === undefined || other === undefined) return protein;
  return `${one}${at === codonOf(coding) ? '' : at}${other}`;
}

function wholeProtein(coding: string | undefined, short: string): string {
  const [, one, at, other] = /^([A-Z])(\d*)([A-Z=])$/.exec(short) ?? [];
  if (one === undefined || other === undefined) return short;
  return `p.${residues[one]}${at || codonOf(coding)}${residues[other] ?? other}`;
}

function transcriptPart(allele: Allele, one: TranscriptConsequence): string {
  const choice = transcriptChoices.indexOf(one.choice);
  const names = [choice, one.transcript ?? '', one.mane ?? '', one.terms.join('&')];
  return [...names, shortCoding(allele, one.coding), shortProtein(one.coding, one.protein)].join(ofFields);
}

function transcriptOf(allele: Allele, part: string): TranscriptConsequence {
  const [choice = '', transcript, mane, terms = '', short = '', change = ''] = part.split(ofFields);
  const coding = wholeCoding(allele, short);
  const protein = wholeProtein(coding, change);
  return {
    choice: transcriptChoices[Number(choice)] ?? 'worst',
    ...(transcript && { transcript }),
    ...(mane && { mane }),
    terms: terms.split('&'),
    ...(coding && { coding }),
    ...(protein && { protein }),
  };
}

function geneOf(allele: Allele, part: string): GeneConsequence {
  const [name = '', ...transcripts] = part.split(ofTranscripts);
  const [hgnc, symbol] = name.split(ofFields);
  return {
    ...(hgnc && { hgnc: Number(hgnc) }),
    ...(symbol && { symbol }),
    transcripts: transcripts.map((one) => transcriptOf(allele, one)),
  };
}

/** The part of a line that identifies its allele on a chromosome; at its beginning. */
export function placeOfAllele({ start, end, reference, alternate, structural, mate }: Allele): string {
  const other = structural ? `${end}:${mate ?? ''}` : '';
  return [start, reference, alternate, other].join(tab);
}

/** Two lines of one chromosome are of the same allele if these are equal. */
export function placeOfLine(line: string): string {
  return line.split(tab, 4).join(tab);
}

export function startOfLine(line: string): number {
  return Number.parseInt(line, 10);
}

/** `source` is a number by which the source is known. */
export function lineOf(allele: Allele, { genes, frequency, clinVar = [] }: AlleleAnnotation, source: number): string {
  const parts = genes.map(({ hgnc = '', symbol = '', transcripts }) =>
    [[hgnc, symbol].join(ofFields), ...transcripts.map((one) => transcriptPart(allele, one))].join(ofTranscripts),
  );
  return [
    placeOfAllele(allele),
    allele.structural ? allele.kind : '',
    parts.join(ofGenes),
    frequency ? `${frequency.value}${ofFields}${frequency.field}` : '',
    clinVar.join('&'),
    source,
  ].join(tab);
}

export function sourceOfLine(line: string): number {
  return Number(line.slice(line.lastIndexOf(tab) + 1));
}

export function withSource(line: string, source: number): string {
  return line.slice(0, line.lastIndexOf(tab) + 1) + source;
}

/** The allele of a line of a chromosome. */
export function alleleOfLine(contig: Contig, line: string): Allele {
  const [start, reference = '', alternate = '', other = '', kind = ''] = line.split(tab, 5);
  const place = { contig, start: Number(start), reference, alternate };
  if (other === '') {
    const end = place.start + reference.length;
    return { ...place, end, kind: kindOfSequence(reference, alternate), structural: false };
  }
  const [end, mate] = other.split(':');
  return { ...place, end: Number(end), kind, structural: true, ...(mate && { mate: mate as Contig }) };
}

/** Whether a line may have a gene of this name; quicker than reading it. */
export function mayName({ hgnc, symbol }: GeneIdentity): (line: string) => boolean {
  const [number, folded] = [hgnc === undefined ? undefined : String(hgnc), symbol && symbolKey(symbol)];
  return (line) => (number !== undefined && line.includes(number)) || (!!folded && symbolKey(line).includes(folded));
}

/** The allele of a line of a chromosome, and what is stored of it. */
export function annotationOf(contig: Contig, line: string): AlleleAnnotation & { allele: Allele } {
  const allele = alleleOfLine(contig, line);
  const [, , , , , genes = '', often, classes] = line.split(tab);
  const [value, field = ''] = often?.split(ofFields) ?? [];
  return {
    allele,
    genes: genes === '' ? [] : genes.split(ofGenes).map((part) => geneOf(allele, part)),
    ...(value && { frequency: { value: Number(value), field } }),
    ...(classes && { clinVar: classes.split('&') }),
  };
}

/** The changes of proteins of a line of a chromosome, as they were stored; quicker than reading all of it. */
export function proteinsOfLine(contig: Contig, line: string): string[] {
  const parts = (line.split(tab, 6)[5] ?? '').split(ofGenes).flatMap((gene) => gene.split(ofTranscripts).slice(1));
  const allele = alleleOfLine(contig, line);
  return parts.flatMap((part) => {
    const [, , , , short = '', change = ''] = part.split(ofFields);
    return change === '' ? [] : wholeProtein(wholeCoding(allele, short), change);
  });
}

export function packed(lines: readonly string[]): Uint8Array {
  const text = Buffer.from(lines.join('\n'));
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_MODE, BROTLI_PARAM_SIZE_HINT, BROTLI_MODE_TEXT } = constants;
  const params = {
    [BROTLI_PARAM_QUALITY]: 6,
    [BROTLI_PARAM_MODE]: BROTLI_MODE_TEXT,
    [BROTLI_PARAM_SIZE_HINT]: text.length,
  };
  return brotliCompressSync(text, { params });
}

const unpackedBefore = new WeakMap<Uint8Array, readonly string[]>();

/** Throws an Error if the content is damaged. */
export function unpacked(content: Uint8Array): readonly string[] {
  const known = unpackedBefore.get(content);
  if (known) return known;
  const lines = brotliDecompressSync(content).toString('utf8').split('\n');
  unpackedBefore.set(content, lines);
  return lines;
}
