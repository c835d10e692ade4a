/** Pairs of one disease, pairs in all, and how many independent pairs would say as much about their share. */
export type Share = [same: number, all: number, worth: number];

/**
 * Counts pairs by the disease of the query: those of one disease are alike, so that their share is known less well than that
 * of as many independent pairs. `worth` are the independent pairs of which the share has the variance that it has between
 * diseases (a ratio of sums over clusters: Cochran 1977, Sampling Techniques, 9A.10); if all or none are of one disease, it
 * is the number of diseases that pairs as unevenly spread stand for (Kish 1965, Survey Sampling).
 */
export class PairCounts {
  readonly #byDisease = new Map<string, [same: number, all: number]>();

  add(disease: string, isSame: boolean): void {
    const counts = this.#byDisease.get(disease) ?? [0, 0];
    this.#byDisease.set(disease, counts);
    if (isSame) counts[0]++;
    counts[1]++;
  }

  share(): Share {
    const counts = [...this.#byDisease.values()];
    if (counts.length < 2) return [0, 0, 0];
    const total = (value: (counts: [same: number, all: number]) => number) =>
      counts.reduce((sum, one) => sum + value(one), 0);
    const [same, all] = [total(([same]) => same), total(([, all]) => all)];
    const share = same / all;
    const squares = total(([same, all]) => (same - share * all) ** 2);
    if (squares === 0) return [same, all, Math.floor(all ** 2 / total(([, all]) => all ** 2))];
    const variance = (squares / all ** 2) * (counts.length / (counts.length - 1));
    return [same, all, Math.floor(Math.min(all, (share * (1 - share)) / variance))];
  }
}
