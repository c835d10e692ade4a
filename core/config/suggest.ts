/** "Did you mean …": the known name nearest to what was typed. */

/** The candidate at the smallest edit distance, if it is near enough to be a typing error. */
export function nearest(typed: string, candidates: Iterable<string>): string | undefined {
  let best: { name: string; distance: number } | undefined;
  for (const name of candidates) {
    const distance = editDistance(typed.toLowerCase(), name.toLowerCase());
    if (!best || distance < best.distance) best = { name, distance };
  }
  return best && best.distance <= Math.max(1, Math.floor(typed.length / 3)) ? best.name : undefined;
}

/** A clause for the end of a message: the nearest candidate, or all of them if there are few. */
export function hint(typed: string, candidates: Iterable<string>): string {
  const known = [...candidates];
  const name = nearest(typed, known);
  if (name !== undefined) return `; did you mean "${name}"?`;
  return known.length > 0 && known.length <= 12 ? `; known: ${known.join(', ')}` : '';
}

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let distance = Math.min(at(previous, j) + 1, at(row, j - 1) + 1, at(previous, j - 1) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        distance = Math.min(distance, at(before, j - 2) + 1);
      }
      row.push(distance);
    }
    before = previous;
    previous = row;
  }
  return at(previous, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
