/** Errors of an engine are reported in one readable sentence, without bound values. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect } from 'chai';
import createKnex from 'knex';
import type { Database } from '../../../adapters/knex/binding.js';
import postgresAdapter from '../../../adapters/postgres/adapter.js';
import { settings as postgresSettings } from '../../../adapters/postgres/settings.js';
import sqliteAdapter from '../../../adapters/sqlite/adapter.js';
import { tokens } from '../../../core/auth/contract.js';
import { defineContract, type StorageLog } from '../../../core/storage.js';
import { faultOf } from '../../support/fault.js';
import { freePort } from '../../support/port.js';
import { type OpenedStorage, quiet, storages } from '../../support/storages.js';
import { probe, probeOptions } from './support/probe.js';

const secret = 'Patient-4711-secret';

/** All text of a fault that a careless log could contain. */
function everythingOf(fault: unknown): string {
  return inspect(fault, { depth: 10, showHidden: true });
}

for (const engine of storages) {
  describe(`Errors of ${engine.name}`, () => {
    let opened: OpenedStorage;
    let database: Database;
    const logged: unknown[] = [];
    const note = (...entry: unknown[]) => void logged.push(entry);
    const log: StorageLog = { debug: note, info: note, warn: note, error: note };

    before(async () => {
      opened = await engine.open([probe], { ...probeOptions, log });
      database = opened.storage.repository(probe);
    });

    after(() => opened.close());

    afterEach(async () => {
      expect(inspect(logged, { depth: 10 })).not.to.include(secret);
      logged.length = 0;
      await database.write('probe_values').delete();
    });

    const add = (id: number, name: string) =>
      database.run(({ write }) => write('probe_values').insert({ id, name, doc: JSON.stringify({ secret }) }));

    /** Work that must fail, and the code of its fault. */
    const attempts: Record<string, [code: string, attempt: () => Promise<unknown>]> = {
      'a row that exists': ['conflict', () => add(2, secret)],
      'rows that exist, appended': [
        'conflict',
        () =>
          database.run(({ write, engine: { append } }) =>
            append(
              write,
              'probe_values',
              ['id', 'name'],
              [
                [3, 'x'],
                [4, secret],
              ],
            ),
          ),
      ],
      'a row that exists, in a transaction': [
        'conflict',
        () => database.transaction(({ write }) => write('probe_values').insert({ id: 1, name: secret })),
      ],
      'a reference to nothing': [
        'conflict',
        () => database.run(({ write }) => write('probe_children').insert({ parent: 4711 })),
      ],
      'a table that is not there': [
        'internal',
        () => database.run(({ write }) => write('probe_nowhere').insert({ name: secret })),
      ],
      'a prepared statement that is wrong': [
        'internal',
        () => database.query('select nothing from probe_values where name = ?', [secret]),
      ],
    };

    for (const [what, [code, attempt]] of Object.entries(attempts)) {
      it(`${what}: ${code}, without a bound value`, async () => {
        await add(1, secret);
        const fault = await faultOf(attempt());
        expect(fault.code).to.equal(code);
        expect(fault.message).to.match(/^[A-Z][^\n]+$/);
        expect(everythingOf(fault)).not.to.include(secret);
        expect(everythingOf(fault)).not.to.include('4711');
        expect(await database.query('select id from probe_values', [])).to.deep.equal([{ id: 1 }]);
      });
    }

    it('name all contracts without SQL, at once', async () => {
      const home = await engine.home();
      const [one, two] = [defineContract('nothing@1'), defineContract('beacon@9')];
      const unfit = new Map([['unfit@1', async () => ({ default: { contract: { id: 'unfit@1' } } })]]);
      const opening = home.open([one, tokens, two, defineContract('unfit@1')], { bindings: unfit });
      const fault = await faultOf(opening);
      await home.discard();
      expect(fault.code).to.equal('unprocessable');
      expect(fault.message).to.match(/nothing@1.*beacon@9.*unfit@1/);
      expect(fault.message).not.to.include('tokens@1');
    });
  });
}

describe('Errors of SQLite', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trefoil-errors-'));
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  const open = (file: string, busyTimeout = 100) =>
    sqliteAdapter.open({ settings: { file, busyTimeout }, contracts: [tokens], bindings: new Map(), log: quiet });

  it('name a file that is not a database, and leave it unchanged', async () => {
    const file = join(folder, 'notes.txt');
    const text = 'These are my notes.\n'.repeat(100);
    await writeFile(file, text);
    const fault = await faultOf(open(file));
    expect(fault.code).to.equal('unavailable');
    expect(fault.message).to.equal(`The database file ${file} is not an SQLite database`);
    expect(await readFile(file, 'utf8')).to.equal(text);
  });

  it('refuse the database of another application, and leave it unchanged', async () => {
    const file = join(folder, 'other.sqlite');
    const other = createKnex({ client: 'sqlite3', useNullAsDefault: true, connection: { filename: file } });
    await other.schema.createTable('theirs', (table) => table.integer('id'));
    await other.destroy();
    const bytes = await readFile(file);
    const fault = await faultOf(open(file));
    expect(fault.code).to.equal('unavailable');
    expect(fault.message).to.equal(`The file ${file} is an SQLite database of another application`);
    expect(Buffer.compare(await readFile(file), bytes)).to.equal(0);
  });

  it('name a path at which no file can be created', async () => {
    await mkdir(join(folder, 'a-folder'));
    await writeFile(join(folder, 'a-file'), '');
    for (const file of [
      join(folder, 'a-folder'),
      join(folder, 'a-file', 'inside.sqlite'),
      join(folder, 'a-file', 'and', 'below.sqlite'),
      '/dev/null/x.sqlite',
    ]) {
      const fault = await faultOf(open(file));
      expect(fault.code).to.equal('unavailable');
      expect(fault.message).to.include(file);
    }
  });

  it('report that another process holds the file', async () => {
    const file = join(folder, 'new', 'folder', 'shared.sqlite');
    const [one, two] = [await open(file), await open(file)];
    await one.migrate();
    await one.transaction(async (scope) => {
      await scope.repository(tokens).list();
      const fault = await faultOf(two.repository(tokens).revoke('x', new Date()));
      expect(fault.code).to.equal('unavailable');
      expect(fault.message).to.match(/ is busy/);
    });
    expect(await two.repository(tokens).revoke('x', new Date())).to.equal(false);
    await one.close();
    await two.close();
  });

  it('keep all data in memory on one connection', async () => {
    const storage = await open(':memory:');
    expect(storage.capabilities.durable ?? false).to.equal(false);
    await storage.migrate();
    await storage.repository(tokens).add({ id: 't', hash: 'h', owner: 'o', scopes: [], created: new Date(0) });
    const lists = await Promise.all(Array.from({ length: 10 }, () => storage.repository(tokens).list()));
    for (const list of lists) expect(list).to.have.length(1);
    await storage.close();
  });
});

describe('Errors of PostgreSQL', () => {
  const open = (settings: object) =>
    postgresAdapter.open({
      settings: postgresSettings.parse({ password: secret, ...settings }),
      contracts: [tokens],
      bindings: new Map(),
      log: quiet,
    });

  function listening(server: Server): Promise<Server> {
    return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
  }

  it('name host and database if no server listens, but no password', async () => {
    const port = await freePort();
    for (const settings of [
      { host: '127.0.0.1', port, database: 'lab' },
      { url: `postgres://erna:${secret}@127.0.0.1:${port}/lab` },
    ]) {
      const fault = await faultOf(open(settings));
      expect(fault.code).to.equal('unavailable');
      expect(fault.message).to.include(`database lab on 127.0.0.1:${port} cannot be reached`);
      expect(fault.public).to.equal('The storage does not answer at the moment');
      expect(everythingOf(fault)).not.to.include(secret);
    }
  });

  it('give up on a server that accepts and sends nothing', async () => {
    const silent = createServer();
    const sockets = new Set<{ destroy(): void }>();
    silent.on('connection', (socket) => sockets.add(socket));
    await listening(silent);
    const { port } = silent.address() as { port: number };
    const fault = await faultOf(open({ host: '127.0.0.1', port, connectTimeout: 200 }));
    expect(fault.code).to.equal('unavailable');
    expect(fault.message).to.include(`127.0.0.1:${port}`);
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => silent.close(resolve));
  });

  it('report why a server refuses', async () => {
    const home = await storages.find(({ adapter }) => adapter === 'postgres')?.home();
    if (!home) throw new Error('PostgreSQL is among the engines');
    const url = new URL(String(home.section.url));
    const wrongPassword = new URL(url);
    wrongPassword.password = secret;
    const wrongDatabase = new URL(url);
    wrongDatabase.pathname = '/no_such_database';
    const refused: [settings: object, message: RegExp][] = [
      [{ url: wrongPassword.href }, /refuses the user$/],
      [{ url: wrongDatabase.href }, /database no_such_database on .* does not exist$/],
      [{ url: url.href, ssl: true }, /does not support SSL connections|cannot be reached/],
    ];
    for (const [settings, message] of refused) {
      const fault = await faultOf(open(settings));
      expect(fault.code).to.equal('unavailable');
      expect(fault.message).to.match(message);
      expect(everythingOf(fault)).not.to.include(secret);
      expect(everythingOf(fault)).not.to.include(url.password);
    }
    await home.discard();
  });

  it('report that a statement took too long, and continue', async () => {
    const home = await storages.find(({ adapter }) => adapter === 'postgres')?.home();
    if (!home) throw new Error('PostgreSQL is among the engines');
    const storage = await postgresAdapter.open({
      settings: postgresSettings.parse({ url: home.section.url, statementTimeout: 50 }),
      contracts: [probe],
      bindings: probeOptions.bindings ?? new Map(),
      log: quiet,
    });
    const database = storage.repository(probe);
    const fault = await faultOf(database.query('select pg_sleep(10)', []));
    expect(fault.code).to.equal('unavailable');
    expect(fault.message).to.include('cancelled a statement that took too long');
    expect(await database.query('select 1 as one', [])).to.deep.equal([{ one: 1 }]);
    await storage.close();
    await home.discard();
  });

  it('affect only the connection that was cut; the next one works', async () => {
    const home = await storages.find(({ adapter }) => adapter === 'postgres')?.home();
    if (!home) throw new Error('PostgreSQL is among the engines');
    const storage = await home.open([probe], probeOptions);
    const database = storage.repository(probe);
    const cut = storage.transaction(async (scope) => {
      const [own] = await scope.repository(probe).query<{ pid: number }>('select pg_backend_pid() as pid', []);
      await database.query('select pg_terminate_backend(?)', [own?.pid ?? 0]);
      await scope.repository(probe).query('select 1', []);
    });
    expect((await faultOf(cut)).code).to.equal('unavailable');
    await storage.ping();
    expect(await storage.transaction((scope) => scope.repository(probe).query('select 1 as one', []))).to.deep.equal([
      { one: 1 },
    ]);
    await storage.close();
    await home.discard();
  });
});
