/** Far more connections of clients than the database has: everything is answered right, or refused as an overload. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import type { Database } from '../../../adapters/knex/binding.js';
import adapter from '../../../adapters/postgres/adapter.js';
import { settings } from '../../../adapters/postgres/settings.js';
import { isFault, type Storage } from '../../../core/storage.js';
import type { Pooler, PoolerOptions } from '../../support/pooler.js';
import { makeDatabase, type TestDatabase } from '../../support/postgres.js';
import { isInstalled } from '../../support/programs.js';
import { quiet } from '../../support/storages.js';
import { probe, probeOptions } from '../storage/support/probe.js';

const hasPooler = isInstalled('pgbouncer');

(hasPooler ? describe : describe.skip)('Many clients of PostgreSQL behind PgBouncer', () => {
  let made: TestDatabase;
  let direct: pg.Client;
  const opened: Storage[] = [];
  const poolers: Pooler[] = [];

  before(async () => {
    made = await makeDatabase();
    direct = new pg.Client({ connectionString: made.url });
    await direct.connect();
    await (await opening(made.url, 1)).storage.migrate();
  });

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((storage) => storage.close()));
    await Promise.all(poolers.splice(0).map((pooler) => pooler.stop()));
    await direct.query('delete from probe_values');
  });

  after(async () => {
    await direct.end();
    await made.drop();
  });

  /** With patience: a busy machine needs longer than the default to greet hundreds of connections at once. */
  async function opening(url: string, max: number) {
    const bindings = probeOptions.bindings ?? new Map();
    const chosen = settings.parse({ url, pool: { max }, connectTimeout: 60_000 });
    const storage = await adapter.open({ settings: chosen, contracts: [probe], bindings, log: quiet });
    opened.push(storage);
    return { storage, database: storage.repository(probe) };
  }

  async function pooling(options?: PoolerOptions): Promise<Pooler> {
    const { startPooler } = await import('../../support/pooler.js');
    const pooler = await startPooler(made.url, options);
    poolers.push(pooler);
    return pooler;
  }

  const echo = async (database: Database, n: number) =>
    (await database.query<{ n: number }>('select ?::integer as n', [n]))[0]?.n;

  /** The same once the lock is free. */
  const held = async (database: Database, n: number) =>
    (
      await database.query<{ n: number }>(
        'select ?::integer as n from (select pg_advisory_xact_lock_shared(1)) as locked',
        [n],
      )
    )[0]?.n;

  /** Adds one to a counter, or fails after it has done so. */
  const count = (database: Database, id: number, fails: boolean) =>
    database.transaction(async ({ write, engine }) => {
      const row = await engine.forUpdate(write('probe_values').where({ id })).first();
      await write('probe_values')
        .where({ id })
        .update({ ratio: row.ratio + 1 });
      if (fails) throw new RangeError('rolled back');
    });

  it('are 2,000 on 20 connections of the server, each with its own results', async function () {
    this.timeout(120_000);
    const [processes, each, counters] = [4, 500, 50];
    const pooler = await pooling();
    const url = pooler.through(made.url);
    const databases = await Promise.all(
      // One connection of each pool is kept free for health checks.
      Array.from({ length: processes }, async () => (await opening(url, each + 1)).database),
    );
    const numbers = Array.from({ length: processes * each }, (_, i) => i);
    const databaseOf = (i: number) => databases[i % processes] as Database;
    // None gets its result before all have asked, so that each takes a connection of its own.
    await direct.query('select pg_advisory_lock(1)');
    const answers = Promise.all(numbers.map((i) => held(databaseOf(i), i)));
    const clients = async () =>
      (await pooler.console<{ list: string; items: number }>('show lists')).find(({ list }) => list === 'used_clients')
        ?.items ?? 0;
    // And the console. Nobody waits for the others of one that was refused.
    const haveAll = async () => {
      while ((await clients()) <= numbers.length) await sleep(50);
    };
    await Promise.race([answers, haveAll()]);
    await direct.query('select pg_advisory_unlock(1)');
    expect(await answers).to.deep.equal(numbers);

    await direct.query('insert into probe_values (id, ratio) select n, 0 from generate_series(1, $1) n', [counters]);
    const mixed = await Promise.all(
      numbers.map((i) =>
        i % 4 === 0
          ? count(databaseOf(i), 1 + ((i / 4) % counters), i % 20 === 0).catch((error: unknown) => error)
          : echo(databaseOf(i), i),
      ),
    );
    const failed = mixed.filter((outcome) => outcome instanceof Error);
    expect(failed.every((error) => error instanceof RangeError)).to.equal(true);
    expect(mixed.filter((_, i) => i % 4 !== 0)).to.deep.equal(numbers.filter((i) => i % 4 !== 0));
    // 500 of 2,000 count, of which each fifth fails.
    expect(failed).to.have.length(100);
    const { rows } = await direct.query('select sum(ratio) as counted from probe_values');
    expect(rows).to.deep.equal([{ counted: 400 }]);

    const pools = await pooler.console<Record<string, number | string>>('show pools');
    const own = pools.find(({ database }) => database === made.name);
    expect(Number(own?.sv_active) + Number(own?.sv_idle) + Number(own?.sv_used)).to.be.within(1, 20);
  });

  it('are unavailable if there are more than the pool takes', async () => {
    const pooler = await pooling({ settings: { max_client_conn: '100' } });
    const { database } = await opening(pooler.through(made.url), 200);
    const work = Array.from({ length: 200 }, (_, i) => echo(database, i).catch((error: unknown) => error));
    const outcomes = await Promise.all(work);
    const refused = outcomes.filter((outcome) => isFault(outcome));
    expect(
      new Set(refused.map(({ code, message }) => `${code}: ${message.replace(/trefoil_test\w+|:\d+/g, '')}`)),
    ).to.deep.equal(
      new Set([
        'unavailable: The PostgreSQL database  on 127.0.0.1 or the connection pool before it refused a connection',
      ]),
    );
    for (const [i, outcome] of outcomes.entries()) if (!isFault(outcome)) expect(outcome).to.equal(i);
    expect(outcomes.some((outcome) => !isFault(outcome))).to.equal(true);
    expect(await echo(database, 7)).to.equal(7);
  });

  it('are unavailable if they get no connection of the server in time, and served again later', async () => {
    const pooler = await pooling({ settings: { default_pool_size: '1', query_wait_timeout: '1' } });
    const url = pooler.through(made.url);
    const { database } = await opening(url, 5);
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    await holder.query('begin');
    const outcome = await count(database, 1, false).catch((error: unknown) => error);
    expect(isFault(outcome) && outcome.code).to.equal('unavailable');
    await holder.end();
    expect(await echo(database, 7)).to.equal(7);
  });
});
