import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { defineBinding } from '../../../adapters/knex/binding.js';
import { settings as postgresSettings } from '../../../adapters/postgres/settings.js';
import { sessions, tokens } from '../../../core/auth/contract.js';
import { defineContract, Fault, type Storage } from '../../../core/storage.js';
import { PostgresServer, postgresTools } from '../../support/cluster.js';
import { quiet } from '../../support/storages.js';

/** Returns which server answered a read, and the rows. */
interface Notes {
  add(text: string): Promise<void>;
  /** A single statement. */
  count(): Promise<number>;
  /** Two statements, with something between them. */
  twice(between: () => void): Promise<void>;
  all(): Promise<{ texts: string[]; fromReplica: boolean }>;
}
const notes = defineContract<Notes>('notes@1');
const binding = defineBinding<Notes>({
  contract: notes,
  migrations: {
    '001-notes': {
      up: (schema) => schema.schema.createTable('notes_texts', (table) => void table.text('text')),
      down: (schema) => schema.schema.dropTable('notes_texts'),
    },
  },
  repository: (database) => ({
    add: (text) => database.transaction(async ({ write }) => void (await write('notes_texts').insert({ text }))),
    count: async () => {
      const [row] = await database.query<{ n: string }>('select count(*) as n from notes_texts', []);
      return Number(row?.n);
    },
    twice: (between) =>
      database.snapshot(async (snapshot) => {
        await snapshot.query('select 1', []);
        between();
        await snapshot.query('select 2', []);
      }),
    all: () =>
      database.snapshot(async (snapshot) => {
        const rows = await snapshot.query<{ text: string }>('select text from notes_texts order by text', []);
        const [who] = await snapshot.query<{ standby: boolean }>('select pg_is_in_recovery() as standby', []);
        return { texts: rows.map(({ text }) => text), fromReplica: who?.standby === true };
      }),
  }),
});

describe('replica: reads', function () {
  this.timeout(120_000); // two database servers are made
  let primary: PostgresServer;
  let replica: PostgresServer;
  let storage: Storage;
  let another: Storage;
  let open: (replica?: { maxStaleness: number }) => Promise<Storage>;
  const warnings: string[] = [];
  const log = { ...quiet, warn: (_: object, message: string) => void warnings.push(message) };

  before(async function () {
    if (postgresTools === undefined) return this.skip();
    primary = await PostgresServer.primary();
    replica = await primary.replica();
    const { default: adapter } = await import('../../../adapters/postgres/adapter.js');
    open = (chosen) =>
      adapter.open({
        settings: postgresSettings.parse({
          url: primary.url,
          ...(chosen ? { replica: { url: replica.url, ...chosen } } : {}),
        }),
        contracts: [notes, tokens, sessions],
        bindings: new Map([[notes.id, async () => ({ default: binding })]]),
        log,
      });
    storage = await open({ maxStaleness: 300 });
    another = await open();
    await storage.migrate();
  });
  after(async () => {
    await storage?.close();
    await another?.close();
    await replica?.remove();
    await primary?.remove();
  });

  const read = () => storage.repository(notes).all();
  /** The replica is used once it has caught up; mocha's own limit ends the wait. */
  const fromReplica = async () => {
    for (;;) {
      const answer = await read();
      if (answer.fromReplica) return answer.texts;
      await sleep(20);
    }
  };

  it('come from the replica once it has the writes of this process, and never miss these before', async () => {
    await storage.repository(notes).add('a');
    expect((await read()).texts).to.deep.equal(['a']);
    expect(await fromReplica()).to.deep.equal(['a']);
    // A replica that has stopped replaying is not used after our own write.
    await replica.sql('select pg_wal_replay_pause()');
    await storage.repository(notes).add('b');
    for (let i = 0; i < 20; i++) expect(await read()).to.deep.equal({ texts: ['a', 'b'], fromReplica: false });
    await replica.sql('select pg_wal_replay_resume()');
    expect(await fromReplica()).to.deep.equal(['a', 'b']);
  });

  it('see the writes of other processes before long, and keep seeing them', async () => {
    await replica.sql('select pg_wal_replay_pause()');
    await another.repository(notes).add('c');
    await sleep(350); // longer than maxStaleness
    expect(await read()).to.deep.equal({ texts: ['a', 'b', 'c'], fromReplica: false });
    for (let i = 0; i < 20; i++) expect((await read()).texts).to.deep.equal(['a', 'b', 'c']);
    await replica.sql('select pg_wal_replay_resume()');
    expect(await fromReplica()).to.deep.equal(['a', 'b', 'c']);
  });

  it('know a token and a session that another process has just made', async () => {
    const behind = await open({ maxStaleness: 60_000 });
    try {
      while (!(await behind.repository(notes).all()).fromReplica) await sleep(20);
      await replica.sql('select pg_wal_replay_pause()');
      const now = new Date();
      await another.repository(tokens).add({ id: 't', hash: 'a'.repeat(64), owner: 'Lab', scopes: [], created: now });
      await another.repository(sessions).add({
        id: 's',
        hash: 'b'.repeat(64),
        issuer: 'https://id.example.org',
        subject: 'p',
        sealed: 'c',
        created: now,
        lastSeen: now,
        expires: new Date(now.getTime() + 60_000),
      });
      expect(await behind.repository(tokens).findByHash('a'.repeat(64))).to.have.property('id', 't');
      expect(await behind.repository(sessions).findByHash('b'.repeat(64))).to.have.property('id', 's');
      // A read that does find something still comes from the replica, which lacks both.
      expect((await behind.repository(notes).all()).fromReplica).to.equal(true);
    } finally {
      await replica.sql('select pg_wal_replay_resume()');
      await behind.close();
    }
  });

  const metrics = (of = storage) => {
    const found = of.metrics?.() ?? [];
    const values = (name: string) => found.find((metric) => metric.name === name)?.values ?? [];
    const reads = values('replica_reads_total').map(({ labels, value }) => [
      `${labels.server} ${labels.reason}`,
      value,
    ]);
    const pools = new Set(values('connections').map(({ labels }) => labels.pool));
    return { reads: Object.fromEntries(reads), used: values('replica_used')[0]?.value, pools: [...pools] };
  };

  it('are counted by server and reason, for the metrics', async () => {
    // What the process knows of the replica may grow too old between two lines: then a read goes to the primary.
    let before = metrics();
    do {
      await fromReplica();
      before = metrics();
    } while (!(before.used === 1 && (await read()).fromReplica));
    expect(before.pools).to.deep.equal(['primary', 'replica']);
    expect(metrics().reads['replica current']).to.equal(before.reads['replica current'] + 1);
    await replica.sql('select pg_wal_replay_pause()');
    await storage.repository(notes).add('m');
    await read();
    const behind = metrics();
    expect(behind.used).to.equal(0);
    expect(behind.reads['primary behind']).to.equal(before.reads['primary behind'] + 1);
    expect(behind.reads['primary failed']).to.equal(before.reads['primary failed']);
    await replica.sql('select pg_wal_replay_resume()');
    do await fromReplica();
    while (metrics().used !== 1);
  });

  it('never go back in time while others write and the replica lags now and then', async () => {
    let seen = 0;
    const writing = (async () => {
      for (let i = 0; i < 60; i++) await another.repository(notes).add(`n${i}`);
    })();
    const pausing = (async () => {
      for (let i = 0; i < 6; i++) {
        await replica.sql('select pg_wal_replay_pause()');
        await sleep(30);
        await replica.sql('select pg_wal_replay_resume()');
        await sleep(30);
      }
    })();
    for (let i = 0; i < 300; i++) {
      const { length } = (await read()).texts;
      expect(length).to.be.at.least(seen);
      seen = length;
    }
    await Promise.all([writing, pausing]);
  });

  it('come from the primary if the replica died behind connections that seemed alive', async () => {
    const patient = await open({ maxStaleness: 60_000 });
    try {
      const { all, count } = patient.repository(notes);
      // Two connections of the pool, of which the process does not learn that they are cut before it reads.
      const idle = async () => (await Promise.all([all(), all()])).every((answer) => answer.fromReplica);
      while (!(await idle())) await sleep(20);
      const before = metrics(patient).reads;
      replica.killUnnoticed();
      const [answer, counted] = await Promise.all([all(), count()]);
      expect(answer).to.deep.include({ fromReplica: false });
      expect(answer.texts).to.have.lengthOf(64);
      expect(counted).to.equal(64);
      expect(metrics(patient).reads).to.deep.equal({ ...before, 'primary failed': before['primary failed'] + 2 });
    } finally {
      await patient.close();
      await replica.start();
    }
  });

  it('that are cut short by the death of the replica name the replica', async () => {
    const patient = await open({ maxStaleness: 60_000 });
    try {
      const { all, twice } = patient.repository(notes);
      while (!(await all()).fromReplica) await sleep(20);
      const asked = twice(() => replica.killUnnoticed()).catch((error: unknown) => error);
      expect(await asked)
        .to.include({ code: 'unavailable' })
        .and.have.property('message')
        .that.includes(`:${replica.port}`);
    } finally {
      await patient.close();
      await replica.start();
    }
  });

  it('come from the primary while the replica is down, and from the replica again afterwards', async () => {
    await replica.kill();
    warnings.length = 0;
    for (let i = 0; i < 5; i++) expect((await read()).fromReplica).to.equal(false);
    expect(warnings).to.deep.equal(['the replica is not used; reads go to the primary']);
    await replica.start();
    expect(await fromReplica()).to.have.lengthOf(64);
  });

  it('never take a replica for the primary, whose state may be older', async () => {
    const { default: adapter } = await import('../../../adapters/postgres/adapter.js');
    const settings = postgresSettings.parse({ url: replica.url });
    const failure = await adapter
      .open({ settings, contracts: [notes], bindings: new Map([[notes.id, async () => ({ default: binding })]]), log })
      .catch((error: unknown) => error);
    expect(failure)
      .to.be.instanceOf(Fault)
      .and.include({ code: 'unavailable' })
      .with.property('message')
      .that.matches(/^The PostgreSQL database postgres on 127\.0\.0\.1:\d+ is a replica at the moment$/);
  });

  it('skip a replica that was promoted', async () => {
    await replica.promote();
    await another.repository(notes).add('z');
    await sleep(350);
    expect(await read()).to.deep.include({ fromReplica: false });
    expect((await read()).texts).to.include('z');
  });
});

describe('replica: two replicas behind one address', function () {
  this.timeout(180_000); // three database servers are made
  let primary: PostgresServer;
  let replicas: PostgresServer[] = [];
  let storage: Storage;
  let proxy: Server;
  const links = new Set<Socket>();

  before(async function () {
    if (postgresTools === undefined) return this.skip();
    primary = await PostgresServer.primary();
    replicas = [await primary.replica(), await primary.replica()];
    let turn = 0;
    // As HAProxy leads each connection to the next server.
    proxy = createServer((near) => {
      const far = connect(replicas[turn++ % 2]?.port ?? 0, '127.0.0.1');
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        links.add(one);
        one.on('error', () => other.destroy()).on('close', () => other.destroy());
        one.pipe(other);
      }
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const replica = new URL(replicas[0]?.url ?? '');
    replica.port = String((proxy.address() as AddressInfo).port);
    const { default: adapter } = await import('../../../adapters/postgres/adapter.js');
    storage = await adapter.open({
      settings: postgresSettings.parse({
        url: primary.url,
        pool: { max: 3 },
        replica: { url: replica.href, maxStaleness: 60_000 },
      }),
      contracts: [notes],
      bindings: new Map([[notes.id, async () => ({ default: binding })]]),
      log: quiet,
    });
    await storage.migrate();
  });
  after(async () => {
    await storage?.close();
    for (const link of links) link.destroy();
    await new Promise<void>((resolve) => (proxy === undefined ? resolve() : proxy.close(() => resolve())));
    for (const server of [...replicas, primary]) await server?.remove();
  });

  it('answer with an acknowledged change that one of them lacks, after the primary was lost', async () => {
    const { add, all } = storage.repository(notes);
    await add('a');
    while (!(await all()).fromReplica) await sleep(20);
    // The one that is read from stops replaying, and lacks what is acknowledged next.
    const [used] = await Promise.all(
      replicas.map(async (server) => ({
        server,
        isUsed: (await server.sql("select from pg_stat_activity where application_name = 'trefoil'")).length > 0,
      })),
    ).then((all) => all.filter(({ isUsed }) => isUsed));
    const behind = used?.server;
    expect(behind, 'one replica is used').to.not.equal(undefined);
    await behind?.sql('select pg_wal_replay_pause()');
    await add('b');
    const other = replicas.find((server) => server !== behind);
    while ((await other?.sql("select from notes_texts where text = 'b'"))?.length === 0) await sleep(20);
    await primary.kill();
    for (let i = 0; i < 20; i++) expect(await all(), String(i)).to.deep.equal({ texts: ['a', 'b'], fromReplica: true });
    expect(await Promise.all(Array.from({ length: 10 }, () => all()))).to.deep.equal(
      Array.from({ length: 10 }, () => ({ texts: ['a', 'b'], fromReplica: true })),
    );
    // It is back, and changes are seen again.
    await primary.start();
    await add('c');
    expect((await all()).texts).to.deep.equal(['a', 'b', 'c']);
  });
});
