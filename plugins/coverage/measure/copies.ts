/**
 * How many copies of a place a sample is expected to have, by the karyotype that its depths fit, or by its declared sex if they
 * fit none. The pseudoautosomal regions (PARs), whose reads are mapped to X, count as two copies on X and on Y. And copies of
 * the mitochondrial genome per cell.
 */
import { pseudoautosomal } from '../../../core/genome.js';
import type { Build } from '../contract.js';
import { copiesIn, type Karyotype, leastDepth, leastPlaces, sexOfKaryotype } from './karyotype.js';
import { type List, numberedMembers, type Region } from './region.js';
import { type BinDepths, contradicts, type Mitochondrion, type Sex } from './sex.js';

type BinarySex = 'female' | 'male';

/** Of X and Y outside the PARs; undefined if unknown. */
export interface SexCopies {
  x?: number;
  y?: number;
}

/** What the copies of X and Y follow. Without `copies` both are unknown. */
export type CopyReading =
  | { by: 'karyotype'; karyotype: Karyotype; copies: SexCopies }
  | { by: 'missing-y'; copies: SexCopies }
  | { by: 'declared'; sex: BinarySex; copies: SexCopies }
  | { by: 'contradiction'; declared: BinarySex; found: Karyotype | BinarySex; copies?: undefined }
  | { by: 'nothing'; copies?: undefined };

interface CopyEvidenceOfSample {
  /** That the depths fit; undefined if they fit none for certain. */
  karyotype?: Karyotype | undefined;
  /** Whether the depths fit no Y, however many X (`lacksY`): counts if there is no karyotype. */
  lacksY?: boolean | undefined;
  /** By the ratio of X to Y, which says less than a karyotype: it can only contradict the declared sex. */
  predicted?: Sex | undefined;
  declared?: Sex | undefined;
}

export function readCopies(evidence: CopyEvidenceOfSample): CopyReading {
  const { karyotype, lacksY = false, predicted = 'unknown', declared = 'unknown' } = evidence;
  const byDepth = karyotype !== undefined ? sexOfKaryotype({ karyotype }) : lacksY ? 'female' : predicted;
  if (declared !== 'unknown' && byDepth !== 'unknown' && contradicts(byDepth, declared)) {
    return { by: 'contradiction', declared, found: karyotype ?? byDepth };
  }
  if (karyotype !== undefined) return { by: 'karyotype', karyotype, copies: copiesIn(karyotype) };
  if (lacksY) return { by: 'missing-y', copies: declared === 'female' ? copiesIn('XX') : { y: 0 } };
  if (declared === 'unknown') return { by: 'nothing' };
  return { by: 'declared', sex: declared, copies: copiesIn(declared === 'female' ? 'XX' : 'XY') };
}

/** Kinds of places, as bits: of each, a sample has one number of copies. */
export const placeKinds = { twoCopies: 1, x: 2, y: 4, mitochondrial: 8 } as const;

/** Which kinds of places the bases of some regions are in: the sum of their bits. */
export function placeKindsOf(regions: readonly Region[], build: Build): number {
  let kinds = 0;
  for (const { chromosome, start, end } of regions) {
    const name = chromosome.replace(/^chr/i, '').toUpperCase();
    if (name === 'MT' || name === 'M') kinds |= placeKinds.mitochondrial;
    else if (name !== 'X' && name !== 'Y') kinds |= placeKinds.twoCopies;
    else {
      let shared = 0;
      for (const par of pseudoautosomal[build]) {
        if (par.chromosome === name) shared += Math.max(0, Math.min(end, par.end) - Math.max(start, par.start));
      }
      if (shared > 0) kinds |= placeKinds.twoCopies;
      if (shared < end - start) kinds |= name === 'X' ? placeKinds.x : placeKinds.y;
    }
  }
  return kinds;
}

/** The same of each target. */
export function kindsOfEach(targets: List<{ regions: readonly Region[] }>, build: Build): Uint8Array {
  const kinds = new Uint8Array(targets.length);
  for (const [at, { regions }] of numberedMembers(targets)) kinds[at] = placeKindsOf(regions, build);
  return kinds;
}

/** The number of copies of all bases of such places; undefined if it is unknown, or not the same of all of them. */
export function copiesAt(kinds: number, { copies }: CopyReading): number | undefined {
  const found = new Set<number | undefined>();
  if (kinds & placeKinds.twoCopies) found.add(2);
  if (kinds & placeKinds.x) found.add(copies?.x);
  if (kinds & placeKinds.y) found.add(copies?.y);
  if (kinds & placeKinds.mitochondrial) found.add(undefined);
  const [only] = found;
  return found.size === 1 ? only : undefined;
}

/** Whether some base is on X or Y outside the PARs: only samples with the same sex chromosomes compare there. */
export function dependsOnSex(regions: readonly Region[], build: Build): boolean {
  return (placeKindsOf(regions, build) & (placeKinds.x | placeKinds.y)) !== 0;
}

// Copies of the mitochondrial genome per cell, from depths.

/** `median`: 2 × mean MT / median of autosomal bins, as gnomAD has it. `scout14`: 2 × mean MT / mean of chromosome 14, as Scout shows it. */
export const mtMethods = ['median', 'scout14'] as const;
export type MtMethod = (typeof mtMethods)[number];

/**
 * Why no number is stated. `capture`: an exome or a panel, which captures MT and the autosomes unequally or not at all. `capped`:
 * the file does not hold the depth of MT.
 */
const mtRefusals = ['no-mt', 'capture', 'shallow', 'capped', 'no-chromosome-14'] as const;
type MtRefusal = (typeof mtRefusals)[number];

export interface MtCopies {
  method: MtMethod;
  /** Mean depth of MT; omitted if the file has none. */
  numerator?: number;
  denominator?: number;
  /** 2 × numerator / denominator; omitted if it is refused. */
  copies?: number;
  refusal?: MtRefusal;
}

/** gnomAD released samples within these numbers only: below them nuclear copies of MT disturb, above them it was a cell line. */
export const usualCopies = { least: 50, most: 500 };

/** A genome has depth on nearly all bases of its autosomal bins. */
const genomeBreadth = 0.8;

/** `chromosome14` is its mean depth, for `scout14`. */
export function mtCopiesOf(
  mitochondrion: Mitochondrion | undefined,
  bins: BinDepths,
  method: MtMethod,
  chromosome14?: number,
): MtCopies {
  if (mitochondrion === undefined) return { method, refusal: 'no-mt' };
  const numerator = mitochondrion.mean;
  const denominator = method === 'median' ? bins.autosomes.median : chromosome14;
  const known = { method, numerator, ...(denominator !== undefined && { denominator }) };
  if (isCapture(bins)) return { ...known, refusal: 'capture' };
  if (mitochondrion.isCapped) return { ...known, refusal: 'capped' };
  if (bins.autosomes.median < leastDepth) return { ...known, refusal: 'shallow' };
  if (denominator === undefined || denominator === 0) return { ...known, refusal: 'no-chromosome-14' };
  return { ...known, copies: (2 * numerator) / denominator };
}

export function isUsual(copies: number): boolean {
  return copies >= usualCopies.least && copies <= usualCopies.most;
}

/** Whether only parts of the autosomes were sequenced. */
export function isCapture({ autosomes, breadth }: BinDepths): boolean {
  return autosomes.count < leastPlaces.autosomes || breadth < genomeBreadth;
}
