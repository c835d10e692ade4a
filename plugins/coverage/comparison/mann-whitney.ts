/** Whether one group tends to have greater values than another. */

export interface MannWhitney {
  /** Pairs in which the value of the first group is the greater one; equal pairs count half. */
  u: number;
  /** Two-sided, by the normal approximation. */
  p: number;
}

/**
 * The test of Mann and Whitney (Annals of Mathematical Statistics 18, 1947), by the normal approximation with correction for ties
 * and for continuity, as R's `wilcox.test(exact = FALSE)` and SciPy's `mannwhitneyu(method="asymptotic")` compute it. Undefined if
 * a group is empty or all values are equal.
 */
export function mannWhitney(first: Float64Array, second: Float64Array): MannWhitney | undefined {
  const [n, m] = [first.length, second.length];
  const [own, others] = [first.toSorted(), second.toSorted()];
  let [u, ties, i, j] = [0, 0, 0, 0];
  while (i < n || j < m) {
    const value = Math.min(own[i] ?? Number.POSITIVE_INFINITY, others[j] ?? Number.POSITIVE_INFINITY);
    const [fromOwn, fromOthers] = [i, j];
    while (i < n && own[i] === value) i++;
    while (j < m && others[j] === value) j++;
    u += (i - fromOwn) * (fromOthers + (j - fromOthers) / 2);
    const equal = i - fromOwn + j - fromOthers;
    ties += equal ** 3 - equal;
  }
  const size = n + m;
  const variance = ((n * m) / 12) * (size + 1 - ties / (size * (size - 1)));
  if (n === 0 || m === 0 || !(variance > 0)) return undefined;
  const distance = Math.max(0, Math.abs(u - (n * m) / 2) - 0.5);
  return { u, p: Math.min(1, 2 * upperTail(distance / Math.sqrt(variance))) };
}

/** 1 − Φ(z) for z ≥ 0, to about 1e-15 of its value: a series near 0, a continued fraction beyond (Abramowitz and Stegun 26.2.11, 26.2.14). */
export function upperTail(z: number): number {
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  if (z > 3) {
    let fraction = z;
    for (let k = 120; k > 0; k--) fraction = z + k / fraction;
    return density / fraction;
  }
  let [term, sum] = [z, z];
  for (let k = 1; Math.abs(term) > 1e-18; k++) {
    term *= (z * z) / (2 * k + 1);
    sum += term;
  }
  return 0.5 - density * sum;
}
