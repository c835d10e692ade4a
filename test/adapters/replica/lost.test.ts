/** A primary that is lost while it is used: what callers learn, and that nothing is done twice or reported too early. */
import { expect } from 'chai';
import { defineBinding } from '../../../adapters/knex/binding.js';
import { settings as postgresSettings } from '../../../adapters/postgres/settings.js';
import { defineContract, type Fault, type Storage } from '../../../core/storage.js';
import { PostgresServer, postgresTools } from '../../support/cluster.js';
import { faultOf } from '../../support/fault.js';
import { quiet } from '../../support/storages.js';

interface Notes {
  /** `between` runs after the row was inserted and before the commit, with the number of the server's process. */
  add(text: string, between?: (pid: number) => Promise<void>): Promise<void>;
  texts(): Promise<string[]>;
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
    add: (text, between = async () => undefined) =>
      database.transaction(async (inside) => {
        await inside.write('notes_texts').insert({ text });
        const [row] = await inside.query<{ pid: number }>('select pg_backend_pid() as pid', []);
        await between(row?.pid ?? 0);
      }),
    texts: async () => {
      const rows = await database.query<{ text: string }>('select text from notes_texts order by text', []);
      return rows.map(({ text }) => text);
    },
  }),
});

const unknown = /it may have been saved, or not/;

describe('postgres: a lost primary', function () {
  this.timeout(120_000); // a database server is made
  let primary: PostgresServer;
  let storage: Storage;

  before(async function () {
    if (postgresTools === undefined) return this.skip();
    primary = await PostgresServer.primary();
    const { default: adapter } = await import('../../../adapters/postgres/adapter.js');
    storage = await adapter.open({
      settings: postgresSettings.parse({ url: primary.url, pool: { max: 3 } }),
      contracts: [notes],
      bindings: new Map([[notes.id, async () => ({ default: binding })]]),
      log: quiet,
    });
    await storage.migrate();
  });
  after(async () => {
    await storage?.close();
    await primary?.remove();
  });

  const failureOf = async (work: Promise<unknown>): Promise<Fault> => {
    const failure = await faultOf(work, 'unavailable');
    expect(failure.headers).to.have.property('Retry-After');
    return failure;
  };

  it('that died behind connections that seemed alive is used again without a failure', async () => {
    const { add, texts } = storage.repository(notes);
    await add('a');
    await Promise.all([texts(), texts(), texts()]);
    primary.killUnnoticed();
    await primary.start();
    await add('b');
    expect(await texts()).to.deep.equal(['a', 'b']);
  });

  it('that dies before a commit leaves its outcome unknown', async () => {
    const { add, texts } = storage.repository(notes);
    const failure = await failureOf(add('never', async () => primary.killUnnoticed()));
    expect(failure.public).to.match(unknown);
    await primary.start();
    expect(await texts()).to.deep.equal(['a', 'b']);
  });

  it('that stops to wait for its replica does not acknowledge the commit', async () => {
    const { add, texts } = storage.repository(notes);
    await primary.sql("alter system set synchronous_standby_names = '*'");
    await primary.sql('select pg_reload_conf()');
    // Processes learn it in their own time: a new connection that has it comes after the signal to the others, and commits
    // wait once the checkpointer has it.
    const settings = () =>
      primary.sql<{ names: string }>("select current_setting('synchronous_standby_names') as names");
    while ((await settings())[0]?.names !== '*');
    await primary.sql('checkpoint');
    let process = 0;
    const adding = failureOf(
      add('alone', async (pid) => {
        process = pid;
      }),
    );
    const waiting = () => primary.sql(`select from pg_stat_activity where pid = ${process} and wait_event = 'SyncRep'`);
    while ((await waiting()).length === 0);
    // An administrator cancels what hangs: the server then reports a commit that only it has.
    await primary.sql(`select pg_cancel_backend(${process})`);
    expect((await adding).public).to.match(unknown);
    await primary.sql('alter system reset synchronous_standby_names');
    await primary.sql('select pg_reload_conf()');
    expect(await texts()).to.deep.equal(['a', 'alone', 'b']);
  });

  it('that is frozen makes nothing wait for long', async () => {
    const { add, texts } = storage.repository(notes);
    await Promise.all([texts(), texts()]);
    const thaw = primary.freeze();
    try {
      await Promise.all([failureOf(texts()), failureOf(add('frozen'))]);
    } finally {
      thaw();
    }
    expect(await texts()).to.deep.equal(['a', 'alone', 'b']);
  });
});
