/**
 * What this server may know about the variants of a match: the findings, what is needed for them, and the bases and alleles
 * that are looked up.
 */
import { assemblyNamed, contigNamed, lengthOf } from '../../../core/genome.js';
import type { Principal, StorageLog } from '../../../core/plugin.js';
import type { AlleleCounts, CountsService } from '../../services/beacon.js';
import type { CoveredSamplesService, UnknownCoverage } from '../../services/coverage.js';
import type { MatchmakerRepository } from '../contract.js';
import type { CallerReach } from '../http/access.js';
import type { SampleRule } from '../patients/patient.js';
import { isOneBased, type StatedVariant } from '../patients/presentation.js';
import type { LiftOver } from '../resources/lift-over.js';
import type { Resources } from '../resources/resources.js';

export type { CountsService, CoveredSamplesService };

/** One variant of a row. */
export interface LocalFinding {
  /** Whose variant it is: looked for in the other of the two. */
  from: 'submission' | 'counterpart';
  gene: string;
  variant: StatedVariant;
  /** In the sample of the other one; absent if none is linked, or if the caller may not know. */
  coverage?: LocalCoverage;
  /** In each dataset of which the caller may see counts; absent if there is none, or if bases are not stated. */
  counts?: LocalCounts[];
}

/** By the id of the row. */
export type LocalFindings = ReadonlyMap<string, readonly LocalFinding[]>;

export interface LocalTools {
  coverage: CoveredSamplesService | undefined;
  beacon: CountsService | undefined;
  patients: Pick<MatchmakerRepository, 'patientsById'>;
  resources: Pick<Resources, 'genes' | 'lift'>;
  settings: { samples: SampleRule; threshold: number };
  log: Pick<StorageLog, 'warn'>;
}

export interface LocalRequest {
  caller: Pick<CallerReach, 'all' | 'owners'> & { principal: Principal };
  /** The request's id. */
  id: string;
  signal: AbortSignal;
}

/** A variant, and the sample in which it is looked for. */
export interface VariantLookup {
  finding: LocalFinding;
  place: LocalPlace;
  sample: string | undefined;
  /** Whether the caller may know that no sample is registered under the id that is linked. */
  mayKnowLink: boolean;
}

/** `unavailable`: the coverage plugin could not answer. */
export const unknownReasons = [
  'unregistered',
  'unchecked',
  'unusable',
  'other-build',
  'other-threshold',
  'unavailable',
] as const satisfies readonly (UnknownCoverage | 'unavailable')[];
type UnknownCoverageReason = (typeof unknownReasons)[number] | UnknownCoverage;

export interface LocalCoverage {
  state: 'covered' | 'not-covered' | 'unknown';
  /** Reads that each base of the place has if it is covered. */
  threshold: number;
  /** Why it is unknown. */
  reason?: UnknownCoverageReason;
  /** The build of the sample's coverage, if the variant was lifted over to it. */
  lifted?: LocalPlace['assembly'];
}

export interface LocalCounts extends AlleleCounts {
  /** The variant was seen one base before the stated start, which is then the one-based position of VCF files. */
  oneBased?: true;
}

// Where a stated variant is: which bases must be covered to see it, and which allele it may be.

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
export function placeOfVariant({
  assembly: named,
  chromosome: name,
  ...variant
}: StatedVariant): LocalPlace | undefined {
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
