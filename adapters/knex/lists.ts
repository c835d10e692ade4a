/** A list in pieces of at most `size`; none of an empty list. */
export function* slices<Item>(list: readonly Item[], size: number): Generator<Item[]> {
  for (let from = 0; from < list.length; from += size) yield list.slice(from, from + size);
}

/** The list under a key, to which items may be added. */
export function listUnder<Key, Item>(lists: Map<Key, Item[]>, key: Key): Item[] {
  const known = lists.get(key);
  if (known) return known;
  const list: Item[] = [];
  lists.set(key, list);
  return list;
}

/** Items by key, in their order. */
export function grouped<Key, Item>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) listUnder(groups, keyOf(item)).push(item);
  return groups;
}
