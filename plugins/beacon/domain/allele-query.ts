/** Allele queries, from any interface. */
import type { Assembly, Bounds, Contig } from './allele.js';

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
  const around = change ? reachOf(change) : replaces.overlaps;
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
function reachOf({ start, end, reference }: SequenceChange): Stretch {
  return { start, end: reference === undefined ? start : end };
}
