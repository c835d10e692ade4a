/** Tables on ordered keys read what a question needs, set damaged rows aside, and follow the steps of a store. */
import { deserialize, serialize } from 'node:v8';
import { expect } from 'chai';
import { ClassicLevel } from 'classic-level';
import type * as Door from '../../../core/storage.js';
import type { absent as Absent, Tables } from '../../../core/storage.js';
import { quiet } from '../../support/storages.js';
import { installWithLevel, loadLevel, openTables } from './installed.js';

describe('tables on ordered keys', function () {
  this.timeout(240_000);
  let installed: ReturnType<typeof installWithLevel>;
  let loaded: Awaited<ReturnType<typeof loadLevel>>;
  before(async () => {
    installed = installWithLevel();
    loaded = await loadLevel(installed);
  });
  after(() => installed.remove());

  it('are not read whole for what a key, a unique set or an index finds', async () => {
    const { door, load } = loaded;
    const { defineTable, text, integer, optional, absent, tablesAbove } = door;
    const [{ keeperOn }, { Space }] = await Promise.all(['rows.js', 'view.js'].map((file) => load(file)));
    const seats = defineTable({
      name: 'count_seats',
      columns: { hall: text(), seat: integer(), guest: optional(text()), paid: integer(), row: integer() },
      key: ['hall', 'seat'],
      unique: [['guest']],
      indexes: [['paid'], ['row', 'paid']],
    });
    const entries = new Counted();
    const space = new Space(entries, 'count@1');
    const work = async (change: (each: unknown) => unknown) => change(space);
    const tables: Tables = tablesAbove(keeperOn({ read: work, write: work, isPart: true }, () => {}));
    const table = tables.table(seats);
    await table.append(
      Array.from({ length: 2000 }, (_, i) => ({
        ...{ hall: `h${i % 4}`, seat: i, paid: i % 100, row: i % 50 },
        ...(i % 2 === 0 && { guest: `g${String(i).padStart(4, '0')}` }),
      })),
    );
    const many = [7, 50, ...Array.from({ length: 3000 }, (_, i) => 1000 + i)];
    // Rows that a question finds, and the most keys that it may read for them: entries and rows, and some ahead.
    const cases: [name: string, read: () => Promise<{ length: number }>, found: number, atMost: number][] = [
      ['a key', () => table.find({ where: { hall: 'h1', seat: 1 } }), 1, 1],
      ['keys', () => table.find({ where: { hall: 'h1', seat: { among: [1, 2, 5] } } }), 2, 3],
      ['a range of keys', () => table.find({ where: { hall: 'h1', seat: { atLeast: 100, below: 140 } } }), 10, 10],
      ['a unique value', () => table.find({ where: { guest: 'g0010' } }), 1, 2],
      ['a beginning', () => table.find({ where: { guest: { beginning: 'g001' } } }), 5, 10],
      ['absence', () => table.find({ where: { guest: absent as typeof Absent, row: 1 } }), 40, 80],
      ['an index', () => table.find({ where: { paid: 7 } }), 20, 40],
      ['the longer index', () => table.find({ where: { paid: 7, row: 7, seat: { above: 5 } } }), 20, 40],
      ['many values', () => table.find({ where: { paid: { among: many } } }), 40, 100],
      ['alternatives', () => table.find({ where: [{ paid: 7 }, { guest: 'g0010' }] }), 21, 42],
      ['a first row', () => table.find({ where: { row: 7 }, order: ['paid'], limit: 1 }), 1, 3],
      ['a first page of all', () => table.find({ order: ['paid', 'hall'], limit: 10 }), 10, 40],
      ['the last keys', () => table.find({ order: ['hall'], descending: true, limit: 10 }), 10, 11],
    ];
    for (const [name, read, found, atMost] of cases) {
      entries.read = 0;
      expect(await read(), name).to.have.lengthOf(found);
      expect(entries.read, name).to.be.within(found, atMost);
    }
    entries.read = 0;
    let streamed = 0;
    for await (const _ of table.each()) streamed += 1;
    expect(streamed).to.equal(2000);
    expect(entries.read, 'each row once').to.be.below(2010);
  });

  it('leave out damaged rows, count them in pages and log each once', async () => {
    const { door, level, folderOf } = loaded;
    const logged: unknown[] = [];
    const log = { ...quiet, error: (details: object, message: string) => logged.push({ ...details, message }) };
    const folder = await folderOf();
    const { defineTable, json, integer, optional, text } = door;
    const notes = defineTable({
      name: 'fuzz_notes',
      columns: { id: integer(), title: text(), note: optional(json<unknown>()) },
      key: ['id'],
      sound: ({ title }) => title !== 'unsound',
    });
    const first = await openTables(door, level, { folder }, [notes]);
    const titles = ['a', 'unsound', 'c', 'd', 'e', 'f'];
    await first.tables.table(notes).append(titles.map((title, id) => ({ id, title, note: [id] })));
    await first.storage.close();
    // Beside the unsound one: a text that is no JSON, a row without a column, bytes that are nothing.
    await damaged(folder, ['c', 'd', 'e']);

    const { storage, tables } = await openTables(door, level, { folder }, [notes], log);
    const table = tables.table(notes);
    const ids = async (rows: Promise<readonly { id: number }[]>) => (await rows).map(({ id }) => id);
    expect(await ids(table.find({ order: ['id'] }))).to.deep.equal([0, 5]);
    expect((await table.one({ id: { above: 0 } }, { order: ['id'] }))?.title).to.equal('f');
    expect(await table.page({ order: ['id'], limit: 3 })).to.deep.equal({
      ...{ rows: [{ id: 0, title: 'a', note: [0] }], damaged: 2, next: { id: 2 } },
    });
    const rest = await table.page({ order: ['id'], limit: 3, after: { id: 2 } });
    expect([rest.rows.length, rest.damaged, rest.next]).to.deep.equal([1, 1, undefined]);
    expect((await table.take({ where: { id: { above: 0 } }, order: ['id'] }, () => ({ title: 'g' })))?.id).to.equal(5);
    expect(await ids(table.find({ order: ['id'], limit: 2 }))).to.deep.equal([0, 5]);
    const line = { table: 'fuzz_notes', message: 'a row of the storage is damaged and set aside' };
    expect(logged).to.deep.equal([line, line, line, line]);

    expect(await table.put({ id: 2, title: 'whole' })).to.deep.equal({ id: 2, title: 'whole' });
    expect(await table.put({ id: 4, title: 'again' })).to.deep.equal({ id: 4, title: 'again' });
    expect(await table.remove({ id: { among: [1, 3] } })).to.equal(2);
    expect(await ids(table.find({ order: ['id'] }))).to.deep.equal([0, 2, 4, 5]);
    await storage.close();
  });

  it('have steps that are pending, and give rows that are there later columns and entries of later indexes', async () => {
    const { door, level, folderOf } = loaded;
    const folder = await folderOf();
    const { defineContract, defineStore, defineTable, optional, integer, text } = door;
    const contract = defineContract<Tables>('shelf@1');
    const plain = { id: integer(), title: text() };
    const state = defineTable({ name: 'shelf_state', columns: plain, key: ['id'], first: { id: 1, title: 'new' } });
    const before = defineTable({ name: 'shelf_books', columns: plain, key: ['id'] });
    const now = defineTable({
      name: 'shelf_books',
      columns: { ...plain, place: text(), folded: optional(text()) },
      key: ['id'],
      unique: [['place', 'folded']],
      indexes: [['title']],
    });
    const old = defineStore<Tables>({
      contract,
      tables: [before],
      steps: { '001-books': { tables: [before] } },
      repository: (tables) => tables,
    });
    const later = defineStore<Tables>({
      contract,
      tables: [now, state],
      steps: {
        '001-books': { tables: [now] },
        '002-places': {
          tables: [state],
          adds: [{ table: now, columns: { place: 'hall', folded: undefined } }],
          async up(tables) {
            const books = tables.table(now);
            for (const { id, title } of await books.find()) await books.remove({ id, title: `${title}?` });
            await tables.table(state).change({ id: 1 }, { title: 'filled' });
          },
        },
      },
      repository: (tables) => tables,
    });
    const open = (store: Door.Store<Tables>) =>
      level.open({
        ...{ settings: { folder }, contracts: [contract], bindings: new Map(), log: quiet },
        stores: new Map([[contract.id, async () => store]]),
      });
    const first = await open(old);
    expect(await first.migrate()).to.deep.equal([{ contract: 'shelf@1', name: '001-books' }]);
    await first
      .repository(contract)
      .table(before)
      .append(['Ada', 'Bo'].map((title, id) => ({ id, title })));
    await first.close();

    const second = await open(later);
    const names = ['001-books', '002-places'].map((name) => ({ contract: 'shelf@1', name }));
    expect(await second.pending()).to.deep.equal(names);
    expect(await second.migrate()).to.deep.equal(names);
    expect(await second.pending()).to.deep.equal([]);
    const tables = second.repository(contract);
    expect(await tables.table(now).find({ where: { title: 'Bo' } })).to.deep.equal([
      { id: 1, title: 'Bo', place: 'hall' },
    ]);
    expect(await tables.table(now).count({ place: 'hall' })).to.equal(2);
    expect(await tables.table(state).find()).to.deep.equal([{ id: 1, title: 'filled' }]);
    await second.close();
    const third = await open(later);
    expect(await third.pending()).to.deep.equal([]);
    await third.close();
  });
});

/** A sorted list of keys, which counts what is read. */
class Counted {
  readonly changes = new Map<string, Uint8Array | undefined>();
  read = 0;

  async getMany(keys: readonly string[]) {
    this.read += keys.length;
    return keys.map((key) => this.changes.get(key));
  }

  async *range({ from, before }: { from: string; before: string }, reverse: boolean) {
    const keys = [...this.changes.keys()].filter((key) => key >= from && key < before).sort();
    for (const key of reverse ? keys.reverse() : keys) {
      this.read += 1;
      yield [key, this.changes.get(key)];
    }
  }
}

/** Damages rows whose titles are these, each in a way of its own. */
async function damaged(folder: string, titles: readonly string[]): Promise<void> {
  const db = new ClassicLevel<Buffer, Buffer>(folder, { keyEncoding: 'buffer', valueEncoding: 'buffer' });
  const [noJson, noTitle, nothing] = titles;
  for (const [key, bytes] of await db.iterator().all()) {
    const name = Buffer.from(key).swap16().toString('utf16le');
    if (!name.startsWith('fuzz@1\0fuzz_notes\0key\0')) continue;
    const { title, ...row } = deserialize(bytes);
    if (title === noJson) await db.put(key, serialize({ ...row, title, note: '[' }));
    if (title === noTitle) await db.put(key, serialize(row));
    if (title === nothing) await db.put(key, Buffer.from('nothing'));
  }
  await db.close();
}
