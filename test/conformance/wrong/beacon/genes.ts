/** Gene repositories that break one promise. */
import type { Gene, GeneRepository } from '../../../../plugins/beacon/contract.js';
import { beaconGenes } from '../../beacon.js';
import { type Damage, toSeconds, type Wrong, wrongRepository } from '../wrap.js';

const wrong = (does: string, fails: string, damage: Damage<GeneRepository>): Wrong =>
  wrongRepository(beaconGenes, does, fails, damage);

const asTheyWentIn = 'genes are found by HGNC number and by Ensembl id, unchanged';
const symbols = 'genes are found by symbol, in any case of the letters A to Z';
const swapped = 'new genes replace all old ones of their assembly, and no others';

export const wrongGenes: readonly Wrong[] = [
  wrong('returns null for missing fields of a gene', asTheyWentIn, () => (right) => ({
    genes: async (assembly, wanted) =>
      (await right.genes(assembly, wanted)).map((gene) => ({ hgnc: null, ...gene }) as unknown as Gene),
  })),
  wrong('finds Ensembl ids regardless of case', asTheyWentIn, () => (right) => ({
    genes: (assembly, wanted) =>
      wanted.type === 'Ensembl'
        ? right.genes(assembly, { ...wanted, ids: wanted.ids.map((id) => id.toUpperCase()) })
        : right.genes(assembly, wanted),
  })),
  wrong('returns a gene once for each time its id is given', asTheyWentIn, () => (right) => ({
    genes: async (assembly, wanted) => {
      if (wanted.type !== 'HGNC') return right.genes(assembly, wanted);
      const each = wanted.ids.map((id) => right.genes(assembly, { type: 'HGNC', ids: [id] }));
      return (await Promise.all(each)).flat();
    },
  })),
  wrong('stores one position for each gene', asTheyWentIn, () => (right) => ({
    replaceGenes: (assembly, genes, now) =>
      right.replaceGenes(assembly, [...new Map(genes.map((gene) => [gene.ensembl, gene])).values()], now),
  })),
  wrong('finds symbols as they are written only', symbols, () => (right) => ({
    genes: async (assembly, wanted) => {
      const found = await right.genes(assembly, wanted);
      if (wanted.type !== 'symbol') return found;
      return found.filter(({ symbol = '' }) => wanted.ids.includes(symbol));
    },
  })),
  wrong('knows symbols in one case, of all letters', symbols, () => (right) => ({
    genes: async (assembly, wanted) => {
      if (wanted.type !== 'symbol') return right.genes(assembly, wanted);
      const ids = wanted.ids.flatMap((id) => [id, id.toUpperCase(), id.toLowerCase(), id.replace('ø', 'Ø')]);
      return right.genes(assembly, { type: 'symbol', ids });
    },
  })),
  wrong(
    'ignores the order of genes with one start',
    'genes with one start are ordered by end and id',
    () => (right) => ({
      genes: async (assembly, wanted) => (await right.genes(assembly, wanted)).reverse(),
    }),
  ),
  wrong('adds new genes to the old ones', swapped, () => {
    const all: Gene[] = [];
    return (right) => ({
      replaceGenes: (assembly, genes, now) => {
        all.push(...genes);
        return right.replaceGenes(assembly, all, now);
      },
    });
  }),
  wrong('keeps times to the second', swapped, () => (right) => ({
    replaceGenes: (assembly, genes, now) => right.replaceGenes(assembly, genes, toSeconds(now)),
  })),
  wrong(
    'returns an empty release if there is none',
    'an assembly without genes has none, and no release',
    () => (right) => ({
      release: async (assembly) => (await right.release(assembly)) ?? { genes: 0, updated: new Date(0) },
    }),
  ),
  wrong('truncates long lists', '33 000 genes and ids are stored and found', () => (right) => ({
    replaceGenes: (assembly, genes, now) => right.replaceGenes(assembly, genes.slice(0, 32_000), now),
  })),
];
