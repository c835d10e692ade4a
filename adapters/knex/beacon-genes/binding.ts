/** beacon-genes@1 on SQL: its store, above a table that release 0.2 had in a form which no declaration expresses. */
import type { Knex } from 'knex';
import { store } from '../../../plugins/beacon/genes/store.js';
import { defineBinding, type SchemaStep } from '../binding.js';
import { bindingOf } from '../storage.js';

const places = 'beacon_genes_places';
/** What it is called while its rows are copied. */
const aside = 'beacon_genes_aside';
const columns = 'assembly, ensembl, hgnc, symbol, contig, start, stop';

const binding = bindingOf(store);
const { '002-symbols': symbols, '003-folded-symbols': folded } = binding.migrations as Record<string, SchemaStep>;
if (symbols === undefined || folded === undefined) throw new TypeError('The steps of beacon-genes@1 have other names');

/** Without a key, and with the symbols in any case as an index on an expression. */
async function layReleased(...[schema, { columns: column }]: Parameters<SchemaStep['up']>): Promise<void> {
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
  // Of the collation that all texts have, `upper` changes the letters A–Z alone.
  await schema.raw(`create index beacon_genes_places_symbol on ${places} (assembly, upper(symbol))`);
}

/** The table in another form, under its name: `lay` creates it. */
async function replaced(schema: Knex, lay: () => Promise<void>, fill: string): Promise<void> {
  await schema.raw(`alter table ${places} rename to ${aside}`);
  for (const name of ['assembly_hgnc_index', 'assembly_ensembl_index', 'assembly_folded_index', 'symbol']) {
    await schema.raw(`drop index if exists ${places}_${name}`);
  }
  await lay();
  await schema.raw(fill);
  await schema.schema.dropTable(aside);
}

export default defineBinding({
  ...binding,
  migrations: {
    '002-symbols': {
      ...symbols,
      async up(...on) {
        await symbols.up(...on);
        await layReleased(...on);
      },
      async down(...on) {
        await on[0].schema.dropTable(places);
        await symbols.down(...on);
      },
    },
    '003-folded-symbols': {
      up: (...on) =>
        replaced(
          on[0],
          () => folded.up(...on),
          `insert into ${places} (${columns}, folded) select ${columns}, upper(symbol) from ${aside}`,
        ),
      down: (...on) =>
        replaced(on[0], () => layReleased(...on), `insert into ${places} (${columns}) select ${columns} from ${aside}`),
    },
  },
});
