/** Predicts the sex of a sample from the depths of X and Y outside the pseudoautosomal regions (PARs). */
import type { Build, SampleSex, Span } from '../contract.js';
import {
  chromosomeIndex,
  contigFindings,
  type D4File,
  type D4Track,
  detectBuild,
  RecentlyUsed,
  versionOfSource,
} from '../d4/index.js';
import type { CoverageSettings } from '../settings.js';
import { withoutPars } from './genes.js';
import { binsIn, type CopyEvidence, countedPlaces, type MedianDepth } from './karyotype.js';
import {
  cappedWarning,
  capThresholds,
  checkBuild,
  type DepthFiles,
  fileWarnings,
  percentOfShare,
  type Sample,
  type Warning,
} from './measure.js';
import { medianOfValues } from './region.js';

export type Sex = SampleSex;
type SexRules = CoverageSettings['sex'];

/** Mean depths, and what they rest on. */
interface SexEvidence {
  x: number;
  y: number;
  /** Fraction of X outside the PARs with a depth of at least 1: next to nothing in a file of a few genes. */
  breadth: number;
}

export interface SexPrediction {
  sex: Sex;
  xCoverage: number;
  yCoverage: number;
  autosomeCoverage: number;
  /** To the autosomes: 1 and 0 for XX, 0.5 and 0.5 for XY. Omitted if the autosomes have no depth. */
  xRatio?: number;
  yRatio?: number;
  /** The build whose PARs were left out. */
  build?: Build;
  /** What copies of chromosomes are counted by, in a genome. */
  bins: BinDepths;
  /** Omitted if the file has none. */
  mitochondrion?: Mitochondrion;
  warnings: Warning[];
}

/**
 * By the ratio of X to Y: at most `male` is male, at least `female` (or no depth on Y at all) is female, and a
 * ratio between is unknown. Unknown, too, if too little of X was sequenced.
 */
export function sexOfDepths({ x, y, breadth }: SexEvidence, { male, female, evidence }: SexRules): Sex {
  if (x === 0 || breadth < evidence) return 'unknown';
  const ratio = x / y;
  if (ratio <= male) return 'male';
  return ratio >= female ? 'female' : 'unknown';
}

interface SexOptions {
  build?: Build | undefined;
  signal?: AbortSignal | undefined;
}

/** Throws `unprocessable` if the file is of another build, and what `DepthFiles.use` throws. */
export type PredictSex = (sample: Sample, options: SexOptions) => Promise<SexPrediction>;

/** Files whose predicted sex is kept. */
const mostKnown = 1000;

/** Reads each version of a file once, as long as it is among the most recently used. */
export function createPredictSex(files: DepthFiles, rules: SexRules): PredictSex {
  const known = new RecentlyUsed<SexPrediction>(mostKnown);
  return ({ location }, options) =>
    files.use(location, async (file) => {
      const version = versionOfSource(file.source);
      if (version === undefined) return readSex(file, rules, options);
      const tracks = file.tracks.map(({ name }) => name);
      const key = JSON.stringify([options.build ?? '', version, tracks]);
      const found = known.get(key) ?? (await readSex(file, rules, options));
      known.set(key, found);
      return found;
    });
}

/** Reads X, Y, the mitochondrion and evenly spread blocks of the autosomes. */
async function readSex(file: D4File, rules: SexRules, options: SexOptions): Promise<SexPrediction> {
  const track = file.track();
  const warnings: Warning[] = [
    ...fileWarnings(file),
    ...(options.build === undefined ? [] : checkBuild(track, options.build)),
  ];
  const build = options.build ?? certainBuild(track.chromosomes);
  if (build === undefined) {
    const message = 'The genome build is unknown: X and Y include the pseudoautosomal regions.';
    warnings.push({ code: 'unknown-build', message });
  }
  const pieces = sexPiecesOf(track.chromosomes, build);
  const has = (part: SexPiece['part']) => pieces.some((piece) => piece.part === part);
  for (const part of ['X', 'Y', 'autosomes'] as const) {
    if (has(part)) continue;
    const message =
      part === 'autosomes' ? 'The coverage file has no autosomes.' : `The coverage file has no chromosome ${part}.`;
    warnings.push({ code: 'missing-chromosome', message });
  }
  const read = await readPieces(file, pieces, options.signal);
  warnings.push(...cappedWarning(track, capsOf(read, ['X', 'Y', 'autosomes'])));
  const [x, y, autosomes] = [shareOf(read, 'X'), shareOf(read, 'Y'), shareOf(read, 'autosomes')];
  if (has('X') && x.breadth < rules.evidence) {
    const message = `Too little of X was sequenced to predict the sex: ${percentOfShare(x.breadth)} % outside the pseudoautosomal regions.`;
    warnings.push({ code: 'little-evidence', message });
  }
  const mitochondrion = mitochondrionOf(track, read);
  return {
    sex: has('X') && has('Y') ? sexOfDepths({ x: x.mean, y: y.mean, breadth: x.breadth }, rules) : 'unknown',
    xCoverage: x.mean,
    yCoverage: y.mean,
    autosomeCoverage: autosomes.mean,
    ...(autosomes.mean === 0 ? {} : { xRatio: x.mean / autosomes.mean, yRatio: y.mean / autosomes.mean }),
    ...(build === undefined ? {} : { build }),
    bins: depthsOfBins(read),
    ...(mitochondrion && { mitochondrion }),
    warnings,
  };
}

/** A build that no chromosome of the file contradicts. */
function certainBuild(chromosomes: readonly { name: string; size: number }[]): Build | undefined {
  const build = detectBuild(chromosomes);
  if (build === undefined) return undefined;
  const own = chromosomes[chromosomeIndex(chromosomes, 'X', true)];
  const contradicted = contigFindings(chromosomes, build).some(({ chromosome }) => chromosome !== undefined);
  return own === undefined || contradicted ? undefined : build;
}

/** Whether the sample's sex is another than the one declared for it; nothing can be said where either is unknown. */
export function contradicts(found: Sex, declared: Sex): boolean {
  return found !== 'unknown' && declared !== 'unknown' && found !== declared;
}

// What is read of a file to predict the sex and to count chromosomes: X, Y, the mitochondrion and blocks of the autosomes.

interface SexPiece extends Span {
  /** As the file writes it. */
  chromosome: string;
  part: 'X' | 'Y' | 'autosomes' | 'MT';
  /** Whether it is one of the places that copies are counted by. */
  isBin: boolean;
}

type ReadChromosomes = readonly { name: string; size: number }[];

/** Blocks on each autosome, evenly spread, which stand for all of it; and their bases. */
const blocks = 24;
const blockBases = 25_000;

/** Of the bins on X one of so many is enough for a median; each takes time. */
const everyBin = 10;

/** Each base once. Without a build there are no bins on X and Y. */
function sexPiecesOf(chromosomes: ReadChromosomes, build: Build | undefined): SexPiece[] {
  return [
    ...sexPieces(chromosomes, 'X', build),
    ...sexPieces(chromosomes, 'Y', build),
    ...autosomePieces(chromosomes),
    ...mitochondrialPieces(chromosomes),
  ];
}

function sexPieces(chromosomes: ReadChromosomes, part: 'X' | 'Y', build: Build | undefined): SexPiece[] {
  const own = chromosomes[chromosomeIndex(chromosomes, part, true)];
  if (own === undefined) return [];
  const each = part === 'X' ? everyBin : 1;
  const bins = build === undefined ? [] : countedPlaces(part, own.size, build).flatMap((place) => binsIn(place, each));
  return withoutPars(part, own.size, build).flatMap((region) =>
    cutAtBins(region, bins, { chromosome: own.name, part }),
  );
}

function autosomePieces(chromosomes: ReadChromosomes): SexPiece[] {
  return Array.from({ length: 22 }, (_, i) => String(i + 1)).flatMap((number) => {
    const own = chromosomes[chromosomeIndex(chromosomes, number, true)];
    if (own === undefined) return [];
    const length = Math.min(blockBases, Math.floor(own.size / blocks));
    if (length === 0) return [];
    return Array.from({ length: blocks }, (_, k) => {
      const start = Math.floor(((k + 0.5) * own.size) / blocks - length / 2);
      const block = { start, end: start + length };
      return cutAtBins(block, binsIn(block, 1), { chromosome: own.name, part: 'autosomes' });
    }).flat();
  });
}

function mitochondrialPieces(chromosomes: ReadChromosomes): SexPiece[] {
  const own = chromosomes[chromosomeIndex(chromosomes, 'MT', true)];
  return own === undefined ? [] : [{ chromosome: own.name, start: 0, end: own.size, part: 'MT', isBin: false }];
}

/** The bins within a region, and what is left between them. Bins come sorted. */
function cutAtBins({ start, end }: Span, bins: readonly Span[], of: Pick<SexPiece, 'chromosome' | 'part'>): SexPiece[] {
  const pieces: SexPiece[] = [];
  let at = start;
  for (const bin of bins) {
    if (bin.start < start || bin.end > end) continue;
    if (at < bin.start) pieces.push({ ...of, start: at, end: bin.start, isBin: false });
    pieces.push({ ...of, ...bin, isBin: true });
    at = bin.end;
  }
  if (at < end) pieces.push({ ...of, start: at, end, isBin: false });
  return pieces;
}

// Depths of the pieces that are read to predict the sex: means, medians of bins, and the mitochondrion.

/** A piece with its sum of depths, and the bases at or above 1 and at or above each threshold of the cap. */
interface ReadPiece extends SexPiece {
  sum: number;
  covered: number;
  caps: readonly number[];
}

export interface BinDepths extends CopyEvidence {
  unit: 'bins';
  /** Fraction of the autosomal bins with depth that has a depth of at least 1: little of it in an exome. */
  breadth: number;
}

export interface Mitochondrion {
  bases: number;
  /** Mean depth. */
  mean: number;
  /** Fraction of its bases with a depth of at least 1. */
  breadth: number;
  isCapped: boolean;
}

async function readPieces(
  file: D4File,
  pieces: readonly SexPiece[],
  signal: AbortSignal | undefined,
): Promise<ReadPiece[]> {
  const track = file.track();
  const thresholds = [1, ...capThresholds(track)];
  const intervals = pieces.map(({ chromosome, start, end }) => ({ chromosome, begin: start, end }));
  const { sums, counts } = await file.columns({ intervals, thresholds, signal });
  return pieces.map((piece, i) => {
    const [covered = 0, ...caps] = counts.subarray(i * thresholds.length, (i + 1) * thresholds.length);
    return { ...piece, sum: (sums[i] as number) / track.denominator, covered, caps };
  });
}

/** Of all these parts together, the counts that `cappedWarning` needs. */
function capsOf(read: readonly ReadPiece[], parts: readonly SexPiece['part'][]): number[] {
  const found: number[] = [];
  for (const { part, caps } of read) {
    if (parts.includes(part)) for (const [i, count] of caps.entries()) found[i] = (found[i] ?? 0) + count;
  }
  return found;
}

/** Mean depth, and the fraction of the bases with depth. */
function shareOf(read: readonly ReadPiece[], part: SexPiece['part']): { mean: number; breadth: number } {
  let [bases, sum, covered] = [0, 0, 0];
  for (const piece of read) {
    if (piece.part !== part) continue;
    bases += piece.end - piece.start;
    sum += piece.sum;
    covered += piece.covered;
  }
  return { mean: bases === 0 ? 0 : sum / bases, breadth: bases === 0 ? 0 : covered / bases };
}

/** Bins without depth are gaps of the assembly, or of an assay; on Y they may be a missing chromosome. */
function depthsOfBins(read: readonly ReadPiece[]): BinDepths {
  const bins = read.filter(({ isBin, part, sum }) => isBin && (part === 'Y' || sum > 0));
  const of = (part: SexPiece['part']): MedianDepth => {
    const means = bins.flatMap((bin) => (bin.part === part ? [bin.sum / (bin.end - bin.start)] : []));
    return { median: medianOfValues(means) ?? 0, count: means.length };
  };
  const { breadth } = shareOf(bins, 'autosomes');
  return { unit: 'bins', autosomes: of('autosomes'), x: of('X'), y: of('Y'), breadth };
}

function mitochondrionOf(track: D4Track, read: readonly ReadPiece[]): Mitochondrion | undefined {
  const own = read.find(({ part }) => part === 'MT');
  if (own === undefined) return undefined;
  const isCapped = cappedWarning(track, capsOf(read, ['MT'])).length > 0;
  return { bases: own.end - own.start, ...shareOf(read, 'MT'), isCapped };
}

/** The spellings of the sex in Scout and in PED files. */
const sexSpellings: ReadonlyMap<string, SampleSex> = new Map([
  ['female', 'female'],
  ['f', 'female'],
  ['2', 'female'],
  ['male', 'male'],
  ['m', 'male'],
  ['1', 'male'],
  ['unknown', 'unknown'],
  ['other', 'unknown'],
  ['0', 'unknown'],
]);

/** The sex as people write it; undefined for any other text. */
export function sexNamed(text: string): SampleSex | undefined {
  return sexSpellings.get(text.trim().toLowerCase());
}
