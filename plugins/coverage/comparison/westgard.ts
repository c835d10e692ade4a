/** The control rules of Westgard, Barry, Hunt and Groth (Clinical Chemistry 27, 1981), in the order in which they are checked. */
export const westgardRules = ['1-3s', '2-2s', 'R-4s', '4-1s', '10-x', '1-2s'] as const;
export type WestgardRule = (typeof westgardRules)[number];

/** The rule that only warns; the others reject. */
export const warningRule: WestgardRule = '1-2s';

/**
 * For each point of a series in time, given as distance from the centre in standard deviations, the rules that it breaks together
 * with the points before it. A point without a distance (undefined) breaks none and interrupts a series.
 *
 * 1-3s: beyond 3; 2-2s: two in a row beyond 2 on one side; R-4s: two in a row, one beyond +2 and the other beyond −2; 4-1s: four
 * in a row beyond 1 on one side; 10-x: ten in a row on one side; 1-2s: beyond 2, a warning.
 */
export function westgard(distances: readonly (number | undefined)[]): WestgardRule[][] {
  return distances.map((own, i) => {
    if (own === undefined) return [];
    const before = distances[i - 1] ?? 0;
    const last = (count: number) => distances.slice(Math.max(0, i + 1 - count), i + 1);
    const onOneSide = (count: number, beyond: number) => {
      const points = last(count);
      const side = Math.sign(own);
      return side !== 0 && points.length === count && points.every((one) => one !== undefined && one * side > beyond);
    };
    const broken: Record<WestgardRule, boolean> = {
      '1-3s': Math.abs(own) > 3,
      '2-2s': onOneSide(2, 2),
      'R-4s': Math.max(own, before) > 2 && Math.min(own, before) < -2,
      '4-1s': onOneSide(4, 1),
      '10-x': onOneSide(10, 0),
      '1-2s': Math.abs(own) > 2,
    };
    return westgardRules.filter((rule) => broken[rule]);
  });
}
