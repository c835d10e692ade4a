/** How well scores tell members from outsiders. */

/** Scores of people, the higher the more likely a member, after each number of questions. */
export type Scores = readonly Float64Array[];

export interface Power {
  /** Share of the attacked members who are found, if 5 % of outsiders are taken for members by mistake. */
  power: number;
  /** Standard error of it: of the members, and of the threshold that the outsiders set. */
  error: number;
  /** Share of other outsiders who are taken for members at the same threshold. */
  falsePositives: number;
}

/**
 * What a power says about a bar. Each is the best of several numbers of questions, and so rather too high: only one that is above by
 * twice its standard error shows that the bar is not kept.
 */
export function standing(
  { power, error }: Pick<Power, 'power' | 'error'>,
  bar: number,
): 'within' | 'unclear' | 'above' {
  if (power <= bar) return 'within';
  return power - 2 * error <= bar ? 'unclear' : 'above';
}

const wanted = 0.05;

/**
 * The power of a test at exactly 5 % false positives: people above the threshold count, and of those at the threshold the
 * share that makes it exactly 5 % of the first outsiders. A useless attack has a power of 5 %.
 */
export function powerOf(members: Float64Array, outsiders: Float64Array, others: Float64Array): Power {
  const { threshold, tied } = thresholdOf(outsiders);
  const power = found(members, threshold, tied);
  // Of the two lists of outsiders the one sets the threshold; moving it by one error shows what its size costs.
  const step = Math.sqrt((wanted * (1 - wanted)) / outsiders.length);
  const [low, high] = [wanted - step, wanted + step].map((share) => {
    const moved = thresholdOf(outsiders, Math.max(share, 1 / outsiders.length));
    return found(members, moved.threshold, moved.tied);
  }) as [number, number];
  const own = Math.sqrt(Math.max(power * (1 - power), wanted * (1 - wanted)) / members.length);
  return { power, error: Math.hypot(own, (high - low) / 2), falsePositives: found(others, threshold, tied) };
}

function thresholdOf(scores: Float64Array, share = wanted): { threshold: number; tied: number } {
  const sorted = Float64Array.from(scores).sort().reverse();
  const threshold = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] as number;
  const above = sorted.filter((score) => score > threshold).length;
  const at = sorted.filter((score) => score === threshold).length;
  return { threshold, tied: (share * sorted.length - above) / at };
}

function found(scores: Float64Array, threshold: number, tied: number): number {
  let sum = 0;
  for (const score of scores) sum += score > threshold ? 1 : score === threshold ? tied : 0;
  return sum / scores.length;
}
