/** Predicts the sex of a sample from the depths of X and Y outside the pseudoautosomal regions (PARs). */
import type { Build } from '../contract.js';
import type { D4File } from '../d4/file.js';
import { chromosomeIndex } from '../d4/names.js';
import { Recent } from '../d4/recent.js';
import { versionOf } from '../d4/source/source.js';
import { contigFindings, detectBuild } from '../d4/verify/contigs.js';
import type { CoverageSettings } from '../settings.js';
import { checkBuild } from './build.js';
import { cappedWarning, fileWarnings } from './file-warnings.js';
import { type DepthFiles, percentOf, type Sample, type Warning } from './measure.js';
import {
  type BinDepths,
  binsOf,
  capsOf,
  type Mitochondrion,
  mitochondrionOf,
  readPieces,
  shareOf,
} from './sex-depths.js';
import { piecesOf, type SexPiece } from './sex-places.js';

export type Sex = 'female' | 'male' | 'unknown';
export type SexRules = CoverageSettings['sex'];

/** Mean depths, and what they rest on. */
export interface SexEvidence {
  x: number;
  y: number;
  /** Fraction of X outside the PARs with a depth of at least 1: next to nothing in a file of a few genes. */
  breadth: number;
}

export interface SexFound {
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
export function sexOf({ x, y, breadth }: SexEvidence, { male, female, evidence }: SexRules): Sex {
  if (x === 0 || breadth < evidence) return 'unknown';
  const ratio = x / y;
  if (ratio <= male) return 'male';
  return ratio >= female ? 'female' : 'unknown';
}

export interface SexOptions {
  build?: Build | undefined;
  signal?: AbortSignal | undefined;
}

/** Throws `unprocessable` if the file is of another build, and what `DepthFiles.use` throws. */
export type PredictSex = (sample: Sample, options: SexOptions) => Promise<SexFound>;

/** Files whose predicted sex is kept. */
const mostKnown = 1000;

/** Reads each version of a file once, as long as it is among the most recently used. */
export function createPredictSex(files: DepthFiles, rules: SexRules): PredictSex {
  const known = new Recent<SexFound>(mostKnown);
  return ({ location }, options) =>
    files.use(location, async (file) => {
      const version = versionOf(file.source);
      if (version === undefined) return readSex(file, rules, options);
      const tracks = file.tracks.map(({ name }) => name);
      const key = JSON.stringify([options.build ?? '', version, tracks]);
      const found = known.get(key) ?? (await readSex(file, rules, options));
      known.set(key, found);
      return found;
    });
}

/** Reads X, Y, the mitochondrion and evenly spread blocks of the autosomes. */
async function readSex(file: D4File, rules: SexRules, options: SexOptions): Promise<SexFound> {
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
  const pieces = piecesOf(track.chromosomes, build);
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
    const message = `Too little of X was sequenced to predict the sex: ${percentOf(x.breadth)} % outside the pseudoautosomal regions.`;
    warnings.push({ code: 'little-evidence', message });
  }
  const mitochondrion = mitochondrionOf(track, read);
  return {
    sex: has('X') && has('Y') ? sexOf({ x: x.mean, y: y.mean, breadth: x.breadth }, rules) : 'unknown',
    xCoverage: x.mean,
    yCoverage: y.mean,
    autosomeCoverage: autosomes.mean,
    ...(autosomes.mean === 0 ? {} : { xRatio: x.mean / autosomes.mean, yRatio: y.mean / autosomes.mean }),
    ...(build === undefined ? {} : { build }),
    bins: binsOf(read),
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

export const declaredSexes = ['female', 'male', 'unknown'] as const;

/** Whether the sample's sex is another than the one declared for it; nothing can be said where either is unknown. */
export function contradicts(found: Sex, declared: (typeof declaredSexes)[number]): boolean {
  return found !== 'unknown' && declared !== 'unknown' && found !== declared;
}
