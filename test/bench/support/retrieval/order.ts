/** At which place an order of stored patients has the first that is to be found. */
import { Best, geneFirst, type RankedPatient } from '../../../../plugins/matchmaker/matching/score.js';

export interface Sought {
  /** By stored patient. The lesser key comes first among equal scores: ties are broken at random, alike for all formulas. */
  keys: Float64Array;
  isSought(at: number): boolean;
  /** Patients that are not compared. */
  isLeftOut(at: number): boolean;
}

/** The place of the first that is sought, 1 for the best; Infinity if there is none. */
export function placeOf(scores: Float64Array, { keys, isSought, isLeftOut }: Sought): number {
  let first = -1;
  const isBefore = (one: number, other: number) => {
    const difference = (scores[one] as number) - (scores[other] as number);
    return difference > 0 || (difference === 0 && (keys[one] as number) < (keys[other] as number));
  };
  for (let at = 0; at < scores.length; at++) {
    if (isSought(at) && !isLeftOut(at) && (first < 0 || isBefore(at, first))) first = at;
  }
  if (first < 0) return Infinity;
  let place = 1;
  for (let at = 0; at < scores.length; at++) if (isBefore(at, first) && !isLeftOut(at)) place++;
  return place;
}

type Item = RankedPatient & { at: number };

/** The same if places go to patients that share a gene first; the patients that are not in the answer follow by rank. */
export function placeInAnswer(
  scores: Float64Array,
  sought: Sought,
  { relatives, limit, places }: { relatives: readonly number[]; limit: number; places: number },
): number {
  const itemOf = (at: number): Item => {
    const total = scores[at] as number;
    const id = (sought.keys[at] as number).toFixed(16);
    return { at, id, score: { total, genotype: 0, phenotype: 0 } };
  };
  const [best, sharing] = [new Best<Item>(limit), new Best<Item>(places)];
  for (let at = 0; at < scores.length; at++) {
    if (!sought.isLeftOut(at) && (scores[at] as number) >= (best.items[limit - 1]?.score.total ?? 0)) {
      best.offer(itemOf(at));
    }
  }
  for (const at of relatives) if (!sought.isLeftOut(at)) sharing.offer(itemOf(at));
  const known = new Set(best.items.map(({ at }) => at));
  const shares = new Set(relatives);
  const all = [...best.items, ...sharing.items.filter(({ at }) => !known.has(at))];
  const answer = geneFirst(all, { limit, places }, ({ at }) => shares.has(at)).map(({ item }) => item.at);
  const found = answer.findIndex((at) => sought.isSought(at));
  if (found >= 0) return found + 1;
  const isAnswered = new Set(answer);
  return limit + placeOf(scores, { ...sought, isLeftOut: (at) => isAnswered.has(at) || sought.isLeftOut(at) });
}
