/** A request that its client aborts is cancelled in the database; a read that waits for a lock shows this. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import adapter from '../../../adapters/postgres/adapter.js';
import { settings } from '../../../adapters/postgres/settings.js';
import type { Storage } from '../../../core/storage.js';
import { postgres, quiet } from '../../support/storages.js';
import { stores } from '../../support/stores.js';
import { useEach } from '../../support/use.js';
import { contracts, type Matchmaker, patient, serveOn } from './support/serve.js';

/** Of the connections whose statements are looked for. */
const applicationName = 'trefoil-given-up';

describe('matchmaker: aborted requests, on PostgreSQL', () => {
  const home = useEach(
    () => postgres.home(),
    (home) => home.discard(),
  );
  /** What follows a change in the background may wait for a lock too, so changes are made through `filled`. */
  let filled: Storage;
  let server: Matchmaker;
  let other: pg.Client;

  beforeEach(async () => {
    const url = String(home.section.url);
    filled = await home.open(contracts);
    await filled.migrate();
    const writer = await serveOn(filled);
    expect((await writer.post('/patient/add', { patient: patient('P1') })).status).to.equal(200);
    expect((await writer.post('/match', { patient: patient('P2') })).body.results).to.have.length(1);
    await writer.close();
    const own = settings.parse({ url, applicationName });
    server = await serveOn(await adapter.open({ settings: own, contracts, bindings: new Map(), stores, log: quiet }));
    other = new pg.Client({ connectionString: url });
    await other.connect();
  });
  afterEach(async () => {
    await other.end();
    await server.close();
    await server.storage.close();
    await filled.close();
  });

  // In the background the server looks for nodes to ask, once at a time.
  for (const [path, table, background] of [
    ['/patients', 'matchmaker_patients', 0],
    ['/matches/P1', 'matchmaker_matches_records', 0],
    ['/nodes', 'matchmaker_nodes_peers', 1],
  ] as const) {
    it(`no longer wait for ${table}`, async () => {
      const waiting = async () => {
        // A transaction sees the connections that there were when it first looked.
        await other.query('select pg_stat_clear_snapshot()');
        const { rows } = await other.query(
          "select from pg_stat_activity where application_name = $1 and wait_event_type = 'Lock'",
          [applicationName],
        );
        return rows.length;
      };
      await other.query('begin');
      await other.query(`lock table ${table} in access exclusive mode`);
      while ((await waiting()) !== background) await sleep(20);
      const leaving = new AbortController();
      const asked = fetch(server.url + path, {
        signal: leaving.signal,
        headers: { 'X-Auth-Token': server.token },
      }).then(
        () => 'an answer',
        () => 'gone',
      );
      while ((await waiting()) !== background + 1) await sleep(20);
      leaving.abort();
      expect(await asked).to.equal('gone');
      while ((await waiting()) !== background) await sleep(20);
      await other.query('rollback');
      expect((await server.get(path)).status).to.equal(200);
    });
  }
});
