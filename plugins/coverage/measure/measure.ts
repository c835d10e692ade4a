/**
 * Measures targets in the D4 files of samples: the one place where depths become numbers. The JSON endpoints and the pages both
 * use it, so that they cannot differ. One pass over each file, exact integers; everything else (means, shares) is derived from
 * them. For one file: its location, its names of chromosomes, its build, and warnings about it.
 */
import type { PermittedName } from '../../../core/files.js';
import { Fault, type FaultCode, type FaultOptions, isFault } from '../../../core/plugin.js';
import {
  builds,
  chromosomeIndex,
  contigFindings,
  type D4File,
  type D4Track,
  type ReferenceBuild,
} from '../d4/index.js';
import { type List, numberedMembers, type Region } from './region.js';

/** A sample to measure. */
export interface Sample {
  name: string;
  /** Its D4 file, as `CoverageSources.coverageFile` allowed it. */
  location: Location;
  /** Its second file, with the depth of reads that map uniquely, which is measured beside the first. */
  unique?: { location: Location; fields: FileFields } | undefined;
}

/** The fields of a request that name the two files of a sample, or the one that names the sample. */
export type FileFields = readonly [total: string, unique: string] | readonly [sample: string];

/** What is measured as one thing: a gene's span, a transcript's exons, one exon, a line of a BED file. */
export interface Target {
  /** Regions may overlap: every base counts once. Each holds at least one base. */
  regions: readonly Region[];
}

export interface MeasureQuestion<OneTarget extends Target = Target> {
  samples: readonly Sample[];
  targets: List<OneTarget>;
  /** By a name of the caller, measured in the same pass and not part of `pooled`: other bases of the same genes. */
  beside?: Readonly<Record<string, List<Target>>> | undefined;
  /** Depths, in the files' own unit, in any order; the result has them ascending, without repeats. */
  thresholds: readonly number[];
  /** The build that the targets' coordinates belong to; a file of another one is refused. */
  build?: ReferenceBuild | undefined;
  /** Whether to find each target's least, greatest and median depth (several times as expensive as means and thresholds). */
  distribution?: boolean | undefined;
  /** Finds the gaps of each target: regions below this depth. Takes a second pass over the targets. */
  gapsBelow?: number | undefined;
  /** Whether a sample whose file fails is reported in `failed` instead of failing the question. */
  keepSound?: boolean | undefined;
  /** Stops the work; it then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** The depths of some bases of one sample. All counts are exact. */
export interface Depths {
  /** Distinct bases of the target. */
  length: number;
  /** Those of them that the file has; less than `length` only together with a warning. */
  measured: number;
  /** Sum of the depths of the measured bases, in the file's unit (an integer unless the file has a denominator). */
  sum: number;
  /** sum / length; bases that the file lacks count as 0. 0 if there are no bases. */
  mean: number;
  /** For each threshold of the result, the bases at or above it. */
  reached: readonly number[];
  /** Of the measured bases, if `distribution` was requested. The median is interpolated linearly between the closest ranks. */
  min?: number;
  max?: number;
  median?: number;
  /** If `gapsBelow` was given: the longest runs of bases below it, in order, with the bases that the file lacks. */
  gaps?: readonly Region[];
}

/** A reason not to rely on the numbers without a check. */
export interface Warning {
  code:
    | 'unknown-build' // the file's chromosomes fit neither build
    | 'contig-length' // single chromosomes do not have the build's length
    | 'missing-chromosome' // the file lacks a requested chromosome
    | 'beyond-end' // an interval ends beyond its chromosome's end
    | 'lost-records' // the file's records are incomplete
    | 'possibly-capped' // the same in few bases, or where the depth may be uniform by nature
    | 'capped' // depths pile up at the greatest value of the file's dictionary
    | 'odd-file' // readable, but not quite as the format says
    | 'several-tracks' // only the first track was read
    | 'little-evidence' // too little of X was sequenced to predict the sex
    | 'sex-mismatch' // the sex predicted from X and Y is not the declared one
    | 'sex-contradiction' // a registered sample is of another sex in the beacon
    | 'changed-file' // the file of a registered sample is not the one that was checked
    | 'female-y' // intervals on Y were requested for a female sample
    | 'shared-reads' // reads of pseudoautosomal genes were shared between X and Y
    | 'other-gene' // an Ensembl id was requested, and its HGNC gene has others
    | 'other-transcript' // a transcript was requested in a version that is not loaded, or not known to be
    | 'same-file' // samples were given one file, or copies of it
    | 'same-unique' // both files of a sample are one file
    | 'nested-file' // the file of a registered sample was made from that of another, or that from it
    | 'calls-elsewhere' // the calls of a registered sample fit the file of another as well as its own, or better
    | 'calls-misfit' // they fit no file of the assay
    | 'calls-untold' // it cannot be told whether they fit its own
    | 'no-genes' // no genes were requested, so nothing was measured
    | 'not-included'; // the sample's file fails: nothing of it was measured
  /** One sentence for people, without paths. */
  message: string;
}

/** The depths of targets in one sample. */
export interface DepthLayer<Targets extends List<Depths> = List<Depths>> {
  /** In the order of the question. */
  targets: Targets;
  /** All targets together: every distinct base once. Without distribution and gaps. */
  pooled: Depths;
}

export interface SampleDepths<Targets extends List<Depths> = List<Depths>> extends DepthLayer<Targets> {
  name: string;
  file: { fingerprint: string };
  /** By the names of the question's `beside`. */
  beside: Readonly<Record<string, DepthLayer>>;
  warnings: readonly Warning[];
  /** If the sample has a second file: the same targets in it, without distribution and gaps. No base is deeper there. */
  unique?: Omit<SampleDepths, 'unique'>;
}

/** A sample that was not measured, and why. */
export interface FailedSample {
  name: string;
  fault: Fault;
}

export interface MeasuredDepths<Targets extends List<Depths> = List<Depths>> {
  /** Ascending, once each: the order of every `reached`. */
  thresholds: readonly number[];
  /** In the order of the question's samples. */
  samples: readonly SampleDepths<Targets>[];
  /** Samples that were not measured; empty without `keepSound`. */
  failed: readonly FailedSample[];
}

/** Opens allowed D4 files; see sources/. */
export interface DepthFiles {
  /** Calls `work` with the open file, which must not be used afterwards. Failures of the file are faults. */
  use<Result>(location: Location, work: (file: D4File) => Promise<Result>): Promise<Result>;
}

/**
 * Throws `unprocessable` if a file is of another build than the question, if it has no base of the targets, or if there
 * are more gaps than the limit; `too-large` if the question needs more counts than the limit; and what `DepthFiles.use` throws.
 */
export type Measure = (question: MeasureQuestion) => Promise<MeasuredDepths<readonly Depths[]>>;

/** The same for very many targets in bounded memory: depths are kept in columns, and each target's are created when read. */
export type MeasureColumns = (question: MeasureQuestion) => Promise<MeasuredDepths>;

/** Fraction of the bases (0 to 1) at or above the threshold with this index in `Measured.thresholds`; 0 if there are none. */
export function completeness(depths: Pick<Depths, 'length' | 'reached'>, threshold: number): number {
  return depths.length === 0 ? 0 : (depths.reached[threshold] ?? 0) / depths.length;
}

/** Whether every base is at or above the threshold: decided by the counts, never by a rounded fraction. */
export function isComplete(depths: Pick<Depths, 'length' | 'reached'>, threshold: number): boolean {
  return depths.length > 0 && depths.reached[threshold] === depths.length;
}

/** The unweighted mean of the targets' means, as older programs report it; 0 if there are none. */
export function meanOfTargets({ targets }: SampleDepths, isCounted: (target: number) => boolean = () => true): number {
  let [sum, count] = [0, 0];
  for (const [at, { mean }] of numberedMembers(targets)) {
    if (!isCounted(at)) continue;
    sum += mean;
    count += 1;
  }
  return count === 0 ? 0 : sum / count;
}

/** A percentage with two decimals; 100 only for a fraction of exactly 1, and 0 only for 0. */
export function percentOfShare(share: number): number {
  const rounded = Math.round(share * 10_000) / 100;
  if (share < 1 && rounded >= 100) return 99.99;
  if (share > 0 && rounded <= 0) return 0.01;
  return rounded;
}

// The location of a D4 file that a request named and its caller may use. Only `CoverageSources` makes one.

declare const allowed: unique symbol;

/** The real path of a file under a configured directory, an http(s) URL on a configured host, or a name in a configured bucket; with one of its tracks. */
export type Location = string & { readonly [allowed]: true };

/** Paths and URLs have no such character. */
const beforeTrack = '\0';

/** The location of a track of the file: reading it, the file has no other. */
export function locationOfFile(file: PermittedName, track?: string): Location {
  return (track === undefined ? file : `${file}${beforeTrack}${track}`) as Location;
}

/** The path or URL of a location, and the track, if it is of one. */
export function partsOfLocation(location: Location): { file: string; track?: string } {
  const at = location.indexOf(beforeTrack);
  return at < 0 ? { file: location } : { file: location.slice(0, at), track: location.slice(at + 1) };
}

/** A file that fails while it is read. The message has neither its path nor its URL. */
export class FileFault extends Fault {
  readonly location: Location;

  constructor(location: Location, code: FaultCode, message: string, options: FaultOptions = {}) {
    super(code, message, options);
    this.location = location;
  }
}

/** The second file of a sample is deeper than the first, which reads that map uniquely cannot be: the request is wrong, not a file. */
export class SwappedFilesFault extends Fault {}

/** Whether the error is about one file: other files may well be sound. */
export function isAboutFile(error: unknown): error is Fault {
  if (!isFault(error) || error instanceof SwappedFilesFault) return false;
  return error.code === 'not-found' || error.code === 'unprocessable' || error instanceof FileFault;
}

// Chromosome names as files write them.

/** The file's own name of each requested chromosome; those that it lacks are left out. */
export function namesInFile(
  chromosomes: readonly { name: string; size: number }[],
  asked: readonly string[],
): Map<string, string> {
  return new Map(
    asked.flatMap((name): [string, string][] => {
      const own = chromosomes[chromosomeIndex(chromosomes, name, true)];
      return own === undefined ? [] : [[name, own.name]];
    }),
  );
}

// Whether a file's chromosomes match the requested build.

/**
 * Throws `unprocessable` if the chromosome lengths contradict the build and another build fits better: the numbers would
 * be those of other bases. Returns a warning if no build fits, or if single chromosomes do not.
 */
export function checkBuild({ chromosomes }: D4Track, build: ReferenceBuild): Warning[] {
  const contradictions = (of: ReferenceBuild) =>
    contigFindings(chromosomes, of).flatMap(({ chromosome, message }) => (chromosome === undefined ? [] : [message]));
  const wrong = contradictions(build);
  const [first] = wrong;
  if (first === undefined) return [];
  const other = builds.find((one) => one !== build && contradictions(one).length < wrong.length);
  if (other !== undefined) {
    throw new Fault(
      'unprocessable',
      `The coverage file belongs to ${other}, not to ${build}: ${first.replace(/\.$/, '')}`,
    );
  }
  const fitting = contigFindings(chromosomes, build).length === 0 || wrong.length < chromosomes.length;
  return fitting
    ? [{ code: 'contig-length', message: wrong.slice(0, 3).join(' ') }]
    : [{ code: 'unknown-build', message: 'The chromosome lengths of the coverage file match no known build.' }];
}

// Warnings about a D4 file itself.

/** Warnings found when the file was opened. */
export function fileWarnings({ tracks }: D4File): Warning[] {
  const warnings: Warning[] = (tracks[0]?.warnings ?? []).map(({ code, message }) => ({
    code: code === 'odd' ? 'odd-file' : code,
    message,
  }));
  if (tracks.length > 1) {
    const message = `The coverage file has ${tracks.length} tracks; only the first was read.`;
    warnings.push({ code: 'several-tracks', message });
  }
  return warnings;
}

/** Depths may be capped if this many bases have the greatest depth, and this many times as many as the depth below it. */
const leastPile = 10;
/** Fewer bases may have the same depth by chance. */
const leastClear = 100;
const pileFactor = 3;

/**
 * Thresholds whose counts `cappedWarning` needs: below, at and above the greatest depth that needs no record. None if
 * every depth is a record.
 */
export function capThresholds({ dictionary, denominator }: D4Track): number[] {
  const { width, fallback } = dictionary;
  if (width === 0 || fallback <= 1) return [];
  return [fallback - 1, fallback, fallback + 1].map((stored) => stored / denominator);
}

/**
 * Some writers lose the records of depths beyond the dictionary, so that a deep region has the dictionary's greatest
 * value throughout: a mitochondrion of 4201x then reads 127x. Only a possibility if the dictionary was chosen from the depths, since
 * its last value may be that of an amplicon, and for few bases.
 */
export function cappedWarning({ dictionary, denominator }: D4Track, reached: readonly number[]): Warning[] {
  const [below, at, above] = reached;
  if (below === undefined || at === undefined || above === undefined || above > 0) return [];
  if (at < leastPile || at <= pileFactor * (below - at)) return [];
  const cap = dictionary.fallback / denominator;
  const bases = `${at} bases have a depth of exactly ${cap} and none has more`;
  if (at >= leastClear && dictionary.low === 0) {
    return [{ code: 'capped', message: `${bases}: the depths of the file seem to be capped.` }];
  }
  const message = `${bases}: the depths of the file may be capped there, or uniform, as in amplicons.`;
  return [{ code: 'possibly-capped', message }];
}
