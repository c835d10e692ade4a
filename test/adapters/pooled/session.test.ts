/** PostgreSQL behind PgBouncer in transaction mode: detected, correct without sessions, and refused if it cannot be correct. */
import { expect } from 'chai';
import pg from 'pg';
import type { Database } from '../../../adapters/knex/binding.js';
import adapter from '../../../adapters/postgres/adapter.js';
import { type PostgresSettings, settings } from '../../../adapters/postgres/settings.js';
import type { Storage, StorageLog } from '../../../core/storage.js';
import { faultOf } from '../../support/fault.js';
import type { Pooler } from '../../support/pooler.js';
import { makeDatabase, type TestDatabase } from '../../support/postgres.js';
import { isInstalled } from '../../support/programs.js';
import { quiet } from '../../support/storages.js';
import { probe, probeOptions } from '../storage/support/probe.js';

const hasPooler = isInstalled('pgbouncer');

(hasPooler ? describe : describe.skip)('Sessions of PostgreSQL', () => {
  let made: TestDatabase;
  let pooler: Pooler;
  let direct: pg.Client;
  const opened: Storage[] = [];

  before(async () => {
    const { startPooler } = await import('../../support/pooler.js');
    made = await makeDatabase();
    // Two connections of the server: clients that share them use each other's sessions.
    pooler = await startPooler(made.url, { settings: { default_pool_size: '2' } });
    direct = new pg.Client({ connectionString: made.url });
    await direct.connect();
    const { storage } = await opening({ url: made.url });
    await storage.migrate();
  });

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((storage) => storage.close()));
  });

  after(async () => {
    await direct.end();
    await pooler.stop();
    await made.drop();
  });

  async function opening(given: Partial<PostgresSettings>, log: StorageLog = quiet) {
    const bindings = probeOptions.bindings ?? new Map();
    const chosen = settings.parse(given);
    const storage = await adapter.open({ settings: chosen, contracts: [probe], bindings, log });
    opened.push(storage);
    return { storage, database: storage.repository(probe) };
  }

  const pooled = (given: Partial<PostgresSettings> = {}) => opening({ url: pooler.through(made.url), ...given });

  /** A client that takes one of the two connections of the server for as long as its transaction lasts. */
  async function holder(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: pooler.through(made.url) });
    await client.connect();
    return client;
  }

  async function refusal(work: Promise<unknown>): Promise<string> {
    const { code, message } = await faultOf(work);
    return `${code}: ${message}`;
  }

  /** Statements that are kept prepared on the connection that answers. */
  async function prepared(database: Database): Promise<string[]> {
    const { rows } = await database.read.raw<{ rows: { name: string }[] }>('select name from pg_prepared_statements');
    return rows.map(({ name }) => name);
  }

  it('keep prepared statements and a limit if there is no pool', async () => {
    for (const given of [{}, { pooled: false }]) {
      const { database } = await opening({ url: made.url, statementTimeout: 4321, pool: { min: 0, max: 1 }, ...given });
      await database.query('select 1', []);
      expect(await prepared(database)).to.have.length(1);
      expect(await database.query('show statement_timeout', [])).to.deep.equal([{ statement_timeout: '4321ms' }]);
    }
  });

  it('keep nothing if the settings say that there is one', async () => {
    await direct.query(`alter role trefoil in database ${made.name} set statement_timeout = 60000`);
    try {
      const { database } = await opening({ url: made.url, statementTimeout: 70_000, pooled: true });
      await database.query('select 1', []);
      expect(await prepared(database)).to.deep.equal([]);
    } finally {
      await direct.query(`alter role trefoil in database ${made.name} reset statement_timeout`);
    }
  });

  it('are detected as missing, which is logged once', async () => {
    const logged: string[] = [];
    const log: StorageLog = { ...quiet, info: (_, message) => void logged.push(message) };
    const { database } = await opening({ url: pooler.through(made.url) }, log);
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) => database.query<{ n: number }>('select ?::integer as n', [i])),
    );
    expect(answers.map(([row]) => row?.n)).to.deep.equal([...Array(60).keys()]);
    expect(await prepared(database)).to.deep.equal([]);
    expect(logged).to.deep.equal(['connections to the database go through a pool: statements are not kept prepared']);
  });

  it('leave no setting behind on connections that others use', async () => {
    const { database } = await pooled({ statementTimeout: 4_000_000 });
    await database.transaction(({ read }) => read.raw('set local statement_timeout = 0'));
    const seen = await Promise.all(Array.from({ length: 20 }, () => database.query('show statement_timeout', [])));
    for (const rows of seen) expect(rows).to.deep.equal([{ statement_timeout: '1min' }]);
  });

  it('are no part of transactions, which stay whole while all connections are shared', async () => {
    const some = await Promise.all(Array.from({ length: 4 }, () => pooled()));
    await direct.query('insert into probe_values (id, ratio) values (1, 0)');
    const add = ({ database }: { database: Database }) =>
      database.transaction(async (inside) => {
        const { write, engine } = inside;
        const row = await engine.forUpdate(write('probe_values').where({ id: 1 })).first();
        await inside.query('select pg_sleep(0)', []);
        await write('probe_values')
          .where({ id: 1 })
          .update({ ratio: row.ratio + 1 });
      });
    await Promise.all(Array.from({ length: 100 }, (_, i) => add(some[i % some.length] as { database: Database })));
    const { rows } = await direct.query('select ratio from probe_values where id = 1');
    expect(rows).to.deep.equal([{ ratio: 100 }]);
    await direct.query('delete from probe_values');
  });

  it('are not needed to migrate from several processes at once', async () => {
    const own = await makeDatabase();
    try {
      const some = await Promise.all(Array.from({ length: 4 }, () => opening({ url: pooler.through(own.url) })));
      const ran = await Promise.all(some.map(({ storage }) => storage.migrate()));
      expect(
        ran
          .flat()
          .map(({ name }) => name)
          .sort(),
      ).to.deep.equal(['001-values', '002-children']);
    } finally {
      await Promise.all(opened.splice(0).map((storage) => storage.close()));
      await own.drop();
    }
  });

  it('are not needed to stop a statement in the server', async () => {
    const { database } = await pooled();
    const stop = new AbortController();
    const reason = new Error('the client has left');
    const endless = 'with recursive n(i) as (select 1 union all select 1 from n) select count(*) as stopped from n';
    const work = database
      .until(stop.signal)
      .query(endless, [])
      .catch((error: unknown) => error);
    const running = async () => {
      const { rows } = await direct.query(
        "select from pg_stat_activity where state = 'active' and query like '%as stopped%' and pid <> pg_backend_pid()",
      );
      return rows.length;
    };
    while ((await running()) === 0);
    stop.abort(reason);
    expect(await work).to.equal(reason);
    while ((await running()) > 0);
    expect(await database.query('select 1 as one', [])).to.deep.equal([{ one: 1 }]);
  });

  it('are not taken for lost while the pool takes no further client', async function () {
    this.timeout(60_000); // a long statement
    const { startPooler } = await import('../../support/pooler.js');
    const full = await startPooler(made.url, { settings: { max_client_conn: '1' } });
    try {
      const { database } = await opening({ url: full.through(made.url), pool: { min: 0, max: 1 } });
      // After four seconds of silence the server is asked over a further connection.
      expect(await database.query('select 1 as one from pg_sleep(8)', [])).to.deep.equal([{ one: 1 }]);
    } finally {
      await Promise.all(opened.splice(0).map((storage) => storage.close()));
      await full.stop();
    }
  });

  it('are refused if the server does not limit statements, which they must', async () => {
    const { startPooler } = await import('../../support/pooler.js');
    const careless = await startPooler(made.url, { limit: 0 });
    try {
      const url = careless.through(made.url);
      expect(await refusal(opening({ url }))).to.equal(
        'unprocessable: The database is reached through a connection pool, where the server must limit statements to 60000 ms: ' +
          "run `alter role trefoil set statement_timeout = 60000` and `RECONNECT` in PgBouncer's console, or set " +
          '`statementTimeout: 0`',
      );
      const { database } = await opening({ url, statementTimeout: 0 });
      expect(await database.query('select 1 as one', [])).to.deep.equal([{ one: 1 }]);
      await Promise.all(opened.splice(0).map((storage) => storage.close()));
      // As the refusal says, for this database only: others share the server.
      await direct.query(`alter role trefoil in database ${made.name} set statement_timeout = 60000`);
      await careless.console('reconnect');
      await opening({ url });
    } finally {
      await direct.query(`alter role trefoil in database ${made.name} reset statement_timeout`);
      await careless.stop();
    }
    expect(await refusal(pooled({ statementTimeout: 59_999 }))).to.include('must limit statements to 59999 ms');
  });

  it('are refused if options would be lost', async () => {
    const { startPooler } = await import('../../support/pooler.js');
    const url = `${pooler.through(made.url)}?options=-c%20search_path%3Dother`;
    expect(await refusal(opening({ url }))).to.match(/^unavailable: The PostgreSQL database trefoil_test_\w+ on /);
    const lax = await startPooler(made.url, { settings: { ignore_startup_parameters: 'options' } });
    try {
      expect(await refusal(opening({ url: `${lax.through(made.url)}?options=-c%20search_path%3Dother` }))).to.equal(
        'unprocessable: The database is reached through a connection pool, which does not pass on `options` (of the URL or ' +
          'PGOPTIONS): set them with `alter role … set …`',
      );
    } finally {
      await lax.stop();
    }
  });

  it('that are missing although the settings say otherwise are named', async () => {
    const { database } = await pooled({ pooled: false, pool: { min: 0, max: 1 } });
    const [one, other] = await Promise.all([holder(), holder()]);
    await one.query('begin');
    // On the second connection of the server, where the statement stays prepared.
    await database.query('select 1', []);
    await other.query('begin');
    await one.query('commit');
    expect(await refusal(database.query('select 1', []))).to.match(
      /^unavailable: The PostgreSQL database \S+ on 127\.0\.0\.1:\d+ is reached through a pool that keeps no sessions, although `pooled` is false$/,
    );
    await Promise.all([one.end(), other.end()]);
  });
});
