/** Packs genes, so that ids and symbols are found by binary search and loading needs no computation. */
import { type Column, pack } from '../formats/packed.js';
import { byBytes, textColumns } from '../formats/text-columns.js';
import type { GeneEntry } from './read.js';

/** Stands for a missing id: no id is 0. */
export const noId = 0;

export function packGenes(genes: readonly GeneEntry[]): Uint8Array<ArrayBuffer> {
  const symbols = symbolKeys(genes);
  return pack('genes', {
    ...textColumns(
      'symbols',
      genes.map(({ symbol }) => symbol),
    ),
    ...idColumns('ensembl', genes),
    ...idColumns('hgnc', genes),
    ...idColumns('entrez', genes),
    ...textColumns(
      'keys',
      symbols.map(({ key }) => key),
    ),
    'keys.genes': Uint32Array.from(symbols, ({ gene }) => gene),
  });
}

/** The ids by gene, and ascending with their genes; an id of several genes is there several times. */
function idColumns(type: 'ensembl' | 'hgnc' | 'entrez', genes: readonly GeneEntry[]): Record<string, Column> {
  const ids = Uint32Array.from(genes, (gene) => gene[type] ?? noId);
  const order = Uint32Array.from(ids.keys())
    .filter((gene) => ids[gene] !== noId)
    .sort((left, right) => (ids[left] as number) - (ids[right] as number) || left - right);
  return { [type]: ids, [`${type}.sorted`]: order.map((gene) => ids[gene] as number), [`${type}.genes`]: order };
}

/**
 * Every symbol in upper case with the genes that it can mean, from the first of these that has any: approved by HGNC, symbol
 * in another source, previous symbol, alias.
 */
function symbolKeys(genes: readonly GeneEntry[]): { key: string; gene: number }[] {
  const ranks = new Map<string, Map<number, number>>();
  const add = (symbol: string, rank: number, gene: number): void => {
    const key = symbol.toUpperCase();
    const found = ranks.get(key) ?? new Map<number, number>();
    ranks.set(key, found);
    found.set(gene, Math.min(rank, found.get(gene) ?? rank));
  };
  genes.forEach(({ symbol, hgnc, previous, aliases }, gene) => {
    add(symbol, hgnc === undefined ? 1 : 0, gene);
    for (const old of previous) add(old, 2, gene);
    for (const alias of aliases) add(alias, 3, gene);
  });
  return [...ranks]
    .flatMap(([key, found]) => {
      const best = Math.min(...found.values());
      return [...found].flatMap(([gene, rank]) => (rank === best ? { key, gene } : []));
    })
    .sort((left, right) => byBytes(left.key, right.key) || left.gene - right.gene);
}
