/** One entry of two for the same gene or region, as superpanels and files by hand have them. */
import { type Confidence, confidences, type OtherEntry, type PanelGene } from '../domain/content.js';

/**
 * The entry with the higher confidence (of equal ones, the first), with the transcripts that either wants and the panels that
 * either names, those with the higher confidence first.
 */
export function unionOf(known: PanelGene, added: PanelGene): PanelGene {
  const [first, second] = inOrder(known, added);
  return { ...first, ...both('transcripts', first, second), ...both('from', first, second) };
}

/** Each region and repeat once, by kind, name and place. */
export function othersOnce(others: readonly OtherEntry[]): OtherEntry[] {
  const found = new Map<string, OtherEntry>();
  for (const other of others) {
    const key = JSON.stringify([other.kind, other.name, other.place]);
    const known = found.get(key);
    if (known === undefined) {
      found.set(key, other);
      continue;
    }
    const [first, second] = inOrder(known, other);
    found.set(key, { ...first, ...both('from', first, second) });
  }
  return [...found.values()];
}

function inOrder<Entry extends { confidence: Confidence }>(known: Entry, added: Entry): [Entry, Entry] {
  const isBetter = confidences.indexOf(added.confidence) < confidences.indexOf(known.confidence);
  return isBetter ? [added, known] : [known, added];
}

function both<Name extends string>(
  name: Name,
  first: { [key in Name]?: string[] | undefined },
  second: { [key in Name]?: string[] | undefined },
): { [key in Name]?: string[] } {
  const all = [...new Set([...(first[name] ?? []), ...(second[name] ?? [])])];
  return all.length === 0 ? {} : ({ [name]: all } as { [key in Name]: string[] });
}
