/** The binomial distribution, as an attacker knows it: apart from the code that is attacked. */

/** P(Bin(people, share) = 0), P(… = 1) and so on, as far as they matter. */
export function chances(people: number, share: number, most: number): number[] {
  const odds = share / (1 - share);
  let chance = (1 - share) ** people;
  const result: number[] = [];
  for (let count = 0; count <= Math.min(most, people); count++) {
    result.push(chance);
    chance *= ((people - count) / (count + 1)) * odds;
  }
  return result;
}

/** P(Bin(people, share) ≥ least), kept away from 0 and 1 by a mismatch between two sequencings. */
export function atLeast(people: number, share: number, least: number): number {
  if (least <= 0) return 1 - mismatch;
  const fewer = chances(people, share, least - 1).reduce((sum, chance) => sum + chance, 0);
  return Math.min(1 - mismatch, Math.max(1e-12, 1 - fewer));
}

/** Probability that two sequencings of one person disagree at a place. */
export const mismatch = 1e-6;
