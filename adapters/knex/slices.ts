/** A list in pieces of at most `size`; none of an empty list. */
export function* slices<Item>(list: readonly Item[], size: number): Generator<Item[]> {
  for (let from = 0; from < list.length; from += size) yield list.slice(from, from + size);
}
