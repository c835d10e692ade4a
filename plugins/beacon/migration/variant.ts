/**
 * Reads an allele as cgbeacon2 stores it. Its known errors are corrected if the right value is certain; else the allele is left
 * out.
 */

import { createHash } from 'node:crypto';
import { assemblyNamed, contigNamed, lengthOf } from '../../../core/genome.js';
import type { MongoDocument } from '../../../core/migration.js';
import { bases, isBreakend, isWithin, kindOfStructural, referenceBases, symbol, typeNamed } from '../../../core/vcf.js';
import type { Allele, Assembly, Contig } from '../domain/allele.js';
import { farthest } from '../domain/bounds.js';
import { canonical, kindOfSequence } from '../domain/canonical.js';
import { breakend } from '../vcf/structural.js';

export interface StoredVariant {
  assembly: Assembly;
  allele: Allele;
  /** What was corrected. */
  corrections: string[];
}

/** Types of alleles without an SVTYPE in cgbeacon2. */
const plainTypes = new Set(['SNP', 'INDEL', 'MNP', 'UNKNOWN']);
const placeholders = new Set(['*', 'NON_REF', 'X', 'UNSPECIFIED']);

export const corrections = {
  id: 'has an id that does not match its fields: the fields were taken',
  shortEnd: 'is structural, and its end was stored one base short: corrected',
  insertion: 'is an insertion whose end was stored with its length: it now ends where it begins',
  plainEnd: 'has an end that does not match its bases: the bases were taken',
  mate: 'is a breakend whose end or mateName does not match its alternate: the alternate was taken',
} as const;

const joined = 'has several alternates joined together, which cannot be separated';

/** The allele, or a sentence without its subject why it cannot be carried over. */
export function readVariant(document: MongoDocument): StoredVariant | string {
  const { referenceName, start, end, assemblyId, alternateBases: alternate } = document;
  const assembly = typeof assemblyId === 'string' ? assemblyNamed(assemblyId) : undefined;
  const contig = typeof referenceName === 'string' ? contigNamed(referenceName) : undefined;
  const reference = typeof document.referenceBases === 'string' ? referenceBases(document.referenceBases) : undefined;
  const type = typeof document.variantType === 'string' ? typeNamed(document.variantType) : 'UNKNOWN';
  if (!assembly) return 'has an assemblyId that is neither GRCh37 nor GRCh38';
  if (!contig) return 'is on none of the chromosomes 1 to 22, X, Y and MT';
  if (!isPosition(start) || !isInteger(end)) return 'has a start or an end that is not a position';
  if (start >= lengthOf(assembly, contig)) return `is beyond the end of its chromosome in ${assembly}`;
  if (!reference) return 'has referenceBases that are not bases';
  if (typeof alternate !== 'string' || alternate === '') return 'has no alternateBases';
  const stored = { contig, start, end, reference, alternate, type, mateName: document.mateName };
  const read = isBreakend(alternate)
    ? readBreakend(stored)
    : plainTypes.has(type) && !alternate.includes('<')
      ? readSequence(stored)
      : readStructural(stored);
  if (typeof read === 'string') return read;
  if (read.allele.end > farthest) return `ends beyond ${farthest}, the last position that can be stored`;
  const found = read.correction === undefined ? [] : [read.correction];
  return {
    assembly,
    allele: canonical(read.allele),
    corrections: hasOwnId(document) ? found : [...found, corrections.id],
  };
}

interface Stored {
  contig: Contig;
  start: number;
  end: number;
  reference: string;
  alternate: string;
  type: string;
  mateName: unknown;
}

type Read = { allele: Allele; correction?: string } | string;

/** Plain bases without an SVTYPE. cyvcf2 calls a record SNP or MNP only if all of its alternates are as long as REF. */
function readSequence({ contig, start, end, reference, alternate, type }: Stored): Read {
  const sequence = bases(alternate);
  if (!sequence) return 'has alternateBases that are not bases, such as a placeholder (*)';
  if (sequence === reference) return 'has alternateBases equal to its referenceBases';
  const asLong = type === 'SNP' || type === 'MNP';
  if (asLong !== (sequence.length === reference.length) && type !== 'UNKNOWN') return joined;
  const kind = kindOfSequence(reference, sequence);
  const allele = {
    contig,
    start,
    end: start + reference.length,
    reference,
    alternate: sequence,
    kind,
    structural: false,
  };
  return end === allele.end ? { allele } : { allele, correction: corrections.plainEnd };
}

/** The end of a breakend is the zero-based place of its mate, there and here. */
function readBreakend({ contig, start, end, reference, alternate, type, mateName }: Stored): Read {
  const brackets = alternate.match(/[[\]]/g)?.length ?? 0;
  if (brackets > 2) return joined;
  const read = breakend(alternate, { contig: contigNamed }, false);
  if (!read || read.mate?.position === 0) return 'has a malformed breakend as its alternate';
  const kind = plainTypes.has(type) ? 'BND' : type;
  const allele = { contig, start, reference, alternate: read.alternate, kind, structural: true };
  if (!read.mate) return { allele: { ...allele, end: start + 1 } };
  const { contig: mate } = read.mate;
  const position = read.mate.position - 1;
  const isAsStored = end === position && typeof mateName === 'string' && contigNamed(mateName) === mate;
  return { allele: { ...allele, end: position, mate }, ...(!isAsStored && { correction: corrections.mate }) };
}

function readStructural({ contig, start, end, reference, alternate, type }: Stored): Read {
  if (isWithin(type, 'BND')) return 'joins two places, of which its alternate does not name the other';
  const word = symbol(alternate);
  if (word !== undefined && /[<>]/.test(word)) return joined;
  if (word !== undefined && placeholders.has(word)) return 'has a placeholder as its alternate';
  const sequence = word === undefined ? bases(alternate) : undefined;
  if (word === undefined && sequence === undefined) return 'has an alternate that is neither bases nor one <symbol>';
  if (sequence === reference) return 'has alternateBases equal to its referenceBases';
  const hasType = !plainTypes.has(type);
  const kind = kindOfStructural(hasType ? type : undefined, word, false);
  const allele = { contig, start, reference, alternate: sequence ?? alternate, kind, structural: true };
  // cgbeacon2 subtracts one from the end only if the record has an SVTYPE.
  const exclusive = hasType ? end + 1 : end;
  if (kind.startsWith('INS')) {
    const here = start + reference.length;
    const correction = here === exclusive ? corrections.shortEnd : corrections.insertion;
    return { allele: { ...allele, end: here }, ...((hasType || here !== end) && { correction }) };
  }
  if (exclusive <= start) return 'is structural, and ends before it starts';
  return { allele: { ...allele, end: exclusive }, ...(hasType && { correction: corrections.shortEnd }) };
}

/** The id is the MD5 digest of the fields. */
function hasOwnId({ _id, ...fields }: MongoDocument): boolean {
  const { referenceName, start, end, referenceBases, alternateBases, assemblyId } = fields;
  const text = [referenceName, start, end, referenceBases, alternateBases, assemblyId].join(' ');
  return createHash('md5').update(text).digest('hex') === _id;
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isPosition(value: unknown): value is number {
  return isInteger(value) && value >= 0;
}
