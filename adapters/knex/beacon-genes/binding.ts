/** beacon-genes@1 on SQL. */
import {
  type Assembly,
  beaconGenes,
  byPlace,
  type Contig,
  type Gene,
  type GeneIds,
  type GeneRepository,
  symbolKey,
} from '../../../plugins/beacon/contract.js';
import { type Database, defineBinding, type SchemaStep } from '../binding.js';
import { refuseUnstorable } from '../values.js';

const releases = 'beacon_genes_releases';
const places = 'beacon_genes_places';
const columns = ['assembly', 'ensembl', 'hgnc', 'symbol', 'contig', 'start', 'stop'] as const;

interface GeneRow {
  ensembl: string;
  hgnc: number | null;
  symbol: string | null;
  contig: Contig;
  start: number;
  stop: number;
}

/** The tables as release 0.2 has them. */
const genesAndReleases: SchemaStep = {
  replaces: ['001-genes-and-releases'],
  async up(schema, { columns: column }) {
    await schema.schema.createTable(releases, (table) => {
      column.text(table, 'assembly').primary();
      table.integer('genes').notNullable();
      column.time(table, 'updated').notNullable();
    });
    await schema.schema.createTable(places, (table) => {
      column.text(table, 'assembly').notNullable();
      column.text(table, 'ensembl').notNullable();
      table.integer('hgnc');
      column.text(table, 'symbol');
      column.text(table, 'contig').notNullable();
      table.integer('start').notNullable();
      table.integer('stop').notNullable();
      table.index(['assembly', 'hgnc']);
      table.index(['assembly', 'ensembl']);
    });
    // Symbols in any case: of the collation that all texts have, `upper` changes the letters A–Z alone.
    await schema.raw(`create index beacon_genes_places_symbol on ${places} (assembly, upper(symbol))`);
  },
  async down(schema) {
    await schema.schema.dropTable(places);
    await schema.schema.dropTable(releases);
  },
};

function repository(database: Database): GeneRepository {
  const { values, bound } = database.engine;
  const byId = ({ type, ids }: GeneIds, assembly: Assembly): Promise<GeneRow[]> =>
    database.run(({ read, engine }) =>
      engine.whereIn(read(places).where({ assembly }), type === 'HGNC' ? 'hgnc' : 'ensembl', ids).select(columns),
    );
  const bySymbol = async (symbols: readonly string[], assembly: Assembly): Promise<GeneRow[]> => {
    refuseUnstorable(symbols);
    return database.query<GeneRow>(
      `select ${columns.join(', ')} from ${places} where assembly = ? and upper(symbol) in ` +
        `(select q.symbol from ${bound({ symbol: 'text' })} q)`,
      [assembly, values.json([...new Set(symbols.map(symbolKey))].map((key) => [key])) as string],
    );
  };
  return {
    async replaceGenes(assembly, genes, now) {
      await database.transaction(async ({ write, engine }) => {
        // The release's row first, so that of two concurrent loads one waits here.
        const release = { assembly, genes: genes.length, updated: values.time(now) };
        await write(releases).insert(release).onConflict('assembly').merge();
        await write(places).where({ assembly }).delete();
        const rows = genes.map(({ ensembl, hgnc, symbol, contig, start, end }) => [
          assembly,
          ensembl,
          hgnc ?? null,
          symbol ?? null,
          contig,
          start,
          end,
        ]);
        await engine.append(write, places, columns, rows);
      });
    },

    async genes(assembly, wanted) {
      const rows = wanted.type === 'symbol' ? await bySymbol(wanted.ids, assembly) : await byId(wanted, assembly);
      return rows.map(geneOf).sort(byPlace);
    },

    async release(assembly) {
      const [row] = await database.query<{ genes: number; updated: unknown }>(
        `select genes, updated from ${releases} where assembly = ?`,
        [assembly],
      );
      return row && { genes: row.genes, updated: values.parseTime(row.updated) };
    },
  };
}

function geneOf({ ensembl, hgnc, symbol, contig, start, stop }: GeneRow): Gene {
  const place = { contig, start, end: stop };
  return { ensembl, ...(hgnc !== null && { hgnc }), ...(symbol !== null && { symbol }), ...place };
}

export default defineBinding({
  contract: beaconGenes,
  migrations: { '002-symbols': genesAndReleases },
  repository,
});
