/** A storage that can be read but not written: a full disk, a read-only database. */
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { writeTrials } from '../../../core/start/storage.js';
import { Fault, outage, unwritable } from '../../../core/storage.js';
import { type Json, patient, vendor } from '../../plugins/matchmaker/support/serve.js';
import { command } from '../../support/command.js';
import { useFolder } from '../../support/folder.js';
import { sampled } from '../../support/sample.js';
import { runSql } from '../../support/sql.js';
import { type Home, quiet, storages } from '../../support/storages.js';
import { Running } from '../../support/trefoil.js';

for (const engine of sampled(storages, 2, 1)) {
  describe(`a storage without writes on ${engine.name}`, function () {
    this.timeout(60_000); // several processes
    const folder = useFolder();
    let home: Home;
    let server: Running | undefined;

    beforeEach(async () => {
      home = await engine.home();
      const configuration = {
        http: { port: 0 },
        demo: false,
        migrate: 'auto',
        storage: home.section,
        plugins: { matchmaker: {}, beacon: { protection: { datasets: { guarded: 'careful' } } } },
      };
      await writeFile(join(folder.path(), 'lab.yaml'), JSON.stringify(configuration));
    });
    afterEach(async () => {
      await server?.kill('SIGKILL');
      server = undefined;
      await home.discard();
    });

    /** From now on no file of the server can grow, or its database is read-only. */
    async function fill(): Promise<void> {
      if (engine.adapter === 'sqlite') {
        execFileSync('prlimit', ['--pid', String(server?.child.pid), '--fsize=4096']);
        return;
      }
      const name = new URL(String(home.section.url)).pathname.slice(1);
      await runSql(home.section, [
        `alter database ${name} set default_transaction_read_only = on`,
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      ]);
    }

    it('answers reads, is ready, reports no writes, and responds to writes with 503 and Retry-After', async () => {
      const options = { cwd: folder.path(), env: { TREFOIL_CONFIG: 'lab.yaml' } };
      const made = await command(['matchmaker', 'add', 'client', '--id', 'scout', '--json'], options);
      const { token } = JSON.parse(made.stdout);
      server = new Running(['serve'], options);
      const [, url = ''] = await server.says(/"url":"([^"]+)".*is ready/);
      const send = (body: Json, path: string) =>
        fetch(url + path, {
          method: 'POST',
          headers: { 'x-auth-token': token, 'content-type': vendor },
          body: JSON.stringify(body),
        });
      const read = (path: string) => fetch(url + path, { headers: { 'x-auth-token': token } });
      expect((await send({ patient: patient('P1') }, '/patient/add')).status).to.equal(200);
      expect((await read('/patient/P1')).status).to.equal(200);
      // Counts the patient: what was counted can be told later.
      expect((await read('/metrics')).status).to.equal(200);
      await fill();
      const refused = await send({ patient: patient('P2') }, '/patient/add');
      expect(refused.status).to.equal(503);
      expect(refused.headers.get('retry-after')).to.match(/^[1-9]\d*$/);
      expect(await refused.text()).to.not.match(/sqlite|postgres|ECONN|errno/i);

      for (;;) {
        const ready = await fetch(`${url}/-/ready`);
        expect(ready.status).to.equal(200);
        const state = (await ready.json()) as Json;
        if (state.writable === false) {
          expect(state.refused).to.deep.equal([
            'patients, matches and searches of the exchange, and its counters if a patient changed last',
            'questions of callers without a grant about protected datasets',
          ]);
          break;
        }
        expect(state).to.not.have.property('refused');
        await sleep(200); // the result of an earlier trial is kept for a while
      }
      // Data of patients never leave without a trace: what must be recorded first is refused, and told of nobody.
      const reads = [
        await read('/patient/P1'),
        await read('/patients'),
        await send({ patient: patient('P3') }, '/match'),
      ];
      for (const response of reads) {
        expect(response.status, response.url).to.equal(503);
        expect(response.headers.get('retry-after')).to.match(/^[1-9]\d*$/);
        expect(await response.text()).to.not.include('P1');
      }
      // What need not be recorded is served.
      for (const path of ['/heartbeat', '/metrics', '/nodes', '/apiv1.0/']) {
        expect((await read(path)).status, path).to.equal(200);
      }
      const metrics = await (await fetch(`${url}/-/metrics`)).text();
      expect(metrics).to.match(/^trefoil_storage_writable 0$/m);
      expect(server?.stdout).to.include('the storage takes no writes');
    });
  });
}

describe('trial writes', () => {
  it('are made once for concurrent callers, and again when the last one is old', async () => {
    let [tried, clock, refuses] = [0, 0, false];
    const storage = {
      async tryWrite() {
        tried += 1;
        if (refuses) throw unwritable('The file x is read-only');
      },
    };
    const writable = writeTrials(storage, quiet, () => clock);
    expect(await Promise.all([writable(), writable(), writable()])).to.deep.equal([true, true, true]);
    clock = 29_999;
    await writable();
    expect(tried).to.equal(1);
    refuses = true;
    clock = 30_000;
    expect(await writable(), 'the last answer, while the next is being found').to.equal(true);
    expect(await writable()).to.equal(false);
    refuses = false;
    clock = 34_999;
    expect(await writable()).to.equal(false);
    clock = 35_000;
    await writable();
    expect(await writable()).to.equal(true);
    expect(tried).to.equal(3);
  });

  it('do not wait for a writer that holds the lock', async () => {
    const writable = writeTrials({ tryWrite: () => new Promise(() => {}) }, quiet);
    expect(await writable()).to.equal(undefined);
  });

  it('have no result if the adapter does not offer them', async () => {
    expect(await writeTrials({}, quiet)()).to.equal(undefined);
  });
});

describe('faults of a storage', () => {
  it('tell clients when to retry, and reveal no files or hosts', () => {
    for (const fault of [outage('The file /x is gone'), unwritable('The disk of /x is full')]) {
      expect(fault).to.be.instanceOf(Fault);
      expect(fault.headers).to.deep.equal({ 'Retry-After': '30' });
      expect(fault.public).to.not.include('/x');
    }
  });
});
