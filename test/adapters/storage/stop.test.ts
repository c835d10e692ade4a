/** Aborted reads stop in the engine, tested with a statement that never ends. */
import { expect } from 'chai';
import type { Database } from '../../../adapters/knex/binding.js';
import { type OpenedStorage, storages } from '../../support/storages.js';
import { probe, probeOptions } from './support/probe.js';

const endless = 'with recursive n(i) as (select 1 union all select 1 from n) select count(*) as found from n';
const reason = new Error('nobody waits for it');

const given = (work: Promise<unknown>) => work.then(() => 'an answer').catch((error: unknown) => error);

/** A few turns of the event loop, in which all statements, or only some, reach the engine. */
async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}

for (const engine of storages) {
  describe(`Aborted reads on ${engine.name}`, () => {
    let opened: OpenedStorage;
    let database: Database;

    before(async () => {
      opened = await engine.open([probe], probeOptions);
      database = opened.storage.repository(probe);
    });

    after(() => opened.close());

    async function isWell(): Promise<void> {
      // More reads than connections: every connection works, and none is still occupied.
      const answers = Array.from({ length: 20 }, (_, i) => database.query<{ n: number }>('select ? + 0 as n', [i]));
      expect((await Promise.all(answers)).map(([row]) => Number(row?.n))).to.deep.equal([...Array(20).keys()]);
      await database.run(({ write }) => write('probe_values').insert({ id: 1 }));
      expect(await database.query('select id from probe_values', [])).to.have.length(1);
      await database.write('probe_values').delete();
    }

    for (const [title, count] of [
      ['stop', 1],
      ['stop, including those that wait for a connection', 14],
    ] as const) {
      it(title, async () => {
        for (const when of [0, 1, 5, 100]) {
          const stop = new AbortController();
          const reader = database.until(stop.signal);
          const work = Array.from({ length: count }, () => given(reader.query(endless, [])));
          await turns(when);
          stop.abort(reason);
          for (const outcome of await Promise.all(work)) expect(outcome).to.equal(reason);
          expect(await given(reader.query('select 1', []))).to.equal(reason);
        }
        await isWell();
      });
    }

    it('stop inside a snapshot, which then ends', async () => {
      const stop = new AbortController();
      let seen = 0;
      const work = database.until(stop.signal).snapshot(async (snapshot) => {
        seen = (await snapshot.query('select 1', [])).length;
        setTimeout(() => stop.abort(reason), 20);
        return snapshot.query(endless, []);
      });
      expect(await given(work)).to.equal(reason);
      expect(seen).to.equal(1);
      await isWell();
    });

    if (engine.adapter === 'postgres') {
      it('stop inside a snapshot whose end they spoil', async () => {
        const stop = new AbortController();
        const work = database.until(stop.signal).snapshot(async (snapshot) => {
          const [own] = await snapshot.query<{ pid: number }>('select pg_backend_pid() as pid', []);
          stop.abort(reason);
          // As a cancellation that is late would, but surely.
          await database.query('select pg_terminate_backend(?)', [own?.pid ?? 0]);
        });
        expect(await given(work)).to.equal(reason);
        await isWell();
      });
    }

    it('do not affect other reads, or results that have arrived', async () => {
      const stop = new AbortController();
      const reader = database.until(stop.signal);
      expect(await reader.query('select 1 as one', [])).to.deep.equal([{ one: 1 }]);
      const hurried = given(reader.query(endless, []));
      const unhurried = Array.from({ length: 8 }, () => database.query('select 1 as one', []));
      stop.abort(reason);
      expect(await hurried).to.equal(reason);
      for (const rows of await Promise.all(unhurried)) expect(rows).to.deep.equal([{ one: 1 }]);
      await isWell();
    });

    it('do not affect writes', async () => {
      const gone = database.until(AbortSignal.abort(reason));
      await gone.transaction(({ write }) => write('probe_values').insert({ id: 7 }));
      expect(await database.query('select id from probe_values', [])).to.have.length(1);
      await database.write('probe_values').delete();
    });
  });
}
