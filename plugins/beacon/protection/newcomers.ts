/** Who came with which publication of a dataset. */
import type { Newcomers } from './spend.js';

/** Publications, the latest first, with the number of people who came with each or later; kept for each list of people. */
const known = new WeakMap<ReadonlyMap<string, number>, readonly { since: number; people: number }[]>();

/**
 * For each publication but the first, the latest first: how many people came with it or later, and which of the carriers came with
 * the one before. A dataset may have a publication for every few people, and every person may count as a carrier.
 */
export function newcomersOf(published: ReadonlyMap<string, number>, carriers: readonly string[]): Newcomers[] {
  const publications = publicationsOf(published);
  const cameWith = new Map<number, string[]>(publications.map(({ since }) => [since, []]));
  for (const name of carriers) cameWith.get(published.get(name) ?? 0)?.push(name);
  const older = publications.slice(1).map(({ since }) => cameWith.get(since) ?? []);
  return older.map((carriersBefore, i) => ({ people: publications[i]?.people ?? 0, older: carriersBefore }));
}

function publicationsOf(published: ReadonlyMap<string, number>): readonly { since: number; people: number }[] {
  let publications = known.get(published);
  if (!publications) {
    const counts = new Map<number, number>();
    for (const since of published.values()) counts.set(since, (counts.get(since) ?? 0) + 1);
    const latestFirst = [...counts].sort(([one], [other]) => other - one);
    let people = 0;
    publications = latestFirst.map(([since, count]) => {
      people += count;
      return { since, people };
    });
    known.set(published, publications);
  }
  return publications;
}
