/** The copies of chromosomes, in English. */
import { english } from '../numbers.js';

const { number } = english;

export const chromosomes = {
  karyotype: {
    title: 'Sex chromosomes',
    caption: 'How many copies of X and Y the depths fit. An estimate from depths for review, not a karyotype analysis.',
    column: 'Karyotype by depth',
    xCopies: 'Copies of X',
    yCopies: 'Copies of Y',
    median: 'Median depth autosomes',
    places: 'Counted by',
    counts: {
      bins: (autosomes: string, x: string, y: string) => `bins of 10 kb: ${autosomes} autosomal, ${x} X, ${y} Y`,
      exons: (autosomes: string, x: string, y: string) => `coding exons: ${autosomes} autosomal, ${x} X, ${y} Y`,
    },
    mismatch: (karyotype: string) => `${karyotype}, does not match the declared sex`,
    reasons: {
      'few-places': 'unclear: too few places with depth',
      shallow: 'unclear: too little depth',
      between: 'unclear: fits no karyotype',
      'y-unknown': 'unclear: X0, or Y not captured',
      withheld: 'not stated',
    },
    term: (tolerance: string, least: { autosomes: number; x: number; y: number }, depth: number) =>
      `Twice the median depth of X, and of Y, divided by the median depth of the autosomes. X without the pseudoautosomal and X-transposed regions, Y where it is in single copy; autosomes and X without places that have no depth. XX is 2 and 0, XY 1 and 1, X0 1 and 0, XXY 2 and 1, XYY 1 and 2, XXX 3 and 0; stated only if both numbers are within ${tolerance} of these, with at least ${least.autosomes} places on the autosomes and ${least.x} on X, ${least.y} on Y, and a median depth of at least ${depth}×. In-between values occur in mosaics and with age (loss of X or Y in blood); they do not mean that samples were swapped. An aneuploidy is shown only to readers with the right to see it, and by default not on paper; for others it reads "not stated", like numbers that fit no karyotype.`,
    print: 'Print aneuploidies of the sex chromosomes (for readers with the right to see them)',
  },

  copies: {
    one: '1 copy',
    oneAt: (depth: string) => `1 copy: ${depth}`,
    notExpected: 'not expected',
    withoutY: 'without Y',
    of: (sample: string, reason: string) => `${sample} (${reason})`,
    byKaryotype: (karyotype: string) => `${karyotype} by depth`,
    byDeclared: (sex: string) => `declared ${sex}`,
    byDepth: 'no Y by depth',
    and: ' and ',
    leftOut: (samples: string, genes: string, bases: number) =>
      `Without Y: ${samples}. Not expected, and left out of totals, fully covered intervals and uniformity: ${genes} (${number(bases)}\u00A0bp).`,
    single: (samples: string) =>
      `One copy outside the pseudoautosomal regions, with about half the depth of two: ${samples}.`,
    half: (level: string, half: string) =>
      `Values there are marked by ${half} in place of ${level}; lists, counts and percentages keep ${level}.`,
    contradiction: (sample: string, declared: string, found: string) =>
      `${sample}: declared ${declared}, but ${found} by depth. The copies of X and Y are unknown, and nothing is left out.`,
    title: 'Expected copies',
    term: 'Of X and Y outside the pseudoautosomal regions (PARs): by the karyotype that the depths fit, or by the declared sex if depths do not tell. If they contradict each other the copies are unknown, and nothing is left out. PARs count as two copies.',
    allExpected: 'Every base that is expected is at or above the coverage threshold.',
    requirement: 'The requirement counts all bases, also of genes that a sample without Y cannot have.',
  },

  doses: {
    title: 'Autosomes beside the assay',
    caption:
      'Autosomes of which the sample has more depth than the other samples of its assay: a flag for review, not a result.',
    column: 'Above the assay',
    others: 'Other samples',
    few: 'not stated with fewer than 20 other samples',
    none: 'none',
    flag: (chromosome: string, ratio: string, z: string) => `chromosome ${chromosome}: ratio ${ratio}, z ${z}`,
    term: (ratio: string, z: string) =>
      `The median of the normalised depths of exons spread over each autosome (their mean depth divided by the sample's median over autosomal exons), compared with the other samples of the assay. Flagged at a ratio of at least ${ratio} to their median, with a robust z above ${z}. Three copies have a ratio of about 1.5. Shown only to readers with the right to see aneuploidies.`,
  },

  mitochondria: {
    title: 'Mitochondrial copy number',
    formulas: {
      median:
        'Copies of the mitochondrial genome per cell = 2 × mean depth of MT / median depth of the 10 kb bins of the autosomes.',
      scout14:
        'Copies of the mitochondrial genome per cell, as Scout states it = 2 × mean depth of MT / mean depth of chromosome 14.',
    },
    copies: 'Copies of MT',
    numerator: 'Mean depth MT',
    denominators: { median: 'Median depth autosomes', scout14: 'Mean depth chromosome 14' },
    note: 'Note',
    refusals: {
      'no-mt': 'The file has no mitochondrial chromosome.',
      capture: 'Not stated for exomes and panels: MT and the autosomes are not captured alike.',
      shallow: 'Too little depth on the autosomes.',
      capped: 'Not stated: the depths of MT in this file may be capped.',
      'no-chromosome-14': 'Chromosome 14 has no depth.',
    },
    unusual: (least: number, most: number) =>
      `Outside the usual ${least} to ${most}: below, nuclear copies of MT disturb the count; above, think of cell lines or tissue.`,
    term: 'An estimate from depths. It depends on tissue, DNA extraction and assay: compare it only with samples of the same tissue and assay. Nuclear copies of mitochondrial sequence, filters for mapping quality, the ends of the circular genome and positions 303–315 and 3107 lower or raise the depth of MT. The usual 50 to 500 are the limits within which gnomAD released samples.',
  },
};
