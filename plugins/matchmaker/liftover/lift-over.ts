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
   * `buildNamed` and `chromosomeNamed` know.
   */
  lift(assembly: string, chromosome: string, start: number, end: number): Lifted | undefined;
  /** Builds from which it can lift. */
  readonly from: readonly Build[];
}

/** In the order in which packed chains number them. */
export const chromosomes: readonly string[] = [...Array.from({ length: 22 }, (_, i) => String(i + 1)), 'X', 'Y', 'MT'];

export const mitochondrion = 'MT';

/** The build of `GRCh37`, `GRCh37.p13`, `hg19`, `GRCh38`, `hg38` …, in any case; undefined for others. Patches do not change coordinates. */
export function buildNamed(assembly: string): Build | undefined {
  const [, name] = /^(grch37|hg19|grch38|hg38)(?:\.p\d+)?$/i.exec(assembly.trim()) ?? [];
  if (name === undefined) return undefined;
  return /37|19/.test(name) ? 'GRCh37' : 'GRCh38';
}

/** `1` … `22`, `X`, `Y` or `MT` for any spelling (`chrX`, `x`, `M`); undefined for others. */
export function chromosomeNamed(text: string): string | undefined {
  const name = text.trim().toUpperCase().replace(/^CHR/, '');
  if (name === 'M') return mitochondrion;
  return chromosomes.includes(name) ? name : undefined;
}

/** Lengths of chromosomes, by which the builds of a chain file are recognised: they differ between the builds. */
export const lengths: Readonly<Record<Build, Readonly<Record<string, number>>>> = {
  GRCh37: { 1: 249250621, 2: 243199373, 3: 198022430, 10: 135534747, 22: 51304566, X: 155270560 },
  GRCh38: { 1: 248956422, 2: 242193529, 3: 198295559, 10: 133797422, 22: 50818468, X: 156040895 },
};
