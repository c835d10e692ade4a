/** What a "yes" tells about membership: how unlikely it is for a dataset without the person that the client has in mind. */

/** A yes/no question, as seen by someone who knows how common its alleles are. */
export interface Priced {
  /** People of the dataset who may count as carriers. */
  people: number;
  /** Share of all people, from 0 to 1, who carry at least one of the alleles that the question is about. */
  share: number;
  /** Number of carriers from which on the answer is "yes". */
  least: number;
}

/**
 * The price of a "yes" in nats: −log P(Bin(people, share) ≥ least), where the probability is that of a "yes" from as many people
 * drawn at random. A "yes" multiplies the odds that a carrier is a member by at most e^price, so that the odds of a
 * person change by at most e^budget in all. 0 if the answer is certain, infinite if it is impossible.
 */
export function priceOf({ people, share, least }: Priced): number {
  if (least <= 0) return 0;
  if (!(share > 0) || people < least) return Number.POSITIVE_INFINITY;
  if (share >= 1) return 0;
  const fewer = fewerThan(people, share, least);
  return fewer < 0.5 ? -Math.log1p(-fewer) : -Math.log(atLeast(people, share, least));
}

/** P(Bin(people, share) < least), exact to rounding while it is small. */
function fewerThan(people: number, share: number, least: number): number {
  const odds = share / (1 - share);
  let log = people * Math.log1p(-share);
  let sum = 0;
  for (let count = 0; count < least; count++) {
    sum += Math.exp(log);
    log += Math.log((people - count) / (count + 1)) + Math.log(odds);
  }
  return Math.min(1, sum);
}

/** P(Bin(people, share) ≥ least), exact to rounding while it is small: terms fall from the first on, or soon after. */
function atLeast(people: number, share: number, least: number): number {
  const odds = share / (1 - share);
  let log = people * Math.log1p(-share);
  for (let count = 0; count < least; count++) log += Math.log((people - count) / (count + 1)) + Math.log(odds);
  let term = Math.exp(log);
  let sum = 0;
  for (let count = least; count <= people && (term > sum * 1e-17 || count < people * share); count++) {
    sum += term;
    term *= ((people - count) / (count + 1)) * odds;
  }
  return Math.min(1, sum);
}
