/** Where a stated variant is: which bases must be covered to see it, and which allele it may be. */
import { assemblyNamed, contigNamed, lengthOf } from '../../../../core/genome.js';
import type { LiftOver } from '../../liftover/lift-over.js';
import { isOneBased, type StatedVariant } from '../../patient/stated.js';

export interface LocalPlace {
  assembly: 'GRCh37' | 'GRCh38';
  chromosome: NonNullable<ReturnType<typeof contigNamed>>;
  /** Zero-based, half-open, ascending. */
  intervals: readonly { start: number; end: number }[];
  /** The allele as stated, and as it would be with a one-based start if the variant leaves that open. */
  alleles: readonly { start: number; reference: string; alternate: string }[];
}

/** Bases of a variant of which only the two ends must be covered if it is longer. */
const longest = 1000;

/**
 * Each base of the reference, and for insertions and deletions one more on each side; without bases, what is stated. Many
 * systems send the one-based positions of VCF files: an `end` that fits the bases decides, else both places count. Undefined
 * for other assemblies and chromosomes, and beyond the end of the chromosome.
 */
export function placeOf({ assembly: named, chromosome: name, ...variant }: StatedVariant): LocalPlace | undefined {
  const [assembly, chromosome] = [assemblyNamed(named), contigNamed(name)];
  if (assembly === undefined || chromosome === undefined) return undefined;
  const { reference, alternate } = variant;
  const starts = startsOf(variant);
  const length = reference?.length ?? Math.max((variant.end ?? 0) - variant.start, 1);
  const more = reference === undefined || reference.length === alternate?.length ? 0 : 1;
  const last = lengthOf(assembly, chromosome);
  const from = Math.max(Math.min(...starts) - more, 0);
  const to = Math.min(Math.max(...starts) + length + more, last);
  if (from >= to || variant.start >= last) return undefined;
  const isLong = to - from > longest;
  const ends = [
    { start: from, end: from + 1 },
    { start: to - 1, end: to },
  ];
  return {
    ...{ assembly, chromosome, intervals: isLong ? ends : [{ start: from, end: to }] },
    alleles:
      reference === undefined || alternate === undefined
        ? []
        : starts.map((start) => ({ start, reference, alternate })),
  };
}

/**
 * Where the bases of a place are in the other build, by the chains of matching. Undefined unless one chain has the whole
 * variant and each interval keeps its length: else some of its bases are not in the other build.
 */
export function liftedPlace(
  { assembly, chromosome, intervals }: Pick<LocalPlace, 'assembly' | 'chromosome' | 'intervals'>,
  lift: LiftOver,
): Omit<LocalPlace, 'alleles'> | undefined {
  const whole = lift.lift(assembly, chromosome, intervals[0]?.start ?? 0, intervals.at(-1)?.end ?? 0);
  const named = contigNamed(whole?.chromosome ?? '');
  if (whole === undefined || named === undefined) return undefined;
  const lifted = intervals.flatMap(({ start, end }) => {
    const part = lift.lift(assembly, chromosome, start, end);
    return part && part.end - part.start === end - start ? [{ start: part.start, end: part.end }] : [];
  });
  if (lifted.length < intervals.length) return undefined;
  return {
    ...{ assembly: whole.assembly, chromosome: named },
    intervals: lifted.sort((left, right) => left.start - right.start),
  };
}

function startsOf(variant: Pick<StatedVariant, 'start' | 'end' | 'reference'>): number[] {
  const { start, end, reference } = variant;
  if (isOneBased(variant)) return [start - 1];
  const isStated = reference === undefined || start === 0 || end === start + reference.length;
  return isStated ? [start] : [start, start - 1];
}
