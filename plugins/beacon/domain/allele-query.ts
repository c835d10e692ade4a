/** Allele queries, from any interface. */
import type { Assembly, Bounds, Contig } from './allele.js';

/** A requested kind of allele. A kind also covers its subtypes: DUP covers DUP:TANDEM. */
export interface KindFilter {
  kind: string;
  /** If given, only structural, or only sequence-resolved alleles. */
  structural?: boolean;
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
  overlaps?: { start: number; end: number };
  /** `[ACGTN]+`: N stands for one base, a lone N for anything. */
  reference?: string;
  /** As reference; only a lone N finds symbolic alleles and breakends. */
  alternate?: string;
  /** Any of these; an empty list finds nothing. */
  kinds?: readonly KindFilter[];
  /** Only breakends with their other end on this contig. */
  mate?: Contig;
}
