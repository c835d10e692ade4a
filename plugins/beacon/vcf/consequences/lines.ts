/**
 * An allele with its consequences as it is stored and compared: its place as a text, names and changes as short texts. What follows
 * from the allele is left out.
 */
import type { Allele, Contig } from '../../domain/allele.js';
import { kindOfSequence } from '../../domain/allele-query.js';
import { complement, reverseComplement } from '../../domain/matching.js';
import { symbolKey } from '../../genes/contract.js';
import {
  type AlleleAnnotation,
  type GeneConsequence,
  type GeneIdentity,
  type TranscriptConsequence,
  transcriptChoices,
} from './contract.js';
import { residues } from './hgvs.js';

/** Separates the parts of a text. Texts of annotations do not have it. */
export const ofParts = '\t';

export interface AlleleLine {
  readonly start: number;
  /** Start, bases, and end and mate of structural alleles: identifies the allele on its chromosome. */
  readonly place: string;
  /** Of structural alleles, else empty. */
  readonly kind: string;
  readonly genes: readonly GeneOfLine[];
  /** The value and its column; empty if there is none. */
  readonly frequency: string;
  readonly field: string;
  /** Joined by `&`, as terms are. */
  readonly clinVar: string;
  /** A number by which the source is known. */
  readonly source: number;
}

export interface GeneOfLine {
  /** Number and symbol, either may be empty. */
  readonly name: string;
  readonly transcripts: readonly TranscriptOfLine[];
}

export interface TranscriptOfLine {
  /** Number of the choice, its id and the id that MANE has for it. */
  readonly names: string;
  readonly terms: string;
  /** `c.665<` of the allele G>A is `c.665C>T`. */
  readonly coding: string;
  /** `p.Ala222Val` is `A222V`, or `AV` if the other change says where. */
  readonly protein: string;
}

/** Letters of the amino acids, and of a stop, by their three-letter codes. */
const letters: ReadonlyMap<string, string> = new Map(
  Object.entries(residues).flatMap(([letter, word]) => (letter === '*' ? [] : [[word, letter] as const])),
);

/** What a change that an allele names ends with, on either strand: a substitution, or bases that are inserted. */
function endsOf({ reference, alternate }: Allele): readonly [forward: string, reverse: string] | undefined {
  if (reference.length !== 1) return undefined;
  if (alternate.length === 1) return substitutions.get(reference + alternate) ?? undefined;
  const added = alternate.slice(1);
  return alternate.startsWith(reference) ? [added, reverseComplement(added)] : undefined;
}

type Ends = ReturnType<typeof endsOf>;

const plain = ['A', 'C', 'G', 'T'] as const;
const substitutions: ReadonlyMap<string, Ends> = new Map(
  plain.flatMap((one) =>
    plain.map((other) => [one + other, [`${one}>${other}`, `${complement(one)}>${complement(other)}`]] as const),
  ),
);

function shortCoding(ends: Ends, coding = ''): string {
  if (ends === undefined || coding === '') return coding;
  if (coding.endsWith(ends[0])) return `${coding.slice(0, -ends[0].length)}>`;
  return ends[1] !== '' && coding.endsWith(ends[1]) ? `${coding.slice(0, -ends[1].length)}<` : coding;
}

function wholeCoding(ends: Ends, short: string): string {
  if (ends === undefined) return short;
  if (short.endsWith('>')) return short.slice(0, -1) + ends[0];
  return short.endsWith('<') ? short.slice(0, -1) + ends[1] : short;
}

/** The number of the codon of a change of one base, as text. */
function codonOf(coding: string): string {
  const base = coding.slice(2, -1);
  const isOne = coding.startsWith('c.') && (coding.endsWith('>') || coding.endsWith('<')) && isNumber(base);
  return isOne ? String(Math.ceil(Number(base) / 3)) : '';
}

function isNumber(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) < 48 || text.charCodeAt(i) > 57) return false;
  return text !== '';
}

/** Given the other change in its short form. */
function shortProtein(coding: string, protein = ''): string {
  if (!protein.startsWith('p.')) return protein;
  const isSame = protein.endsWith('=');
  const [from, at] = [protein.slice(2, 5), protein.slice(5, isSame ? -1 : -3)];
  const [one, other] = [letters.get(from), isSame ? '=' : letters.get(protein.slice(-3))];
  if (one === undefined || other === undefined || !isNumber(at)) return protein;
  return `${one}${at === codonOf(coding) ? '' : at}${other}`;
}

function wholeProtein(coding: string, short: string): string {
  const [, one, at, other] = /^([A-Z])(\d*)([A-Z=])$/.exec(short) ?? [];
  if (one === undefined || other === undefined) return short;
  return `p.${residues[one]}${at || codonOf(coding)}${residues[other] ?? other}`;
}

function transcriptOf(ends: Ends, { names, terms, coding, protein }: TranscriptOfLine): TranscriptConsequence {
  const [choice, transcript, mane] = names.split(ofParts);
  return {
    choice: transcriptChoices[Number(choice)] ?? 'worst',
    ...(transcript && { transcript }),
    ...(mane && { mane }),
    terms: terms.split('&'),
    ...(coding && { coding: wholeCoding(ends, coding) }),
    ...(protein && { protein: wholeProtein(coding, protein) }),
  };
}

/** The text that identifies an allele on its chromosome. */
export function placeOfAllele({ start, end, reference, alternate, structural, mate }: Allele): string {
  const place = start + ofParts + reference + ofParts + alternate;
  return structural ? `${place}${ofParts}${end}:${mate ?? ''}` : place;
}

export function lineOf(allele: Allele, annotation: AlleleAnnotation, source: number): AlleleLine {
  const { genes, frequency, clinVar } = annotation;
  const ends = endsOf(allele);
  return {
    start: allele.start,
    place: placeOfAllele(allele),
    kind: allele.structural ? allele.kind : '',
    genes: genes.map(({ hgnc = '', symbol = '', transcripts }) => ({
      name: hgnc + ofParts + symbol,
      transcripts: transcripts.map(({ choice, transcript = '', mane = '', terms, coding, protein }) => {
        const short = shortCoding(ends, coding);
        return {
          names: transcriptChoices.indexOf(choice) + ofParts + transcript + ofParts + mane,
          terms: terms.join('&'),
          coding: short,
          protein: shortProtein(short, protein),
        };
      }),
    })),
    frequency: frequency ? String(frequency.value) : '',
    field: frequency?.field ?? '',
    clinVar: clinVar?.join('&') ?? '',
    source,
  };
}

/** Whether they say the same of an allele. */
export function isSameLine(one: AlleleLine, other: AlleleLine): boolean {
  return (
    one.source === other.source &&
    one.frequency === other.frequency &&
    one.field === other.field &&
    one.clinVar === other.clinVar &&
    one.kind === other.kind &&
    one.genes.length === other.genes.length &&
    one.genes.every((gene, i) => isSameGene(gene, other.genes[i] as GeneOfLine))
  );
}

function isSameGene(one: GeneOfLine, other: GeneOfLine): boolean {
  return (
    one.name === other.name &&
    one.transcripts.length === other.transcripts.length &&
    one.transcripts.every(({ names, terms, coding, protein }, i) => {
      const beside = other.transcripts[i] as TranscriptOfLine;
      return names === beside.names && terms === beside.terms && coding === beside.coding && protein === beside.protein;
    })
  );
}

/** The allele of a line of a chromosome. */
export function alleleOfLine(contig: Contig, { start, place, kind }: AlleleLine): Allele {
  const [, reference = '', alternate = '', other] = place.split(ofParts);
  if (other === undefined) {
    const end = start + reference.length;
    return { contig, start, end, reference, alternate, kind: kindOfSequence(reference, alternate), structural: false };
  }
  const [end, mate] = other.split(':');
  const rest = { end: Number(end), reference, alternate, kind, structural: true } as const;
  return { contig, start, ...rest, ...(mate && { mate: mate as Contig }) };
}

export function identityOfName(name: string): GeneIdentity {
  const [hgnc, symbol] = name.split(ofParts);
  return { ...(hgnc && { hgnc: Number(hgnc) }), ...(symbol && { symbol }) };
}

/** Whether what is stored of a gene is of the gene with this name: by number if both have one. */
export function isOfGene(stored: GeneIdentity, { hgnc, symbol }: GeneIdentity): boolean {
  if (stored.hgnc !== undefined && hgnc !== undefined) return stored.hgnc === hgnc;
  return stored.symbol !== undefined && symbol !== undefined && symbolKey(stored.symbol) === symbolKey(symbol);
}

/** The allele of a line of a chromosome, and what is stored of it. */
export function annotationOf(contig: Contig, line: AlleleLine): AlleleAnnotation & { allele: Allele } {
  const allele = alleleOfLine(contig, line);
  const ends = endsOf(allele);
  const { genes, frequency, field, clinVar } = line;
  return {
    allele,
    genes: genes.map(
      ({ name, transcripts }): GeneConsequence => ({
        ...identityOfName(name),
        transcripts: transcripts.map((one) => transcriptOf(ends, one)),
      }),
    ),
    ...(frequency && { frequency: { value: Number(frequency), field } }),
    ...(clinVar && { clinVar: clinVar.split('&') }),
  };
}

/** The changes of proteins of a line, as they were stored; quicker than reading all of it. */
export function proteinsOfLine({ genes }: AlleleLine): string[] {
  return genes.flatMap(({ transcripts }) =>
    transcripts.flatMap(({ coding, protein }) => (protein === '' ? [] : wholeProtein(coding, protein))),
  );
}
