/** Gene repositories that break one promise. */
import { beaconGenes } from '../../../../plugins/beacon/conformance.js';
import type { Gene, GeneRepository } from '../../../../plugins/beacon/contract.js';
import { type Damage, toSeconds, type Wrong, wrongRepository } from '../wrap.js';

const wrong = (does: string, fails: string, damage: Damage<GeneRepository>): Wrong =>
  wrongRepository(beaconGenes, does, fails, damage);

const asTheyWentIn = 'genes are found by HGNC number and by Ensembl id, unchanged';
const swapped = 'new genes replace all old ones of their assembly, and no others';

export const wrongGenes: readonly Wrong[] = [
  wrong('answers null for what a gene does not have', asTheyWentIn, () => (right) => ({
    genes: async (assembly, wanted) =>
      (await right.genes(assembly, wanted)).map((gene) => ({ hgnc: null, ...gene }) as unknown as Gene),
  })),
  wrong('finds Ensembl ids whatever their case', asTheyWentIn, () => (right) => ({
    genes: (assembly, wanted) =>
      wanted.type === 'HGNC'
        ? right.genes(assembly, wanted)
        : right.genes(assembly, { ...wanted, ids: wanted.ids.map((id) => id.toUpperCase()) }),
  })),
  wrong('answers a gene for each time it is asked for', asTheyWentIn, () => (right) => ({
    genes: async (assembly, wanted) => {
      if (wanted.type === 'Ensembl') return right.genes(assembly, wanted);
      const each = wanted.ids.map((id) => right.genes(assembly, { type: 'HGNC', ids: [id] }));
      return (await Promise.all(each)).flat();
    },
  })),
  wrong('knows one place for each gene', asTheyWentIn, () => (right) => ({
    replaceGenes: (assembly, genes, now) =>
      right.replaceGenes(assembly, [...new Map(genes.map((gene) => [gene.ensembl, gene])).values()], now),
  })),
  wrong('keeps no order within a place', 'genes with one start are ordered by end and id', () => (right) => ({
    genes: async (assembly, wanted) => (await right.genes(assembly, wanted)).reverse(),
  })),
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
  wrong('answers an empty release for none', 'an assembly without genes has none, and no release', () => (right) => ({
    release: async (assembly) => (await right.release(assembly)) ?? { genes: 0, updated: new Date(0) },
  })),
  wrong('cuts long lists off', 'sixty thousand genes and ids are stored and found', () => (right) => ({
    replaceGenes: (assembly, genes, now) => right.replaceGenes(assembly, genes.slice(0, 50_000), now),
  })),
];
