/** How likely sampling alone shows a heterozygous variant. */

/**
 * The probability that at least `least` of `depth` reads show the alternate allele, if each shows either allele with
 * probability ½: 1 − Σ C(depth, i) / 2^depth over i below `least`.
 */
export function samplingSensitivity(depth: number, least: number): number {
  let missed = 0;
  let ways = 1;
  for (let seen = 0; seen < least && seen <= depth; seen++) {
    missed += ways * 2 ** -depth;
    ways = (ways * (depth - seen)) / (seen + 1);
  }
  return Math.max(0, 1 - missed);
}
