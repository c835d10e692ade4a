/** Later steps of a store: columns, indexes and rows, up and down, with rows in the tables. */
import { expect } from 'chai';
import { bindingOf } from '../../../adapters/knex/storage.js';
import {
  type Contract,
  defineContract,
  defineStore,
  defineTable,
  optional,
  type Storage,
  type Store,
  small,
  type Tables,
  text,
} from '../../../core/storage.js';
import { storages } from '../../support/storages.js';
import { useHome } from './support/home.js';

const shelf: Contract<Tables> = defineContract<Tables>('shelf@1');

const first = defineTable({ name: 'shelf_books', columns: { id: small(), title: text() }, key: ['id'] });
const later = defineTable({
  name: 'shelf_books',
  columns: { id: small(), title: text(), place: text(), mark: optional(text()), folded: optional(text()) },
  key: ['id'],
  unique: [['mark']],
  indexes: [['place', 'id'], ['folded']],
});

/** As a first version has it. */
const before = defineStore<Tables>({
  contract: shelf,
  tables: [first],
  steps: {
    '001-books': {
      tables: [first],
      sql: { up: ['create index shelf_any on shelf_books (upper(title))'], down: ['drop index shelf_any'] },
    },
  },
  repository: (tables) => tables,
});
const now = defineStore<Tables>({
  contract: shelf,
  tables: [later],
  steps: {
    '001-books': {
      tables: [later],
      sql: { up: ['create index shelf_any on shelf_books (upper(title))'], down: ['drop index shelf_any'] },
    },
    '002-places': {
      adds: [{ table: later, columns: { place: 'hall', mark: undefined, folded: undefined } }],
      sql: {
        up: ['drop index shelf_any'],
        down: ['create index shelf_any on shelf_books (upper(title))'],
      },
      async up(tables) {
        const books = tables.table(later);
        for await (const { id, title } of books.each()) await books.change({ id }, { folded: title.toUpperCase() });
      },
      async down(tables) {
        await tables.table(later).remove({ id: { above: 2 } });
      },
    },
  },
  repository: (tables) => tables,
});

for (const engine of storages) {
  describe(`Steps of stores on ${engine.name}`, function () {
    this.timeout(60_000);
    const { open } = useHome(engine);
    const opened = async (store: Store<Tables>): Promise<Storage> => {
      const bindings = new Map([[shelf.id, async () => ({ default: bindingOf(store) })]]);
      const storage = await open([shelf], { bindings });
      await storage.migrate();
      return storage;
    };

    it('fill what they add, and take back what they did', async () => {
      const old = (await opened(before)).repository(shelf).table(first);
      await old.addMany([
        { id: 1, title: 'Ada' },
        { id: 2, title: 'Bo' },
      ]);
      const storage = await opened(now);
      const books = storage.repository(shelf).table(later);
      expect(await books.find({ order: ['id'] })).to.deep.equal([
        { id: 1, title: 'Ada', place: 'hall', folded: 'ADA' },
        { id: 2, title: 'Bo', place: 'hall', folded: 'BO' },
      ]);
      expect(await books.add({ id: 3, title: 'Cy', place: 'attic', mark: 'm' })).to.include({ id: 3 });
      expect(await books.add({ id: 4, title: 'Di', place: 'attic', mark: 'm' })).to.equal(undefined);
      if (!storage.downgrade) throw new Error('The family has a way back');
      const { undone } = await storage.downgrade('shelf@1/001-books', { trial: false });
      expect(undone).to.deep.equal([{ contract: 'shelf@1', name: '002-places' }]);
      expect(await old.find({ order: ['id'] })).to.deep.equal([
        { id: 1, title: 'Ada' },
        { id: 2, title: 'Bo' },
      ]);
      await storage.migrate();
      expect(await books.count({ place: 'hall', folded: { among: ['ADA', 'BO'] }, mark: { among: [] } })).to.equal(0);
      expect(await books.count({ place: 'hall', folded: { among: ['ADA', 'BO'] } })).to.equal(2);
    });

    it('leave a new database as an old one', async () => {
      const storage = await opened(now);
      const books = storage.repository(shelf).table(later);
      await books.add({ id: 1, title: 'Ada', place: 'attic', mark: 'm' });
      expect(await books.add({ id: 2, title: 'Bo', place: 'attic', mark: 'm' })).to.equal(undefined);
    });
  });
}

it('A store refuses steps that add what a table has not', () => {
  const adding = (columns: Record<string, unknown>) => () =>
    defineStore({
      ...now,
      steps: { '001-books': { tables: [later] }, '002-places': { adds: [{ table: later, columns }] } },
    });
  for (const columns of [{ none: 'x' }, { id: 1 }, { place: undefined }, { mark: 'x' }]) {
    expect(adding(columns), JSON.stringify(columns)).to.throw(TypeError, 'cannot be added');
  }
});
