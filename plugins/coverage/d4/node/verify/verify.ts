/**
 * The acceptance check of a file, whether its depths can be relied on: the structure of its tracks, and signs of lost depths
 * (piles at the last value of the dictionary, holes at the edges of partitions).
 */
import { checkOptions, detectBuild, type ReferenceBuild } from '../../chromosomes.js';
import { Clock } from '../../clock.js';
import { type D4ErrorCode, isD4Error } from '../../error.js';
import type { D4File } from '../../file.js';
import {
  type ChromosomeReport,
  type D4Finding,
  type D4Report,
  type FindingCode,
  type TrackReport,
  verdict,
} from '../../findings.js';
import { type Kernel, kernel } from '../../kernel/kernel.js';
import type { Partition } from '../../metadata.js';
import { depths } from '../../profile.js';
import { recordBegin } from '../../secondary/records.js';
import { displayName } from '../../source/http.js';
import { type D4Track, quickFindings } from '../../track.js';
import { StretchReader } from '../../window.js';
import { type NodeOpenOptions, openD4 } from '../files.js';
import type { WriteProgress } from '../write/create.js';
import { perBaseFindings, summaryFindings } from './mosdepth.js';

export interface VerifyOptions extends NodeOpenOptions {
  /** mosdepth's `….mosdepth.summary.txt` of the same sample. */
  summary?: string | undefined;
  /** mosdepth's `….per-base.bed.gz` of the same sample. */
  perBase?: string | undefined;
  /** The genome that the sample was aligned to. */
  build?: ReferenceBuild | undefined;
  /** Opens the location; by default `openD4`. */
  open?: ((location: string, options: NodeOpenOptions) => Promise<D4File>) | undefined;
  progress?: WriteProgress | undefined;
  signal?: AbortSignal | undefined;
}

/** Errors that concern the file itself; the others concern access to it, or the arguments. */
const aboutTheFile: Partial<Record<D4ErrorCode, FindingCode>> = {
  'not-d4': 'unreadable',
  broken: 'unreadable',
  truncated: 'truncated',
};

/**
 * Checks whether a file can be relied on: its structure to the last record, signs of lost or capped depths, holes between partitions, its
 * chromosomes against the build and its means against mosdepth's. What is wrong with the bytes is a finding; a file that is missing or
 * cannot be reached is an error, D4Error.
 */
export async function verifyD4(location: string, options: VerifyOptions = {}): Promise<D4Report> {
  checkOptions(options);
  const findings: D4Finding[] = [];
  const tracks: TrackReport[] = [];
  let file: D4File | undefined;
  try {
    file = await (options.open ?? openD4)(location, options);
    await file.checkFrames(options);
    for (const place of file.tracks.keys()) tracks.push(await verifyTrack(file, place, options));
  } catch (error) {
    const code = isD4Error(error) && aboutTheFile[error.code];
    if (!code) throw error;
    findings.push({ level: 'fail', code, message: error.message });
  } finally {
    file?.close();
  }
  const all = [...findings, ...tracks.flatMap((track) => track.findings)];
  return { file: displayName(location), verdict: verdict(all), findings, tracks };
}

async function verifyTrack(file: D4File, place: number, options: VerifyOptions): Promise<TrackReport> {
  const { progress, signal, build, summary, perBase } = options;
  const track = file.track(place);
  const findings = quickFindings(track, build);
  if (!build) {
    const found = detectBuild(track.chromosomes);
    const message = found ? `The chromosomes are those of ${found}.` : 'The chromosomes fit no known genome build.';
    findings.push({ level: 'note', code: 'contigs', message });
  }

  const genome = track.chromosomes.reduce((sum, { size }) => sum + size, 0);
  const visited = (bases: number) => progress?.(bases / genome, 'reading all records');
  const records = await checkStructure(track, kernel(options.kernel), signal, visited);
  const parts = stretchesOf(track);
  const partsOf: number[][] = track.chromosomes.map(() => []);
  for (const [i, { chromosome }] of parts.entries()) partsOf[chromosome]?.push(i);
  progress?.(0, 'counting depths');
  const rows = await file.statistics(
    {
      intervals: parts.map(({ chromosome, begin, end }) => ({
        chromosome: track.chromosomes[chromosome]?.name ?? '',
        begin,
        end,
      })),
      histogram: true,
      signal,
    },
    place,
  );
  progress?.(1, 'counting depths');
  const counts = rows.map(({ histogram = [] }) => histogram);
  findings.push(...cappedFindings(track, { parts, partsOf }, counts, records), ...(await holes(track, signal)));

  const chromosomes = track.chromosomes.map(({ name, size }, ordinal): ChromosomeReport => {
    const own = partsOf[ordinal] ?? [];
    const sum = own.reduce((total, i) => total + (rows[i]?.sum ?? 0), 0);
    return {
      name,
      size,
      mean: size === 0 ? 0 : sum / size / track.denominator,
      max: own.reduce((most, i) => Math.max(most, counts[i]?.at(-1)?.depth ?? 0), 0),
      records: own.reduce((total, i) => total + (records[parts[i]?.ordinal ?? -1] ?? 0), 0),
    };
  });
  if (summary) findings.push(...(await summaryFindings(summary, chromosomes)));
  if (perBase) {
    const compared = (fraction: number) => progress?.(fraction, 'comparing every base');
    findings.push(...(await perBaseFindings(track, perBase, signal, compared)));
  }
  return { name: track.name, findings, chromosomes };
}

type CheckedPartition = Omit<Partition, 'ordinal'> & { ordinal: number | undefined };

/** The partitions, and the parts of chromosomes between them. */
function stretchesOf(track: D4Track): CheckedPartition[] {
  return track.chromosomes.flatMap(({ size }, chromosome) => {
    const parts: CheckedPartition[] = [];
    let at = 0;
    for (const partition of track.secondary?.metadata.byChromosome[chromosome] ?? []) {
      const begin = Math.min(partition.begin, size);
      if (begin > at) parts.push({ ordinal: undefined, chromosome, begin: at, end: begin });
      at = Math.min(partition.end, size);
      parts.push({ ordinal: partition.ordinal, chromosome, begin, end: at });
    }
    if (size > at) parts.push({ ordinal: undefined, chromosome, begin: at, end: size });
    return parts;
  });
}

/** Finds partitions without a record whose depths are piled up at the last value of the dictionary. */
function cappedFindings(
  track: D4Track,
  { parts, partsOf }: { parts: readonly CheckedPartition[]; partsOf: readonly number[][] },
  counts: readonly DepthCounts[],
  records: readonly number[],
): D4Finding[] {
  const { dictionary, denominator, chromosomes } = track;
  if (dictionary.width === 0) return [];
  const last = dictionary.fallback / denominator;
  return chromosomes.flatMap(({ name }, ordinal): D4Finding[] => {
    const piles = (partsOf[ordinal] ?? []).flatMap((i) => {
      const own = records[parts[i]?.ordinal ?? -1] ?? 0;
      const found = own === 0 ? pile(counts[i] ?? [], last, 1 / denominator) : undefined;
      return found ? [found] : [];
    });
    if (piles.length === 0) return [];
    // The last value of another dictionary was chosen because it is frequent.
    const isClear = dictionary.low === 0 && piles.some((one) => one.isClear);
    const bases = piles.reduce((sum, one) => sum + one.bases, 0);
    const message =
      `${bases} bases of ${name} have a depth of exactly ${last}, the last value of the dictionary, and none have more: ` +
      (isClear
        ? 'greater depths are lost or capped.'
        : 'greater depths may be lost or capped, unless the depth is that uniform, as in amplicons.');
    return [{ level: isClear ? 'fail' : 'warn', code: 'capped', message, chromosome: name }];
  });
}

// Reads all records of a track, which checks its structure.

/**
 * Counts the records of each partition, in the order of the list. Reading all of them checks their order and positions, and the
 * codes under them. Throws D4Error.
 */
async function checkStructure(
  track: D4Track,
  kernel: Kernel,
  signal: AbortSignal | undefined,
  visited?: (bases: number) => void,
): Promise<number[]> {
  const records = track.secondary?.metadata.partitions.map(() => 0) ?? [];
  const clock = new Clock(signal);
  const reader = new StretchReader(track, signal);
  let done = 0;
  for (const { ordinal, chromosome, begin: from, end: partitionEnd } of track.secondary?.metadata.partitions ?? []) {
    const to = Math.min(partitionEnd, track.chromosomes[chromosome]?.size ?? 0);
    for await (const stretch of reader.stretches({ chromosome, begin: from, end: to })) {
      const { begin, end } = stretch.region;
      stretch.fill(kernel);
      for (const { words, count } of stretch.records) {
        for (let i = 0; i < count; i++) {
          const start = recordBegin(words, i);
          if (start >= begin && start < end) records[ordinal] = (records[ordinal] as number) + 1;
        }
      }
      done += end - begin;
      visited?.(done);
      await clock.tick();
    }
  }
  return records;
}

// Finds signs of lost depths.

/** Depths of a region, ascending, with their number of bases. */
type DepthCounts = readonly { depth: number; bases: number }[];

/** A pile has at least this number of bases, and this many times those of the next lower depth. */
const leastPile = 10;
const pileFactor = 3;
/** Fewer bases may have the same depth by chance. */
const leastClear = 100;
/** Where reads begin and end, depths climb: of fewer bases in between than this share, the depth is uniform by nature. */
const leastBetween = 0.01;

/** Bases at the last value of the dictionary. */
interface Pile {
  bases: number;
  /** Whether only lost or capped depths explain it. */
  isClear: boolean;
}

/**
 * Returns the bases that are piled up at the last value of the dictionary with no greater depth, as when the records of greater
 * depths were lost; undefined if there is no pile. In a valid file the counts decrease gradually, except in amplicons, whose depth begins
 * and ends at one base.
 */
function pile(counts: DepthCounts, fallback: number, step: number): Pile | undefined {
  const last = counts.at(-1);
  if (!last || last.depth !== fallback || last.depth < step || last.bases < leastPile) return undefined;
  const before = counts.at(-2);
  const below = before && before.depth >= fallback - step ? before.bases : 0;
  if (last.bases <= pileFactor * below) return undefined;
  const zeros = counts.find(({ depth }) => depth === 0)?.bases ?? 0;
  const between = counts.reduce((sum, { bases }) => sum + bases, 0) - zeros - last.bases;
  const isUniform = zeros > 0 && between < leastBetween * last.bases;
  return { bases: last.bases, isClear: last.bases >= leastClear && !isUniform };
}

/** Bases that are checked on each side of a boundary. */
const flank = 200;
/** A depth that does not drop to 0 from one base to the next in a valid file. */
const leastDepth = 5;

/** Finds boundaries between partitions at which a run of depth 0 begins or ends exactly. */
async function holes(track: D4Track, signal?: AbortSignal): Promise<D4Finding[]> {
  const findings: D4Finding[] = [];
  for (const [chromosome, { name, size }] of track.chromosomes.entries()) {
    const own = track.secondary?.metadata.byChromosome[chromosome] ?? [];
    const edges = new Set(own.flatMap(({ begin, end }) => [begin, end]));
    for (let edge = boundaryBases; edge < size; edge += boundaryBases) edges.add(edge);
    for (const edge of [...edges].sort((a, b) => a - b)) {
      if (edge < flank || edge > size - flank) continue;
      const interval = { chromosome: name, begin: edge - flank, end: edge + flank };
      const around = await depths(track, interval, { signal });
      const left = around.subarray(0, flank);
      const right = around.subarray(flank);
      const isHole =
        (left.every((depth) => depth === 0) && (right[0] as number) >= leastDepth) ||
        (right.every((depth) => depth === 0) && (left[flank - 1] as number) >= leastDepth);
      if (!isHole) continue;
      const message = `The depth drops to 0 exactly at ${name}:${edge}, a boundary between partitions.`;
      findings.push({ level: 'warn', code: 'hole', message, chromosome: name });
    }
  }
  // One may be chance; several are not.
  return findings.length > 1 ? findings.map((finding) => ({ ...finding, level: 'fail' })) : findings;
}

/** d4tools divides its work at multiples of this, whatever the partitions are. */
const boundaryBases = 10_000_000;
