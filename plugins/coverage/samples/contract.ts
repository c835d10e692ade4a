/**
 * coverage-samples@1: samples that the server knows, with the place of their coverage file, what the last check of the file
 * found, and which bases it covers.
 */
import { hash } from 'node:crypto';
import { type Contract, defineContract, Fault } from '../../../core/storage.js';
import type { Build, Chromosome } from '../intervals/interval.js';

/** How a sample was analysed. Samples of different assays do not have comparable coverage. */
export const sampleLabels = ['assay', 'run', 'kit', 'pipeline', 'mapq', 'group'] as const;
export type SampleLabel = (typeof sampleLabels)[number];
export type SampleLabels = Readonly<Partial<Record<SampleLabel, string>>>;

export const sampleSexes = ['female', 'male', 'unknown'] as const;
export type SampleSex = (typeof sampleSexes)[number];

/** A coverage file as stated, not checked against the configured directories and hosts. */
export interface CoverageFile {
  /** A path or an http(s) URL. */
  path: string;
  /** The track of the file by its name; the first one if omitted. */
  track?: string;
}

/** The second file of a sample, with the depths of reads that map uniquely; stated like the first. */
export interface UniqueCoverageFile {
  path: string;
  /** The least mapping quality of its reads, from 1 to 255. */
  quality: number;
}

/** What is stated of a sample when it is registered. */
export interface SampleDescription {
  /** 1 to 200 characters up to U+D7FF, without control characters. */
  id: string;
  build: Build;
  file: CoverageFile;
  unique?: UniqueCoverageFile;
  /** The case (family) that the sample belongs to. */
  case?: string;
  sex: SampleSex;
  /** Date of the analysis, `2026-04-23`. */
  analysed?: string;
  labels: SampleLabels;
}

export const sampleStates = ['pending', 'ready', 'failing', 'changed'] as const;
/**
 * - `pending`: its file, or the place that is stated for it, was not checked yet;
 * - `ready`: the file is the one that was checked;
 * - `failing`: the last check found that the file cannot be used;
 * - `changed`: the file is no longer the one that was checked.
 */
export type SampleState = (typeof sampleStates)[number];

/** What the last successful check of a file found. */
export interface SampleCheck {
  at: Date;
  /** Of the file; changes with it. */
  fingerprint: string;
  /** The same of the second file. */
  uniqueFingerprint?: string;
  /** The build that was stated then; positions of the runs belong to it. */
  build: Build;
  /** Predicted from the depths of X and Y. */
  sex: SampleSex;
  /** Mean depths outside the pseudoautosomal regions, and of the autosomes. */
  depths: { x: number; y: number; autosomes: number };
  warnings: readonly { code: string; message: string }[];
  /** Depths, ascending: the classes of the runs are bounded by these. */
  thresholds: readonly number[];
  /** For each threshold, the bases with at least this depth. */
  covered: readonly number[];
  /** Bytes of all blocks of runs. */
  bytes: number;
}

export interface RegisteredSample extends SampleDescription {
  /** Another text whenever the build or file stated for the sample changes, and whenever a successful check is recorded. */
  revision: string;
  state: SampleState;
  /** Why a failing sample fails, in one sentence. */
  reason?: string;
  registered: Date;
  /** When what is stated of it last changed. */
  updated: Date;
  /** In every state, once a check has succeeded. */
  check?: SampleCheck;
}

/** Runs of one chromosome from `start` to `end`; see `covered-runs.ts`. */
export interface RunBlock {
  chromosome: Chromosome;
  start: number;
  end: number;
  /** `checksumOf` the content. */
  checksum: string;
  /** At most 256 kB. */
  content: Uint8Array;
}

export type SampleRevision = Pick<RegisteredSample, 'id' | 'revision' | 'state'>;

/** Blocks of one sample. */
export interface SampleRuns {
  sample: string;
  /** Of the sample, at the moment of which the blocks are. */
  revision: string;
  /** Ascending by start. */
  blocks: readonly RunBlock[];
}

/** One file was made from the other: `inner` names the sample whose depths are about `share` of the other's, at `places` that were compared. */
export interface NestedFigures {
  inner: string;
  share: number;
  places: number;
}

/**
 * How the depths that a VCF file states fit coverage files: the file of the sample (`own`, a rank correlation), and that which fits
 * best of other samples (`best`). `elsewhere`: the other fits as well or better; `untold`: it could not be told.
 */
export interface CallsFigures {
  /** Of the beacon, with the calls. */
  dataset: string;
  outcome: 'fits' | 'elsewhere' | 'untold';
  /** Why it could not be told: too few places, too uniform depths, no other sample of the assay, or no file fits. */
  reason?: 'few' | 'uniform' | 'alone' | 'none';
  /** That were compared. */
  places: number;
  own?: number;
  best?: number;
}

/** The figures of each kind of comparison. */
export interface FindingFigures {
  nested: NestedFigures;
  calls: CallsFigures;
}
export const findingKinds = ['nested', 'calls'] as const satisfies readonly (keyof FindingFigures)[];

/** The other sample that a comparison names, and its revision then. */
export type SampleMoment = Pick<RegisteredSample, 'id' | 'revision'>;

/** What a comparison of a sample with others found. */
export interface NewFinding<Kind extends keyof FindingFigures = keyof FindingFigures> {
  other?: SampleMoment;
  /** Omitted if nothing was found: that the sample was compared is kept. */
  figures?: FindingFigures[Kind];
}

export type SampleFinding = {
  [Kind in keyof FindingFigures]: NewFinding<Kind> & { kind: Kind; sample: string };
}[keyof FindingFigures];

export type RegistrationOutcome = 'added' | 'moved' | 'described' | 'unchanged';

export type CheckOutcome =
  | { state: 'ready'; check: SampleCheck; runs: readonly RunBlock[] }
  | { state: 'failing'; reason: string }
  | { state: 'changed' };

export interface SamplePage {
  /** Only samples in one of these states; in any if omitted. */
  states?: readonly SampleState[];
  /** Only samples whose id comes after this one. */
  after?: string;
  /** At most this many. */
  limit: number;
}

export interface SampleRepository {
  /**
   * Adds samples, and replaces what is stated of those that exist: all of them or, after any failure (`kill -9` included),
   * none. Returns the outcome for each, in their order:
   *
   * - `added`: a new sample; it is pending;
   * - `moved`: another build or file is stated (`isSamePlace`): it is pending, has a new revision and no reason, and keeps its
   *   last check with the runs;
   * - `described`: anything else changed; state, revision and check stay;
   * - `unchanged`: nothing changed, `updated` included.
   *
   * A repeated id is an `invalid` fault.
   */
  register(samples: readonly SampleDescription[], now: Date): Promise<RegistrationOutcome[]>;
  /**
   * The samples of these ids, once each, by id ascending; ids that do not exist are left out. With `begins` only those
   * with a file whose place (`placeOf`) begins with one of these, decided where they are stored: others take no longer than ids
   * that do not exist.
   */
  find(ids: readonly string[], begins?: readonly string[]): Promise<RegisteredSample[]>;
  /** The revision and state of the samples of these ids, as `find` has them, for callers that know the rest of a revision. */
  revisions(ids: readonly string[]): Promise<SampleRevision[]>;
  /** The next samples by id, ascending by code units. */
  list(page: SamplePage): Promise<RegisteredSample[]>;
  /**
   * Records how a check of the file ended. `ready` replaces the check and all runs, both at once or, after any failure, neither,
   * and gives the sample a new revision; `failing` and `changed` keep them. Two blocks that start at one place are a `conflict`
   * fault. Returns false, and changes nothing, unless the
   * sample exists and still has this revision: of several checks of one revision, one becomes `ready`.
   */
  record(id: string, revision: string, outcome: CheckOutcome): Promise<boolean>;
  /**
   * The runs of the sample's last successful check, of these chromosomes or all, unchanged: by chromosome in the order of
   * `chromosomes`, then by start; all of one check. Empty if the sample does not exist or was never checked.
   */
  runs(id: string, chromosomes?: readonly Chromosome[]): Promise<RunBlock[]>;
  /**
   * For many samples, the blocks of their runs that start in [start, end) of a chromosome, by id ascending: each sample as it is
   * at one moment. Samples without such blocks are left out.
   */
  runsFrom(ids: readonly string[], chromosome: Chromosome, span: { start: number; end: number }): Promise<SampleRuns[]>;
  /**
   * Keeps what a comparison of one kind found for a sample, in the place of what it found before. Returns false, and changes
   * nothing, unless the sample exists, is ready and still has this revision.
   */
  note<Kind extends keyof FindingFigures>(
    sample: SampleMoment,
    kind: Kind,
    found: readonly NewFinding<Kind>[],
  ): Promise<boolean>;
  /**
   * What comparisons found for these samples, and what names them as the other, by sample, kind and in the order in which it was
   * noted. Only what still holds: all samples that it names are ready and have the revisions that were compared.
   */
  findings(ids: readonly string[]): Promise<SampleFinding[]>;
  /** Removes samples with their checks, runs and all findings that name them, all at once; returns how many existed. */
  remove(ids: readonly string[]): Promise<number>;
}

export const coverageSamples: Contract<SampleRepository> = defineContract<SampleRepository>('coverage-samples@1', {
  register: 'needed',
  find: 'needed',
  revisions: 'needed',
  list: 'needed',
  record: 'needed',
  runs: 'needed',
  runsFrom: 'needed',
  note: 'needed',
  findings: 'needed',
  remove: 'needed',
});

/** `sha256:` and 64 hexadecimal digits. */
export function checksumOf(content: Uint8Array): string {
  return `sha256:${hash('sha256', content, 'hex')}`;
}

/** Whether two descriptions state the same build, the same track of the same file and the same second file. */
export function isSamePlace(one: SampleDescription, other: SampleDescription): boolean {
  return (
    one.build === other.build &&
    one.file.path === other.file.path &&
    one.file.track === other.file.track &&
    one.unique?.path === other.unique?.path
  );
}

/** Whether two descriptions of a sample are equal. */
export function isSameDescription(one: SampleDescription, other: SampleDescription): boolean {
  return (
    isSamePlace(one, other) &&
    one.case === other.case &&
    one.sex === other.sex &&
    one.analysed === other.analysed &&
    one.unique?.quality === other.unique?.quality &&
    sampleLabels.every((label) => one.labels[label] === other.labels[label])
  );
}

/** What registering a description does to a sample, and the sample afterwards. `revision` is a text that none ever had. */
export function registered(
  description: SampleDescription,
  known: RegisteredSample | undefined,
  revision: string,
  now: Date,
): { outcome: RegistrationOutcome; sample: RegisteredSample } {
  if (known === undefined) {
    return {
      outcome: 'added',
      sample: { ...description, revision, state: 'pending', registered: now, updated: now },
    };
  }
  if (isSameDescription(description, known)) return { outcome: 'unchanged', sample: known };
  const { state, reason, check, registered: since } = known;
  const kept = { registered: since, updated: now, ...(check !== undefined && { check }) };
  if (!isSamePlace(description, known)) {
    return { outcome: 'moved', sample: { ...description, ...kept, revision, state: 'pending' } };
  }
  const sample = { ...description, ...kept, revision: known.revision, state, ...(reason !== undefined && { reason }) };
  return { outcome: 'described', sample };
}

/** Throws an `invalid` fault if two of the samples have one id. */
export function refuseRepeated(samples: readonly SampleDescription[]): void {
  const seen = new Set<string>();
  for (const { id } of samples) {
    if (seen.has(id)) throw new Fault('invalid', `The sample "${id}" is given twice`);
    seen.add(id);
  }
}
