/** Depths of samples that were sequenced to different depths. */

/**
 * The mean depth of an interval divided by the sample's own median over the autosomal exons with depth: a median, so that hot spots
 * do not count. Undefined if the sample has no such exons.
 */
export function normalisedDepth(mean: number, autosomalMedian: number): number | undefined {
  return autosomalMedian > 0 ? mean / autosomalMedian : undefined;
}
