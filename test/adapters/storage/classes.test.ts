/** Reports and background work leave connections for queries and health checks: tested with reports that never end. */
import { expect } from 'chai';
import type { Database } from '../../../adapters/knex/binding.js';
import { sharesOfPool } from '../../../adapters/knex/driver.js';
import { classedWork, inClass } from '../../../core/storage.js';
import { type OpenedStorage, storages } from '../../support/storages.js';
import { probe, probeOptions } from './support/probe.js';

const endless = 'with recursive n(i) as (select 1 union all select 1 from n) select count(*) as found from n';
const reason = new Error('nobody waits for it');

describe('shares of a pool', () => {
  it('leave a connection for queries and one for health checks, as far as there are any', () => {
    for (let max = 1; max <= 1000; max++) {
      const { long, usual } = sharesOfPool(max);
      expect(long, String(max)).to.be.within(1, max);
      expect(usual, String(max)).to.be.within(long, max);
      if (max >= 2) expect(long, String(max)).to.be.lessThan(usual);
      if (max >= 4) expect(usual, String(max)).to.equal(max - 1);
    }
    // The defaults of PostgreSQL and SQLite.
    expect(sharesOfPool(10)).to.deep.equal({ long: 6, usual: 9 });
    expect(sharesOfPool(3)).to.deep.equal({ long: 2, usual: 3 });
  });
});

describe('the class of work', () => {
  const later = () => new Promise((resolve) => setImmediate(resolve)).then(() => classedWork()?.of);

  it('holds for what the work began, until that is over', async () => {
    let end = () => {};
    const over = new Promise<void>((resolve) => {
      end = resolve;
    });
    let begun: ReturnType<typeof later> | undefined;
    await inClass(
      'report',
      async () => {
        begun = later();
      },
      over,
    );
    expect(await begun).to.equal('report');
    end();
    expect(await later()).to.equal(undefined);
  });

  it('is that of each of several at once, and survives a query beside it', async () => {
    const reports = inClass('report', async () => [await later(), await later(), await inClass('query', later)]);
    expect(await inClass('query', later)).to.equal(undefined);
    expect(await inClass('background', later)).to.equal('background');
    expect(await reports).to.deep.equal(['report', 'report', 'query']);
  });
});

for (const engine of storages) {
  describe(`classes of work on ${engine.name}`, () => {
    let opened: OpenedStorage;
    let database: Database;

    before(async () => {
      opened = await engine.open([probe], probeOptions);
      database = opened.storage.repository(probe);
    });
    after(() => opened.close());

    const one = async (of: Database = database) => (await of.query('select 1 as n', [])).length;
    const waiting = () =>
      (opened.storage.metrics?.() ?? [])
        .flatMap(({ name, values }) => (name === 'connections' ? values : []))
        .filter(({ labels }) => labels.state === 'waiting')
        .reduce((sum, { value }) => sum + value, 0);

    for (const of of ['report', 'background'] as const) {
      it(`let health checks and queries answer while ${of} work fills its part, and more of it waits`, async () => {
        const stop = new AbortController();
        const reader = database.until(stop.signal);
        let ended = 0;
        const reports = Array.from({ length: 20 }, () =>
          inClass(of, () => reader.query(endless, [])).then(
            () => 'an answer',
            (error: unknown) => {
              ended++;
              return error;
            },
          ),
        );
        // All that may begin have; the others wait.
        while (waiting() < 14) await new Promise((resolve) => setImmediate(resolve));
        await inClass('health', () => opened.storage.ping());
        expect(await inClass('health', () => one())).to.equal(1);
        for (let i = 0; i < 20; i++) expect(await inClass('query', () => one())).to.equal(1);
        // A query that has a connection gets another one, of an engine with more than three.
        if (engine.adapter === 'postgres') {
          const both = () => database.snapshot(async (inside) => (await one(inside)) + (await one()));
          expect(await inClass('query', both)).to.equal(2);
        }
        await database.transaction(async ({ write }) => void (await write('probe_values').insert({ id: 1 })));
        await database.write('probe_values').delete();
        expect(ended, 'reports still hold their connections').to.equal(0);
        stop.abort(reason);
        for (const outcome of await Promise.all(reports)) expect(outcome).to.equal(reason);
        expect(waiting()).to.equal(0);
      });
    }

    it('give work that has a connection a second one, however many others hold one', async () => {
      let inside = 0;
      let go: () => void = () => undefined;
      const all = new Promise<void>((resolve) => {
        go = resolve;
      });
      const { long } = sharesOfPool(engine.adapter === 'sqlite' ? 3 : 10);
      const reports = Array.from({ length: 20 }, () =>
        inClass('report', () =>
          database.snapshot(async (snapshot) => {
            await one(snapshot);
            if (++inside === long) go();
            await all;
            return one();
          }),
        ),
      );
      expect(await Promise.all(reports)).to.deep.equal(Array.from({ length: 20 }, () => 1));
      expect(waiting()).to.equal(0);
    });
  });
}
