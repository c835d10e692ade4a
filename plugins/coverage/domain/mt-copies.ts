/** Copies of the mitochondrial genome per cell, from depths. */
import { leastDepth, leastPlaces } from './karyotype.js';
import type { BinDepths, Mitochondrion } from './sex-depths.js';

/** `median`: 2 × mean MT / median of autosomal bins, as gnomAD has it. `scout14`: 2 × mean MT / mean of chromosome 14, as Scout shows it. */
export const mtMethods = ['median', 'scout14'] as const;
export type MtMethod = (typeof mtMethods)[number];

/**
 * Why no number is stated. `capture`: an exome or a panel, which captures MT and the autosomes unequally or not at all. `capped`:
 * the file does not hold the depth of MT.
 */
const mtRefusals = ['no-mt', 'capture', 'shallow', 'capped', 'no-chromosome-14'] as const;
export type MtRefusal = (typeof mtRefusals)[number];

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
