/**
 * An allele as cgbeacon2 stores it, read as ours: what it is known to get wrong is put right where the truth can be told,
 * and left out where it cannot.
 */
import { createHash } from 'node:crypto';
import type { MongoDocument } from '../../../core/migration.js';
import type { Allele, Assembly, Contig } from '../domain/allele.js';
import { farthest } from '../domain/bounds.js';
import { canonical, kindOfSequence } from '../domain/canonical.js';
import { assemblyNamed, contigNamed, lengthOf } from '../domain/reference.js';
import { bases } from '../vcf/sequence.js';
import { breakend, isBreakend, kindOfStructural, symbol } from '../vcf/structural.js';

export interface StoredVariant {
  assembly: Assembly;
  allele: Allele;
  /** What is not as it was stored. */
  corrections: string[];
}

/** What cgbeacon2 calls alleles without an SVTYPE. */
const plainTypes = new Set(['SNP', 'INDEL', 'MNP', 'UNKNOWN']);
const placeholders = new Set(['*', 'NON_REF', 'X', 'UNSPECIFIED']);
const twoPlaces = /^(BND|TRA|CTX)\b/;

export const corrections = {
  id: 'has an id that is not that of its fields: the fields hold',
  shortEnd: 'is structural, and its end was stored one short: put right',
  insertion: 'is an insertion whose end was stored with its length: it ends where it begins',
  plainEnd: 'has an end that its bases do not bear out: they hold',
  mate: 'is a breakend whose end or mateName is not what its alternate says: that holds',
} as const;

const joined = 'has several alternates run together, which cannot be told apart';

/** A sentence without its subject where the document is no allele that could be carried over. */
export function readVariant(document: MongoDocument): StoredVariant | string {
  const { referenceName, start, end, assemblyId, alternateBases: alternate } = document;
  const assembly = typeof assemblyId === 'string' ? assemblyNamed(assemblyId) : undefined;
  const contig = typeof referenceName === 'string' ? contigNamed(referenceName) : undefined;
  const reference = typeof document.referenceBases === 'string' ? bases(document.referenceBases) : undefined;
  const type = typeof document.variantType === 'string' ? document.variantType.toUpperCase() : 'UNKNOWN';
  if (!assembly) return 'has an assemblyId that is neither GRCh37 nor GRCh38';
  if (!contig) return 'lies on none of the chromosomes 1 to 22, X, Y and MT';
  if (!isPosition(start) || !isInteger(end)) return 'has a start or an end that is no position';
  if (start >= lengthOf(assembly, contig)) return `lies behind the end of its chromosome in ${assembly}`;
  if (!reference) return 'has referenceBases that hold something else than bases';
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

/** Written out, without an SVTYPE. cyvcf2 calls a record SNP or MNP only where all of its alternates are as long as REF. */
function readSequence({ contig, start, end, reference, alternate, type }: Stored): Read {
  const sequence = bases(alternate);
  if (!sequence) return 'has alternateBases that hold something else than bases, such as a placeholder (*)';
  if (sequence === reference) return 'has alternateBases that are its referenceBases';
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
  const read = breakend(alternate, contigNamed);
  if (!read) return 'has a malformed breakend as its alternate';
  const kind = plainTypes.has(type) ? 'BND' : type;
  const allele = { contig, start, reference, alternate: read.alternate, kind, structural: true };
  if (!read.mate) return { allele: { ...allele, end: start + 1 } };
  const { contig: mate, position } = read.mate;
  const isAsStored = end === position && typeof mateName === 'string' && contigNamed(mateName) === mate;
  return { allele: { ...allele, end: position, mate }, ...(!isAsStored && { correction: corrections.mate }) };
}

function readStructural({ contig, start, end, reference, alternate, type }: Stored): Read {
  if (twoPlaces.test(type)) return 'joins two places, the other of which its alternate does not say';
  const word = symbol(alternate);
  if (word !== undefined && /[<>]/.test(word)) return joined;
  if (word !== undefined && placeholders.has(word)) return 'has a placeholder as its alternate';
  const sequence = word === undefined ? bases(alternate) : undefined;
  if (word === undefined && sequence === undefined) return 'has an alternate that is neither bases nor one <symbol>';
  if (sequence === reference) return 'has alternateBases that are its referenceBases';
  const hasType = !plainTypes.has(type);
  const kind = kindOfStructural(hasType ? type : undefined, word, false);
  const allele = { contig, start, reference, alternate: sequence ?? alternate, kind, structural: true };
  // One is taken off the end only where an SVTYPE was stated.
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
