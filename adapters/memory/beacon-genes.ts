/** beacon-genes@1 in memory. */
import {
  type Assembly,
  beaconGenes,
  byPlace,
  type Gene,
  type GeneIds,
  type GeneRepository,
} from '../../plugins/beacon/contract.js';
import { defineBinding } from './binding.js';

type Releases = Map<Assembly, { genes: readonly Gene[]; updated: Date }>;

/** Whether a gene has one of the requested ids. */
function among({ type, ids }: GeneIds): (gene: Gene) => boolean {
  const wanted = new Set<string | number | undefined>(ids);
  return (gene) => wanted.has(type === 'HGNC' ? gene.hgnc : gene.ensembl);
}

export default defineBinding<GeneRepository, Releases>({
  contract: beaconGenes,
  empty: () => new Map(),
  copy: (state) => new Map(state),
  repository: ({ read, write }) => ({
    replaceGenes: (assembly, genes, now) =>
      write((draft) => {
        draft.set(assembly, { genes: structuredClone(genes), updated: new Date(now) });
      }),

    genes: async (assembly, wanted) => {
      const genes = (await read()).get(assembly)?.genes ?? [];
      return structuredClone(genes.filter(among(wanted))).sort(byPlace);
    },

    release: async (assembly) => {
      const release = (await read()).get(assembly);
      return release && { genes: release.genes.length, updated: new Date(release.updated) };
    },
  }),
});
