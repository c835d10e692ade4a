/** beacon-genes@1 in memory. */
import {
  type Assembly,
  beaconGenes,
  byPlace,
  type Gene,
  type GeneIds,
  type GeneRepository,
  symbolKey,
} from '../../plugins/beacon/contract.js';
import { defineBinding } from './binding.js';

type Releases = Map<Assembly, { genes: readonly Gene[]; updated: Date }>;

/** Whether a gene has one of the requested ids or symbols. */
function among(named: GeneIds): (gene: Gene) => boolean {
  if (named.type === 'symbol') {
    const keys = new Set(named.ids.map(symbolKey));
    return ({ symbol }) => symbol !== undefined && keys.has(symbolKey(symbol));
  }
  const wanted = new Set<string | number | undefined>(named.ids);
  return (gene) => wanted.has(named.type === 'HGNC' ? gene.hgnc : gene.ensembl);
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
