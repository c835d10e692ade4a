/** Where the copies of X and Y are counted: places that reads of other chromosomes do not reach. */

import { pseudoautosomal } from '../../../core/genome.js';
import type { Build, Span } from '../contract.js';

/**
 * The X-transposed region: 98 to 99 % of it is on Y as well (Ross et al. 2005), so that reads of a male map to either. Its bounds
 * are the widest of those in use (SexChrLab/SexChrCoordinates; UK Biobank).
 */
const transposed: Readonly<Record<Build, Span>> = {
  GRCh37: { start: 87_624_342, end: 92_583_067 },
  GRCh38: { start: 88_369_343, end: 93_328_068 },
};

/**
 * The X-degenerate parts of the male-specific region of Y: single copies, without the palindromes and arrays, the X-transposed
 * region and the heterochromatin (Skaletsky et al. 2003; the callable regions of Poznik et al. 2013).
 */
const singleCopy: Readonly<Record<Build, readonly Span[]>> = {
  GRCh37: [
    { start: 2_649_520, end: 2_918_085 },
    { start: 6_616_754, end: 7_442_522 },
    { start: 13_879_706, end: 16_096_353 },
    { start: 16_170_613, end: 17_986_973 },
    { start: 18_017_094, end: 18_271_675 },
    { start: 18_537_845, end: 19_568_146 },
    { start: 21_032_220, end: 22_215_886 },
    { start: 22_513_886, end: 23_467_839 },
  ],
  GRCh38: [
    { start: 2_781_479, end: 3_050_044 },
    { start: 6_748_713, end: 7_574_481 },
    { start: 11_759_000, end: 13_984_473 },
    { start: 14_058_733, end: 15_875_093 },
    { start: 15_905_214, end: 16_159_795 },
    { start: 16_425_965, end: 17_456_266 },
    { start: 18_870_334, end: 20_054_000 },
    { start: 20_352_000, end: 21_305_953 },
  ],
};

/** The parts of Y, or those of X outside the pseudoautosomal regions and the X-transposed region, where copies are counted. */
export function countedPlaces(chromosome: 'X' | 'Y', size: number, build: Build): Span[] {
  if (chromosome === 'Y') return singleCopy[build].filter(({ end }) => end <= size);
  const left: Span[] = [];
  const masked = [...pseudoautosomal[build].filter((par) => par.chromosome === 'X'), transposed[build]];
  let at = 0;
  for (const { start, end } of masked.toSorted((a, b) => a.start - b.start)) {
    if (at < Math.min(start, size)) left.push({ start: at, end: Math.min(start, size) });
    at = end;
  }
  if (at < size) left.push({ start: at, end: size });
  return left;
}

/** Bases of a bin. */
const binBases = 10_000;

/** Whole bins within a place, from its start; one of every `each`. */
export function binsOf({ start, end }: Span, each: number): Span[] {
  const bins = Math.floor((end - start) / binBases);
  return Array.from({ length: Math.ceil(bins / each) }, (_, i) => {
    const from = start + i * each * binBases;
    return { start: from, end: from + binBases };
  });
}
