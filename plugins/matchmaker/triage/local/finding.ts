/** What this server knows about the variants of a match, and what is needed to find it. */
import type { Principal, StorageLog } from '../../../../core/plugin.js';
import type { AlleleCounts, CountsService } from '../../../services/beacon.js';
import type { CoveredSamplesService, UnknownCoverage } from '../../../services/coverage.js';
import type { MatchmakerRepository } from '../../contract.js';
import type { Reach } from '../../http/access.js';
import type { SampleRule } from '../../patient/extensions.js';
import type { StatedVariant } from '../../patient/stated.js';
import type { Resources } from '../../resources/resources.js';
import type { LocalPlace } from './places.js';

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
  caller: Pick<Reach, 'all' | 'owners'> & { principal: Principal };
  /** The request's id. */
  id: string;
  signal: AbortSignal;
}

/** A variant, and the sample in which it is looked for. */
export interface Looked {
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
export type UnknownReason = (typeof unknownReasons)[number] | UnknownCoverage;

export interface LocalCoverage {
  state: 'covered' | 'not-covered' | 'unknown';
  /** Reads that each base of the place has if it is covered. */
  threshold: number;
  /** Why it is unknown. */
  reason?: UnknownReason;
  /** The build of the sample's coverage, if the variant was lifted over to it. */
  lifted?: LocalPlace['assembly'];
}

export interface LocalCounts extends AlleleCounts {
  /** The variant was seen one base before the stated start, which is then the one-based position of VCF files. */
  oneBased?: true;
}
