/** beacon-genes@1 above tables. */
import { defineStore, defineTable, generated, optional, type RowOf, small, text, time } from '../../../core/storage.js';
import type { Contig } from '../domain/allele.js';
import { beaconGenes, byPlace, type Gene, type GeneIds, type GeneRepository, symbolKey } from './contract.js';

const releases = defineTable({
  name: 'beacon_genes_releases',
  columns: { assembly: text(), genes: small(), updated: time() },
  key: ['assembly'],
});

/** `folded` is the symbol with its letters A–Z in upper case. */
const genes = defineTable({
  name: 'beacon_genes_places',
  columns: {
    number: generated(),
    assembly: text(),
    ensembl: text(),
    hgnc: optional(small()),
    symbol: optional(text()),
    folded: optional(text()),
    contig: text(),
    start: small(),
    stop: small(),
  },
  key: ['number'],
  indexes: [
    ['assembly', 'hgnc'],
    ['assembly', 'ensembl'],
    ['assembly', 'folded'],
  ],
});

function geneOfRow({ ensembl, hgnc, symbol, contig, start, stop }: RowOf<typeof genes.columns>): Gene {
  const named = { ...(hgnc !== undefined && { hgnc }), ...(symbol !== undefined && { symbol }) };
  return { ensembl, ...named, contig: contig as Contig, start, end: stop };
}

function conditionOf({ type, ids }: GeneIds) {
  if (type === 'HGNC') return { hgnc: { among: ids } };
  return type === 'Ensembl' ? { ensembl: { among: ids } } : { folded: { among: ids.map(symbolKey) } };
}

export const store = defineStore<GeneRepository>({
  contract: beaconGenes,
  tables: [releases, genes],
  steps: {
    '002-symbols': { replaces: ['001-genes-and-releases'], tables: [releases] },
    '003-folded-symbols': { tables: [genes] },
  },
  repository: (tables) => ({
    replaceGenes: (assembly, all, updated) =>
      tables.transaction(async (inside) => {
        // The release's row first, so that of two concurrent loads one waits here.
        await inside.table(releases).put({ assembly, genes: all.length, updated });
        await inside.table(genes).remove({ assembly });
        await inside.table(genes).append(
          all.map(({ ensembl, hgnc, symbol, contig, start, end }) => {
            const folded = symbol === undefined ? undefined : symbolKey(symbol);
            return { assembly, ensembl, hgnc, symbol, folded, contig, start, stop: end };
          }),
        );
      }),

    async genes(assembly, wanted) {
      const rows = await tables.table(genes).find({ where: { assembly, ...conditionOf(wanted) } });
      return rows.map(geneOfRow).sort(byPlace);
    },

    async release(assembly) {
      const row = await tables.table(releases).one({ assembly });
      return row && { genes: row.genes, updated: row.updated };
    },
  }),
});
