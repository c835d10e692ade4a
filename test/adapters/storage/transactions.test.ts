/** Transactions, snapshots and the order of writers, on every engine. */
import { expect } from 'chai';
import type { Database } from '../../../adapters/knex/binding.js';
import { isFault, type Storage } from '../../../core/storage.js';
import { type OpenedStorage, storages } from '../../support/storages.js';
import { probe, probeOptions } from './support/probe.js';

interface Gate {
  passed: Promise<void>;
  open(): void;
}

function gate(): Gate {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

async function reasonOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error('Expected a rejection');
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  const reason = await reasonOf(work);
  if (isFault(reason)) return reason.code;
  throw reason;
}

const add = ({ write }: Database, id: number, name = `name ${id}`) => write('probe_values').insert({ id, name });

async function ids(database: Database): Promise<number[]> {
  const rows = await database.query<{ id: number }>('select id from probe_values order by id', []);
  return rows.map(({ id }) => id);
}

for (const engine of storages) {
  describe(`Transactions on ${engine.name}`, () => {
    let opened: OpenedStorage;
    let storage: Storage;
    let database: Database;

    before(async () => {
      opened = await engine.open([probe], probeOptions);
      storage = opened.storage;
      database = storage.repository(probe);
    });

    after(() => opened.close());

    afterEach(() => database.write('probe_values').delete());

    it('write nothing if their work throws, and rethrow the same error', async () => {
      const thrown = { not: 'even an error' };
      for (const reason of [
        new TypeError('mine'),
        Object.assign(new Error('a peer'), { syscall: 'connect' }),
        thrown,
      ]) {
        const failing = storage.transaction(async (scope) => {
          await add(scope.repository(probe), 1);
          throw reason;
        });
        expect(await reasonOf(failing)).to.equal(reason);
        expect(await ids(database)).to.deep.equal([]);
      }
    });

    it('see their own writes by every way of reading; other readers do not', async () => {
      await storage.transaction(async (scope) => {
        const inside = scope.repository(probe);
        await add(inside, 1);
        await inside.engine.append(inside.write, 'probe_values', ['id'], [[2], [3]]);
        expect(await ids(inside)).to.deep.equal([1, 2, 3]);
        expect(await inside.read('probe_values').pluck('id')).to.have.length(3);
        expect(await inside.snapshot(ids)).to.deep.equal([1, 2, 3]);
        expect(await ids(database)).to.deep.equal([]);
      });
      expect(await ids(database)).to.deep.equal([1, 2, 3]);
    });

    it('include those that a repository begins inside them', async () => {
      const failing = storage.transaction(async (scope) => {
        const inside = scope.repository(probe);
        await inside.transaction((nested) => add(nested, 1));
        await inside.run((nested) => add(nested, 2));
        throw new Error('given up');
      });
      await reasonOf(failing);
      expect(await ids(database)).to.deep.equal([]);
    });

    it('do not block readers, which see the earlier state while writes queue', async () => {
      await add(database, 1);
      const [halfway, goOn] = [gate(), gate()];
      const long = storage.transaction(async (scope) => {
        await add(scope.repository(probe), 2);
        halfway.open();
        await goOn.passed;
      });
      await halfway.passed;
      // More readers than there are reading connections.
      const seen = await Promise.all(Array.from({ length: 20 }, () => ids(database)));
      for (const each of seen) expect(each).to.deep.equal([1]);
      const queued = [add(database, 3), storage.transaction((scope) => add(scope.repository(probe), 4))];
      goOn.open();
      await Promise.all([long, ...queued]);
      expect(await ids(database)).to.deep.equal([1, 2, 3, 4]);
    });

    it('include snapshots, in which all reads see one state', async () => {
      await add(database, 1);
      const seen = await database.snapshot(async (snapshot) => {
        const first = await ids(snapshot);
        await add(database, 2);
        return [
          first,
          await ids(snapshot),
          await snapshot.snapshot(ids),
          await snapshot.read('probe_values').pluck('id'),
        ];
      });
      expect(seen).to.deep.equal([[1], [1], [1], [1]]);
      expect(await ids(database)).to.deep.equal([1, 2]);
    });

    it('are refused inside a snapshot, and so are writes', async () => {
      expect(await codeOf(database.snapshot((snapshot) => snapshot.transaction(ids)))).to.equal('internal');
      await reasonOf(database.snapshot((snapshot) => snapshot.run((inside) => add(inside, 1))));
      expect(await ids(database)).to.deep.equal([]);
    });

    it('leave nothing behind once their scope has ended', async () => {
      let leaked: Database | undefined;
      await storage.transaction(async (scope) => {
        leaked = scope.repository(probe);
      });
      if (!leaked) throw new Error('The work ran');
      const { engine: inside, write } = leaked;
      expect(await codeOf(ids(leaked))).to.equal('internal');
      expect(await reasonOf(Promise.resolve(add(leaked, 1)))).to.match(/transaction is over/);
      expect(await reasonOf(inside.append(write, 'probe_values', ['id'], [[1]]))).to.match(/transaction is over/);
      expect(await ids(database)).to.deep.equal([]);
    });

    it('report it if a failed statement undid earlier ones', async () => {
      await add(database, 1);
      // SQLite undoes the one statement, PostgreSQL the whole transaction.
      let code: string | undefined;
      const [outcome] = await Promise.allSettled([
        storage.transaction(async (scope) => {
          const inside = scope.repository(probe);
          await add(inside, 2);
          code = await codeOf(inside.run((again) => add(again, 1)));
        }),
      ]);
      expect(code).to.equal('conflict');
      expect(await ids(database)).to.deep.equal(outcome.status === 'fulfilled' ? [1, 2] : [1]);
      await storage.transaction((scope) => add(scope.repository(probe), 3));
    });

    it('still work after more failures than there are connections', async () => {
      for (let i = 0; i < 30; i++) {
        await reasonOf(
          storage.transaction(async (scope) => {
            await add(scope.repository(probe), i);
            await scope.repository(probe).query('select nothing from nowhere', []);
          }),
        );
      }
      await storage.transaction((scope) => add(scope.repository(probe), 1));
      expect(await ids(database)).to.deep.equal([1]);
    });

    it('lose no update of a row that both lock', async () => {
      await add(database, 1, '0');
      const increment = () =>
        storage.transaction(async (scope) => {
          const { write, engine: inside } = scope.repository(probe);
          const { name } = await inside.forUpdate(write('probe_values').where({ id: 1 })).first();
          await write('probe_values')
            .where({ id: 1 })
            .update({ name: String(Number(name) + 1) });
        });
      await Promise.all(Array.from({ length: 25 }, increment));
      expect(await database.query('select name from probe_values', [])).to.deep.equal([{ name: '25' }]);
    });

    const later = (inside: Database, id: number, name: string) =>
      inside.later('insert into probe_values (id, name) values (?, ?)', [id, name]);

    it('run statements whose rows nobody reads in order, before all that follows', async () => {
      await storage.transaction(async (scope) => {
        const inside = scope.repository(probe);
        await later(inside, 1, "it's; -- '");
        await later(inside, 2, 'two');
        expect(await ids(inside)).to.deep.equal([1, 2]);
        await later(inside, 3, 'three');
        await inside.write('probe_values').where({ id: 3 }).update({ name: 'changed' });
        await later(inside, 4, 'four');
        await inside.later('delete from probe_values where id = ?', [2]);
      });
      const rows = await database.query('select id, name from probe_values order by id', []);
      expect(rows.map((row) => Object.values(row as object).map(String))).to.deep.equal([
        ['1', "it's; -- '"],
        ['3', 'changed'],
        ['4', 'four'],
      ]);
    });

    it('write nothing if such a statement fails, whoever notices it', async () => {
      await add(database, 1);
      const attempts: ((inside: Database) => Promise<unknown>)[] = [
        async () => 'the commit',
        (inside) => inside.query('select id from probe_values', []),
        (inside) => inside.run((again) => add(again, 7)),
        // Somebody who goes on all the same.
        async (inside) => await inside.query('select id from probe_values', []).catch(() => 'nothing'),
      ];
      for (const then of attempts) {
        let isCommitted = false;
        const failing = storage.transaction(async (scope) => {
          const inside = scope.repository(probe);
          inside.onCommit(() => {
            isCommitted = true;
          });
          await later(inside, 2, 'two');
          await later(inside, 1, 'there already');
          await later(inside, 3, 'three');
          await then(inside);
        });
        expect(await codeOf(failing)).to.equal('conflict');
        expect(await ids(database)).to.deep.equal([1]);
        expect(isCommitted).to.equal(false);
      }
    });

    it('tell once they are committed, and not before', async () => {
      const told: number[][] = [];
      await storage.transaction(async (scope) => {
        const inside = scope.repository(probe);
        inside.onCommit(() => told.push([1]));
        await later(inside, 1, 'one');
        expect(told).to.deep.equal([]);
      });
      expect(told).to.deep.equal([[1]]);
      await storage.transaction(async () => {});
      expect(await ids(database)).to.deep.equal([1]);
    });

    it('end before the storage closes, which refuses later ones', async () => {
      const other = await opened.again();
      const [halfway, goOn] = [gate(), gate()];
      const writing = other.transaction(async (scope) => {
        await add(scope.repository(probe), 1);
        halfway.open();
        await goOn.passed;
        await add(scope.repository(probe), 2);
      });
      await halfway.passed;
      const queued = other.transaction((scope) => add(scope.repository(probe), 3));
      const closing = other.close();
      expect(await codeOf(other.transaction(async () => {}))).to.equal('unavailable');
      expect(await codeOf(ids(other.repository(probe)))).to.equal('unavailable');
      goOn.open();
      await Promise.all([writing, queued, closing]);
      expect(await ids(database)).to.deep.equal([1, 2, 3]);
    });
  });
}
