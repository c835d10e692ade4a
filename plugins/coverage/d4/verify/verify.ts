/** The acceptance check of a file: whether its depths can be relied on. */
import { Clock } from '../clock.js';
import { type D4ErrorCode, isD4Error } from '../error.js';
import { type D4File, type OpenOptions, openD4 } from '../file.js';
import { kernel } from '../kernel/choose.js';
import type { Partition } from '../secondary/metadata.js';
import type { Track } from '../track.js';
import type { Progress } from '../write/create.js';
import { type Build, contigFindings, detectBuild } from './contigs.js';
import { type DepthCounts, holes, pile } from './depth.js';
import { perBaseFindings, summaryFindings } from './mosdepth.js';
import {
  type ChromosomeReport,
  type Finding,
  type FindingCode,
  type Report,
  type TrackReport,
  verdict,
} from './report.js';
import { checkStructure } from './structure.js';

export interface VerifyOptions extends OpenOptions {
  /** mosdepth's `….mosdepth.summary.txt` of the same sample. */
  summary?: string | undefined;
  /** mosdepth's `….per-base.bed.gz` of the same sample. */
  perBase?: string | undefined;
  /** The genome that the sample was aligned to. */
  build?: Build | undefined;
  /** Opens the location; by default `openD4`. */
  open?: typeof openD4 | undefined;
  progress?: Progress | undefined;
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
 * chromosomes against the build and its means against mosdepth's. A file that cannot be read is a finding, not an error.
 */
export async function verifyD4(location: string, options: VerifyOptions = {}): Promise<Report> {
  const findings: Finding[] = [];
  const tracks: TrackReport[] = [];
  let file: D4File | undefined;
  try {
    file = await (options.open ?? openD4)(location, options);
    await file.checkFrames();
    for (const place of file.tracks.keys()) tracks.push(await verifyTrack(file, place, options));
  } catch (error) {
    const code = isD4Error(error) && aboutTheFile[error.code];
    if (!code) throw error;
    findings.push({ level: 'fail', code, message: error.message });
  } finally {
    file?.close();
  }
  const all = [...findings, ...tracks.flatMap((track) => track.findings)];
  return { file: location, verdict: verdict(all), findings, tracks };
}

/** The findings on a track that need no reading: oddities from when it was opened, and its chromosomes. */
export function quickFindings(track: Track, build?: Build): Finding[] {
  const findings: Finding[] = track.warnings.map(({ code, message }) => ({
    level: code === 'lost-records' ? 'fail' : 'warn',
    code,
    message,
  }));
  if (build) return [...findings, ...contigFindings(track.chromosomes, build)];
  return findings;
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
  const records = await checkStructure(track, kernel(options.kernel), new Clock(signal), visited);
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
    findings.push(...(await perBaseFindings(track, perBase, compared)));
  }
  return { name: track.name, findings, chromosomes };
}

type Part = Omit<Partition, 'ordinal'> & { ordinal: number | undefined };

/** The partitions, and the parts of chromosomes between them. */
function stretchesOf(track: Track): Part[] {
  return track.chromosomes.flatMap(({ size }, chromosome) => {
    const parts: Part[] = [];
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
  track: Track,
  { parts, partsOf }: { parts: readonly Part[]; partsOf: readonly number[][] },
  counts: readonly DepthCounts[],
  records: readonly number[],
): Finding[] {
  const { dictionary, denominator, chromosomes } = track;
  if (dictionary.width === 0) return [];
  const last = dictionary.fallback / denominator;
  return chromosomes.flatMap(({ name }, ordinal): Finding[] => {
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
