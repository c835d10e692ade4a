/**
 * beacon-genes@1: the genes of an id under that id. Every replacement writes under a new number, and the release
 * says which number is current.
 */
import { byPlace, symbolKey } from 'trefoil/beacon/contract';
import { keyOf } from '../keys.js';

const releaseKey = (assembly) => keyOf('release', assembly);
const idKey = (number, type, id) => keyOf('genes', number, type, String(id));

export default ({ read, write }) => ({
  replaceGenes: (assembly, genes, now) =>
    write(async (space) => {
      const before = await space.get(releaseKey(assembly));
      if (before) space.leave('genes', before.number);
      const number = await space.fresh();
      const byId = new Map();
      const note = (key, gene) => {
        const sharing = byId.get(key);
        if (sharing) sharing.push(gene);
        else byId.set(key, [gene]);
      };
      for (const gene of genes) {
        note(idKey(number, 'Ensembl', gene.ensembl), gene);
        if (gene.hgnc !== undefined) note(idKey(number, 'HGNC', gene.hgnc), gene);
        if (gene.symbol !== undefined) note(idKey(number, 'symbol', symbolKey(gene.symbol)), gene);
      }
      for (const [key, sharing] of byId) space.put(key, sharing);
      space.put(releaseKey(assembly), { number, genes: genes.length, updated: now });
    }),

  genes: (assembly, { type, ids }) =>
    read(async (space) => {
      const release = await space.get(releaseKey(assembly));
      if (!release) return [];
      const wanted = new Set(type === 'symbol' ? ids.map(symbolKey) : ids);
      const found = await space.getMany([...wanted].map((id) => idKey(release.number, type, id)));
      return found.flatMap((genes) => genes ?? []).sort(byPlace);
    }),

  release: (assembly) =>
    read(async (space) => {
      const release = await space.get(releaseKey(assembly));
      return release && { genes: release.genes, updated: release.updated };
    }),
});
