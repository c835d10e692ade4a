/** Makes the content of a version of a panel that a source gave: finds its genes, and lists all that needs a look. */
import type { PanelContent, PanelGene, PanelSource, UnmappedEntry } from '../domain/content.js';
import type { GivenEntry, GivenPanel } from '../formats/given-panel.js';
import type { GeneTable } from '../genes/gene-table.js';
import { othersOnce, unionOf } from './union.js';

export interface MadeContent {
  content: PanelContent;
  /** For people: what was renamed, merged or listed twice. What has no gene is in the content. */
  notes: string[];
}

export function contentOf(
  {
    entries,
    others = [],
    notes: told = [],
    name,
    description,
    disorders,
    requirement,
    source,
  }: GivenPanel & { name: string },
  read: Omit<PanelSource, 'kind' | 'id' | 'version' | 'signedOff'>,
  { table, release }: { table: GeneTable; release: string },
): MadeContent {
  const genes = new Map<number, PanelGene>();
  const unmapped: UnmappedEntry[] = [];
  const notes = [...told];
  for (const entry of entries) {
    const found = table.resolve(entry);
    if (!('gene' in found)) {
      const { why, candidates } = found;
      const { confidence, at } = entry;
      unmapped.push({ given: wordsOf(entry), at, why, confidence, ...(candidates.length > 0 && { candidates }) });
      continue;
    }
    if (found.note !== undefined) notes.push(`${entry.at}: ${found.note}`);
    const { hgnc: _, symbol: __, at: ___, ...facts } = entry;
    const gene: PanelGene = { ...facts, hgnc: found.gene.hgnc, symbol: found.gene.symbol };
    const known = genes.get(gene.hgnc);
    if (known === undefined) {
      genes.set(gene.hgnc, gene);
      continue;
    }
    // Superpanels list a gene once for each of their panels.
    const kept = unionOf(known, gene);
    genes.set(gene.hgnc, kept);
    const from = kept.from === undefined ? '' : `, from ${kept.from.join('; ')}`;
    notes.push(
      `${entry.at}: ${gene.symbol} is listed before; the entry with the higher confidence (${kept.confidence}) is kept${from}`,
    );
  }
  return {
    notes,
    content: {
      name,
      ...(description === undefined ? {} : { description }),
      ...(disorders === undefined ? {} : { disorders }),
      ...(requirement === undefined ? {} : { requirement }),
      genes: [...genes.values()].sort((one, two) => one.hgnc - two.hgnc),
      ...(others.length === 0 ? {} : { others: othersOnce(others) }),
      ...(unmapped.length === 0 ? {} : { unmapped }),
      source: { ...source, ...read },
      names: release,
    },
  };
}

function wordsOf({ symbol, hgnc }: GivenEntry): string {
  return (
    [symbol, hgnc === undefined ? undefined : `HGNC:${hgnc}`].filter(Boolean).join(' ') || 'an entry without a name'
  );
}
