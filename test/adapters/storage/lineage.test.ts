/** What tells a restored PostgreSQL from the one that was opened, and does not take a busy one for restored. */
import { expect } from 'chai';
import pg from 'pg';
import { createLineage, ServerLineage } from '../../../adapters/postgres/lineage.js';
import { makeDatabase, type TestDatabase } from '../../support/postgres.js';
import { quiet } from '../../support/storages.js';

describe('lineage of a PostgreSQL', () => {
  let made: TestDatabase;
  const opened: pg.Client[] = [];

  async function connection(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: made.url });
    opened.push(client);
    await client.connect();
    return client;
  }

  before(async () => {
    made = await makeDatabase();
  });
  after(async () => {
    await Promise.all(opened.map((client) => client.end()));
    await made.drop();
  });

  it('stays if the answers of two new connections arrive in another order than the server gave them', async () => {
    const [first, second] = await Promise.all([connection(), connection()]);
    await first.query(createLineage);
    await first.query('create table written (text text)');
    const lineage = new ServerLineage('database', quiet, async () => undefined);
    await lineage.meet(first);
    let deliver = () => {};
    const delayed = new Promise<void>((resolve) => {
      deliver = resolve;
    });
    let asked = () => {};
    const answered = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const late = Object.assign(Object.create(first) as pg.Client, {
      async query(text: string, values?: unknown[]) {
        const result = await first.query(text, values);
        asked();
        await delayed;
        return result;
      },
    });
    const meeting = lineage.meet(late);
    await answered;
    // Two megabytes of the write-ahead log lie between the two answers.
    await second.query("insert into written select repeat('x', 1000) from generate_series(1, 2000)");
    await lineage.meet(second);
    deliver();
    await meeting;
    expect(lineage.isReplaced).to.equal(false);
  });
});
