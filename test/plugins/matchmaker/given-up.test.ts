/** A request that its client aborts is cancelled in the database; a read that waits for a lock shows this. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { type Home, postgres } from '../../support/storages.js';
import { contracts, type Matchmaker, patient, serveOn } from './support/serve.js';

describe('matchmaker: aborted requests, on PostgreSQL', () => {
  let home: Home;
  let server: Matchmaker;
  let other: pg.Client;

  beforeEach(async () => {
    home = await postgres.home();
    const storage = await home.open(contracts);
    await storage.migrate();
    server = await serveOn(storage);
    expect((await server.post('/patient/add', { patient: patient('P1') })).status).to.equal(200);
    expect((await server.post('/match', { patient: patient('P2') })).body.results).to.have.length(1);
    other = new pg.Client({ connectionString: String(home.section.url) });
    await other.connect();
  });
  afterEach(async () => {
    await other.end();
    await server.close();
    await server.storage.close();
    await home.discard();
  });

  for (const [path, table] of [
    ['/patients', 'matchmaker_patients'],
    ['/matches/P1', 'matchmaker_matches_records'],
    ['/nodes', 'matchmaker_nodes_peers'],
  ] as const) {
    it(`no longer wait for ${table}`, async () => {
      const waiting = async () => {
        const { rows } = await other.query(
          "select query from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        return rows.length;
      };
      await other.query('begin');
      await other.query(`lock table ${table} in access exclusive mode`);
      const leaving = new AbortController();
      const asked = fetch(server.url + path, {
        signal: leaving.signal,
        headers: { 'X-Auth-Token': server.token },
      }).then(
        () => 'an answer',
        () => 'gone',
      );
      while ((await waiting()) !== 1) await sleep(20);
      leaving.abort();
      expect(await asked).to.equal('gone');
      while ((await waiting()) !== 0) await sleep(20);
      await other.query('rollback');
      expect((await server.get(path)).status).to.equal(200);
    });
  }
});
