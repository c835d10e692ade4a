/** Coordinates of one genome build in another. */

export type Build = 'GRCh37' | 'GRCh38';

/** A place in the other build. */
export interface Lifted {
  assembly: Build;
  /** `1` … `22`, `X`, `Y`, `MT`. */
  chromosome: string;
  /** Zero-based half-open. The length differs from the one sent where the builds differ in between. */
  start: number;
  end: number;
  /** On the other strand: alleles read as their reverse complement. */
  reversed: boolean;
}

export interface LiftOver {
  /**
   * A zero-based half-open interval in the other build; start = end is the place between two bases. The mitochondrion is
   * the same in both. Undefined where it has no counterpart, its ends lie in different chains, the assembly or chromosome
   * is not known, or the chains of this direction are not loaded. `assembly` and `chromosome` in any spelling that
   * `buildNamed` and `chromosomeNamed` (liftover/names.ts) know.
   */
  lift(assembly: string, chromosome: string, start: number, end: number): Lifted | undefined;
  /** Builds that can be lifted from. */
  readonly from: readonly Build[];
}
