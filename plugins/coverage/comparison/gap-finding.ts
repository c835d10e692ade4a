/**
 * Whether a low-coverage region is low in every sample of the assay, or in this one. An annotation that tells a reader where to
 * look: it never calls, counts or rules out a copy-number variant.
 */

/**
 * - `possible-deletion`: this sample only; a dropout or a deletion, to be looked at;
 * - `assay`: usually poor in this assay;
 * - `sample`: poor in this sample;
 * - `usual`: poor, but within the range of the assay;
 * - `unknown`: there is too little to compare with.
 */
const gapKinds = ['possible-deletion', 'assay', 'sample', 'usual', 'unknown'] as const;
export type GapKind = (typeof gapKinds)[number];

/** A z from which a value is an outlier, in either direction. */
export const outlyingZ = 3;
/** Ratio to the cohort's median below which a depth is low: between both copies (1) and one of them (0.5). */
export const lowRatio = 0.7;
/** Samples below which no sample is compared with the others' depth. */
export const leastForZ = 10;
/** Median completeness below which an interval is poor in the assay. */
const poorMedian = 0.95;

/** The interval of a gap, in the sample and in its cohort. */
export interface GapEvidence {
  /** Of the sample, from its normalised depth; omitted if the depths cannot be compared. */
  depth?: DepthEvidence;
  /** Share of bases at the coverage threshold; omitted if the cohort has too few samples for percentiles, or not this threshold. */
  completeness?: { own: number; median: number; low: number };
}

export interface DepthEvidence {
  /** Normalised depth, divided by the cohort's median. */
  ratio: number;
  /** Robust z; omitted if the MAD of the cohort is 0. */
  z?: number;
  /** Samples of the cohort that are outliers as low as `isLow` says. */
  others: number;
}

export interface GapFinding extends GapEvidence {
  kind: GapKind;
  /** Usually poor in this assay, whatever the kind. */
  isUsual: boolean;
}

export function isLow({ ratio, z }: Pick<DepthEvidence, 'ratio' | 'z'>): boolean {
  return ratio < lowRatio && z !== undefined && z < -outlyingZ;
}

/**
 * An outlier that no other sample shares comes first: an interval that is usually poor may be deleted as well. "Usually poor"
 * needs a median completeness below 95 %, "poor in this sample" one below the 5th percentile of the cohort.
 */
export function gapFinding(evidence: GapEvidence): GapFinding {
  const { depth, completeness } = evidence;
  const isUsual = completeness !== undefined && completeness.median < poorMedian;
  return { ...evidence, kind: kindOf(), isUsual };

  function kindOf(): GapKind {
    const isOutlier = depth !== undefined && isLow(depth);
    if (isOutlier && depth.others === 0) return 'possible-deletion';
    if (isUsual) return 'assay';
    if (isOutlier || (completeness !== undefined && completeness.own < completeness.low)) return 'sample';
    return completeness === undefined ? 'unknown' : 'usual';
  }
}
