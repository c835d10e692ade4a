/** The step to alleles by assembly and chromosome: it loses nothing up or down, and statements read one partition. */
import { expect } from 'chai';
import real from '../../../adapters/knex/beacon/binding.js';
import { migrations } from '../../../adapters/knex/beacon/migrations.js';
import type { Database } from '../../../adapters/knex/binding.js';
import memory from '../../../adapters/memory/adapter.js';
import type { Storage } from '../../../core/storage.js';
import { type BeaconRepository, beacon, type CalledAllele } from '../../../plugins/beacon/contract.js';
import { type OpenOptions, quiet, storages } from '../../support/storages.js';
import { alleles, answers, earlier, fill, importInto, once, openAt } from './support/alleles-002.js';
import { useHome } from './support/home.js';

const now = new Date('2026-01-16T08:00:00.000Z');
const step = migrations['003-contigs'];

/** The same content in the memory adapter, an independent implementation. */
async function reference(): Promise<BeaconRepository> {
  const storage = await memory.open({ settings: {}, contracts: [beacon], bindings: new Map(), log: quiet });
  const repository = storage.repository(beacon);
  await importInto(repository);
  return repository;
}

/** The results of further changes, and of the queries after them. */
async function onwards(repository: BeaconRepository): Promise<unknown> {
  const called: CalledAllele[] = alleles.slice(40).map((allele) => ({
    ...allele,
    alternate: allele.alternate.replace('T', 'C'),
    carriers: [
      [1, 1],
      [0, 2],
    ],
  }));
  return [
    await repository.removeSamples('one', ['third'], now),
    await repository.importAlleles({ dataset: 'two', samples: ['first', 'sixth'], alleles: once(called) }, now),
    await repository.removeSamples('two', ['first'], now),
    await answers(repository),
  ];
}

for (const engine of storages) {
  describe(`Alleles by chromosome on ${engine.name}`, function () {
    this.timeout(120_000);
    const { open } = useHome(engine);

    async function opened(options?: OpenOptions): Promise<Storage> {
      const storage = await open([beacon], options);
      await storage.migrate();
      return storage;
    }

    const at002 = async () => (await opened(openAt('001-datasets-and-alleles', '002-ranges'))).repository(earlier);

    /** Columns and indexes of the beacon's tables. */
    const schemaOf = ({ query }: Database, database: Database) =>
      query.call(
        database,
        engine.adapter === 'sqlite'
          ? "select type, name, replace(sql, '\"', '`') as definition from sqlite_master where name like 'beacon%' order by 1, 2"
          : "select tablename || ' ' || indexname as name, indexdef as definition from pg_indexes where tablename like 'beacon%' " +
              "union all select table_name || ' ' || ordinal_position, concat_ws(' ', column_name, data_type, collation_name, " +
              "is_nullable, column_default) from information_schema.columns where table_name like 'beacon%' order by 1",
        [],
      );

    it('gives the same results after filled tables are migrated, and after further changes', async () => {
      await fill(await at002());
      const repository = (await opened()).repository(beacon);
      const expected = await reference();
      const timeless = (answer: unknown) =>
        JSON.parse(JSON.stringify(answer), (key, value) => (key === 'created' || key === 'updated' ? '' : value));
      expect(timeless(await answers(repository))).to.deep.equal(timeless(await answers(expected)));
      expect(timeless(await onwards(repository))).to.deep.equal(timeless(await onwards(expected)));
    });

    it('removes what interrupted loads left in filled tables', async () => {
      await fill(await at002());
      const database = (await opened(openAt(...(Object.keys(migrations) as (keyof typeof migrations)[])))).repository(
        earlier,
      );
      const repository = real.repository(database);
      expect(await repository.sweep(now)).to.equal(2);
      const rows: unknown[] = [];
      for (const table of ['alleles', 'breakends', 'extents']) {
        const segment = table === 'extents' ? 'segment' : 'id / 4294967296';
        rows.push(
          ...(await database.query<{ segment: unknown }>(
            `select distinct ${segment} as segment from beacon_${table}`,
            [],
          )),
        );
      }
      const numbers = rows.map((row) => Number((row as { segment: unknown }).segment));
      expect(numbers.sort()).to.deep.equal([1, 1, 1, 2, 2, 2, 3, 3, 3]);
    });

    for (const filled of [true, false]) {
      it(`restores the earlier tables, ${filled ? 'with every row' : 'empty'}`, async () => {
        const before = await at002();
        if (filled) await fill(before);
        const tables = ['datasets', 'segments', 'samples', 'alleles'];
        const content = async () => {
          const rows: unknown[] = [];
          for (const table of tables) rows.push(await before.query(`select * from beacon_${table} order by 1, 2`, []));
          return rows;
        };
        const [schema, rows] = [await schemaOf(before, before), await content()];
        const there = await before.transaction(async ({ write, engine }) => {
          await step.up(write, engine);
          return write('beacon_alleles').select('*').orderBy('id');
        });
        expect(there.length).to.equal((rows[3] as unknown[]).length);
        expect(await schemaOf(before, before)).to.not.deep.equal(schema);
        await before.transaction(({ write, engine }) => step.down(write, engine));
        expect(await schemaOf(before, before)).to.deep.equal(schema);
        expect(await content()).to.deep.equal(rows);
      });
    }
  });
}
