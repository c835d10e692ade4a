/** What an allele query asks for, whichever interface it came in by. */
import type { Assembly, Bounds, Contig } from './allele.js';

/** One kind of allele that is asked for. A kind also covers its subtypes: DUP covers DUP:TANDEM. */
export interface KindFilter {
  kind: string;
  /** Where given: only structural, or only sequence-resolved alleles. */
  structural?: boolean;
}

/** A normalised allele query. What is absent does not narrow. */
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
  /** Only breakends whose other end lies on this contig. */
  mate?: Contig;
}
