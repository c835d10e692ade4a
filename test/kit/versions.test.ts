/** Two versions of a contract in one storage, as adapters/README.md says: a plugin that moves on lists both. */
import { expect } from 'chai';
import { type Database, defineBinding } from '../../adapters/knex/binding.js';
import memory from '../../adapters/memory/adapter.js';
import {
  type Contract,
  defineContract,
  defineStore,
  defineTable,
  json,
  type Storage,
  text,
} from '../../core/storage.js';
import { faults, tokens } from '../conformance/core.js';
import { quiet, storages } from '../support/storages.js';

interface Panels {
  save(name: string, genes: readonly string[]): Promise<void>;
  all(): Promise<Record<string, string[]>>;
}

const first = defineContract<Panels>('panels@1');
const second = defineContract<Panels>('panels@2');

/** Both versions in one module, as a plugin would bring it; each has a table of its own. */
const sql = Object.fromEntries(
  [first, second].map((contract) => [
    contract.id.replace('@', ''),
    sqlBinding(contract, contract.id.replace('@', '_')),
  ]),
);

function sqlBinding(contract: Contract<Panels>, table: string) {
  return defineBinding<Panels>({
    contract,
    migrations: {
      '001-panels': {
        up: ({ schema }, { columns }) =>
          schema.createTable(table, (panels) => {
            columns.text(panels, 'name').primary();
            columns.text(panels, 'genes').notNullable();
          }),
        down: ({ schema }) => schema.dropTable(table),
      },
    },
    repository: (database: Database) => ({
      save: (name, genes) =>
        database.transaction(async ({ write }) => {
          await write(table).insert({ name, genes: genes.join(' ') });
        }),
      async all() {
        const rows = await database.query<{ name: string; genes: string }>(`select name, genes from ${table}`, []);
        return Object.fromEntries(rows.map(({ name, genes }) => [name, genes.split(' ')]));
      },
    }),
  });
}

/** Above a table of its own. */
function storeAbove(contract: Contract<Panels>) {
  const prefix = contract.id.startsWith('panels@1') ? 'panels_one' : 'panels_two';
  const table = defineTable({ name: prefix, columns: { name: text(), genes: json<string[]>() }, key: ['name'] });
  return defineStore<Panels>({
    contract,
    tables: [table],
    steps: { '001-panels': { tables: [table] } },
    repository: (tables) => ({
      save: async (name, genes) => void (await tables.table(table).put({ name, genes: [...genes] })),
      async all() {
        return Object.fromEntries((await tables.table(table).find()).map(({ name, genes }) => [name, genes]));
      },
    }),
  });
}

const bindings = (load: (contract: Contract<Panels>) => Promise<unknown>) =>
  new Map([first, second].map((contract) => [contract.id, () => load(contract)]));
const inSql = bindings(async () => sql);
const inMemory = bindings(async (contract) => storeAbove(contract));

async function moves(storage: Storage): Promise<void> {
  await storage.repository(first).save('Eyes', ['ABCA4', 'PAX6']);
  expect(await storage.repository(second).all(), 'data of their own').to.deep.equal({});
  await storage.transaction(async (scope) => {
    for (const [name, genes] of Object.entries(await scope.repository(first).all())) {
      await scope.repository(second).save(name, [...genes, 'new']);
    }
  });
  expect(await storage.repository(second).all()).to.deep.equal({ Eyes: ['ABCA4', 'PAX6', 'new'] });
  expect(await storage.repository(first).all()).to.deep.equal({ Eyes: ['ABCA4', 'PAX6'] });
}

describe('two versions of a contract', () => {
  it('coexist in memory', async () => {
    const contracts = [tokens, first, second];
    const storage = await memory.open({ settings: {}, contracts, bindings: new Map(), stores: inMemory, log: quiet });
    await moves(storage);
    await storage.close();
  });

  for (const engine of storages) {
    it(`coexist on ${engine.name}, each with its own migrations and data`, async () => {
      const home = await engine.home();
      try {
        const old = await home.open([first], { bindings: inSql });
        expect(await old.migrate()).to.deep.equal([{ contract: 'panels@1', name: '001-panels' }]);
        await old.close();
        const both = await home.open([first, second], { bindings: inSql });
        expect(await both.migrate()).to.deep.equal([{ contract: 'panels@2', name: '001-panels' }]);
        await moves(both);
        await both.close();
        // Nobody lists the old one any more: what it stored stays.
        const fresh = await home.open([second], { bindings: inSql });
        expect(await fresh.pending()).to.deep.equal([]);
        expect(await fresh.repository(second).all()).to.deep.equal({ Eyes: ['ABCA4', 'PAX6', 'new'] });
        await fresh.close();
        const back = await home.open([first], { bindings: inSql });
        expect(await back.repository(first).all()).to.deep.equal({ Eyes: ['ABCA4', 'PAX6'] });
        await back.close();
        const fault = await faults(
          'unprocessable',
          home.open([second, defineContract('panels@3')], { bindings: inSql }),
        );
        expect(fault.message).to.include('panels@3').and.not.include('panels@2');
      } finally {
        await home.discard();
      }
    });
  }
});
