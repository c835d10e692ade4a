/** Questions for observations, read from what VCF files write: one-based positions, the last base included. */
import { contigNamed, lengthOf } from '../../../core/genome.js';
import { Fault, isFault } from '../../../core/plugin.js';
import type { CountedAllele } from '../../services/beacon.js';
import { type Allele, type Assembly, type Contig, farthest } from './allele.js';
import { canonical, canonicalQuestion, isPlain, structuralKind } from './allele-query.js';
import type { ObservedQuestion, SequenceQuestion } from './observation.js';
import { insertedBases, isInsertion, isJunction, type StructuralQuestion } from './similar.js';

/**
 * The allele in canonical form; `position` is one-based. Throws an `invalid` fault for bases other than A, C, G and T, and for
 * positions beyond the chromosome if the assembly is given.
 */
export function sequenceQuestion(
  contig: Contig,
  position: number,
  reference: string,
  alternate: string,
  assembly?: Assembly,
): SequenceQuestion {
  const start = placeOn('position', position, contig, assembly) - 1;
  const written = { reference: plainBases('reference', reference), alternate: plainBases('alternate', alternate) };
  if (written.reference === written.alternate) throw invalid('alternate must differ from reference');
  const asked = canonicalQuestion({ ...written, start: { min: start, max: start } });
  return {
    type: 'sequence',
    contig,
    start: asked.start.min,
    reference: asked.reference,
    alternate: asked.alternate,
  };
}

const sequenceId = /^([A-Za-z0-9]+)([-_])(\d{1,10})\2([A-Za-z]+)\2([A-Za-z]+)$/;

/** Reads an id such as `1-880086-T-C`, `chr1-880086-T-C` or `1_880086_T_C`. Throws an `invalid` fault for any other text. */
export function sequenceQuestionOf(id: string, assembly?: Assembly): SequenceQuestion {
  const [, chromosome = '', , position, reference = '', alternate = ''] = sequenceId.exec(id) ?? [];
  if (position === undefined) {
    throw invalid(
      `An allele is written as chromosome, position, reference and alternate, such as 1-880086-T-C; got ${quoted(id)}`,
    );
  }
  return sequenceQuestion(
    chromosomeOfField('chromosome', chromosome),
    Number(position),
    reference,
    alternate,
    assembly,
  );
}

/** A structural variant as a VCF record places it. */
interface StructuralPlace {
  contig: Contig;
  /** One-based, as POS. */
  position: number;
  /**
   * The last base, one-based, as END; for breakends and translocations the one-based position of the mate. If omitted, it
   * follows from `length`; insertions and breakends without a known mate have none.
   */
  end?: number | undefined;
  /** SVTYPE, in any case. */
  kind: string;
  /** The chromosome of the other end. It may be given for all kinds, but makes a difference only if the ends are two places. */
  mate?: Contig | undefined;
  /** Bases that an insertion adds, or between the ends of another kind; of either sign, as SVLEN. */
  length?: number | undefined;
}

/** Throws an `invalid` fault for an unknown kind, and for ends that are missing or beyond the chromosome. */
export function structuralQuestion(place: StructuralPlace, assembly?: Assembly): StructuralQuestion {
  const { contig, position } = place;
  const start = placeOn('position', position, contig, assembly) - 1;
  const kind = structuralKind(place.kind);
  const length = place.length === undefined ? undefined : Math.abs(place.length);
  if (length !== undefined && !(Number.isInteger(length) && length <= farthest)) {
    throw invalid(`length must be a whole number of bases, up to ${grouped(farthest)}`);
  }
  const mate = mateOfPlace(place, kind);
  if (mate !== undefined) {
    if (place.end === undefined) throw invalid('end is missing: the position of the mate');
    return { type: 'structural', contig, start, end: placeOn('end', place.end, mate, assembly) - 1, kind, mate };
  }
  if (isInsertion(kind)) {
    return { type: 'structural', contig, start, end: start + 1, kind, ...(length !== undefined && { length }) };
  }
  return { type: 'structural', contig, start, end: endOf({ ...place, length }, kind, assembly), kind };
}

/** Only a breakend can have its mate on the same chromosome: any other kind is then a stretch of it. */
function mateOfPlace({ contig, mate, end }: StructuralPlace, kind: string): Contig | undefined {
  if (isJunction(kind)) return mate ?? (end === undefined ? undefined : contig);
  return mate === contig ? undefined : mate;
}

/** One past the last base, zero-based: the same number as the last base counted from one. */
function endOf({ contig, position, end, length }: StructuralPlace, kind: string, assembly?: Assembly): number {
  if (isJunction(kind)) return position;
  if (end === undefined && length === undefined)
    throw invalid(`end is missing: a ${kind} needs its last base, or a length`);
  const last = placeOn('end', end ?? position + (length ?? 0), contig, assembly);
  if (last < position) throw invalid(`end must not be before position, which is ${position}; got ${last}`);
  return last;
}

/** Undefined for alleles that are not plain bases, or beyond the end of the chromosome. */
export function plainQuestion(
  { chromosome, start, reference, alternate }: CountedAllele,
  assembly: Assembly,
): SequenceQuestion | undefined {
  try {
    return sequenceQuestion(chromosomeOfField('chromosome', chromosome), start + 1, reference, alternate, assembly);
  } catch (error) {
    if (!isFault(error) || error.code !== 'invalid') throw error;
    return undefined;
  }
}

/** The question whether an allele was seen; undefined if it has bases that are not known. `kind` is its own if omitted. */
export function questionOfAllele(allele: Allele, kind: string = allele.kind): ObservedQuestion | undefined {
  if (!allele.structural) {
    if (!isPlain(allele.reference) || !isPlain(allele.alternate)) return undefined;
    const { contig, start, reference, alternate } = canonical(allele);
    return { type: 'sequence', contig, start, reference, alternate };
  }
  const { contig, start, end, mate } = allele;
  const length = isInsertion(allele.kind) ? insertedBases(allele) : undefined;
  return {
    type: 'structural',
    contig,
    start,
    end,
    kind,
    ...(mate !== undefined && { mate }),
    ...(length !== undefined && { length }),
  };
}

/** A question in the terms of a VCF file. */
interface WrittenQuestion {
  chromosome: Contig;
  /** One-based. */
  position: number;
  reference?: string;
  alternate?: string;
  type?: string;
  /** One-based, the last base or the mate. */
  end?: number;
  mateChromosome?: Contig;
  length?: number;
}

/** The words from which the same question is read. */
export function writtenQuestion(question: ObservedQuestion): WrittenQuestion {
  const { contig: chromosome, start } = question;
  const position = start + 1;
  if (question.type === 'sequence') {
    return { chromosome, position, reference: question.reference, alternate: question.alternate };
  }
  const { kind: type, end, mate, length } = question;
  if (mate !== undefined) return { chromosome, position, type, end: end + 1, mateChromosome: mate };
  if (isJunction(type)) return { chromosome, position, type };
  if (!isInsertion(type)) return { chromosome, position, type, end };
  return { chromosome, position, type, ...(length !== undefined && { length }) };
}

/** The chromosome that a name means, such as `7`, `chr7` or `MT`; `field` names it in the `invalid` fault for any other. */
export function chromosomeOfField(field: string, name: string): Contig {
  const contig = contigNamed(name);
  if (contig !== undefined) return contig;
  throw invalid(`${field} must be 1 to 22, X, Y or MT, with or without chr; got ${quoted(name)}`);
}

const grouped = (number: number): string => number.toLocaleString('en');

function placeOn(field: string, value: number, contig: Contig, assembly: Assembly | undefined): number {
  const last = assembly === undefined ? farthest : lengthOf(assembly, contig);
  if (Number.isInteger(value) && value >= 1 && value <= last) return value;
  const where = assembly === undefined ? '' : ` for chromosome ${contig} of ${assembly}`;
  throw invalid(`${field} must be a whole number from 1 to ${grouped(last)}${where}; got ${value}`);
}

function plainBases(field: string, text: string): string {
  const upper = text.toUpperCase();
  if (isPlain(upper)) return upper;
  throw invalid(`${field} must be one or more of the bases A, C, G and T; got ${quoted(text)}`);
}

function invalid(message: string): Fault {
  return new Fault('invalid', message);
}

/** A client's text in a message. */
const longest = 40;

/** In quotes, and cut if it is long. */
export function quoted(text: string): string {
  return JSON.stringify(text.length <= longest ? text : `${text.slice(0, longest)}…`);
}
