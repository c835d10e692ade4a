/** How evenly the reads are spread, in English. */
export const uniformity = {
  title: 'Uniformity',
  caption:
    'How evenly the reads are spread over the distinct bases of the intervals. The formulas are below, under Explanations.',
  median: 'Median depth',
  max: 'Greatest depth',
  fold80: 'Fold-80',
  fold80Nonzero: 'Fold-80, intervals with reads',
  atFifthOfMean: '≥ 0.2 × mean',
  evenness: 'Evenness',
  cqvOfMedian: '(Q3 − Q1) / median',
  cqv: '(Q3 − Q1) / (Q3 + Q1)',
  zeroTargets: 'Intervals without reads',
  terms: {
    all: 'Computed from the depths in the D4 file, which counts other reads than Picard CollectHsMetrics does (base quality, overlapping mates): the same formulas give somewhat different figures. For spans of genes, which include introns, the figures say little about a capture.',
    fold80:
      'Mean depth divided by the 20th percentile of the depths of all bases (the least depth that 20 % of them do not exceed), as Picard computes FOLD_80_BASE_PENALTY. Not stated if that percentile is 0.',
    fold80Nonzero:
      'The same over the bases of the intervals with at least one read, as Picard documents FOLD_80_BASE_PENALTY.',
    atFifthOfMean: 'Percentage of the distinct bases with at least a fifth of the mean depth.',
    evenness:
      'Mean of min(depth, mean depth), divided by the mean depth (Mokry et al. 2010): 1 if every base has the mean depth.',
    cqv: 'Coefficients of quartile variation: the distance of the quartiles divided by the median, and divided by their sum. Quartiles and median are of type 7 of Hyndman and Fan.',
    zeroTargets: 'Percentage of the intervals of which every base has depth 0 (Picard: ZERO_CVG_TARGETS_PCT).',
  },
};
