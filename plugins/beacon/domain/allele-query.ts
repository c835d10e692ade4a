/**
 * Allele queries, from any interface, the variant types that they can name, and the one form in which an allele of plain bases
 * is stored and queried.
 */
import { Fault } from '../../../core/plugin.js';
import { isWithin, structuralTypes, typeNamed, typesWithin } from '../../../core/vcf.js';
import type { Allele, Assembly, Bounds, Contig } from './allele.js';

/** A requested kind of allele. A kind also covers its subtypes: DUP covers DUP:TANDEM. */
export interface KindFilter {
  kind: string;
  /** If given, only structural, or only sequence-resolved alleles. */
  structural?: boolean;
}

/** A half-open interval in inter-residue coordinates. */
export interface Stretch {
  start: number;
  end: number;
}

/**
 * What an allele replaces, in inter-residue coordinates: `stretchesOf`. An omitted field does not narrow it; the others must
 * apply to one stretch together.
 */
export interface Replacement {
  start?: Bounds;
  /** For a breakend, bounds on its mate's position, if the mate is on the queried contig or on `mate`. */
  end?: Bounds;
  /** Any stretch that shares a base with this one; an insertion within it or at its edges. */
  overlaps?: Stretch;
  /** The bases replaced, as IUPAC codes, one for each base; empty for an insertion. Finds only alleles of plain bases. */
  reference?: string;
  /** The bases in their place, likewise; empty for a deletion. */
  alternate?: string;
  /** Bounds on `changedBases`; an allele without finds nothing. */
  length?: Bounds;
  change?: SequenceChange;
}

/** One change of the sequence. It finds all alleles that are this change, whichever shared bases their records write. */
export interface SequenceChange extends Stretch {
  /** The bases replaced, as IUPAC codes, as many as the stretch has; unknown if omitted. */
  reference?: string;
  /**
   * The bases in their place, empty for a deletion; or what becomes of those replaced, which finds alleles whose records
   * write all bases of the stretch.
   */
  alternate: string | { is: 'duplicated' | 'inverted' };
  /** Finds also symbolic alleles of one of these kinds (DUP covers DUP:TANDEM) that have precisely this stretch. */
  symbols?: readonly string[];
}

/** A normalised allele query. An omitted field does not narrow it. */
export interface AlleleQuery {
  assembly: Assembly;
  contig: Contig;
  /** Bounds on the zero-based start. */
  start?: Bounds;
  /** Bounds on the exclusive end; for a breakend, on its mate's zero-based position. */
  end?: Bounds;
  /** Any allele that shares a base with this half-open interval; a breakend by its own position. */
  overlaps?: Stretch;
  /** `[ACGTN]+`: N stands for one base, a lone N for anything. */
  reference?: string;
  /** As reference; only a lone N finds symbolic alleles and breakends. */
  alternate?: string;
  /** Any of these; an empty list finds nothing. */
  kinds?: readonly KindFilter[];
  /** Only breakends with their other end on this contig. */
  mate?: Contig;
  /**
   * Narrows by what the allele replaces. `replacing` gives the bounds on stored positions that go with it, so that an adapter
   * finds the candidates by its indexes, and `matches` decides.
   */
  replaces?: Replacement;
}

type Candidates = Pick<AlleleQuery, 'start' | 'end' | 'overlaps' | 'replaces'>;

/** The part of a query for alleles by what they replace, with the bounds within which these are stored. */
export function replacing(replaces: Replacement): Candidates {
  const { start, end, change } = replaces;
  const around = change ? stretchOfChange(change) : replaces.overlaps;
  return {
    // A stored allele begins and ends at most one base further out: the base that its record writes beside it.
    ...(start && { start: { min: Math.max(start.min - 1, 0), max: start.max } }),
    ...(end && { end: { min: end.min, max: end.max + 1 } }),
    ...(around && { overlaps: { start: Math.max(around.start - 1, 0), end: around.end + 1 } }),
    replaces,
  };
}

/**
 * Where alleles that are a change have a base, or touch it. Bases that the change does not know must be written by the record:
 * then the allele begins at the first of them or before, however long the change is.
 */
function stretchOfChange({ start, end, reference }: SequenceChange): Stretch {
  return { start, end: reference === undefined ? start : end };
}

// The values of the parameter variantType.

/** Alleles written out as bases. */
const small = ['SNV', 'SNP', 'MNP', 'INDEL'] as const;

/** `DUP:TANDEM`, and the repeats that ExpansionHunter calls `STR27`. */
const structuralForm = `STR\\d+|(${structuralTypes.join('|')})(:[A-Z0-9_-]{1,32}){0,3}`;
const acceptedStructural = new RegExp(`^(${structuralForm})$`, 'i');
const accepted = new RegExp(`^(${small.join('|')}|${structuralForm})$`, 'i');

/**
 * The kinds that a requested `variantType` covers (case is ignored): itself and its subtypes, never a type that it is part of.
 * SNV is SNP; INDEL is any small insertion or deletion; INS and DEL also cover the small ones, CNV only structural deletions.
 */
export function kindsOf(variantType: string): KindFilter[] {
  const type = typeNamed(variantType);
  if (type === 'SNV' || type === 'SNP') return [{ kind: 'SNP' }];
  if (type === 'INDEL') {
    return [
      { kind: 'INS', structural: false },
      { kind: 'DEL', structural: false },
    ];
  }
  return typesWithin(type).map((kind) => (kind === 'DEL' && type !== kind ? { kind, structural: true } : { kind }));
}

/** The type whose kinds these are; undefined if they are of several. */
export function variantTypeOf(kinds: readonly KindFilter[] | undefined): string | undefined {
  const [first] = kinds ?? [];
  const names = (filters: readonly KindFilter[] = []) => filters.map(({ kind }) => kind).join();
  return first && names(kindsOf(first.kind)) === names(kinds) ? first.kind : undefined;
}

/** Whether only junctions are requested: their ends are two places. */
export function areJunctions(kinds: readonly KindFilter[] | undefined): boolean {
  return kinds !== undefined && kinds.length > 0 && kinds.every(({ kind }) => isWithin(kind, 'BND'));
}

/** The kinds of allele that a variantType asks for; an `invalid` fault for an unknown one, which would find nothing. */
export function variantKinds(text: string): KindFilter[] {
  if (accepted.test(text)) return kindsOf(text);
  const known = [...small, ...structuralTypes].join(', ');
  throw new Fault('invalid', `Invalid variantType. Accepted values are ${known}, and subtypes such as DUP:TANDEM`);
}

/** A type of structural variants, as it is stored; an `invalid` fault for an unknown one. */
export function structuralKind(text: string): string {
  if (acceptedStructural.test(text)) return typeNamed(text);
  throw new Fault('invalid', `type must be one of ${structuralTypes.join(', ')}, or a subtype such as DUP:TANDEM`);
}

// The one form in which an allele of plain bases is stored and queried, however a file or a client writes it: `TCC>CCC` is
// `T>C`. Bases that reference and alternate share are removed from the end first, then from the beginning, and one base
// stays on each side. Within repeats they are shifted by `leftAligned`, where a reference sequence is loaded.
//
// A record with an SVTYPE states the start and end of its allele, by which clients query it. Its allele is stored as the record
// writes it, and found without shared bases too.

/** The number of shared bases at the beginning and at the end. */
interface SharedEnds {
  leading: number;
  trailing: number;
}

const plain = /^[ACGT]+$/;

/** True for `[ACGT]+`: N is an unknown base, and symbolic alleles and breakends are not sequence. */
export function isPlain(bases: string | undefined): bases is string {
  return bases !== undefined && plain.test(bases);
}

/** The last reference that was looked at: a record asks for its REF with each alternate, and both may be long. */
let last = { reference: '', isPlain: false };

function isPlainReference(reference: string): boolean {
  if (reference !== last.reference) last = { reference, isPlain: isPlain(reference) };
  return last.isPlain;
}

function sharedBases(reference: string, alternate: string): SharedEnds | undefined {
  const shorter = Math.min(reference.length, alternate.length);
  if (shorter < 2 || !isPlain(alternate) || !isPlainReference(reference)) return undefined;
  let trailing = 0;
  while (trailing < shorter - 1 && reference.at(-1 - trailing) === alternate.at(-1 - trailing)) trailing++;
  let leading = 0;
  while (leading < shorter - trailing - 1 && reference[leading] === alternate[leading]) leading++;
  return leading + trailing > 0 ? { leading, trailing } : undefined;
}

function withoutSharedBases(bases: string, { leading, trailing }: SharedEnds): string {
  return bases.slice(leading, bases.length - trailing);
}

/** The form of an allele that is stored: `trimmed`, unless it is structural. */
export function canonical<Stated extends Allele>(allele: Stated): Stated {
  return allele.structural ? allele : trimmed(allele);
}

/**
 * The allele without shared bases: start and end move accordingly, and the kind of a sequence-resolved allele follows from
 * the remaining bases. An allele without shared bases, or not of plain sequence, is returned unchanged.
 */
export function trimmed<Stated extends Allele>(allele: Stated): Stated {
  const shared = sharedBases(allele.reference, allele.alternate);
  if (!shared) return allele;
  const reference = withoutSharedBases(allele.reference, shared);
  const alternate = withoutSharedBases(allele.alternate, shared);
  return {
    ...allele,
    start: allele.start + shared.leading,
    end: allele.end - shared.trailing,
    reference,
    alternate,
    kind: allele.structural ? allele.kind : kindOfSequence(reference, alternate),
  };
}

/**
 * The start of a structural allele without the bases that reference and alternate share; undefined if it has none. An index
 * of these starts finds alleles that match by other bases than the stored ones.
 */
export function trimmedStart({ structural, reference, alternate, start }: TrimmedPart): number | undefined {
  const shared = structural ? sharedBases(reference, alternate) : undefined;
  return shared && start + shared.leading;
}

type TrimmedPart = Pick<Allele, 'structural' | 'reference' | 'alternate' | 'start'>;

/** The parts of a query that depend on how an allele is written. */
export type SpelledQuery = Pick<AlleleQuery, 'start' | 'end'> & {
  reference?: string | undefined;
  alternate?: string | undefined;
};

/**
 * Rewrites a query for one allele, at an exact start or end or both, as a query for its canonical form. Unchanged if reference
 * and alternate are not both given, or are patterns.
 */
export function canonicalQuestion<Asked extends SpelledQuery>(asked: Asked): Asked {
  const { reference, alternate, start, end } = asked;
  if (reference === undefined || alternate === undefined) return asked;
  const shared = sharedBases(reference, alternate);
  if (!shared) return asked;
  return {
    ...asked,
    reference: withoutSharedBases(reference, shared),
    alternate: withoutSharedBases(alternate, shared),
    ...(start && { start: moved(start, shared.leading) }),
    ...(end && { end: moved(end, -shared.trailing) }),
  };
}

function moved({ min, max }: Bounds, by: number): Bounds {
  return { min: min + by, max: max + by };
}

/** The kind of a sequence-resolved allele, by its lengths alone. */
export function kindOfSequence(reference: string, alternate: string): 'SNP' | 'MNP' | 'INS' | 'DEL' {
  const longer = alternate.length - reference.length;
  if (longer !== 0) return longer > 0 ? 'INS' : 'DEL';
  return reference.length === 1 ? 'SNP' : 'MNP';
}
