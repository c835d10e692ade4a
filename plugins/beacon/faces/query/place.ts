/**
 * The assembly, the chromosome and the positions of a query, and what positions mean: a bracket, a range, a sequence, or the
 * ends of breakends.
 */
import { type Accession, accessionNamed, assemblyNamed, contigNamed } from '../../../../core/genome.js';
import { Fault } from '../../../../core/plugin.js';
import { type AlleleQuery, type Assembly, type Bounds, type Contig, replacing } from '../../contract.js';
import { areJunctions } from '../../domain/allele-query.js';
import { quoted } from '../../domain/written-question.js';
import { givenIn, type QueryFilters, sequenceAt, type VariantParameters } from './filters.js';

type PlaceQuery = Omit<AlleleQuery, 'assembly' | 'contig'>;

export interface PlaceOfQuery {
  kind: 'sequence' | 'range' | 'bracket' | 'breakend';
  /** Undefined if nothing can be found: the bases do not differ. */
  asked: PlaceQuery | undefined;
}

const accepted =
  'accepted are one start with referenceBases or alternateBases, one start and one end (a range), or two of each (a bracket)';

/** Throws an `invalid` fault for positions that mean none of these. */
export function readPlace(
  parameters: VariantParameters,
  filters: QueryFilters,
  mate: NamedChromosome | undefined,
): PlaceOfQuery {
  const start = positions('start', parameters.start);
  const end = positions('end', parameters.end);
  if (start.length === 0) {
    throw new Fault('invalid', `start is missing beside ${givenIn(parameters).join(', ')}; ${accepted}`);
  }
  if (start.length === 2 ? end.length !== 2 : end.length === 2) {
    throw new Fault('invalid', `start has ${start.length} and end ${end.length} positions; ${accepted}`);
  }
  if (parameters.mateName === undefined && (parameters.mateStart !== undefined || parameters.mateEnd !== undefined)) {
    throw new Fault('invalid', 'mateStart and mateEnd need mateName, the chromosome of the other end');
  }
  const isBracket = start.length === 2;
  if (mate || areJunctions(filters.kinds)) {
    return { kind: isBracket ? 'bracket' : 'breakend', asked: junctions(parameters, { start, end }, filters, mate) };
  }
  if (isBracket) {
    const [from, to] = [bracket('start', start), bracket('end', end)];
    return { kind: 'bracket', asked: replacing({ start: from, end: to, ...filters.patterns }) };
  }
  const [first = 0] = start;
  const [last] = end;
  const { reference, alternate } = filters.bases;
  if (last !== undefined && last < first) {
    throw new Fault('invalid', `end must not be less than start; got ${first} and ${last}`);
  }
  const isSpelled = reference !== undefined && alternate !== undefined && last === first + reference.length;
  if (last !== undefined && !isSpelled) {
    return { kind: 'range', asked: replacing({ overlaps: { start: first, end: last }, ...filters.patterns }) };
  }
  if (reference === undefined && alternate === undefined) {
    throw new Fault('invalid', `start alone needs referenceBases or alternateBases; ${accepted}`);
  }
  // With both of its bases and the end that follows from them, a range is a sequence: its bases are at its start.
  return { kind: last === undefined ? 'sequence' : 'range', asked: sequenceAt(first, filters.bases) };
}

/** Breakends with one end at these positions, from either side. */
function junctions(
  { mateStart, mateEnd }: VariantParameters,
  { start, end }: { start: readonly number[]; end: readonly number[] },
  { bases }: QueryFilters,
  mate: NamedChromosome | undefined,
): PlaceQuery {
  const isBracket = start.length === 2;
  const far = mateStart === undefined && mateEnd === undefined ? undefined : mateBounds(mateStart, mateEnd);
  if (isBracket && far) {
    throw new Fault(
      'invalid',
      'mateStart and mateEnd cannot be combined with a bracket, whose end is that of the mate',
    );
  }
  const [first = 0] = start;
  const [last = first + 1] = end;
  if (!isBracket && last < first) {
    throw new Fault(
      'invalid',
      `end must not be less than start; got ${first} and ${last}. The position of the mate is mateStart, or the end of a bracket`,
    );
  }
  const { reference, alternate } = bases;
  return {
    start: isBracket ? bracket('start', start) : { min: first, max: last - 1 },
    ...(isBracket && { end: bracket('end', end) }),
    ...(far && { end: far }),
    ...(mate && { mate: mate.contig }),
    ...(reference !== undefined && { reference }),
    ...(alternate !== undefined && { alternate }),
  };
}

/** A single position is exact; two, be they both of mateStart or one of each, are half-open. */
function mateBounds(mateStart: readonly number[] | undefined, mateEnd: readonly number[] | undefined): Bounds {
  const starts = positions('mateStart', mateStart);
  const ends = positions('mateEnd', mateEnd);
  if (starts.length === 0) throw new Fault('invalid', 'mateEnd needs mateStart');
  if (starts.length + ends.length > 2) {
    throw new Fault(
      'invalid',
      `mateStart has ${starts.length} and mateEnd ${ends.length} positions; accepted are one mateStart, one mateStart and one mateEnd, or two mateStart alone`,
    );
  }
  if (starts.length === 2) return bracket('mateStart', starts);
  const [min = 0] = starts;
  const [end = min + 1] = ends;
  if (end <= min) throw new Fault('invalid', `mateEnd must be more than mateStart; got ${min} and ${end}`);
  return { min, max: end - 1 };
}

/** Half-open, as the specification writes an exact position: [100, 101); [100, 100] is exact too, as in v1. */
function bracket(parameter: 'start' | 'end' | 'mateStart', [min = 0, max = 0]: readonly number[]): Bounds {
  if (min > max) {
    throw new Fault('invalid', `${parameter} must be two positions, the lower one first; got ${min} and ${max}`);
  }
  return { min, max: Math.max(min, max - 1) };
}

function positions(parameter: string, given: readonly number[] = []): readonly number[] {
  if (given.length <= 2 && given.every((position) => Number.isSafeInteger(position) && position >= 0)) return given;
  throw new Fault(
    'invalid',
    `${parameter} must be one or two whole numbers from 0, counted between bases; got ${given.slice(0, 5).join(', ')}`,
  );
}

// The assembly and the chromosome that parameters name.

/** A chromosome of an assembly. */
export interface NamedChromosome {
  assembly: Assembly;
  contig: Contig;
}

/** Patches of the two assemblies, by the number of their accession GCF_000001405. */
function patchOf(name: string): Assembly | undefined {
  const version = Number(/^GCF_000001405\.(\d{1,3})$/i.exec(name)?.[1]);
  if (version >= 13 && version <= 25) return 'GRCh37';
  return version >= 26 && version <= 40 ? 'GRCh38' : undefined;
}

/** The assembly of `assemblyId`, or of what else names it; undefined if it is not given. Throws an `invalid` fault for an unknown one. */
export function assemblyOfParameter(assemblyId: string | undefined, parameter = 'assemblyId'): Assembly | undefined {
  if (assemblyId === undefined) return undefined;
  const assembly = assemblyNamed(assemblyId) ?? patchOf(assemblyId);
  if (assembly) return assembly;
  throw new Fault(
    'invalid',
    `${parameter} must be GRCh37 or GRCh38, or one of their names hg19, b37, hg38 and GCF_000001405.13 to .40; got ${quoted(assemblyId)}`,
  );
}

/** Numbers that some clients use for X and Y. */
const numbered: Readonly<Record<string, Contig>> = { '23': 'X', '24': 'Y' };

/**
 * The chromosome that a parameter names, by itself or by an accession. Throws an `invalid` fault for any other name, and for an
 * accession that belongs to no assembly.
 */
export function chromosomeNamed(parameter: string, name: string): Accession {
  const bare = name.trim().replace(/^refseq:/i, '');
  const contig = contigNamed(bare) ?? numbered[bare.replace(/^chr/i, '')];
  if (contig) return { contig };
  const accession = accessionNamed(bare);
  if (accession?.assembly || accession?.contig === 'MT') return accession;
  throw new Fault(
    'invalid',
    `${parameter} must be 1 to 22, X, Y or MT, with or without chr, or a chromosome of GRCh37 or GRCh38 by its accession in RefSeq, GenBank ` +
      `or refget, such as NC_000017.11; got ${quoted(name)}`,
  );
}

/**
 * The assembly of a query: that of the accession or of `assemblyId`, else the only one that there is. Throws an `invalid` fault
 * if the two differ, or if several assemblies are possible.
 */
export function assemblyFor(
  assemblyId: string | undefined,
  { accession, parameter }: { accession?: Accession | undefined; parameter: string },
  present: readonly Assembly[],
): Assembly {
  const named = assemblyOfParameter(assemblyId);
  const fixed = accession?.assembly;
  if (named && fixed && named !== fixed) {
    throw new Fault(
      'invalid',
      `${parameter} is an accession of ${fixed}, but assemblyId is ${named}; leave one of them out`,
    );
  }
  const [only = 'GRCh38', ...others] = new Set(present);
  const assembly = fixed ?? named;
  if (assembly || others.length === 0) return assembly ?? only;
  throw new Fault(
    'invalid',
    `assemblyId is missing: the datasets are of ${[only, ...others].sort().join(' and ')}, and ${parameter} does not tell which is meant`,
  );
}
