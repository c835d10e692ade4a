/** Converts coordinates from one genome build to another. */

export type Build = 'GRCh37' | 'GRCh38';

/** An interval in the other build. */
export interface Lifted {
  assembly: Build;
  /** `1` … `22`, `X`, `Y`, `MT`. */
  chromosome: string;
  /** Zero-based, half-open. The length changes if the builds differ within the interval. */
  start: number;
  end: number;
  /** Whether it is on the other strand: alleles become their reverse complement. */
  reversed: boolean;
}

export interface LiftOver {
  /**
   * Lifts a zero-based, half-open interval to the other build; start = end is the position between two bases. The
   * mitochondrion is the same in both. Undefined if it has no counterpart, its ends are in different chains, assembly or
   * chromosome is unknown, or no chains are loaded for this direction. Takes any spelling of assembly and chromosome that
   * `buildNamed` and `chromosomeNamed` (names.ts) know.
   */
  lift(assembly: string, chromosome: string, start: number, end: number): Lifted | undefined;
  /** Builds from which it can lift. */
  readonly from: readonly Build[];
}
