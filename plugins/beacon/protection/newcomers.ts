/** Who came with which publication of a dataset. */
import type { Newcomers } from './spend.js';

/** Publications but the first, with the number of people who came with each or later; kept for each list of people. */
const known = new WeakMap<ReadonlyMap<string, number>, readonly { since: number; people: number }[]>();

/** For each publication but the first: how many people came with it or later, and which of the carriers came before. */
export function newcomersOf(published: ReadonlyMap<string, number>, carriers: readonly string[]): Newcomers[] {
  return publicationsOf(published).map(({ since, people }) => ({
    people,
    older: carriers.filter((name) => (published.get(name) ?? 0) < since),
  }));
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
    publications = publications.slice(0, -1);
    known.set(published, publications);
  }
  return publications;
}
