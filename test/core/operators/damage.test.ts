/** Rows damaged by a disk or by hand: each is skipped and reported, and everything else works. */
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { jobs } from '../../../core/jobs/contract.js';
import type { Contract, Storage } from '../../../core/storage.js';
import { beacon } from '../../../plugins/beacon/contract.js';
import { matchmakerAudit, matchmakerMail, type NewNotice } from '../../../plugins/matchmaker/contract.js';
import { connectPeer } from '../../plugins/matchmaker/exchange/support/lab.js';
import { type Json, patient, vendor } from '../../plugins/matchmaker/support/serve.js';
import { command } from '../../support/command.js';
import { useFolder } from '../../support/folder.js';
import { sampled } from '../../support/sample.js';
import { runSql } from '../../support/sql.js';
import { type Home, storages } from '../../support/storages.js';
import { beaconBin, type Outcome, type Running, serve } from '../../support/trefoil.js';

const now = new Date();

for (const engine of sampled(storages, 2)) {
  describe(`damaged rows on ${engine.name}`, function () {
    this.timeout(120_000); // many commands
    const folder = useFolder();
    let home: Home;
    let server: Running | undefined;
    let url: string;
    let text: string;

    beforeEach(async () => {
      home = await engine.home();
      text = JSON.stringify({
        http: { port: 0 },
        demo: false,
        migrate: 'auto',
        storage: home.section,
        jobs: { pollSeconds: 0.1 },
        plugins: { beacon: {}, matchmaker: {} },
      });
      await writeFile(join(folder.path(), 'lab.yaml'), text);
    });
    afterEach(async () => {
      await server?.kill('SIGKILL');
      server = undefined;
      await home.discard();
    });

    const options = () => ({ cwd: folder.path(), env: { TREFOIL_CONFIG: 'lab.yaml' } });
    const run = (...words: string[]) => command(words, options());
    async function done(outcome: Promise<Outcome>): Promise<string> {
      const { code, stdout, stderr } = await outcome;
      expect(code, stderr).to.equal(0);
      return stdout;
    }
    const client = async (id: string): Promise<string> =>
      JSON.parse(await done(run('matchmaker', 'add', 'client', '--id', id, '--json'))).token;

    async function started(): Promise<void> {
      ({ url, process: server } = await serve(['serve'], options()));
    }
    async function request(method: string, path: string, token: string, body?: Json): Promise<[number, Json]> {
      const response = await fetch(url + path, {
        method,
        headers: { 'x-auth-token': token, ...(body === undefined ? {} : { 'content-type': vendor }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const answer = await response.text();
      return [response.status, answer === '' ? undefined : JSON.parse(answer)];
    }
    async function opened<Result>(
      contracts: readonly Contract[],
      work: (storage: Storage) => Promise<Result>,
    ): Promise<Result> {
      const storage = await home.open(contracts);
      try {
        return await work(storage);
      } finally {
        await storage.close();
      }
    }

    it('do not block other patients, matches, tokens, datasets and jobs', async () => {
      const token = await client('scout');
      const lost = await client('lost');
      for (const id of ['one', 'two']) {
        const words = ['add', 'dataset', '--did', id, '--name', id, '--authlevel', 'public'];
        await done(command(words, { ...options(), script: beaconBin }));
      }
      await started();
      for (const id of ['P1', 'P2', 'P3']) {
        expect((await request('POST', '/patient/add', token, { patient: patient(id) }))[0]).to.equal(200);
      }
      // Two records that contain P1.
      for (const id of ['Q1', 'Q2']) await request('POST', '/match', token, { patient: patient(id) });
      const records = async () => (await request('GET', '/matches/P1', token))[1].matches.length;
      expect(await records()).to.equal(2);
      expect((await request('GET', '/patient/view', lost))[0]).to.be.oneOf([200, 404]);
      await server?.kill('SIGTERM');

      const ids = { damaged: randomUUID(), whole: randomUUID(), strange: randomUUID() };
      await opened([jobs, beacon], async (storage) => {
        for (const id of Object.values(ids)) {
          await storage.repository(jobs).enqueue({
            id,
            kind: 'beacon.delete-variants',
            payload: { dataset: 'two', samples: ['nobody'] },
            owner: 'lab',
            created: now,
            runAfter: now,
          });
        }
      });
      // PostgreSQL refuses invalid JSON in these columns; there the damage is JSON of another shape.
      const damaged = engine.adapter === 'sqlite' ? '{"id": "P' : '["P"]';
      await runSql(home.section, [
        `update matchmaker_patients set document = '${damaged}' where id = 'P2'`,
        `update matchmaker_matches_records set document = '${damaged}' where patient_id = 'Q1'`,
        `update tokens_issued set scopes = '${damaged.replace('["P"]', '[1]')}' where owner = 'lost'`,
        "update beacon_datasets set access = 'SECRET' where id = 'one'",
        `update jobs_queue set payload = '${damaged}' where id = '${ids.damaged}'`,
        `update jobs_queue set state = 'bogus' where id = '${ids.strange}'`,
      ]);

      await started();
      const [, { results }] = await request('POST', '/match', token, { patient: patient('Q3') });
      expect(results.map((one: Json) => one.patient.id).sort()).to.deep.equal(['P1', 'P3']);
      expect(await records(), 'that of Q2 and that of Q3').to.equal(2);
      expect((await request('GET', '/matches/P1', lost))[0]).to.equal(401);
      const information = (await (await fetch(`${url}/apiv1.0/`)).json()) as Json;
      expect(information.datasets.map(({ id }: Json) => id)).to.deep.equal(['two']);
      expect((await fetch(`${url}/-/ready`)).status).to.equal(200);
      expect(await (await fetch(`${url}/-/metrics`)).text()).to.match(/^trefoil_jobs\{state="queued"\} \d/m);

      // The intact job is done; the damaged ones have failed, with a reason.
      for (;;) {
        const listed: Json[] = JSON.parse(await done(run('job', 'list', '--json')));
        const states = Object.fromEntries(listed.map(({ id, state, error }) => [id, `${state} ${error ?? ''}`]));
        if (/queued|running/.test(`${states[ids.whole]}${states[ids.damaged]}`)) continue;
        expect(states[ids.whole]).to.equal('done ');
        expect(states[ids.damaged]).to.match(/^failed (What is stored of this job cannot be read|The job's payload)/);
        expect(states[ids.strange]).to.match(/^failed What is stored of this job cannot be read/);
        break;
      }
      const doctor = await run('matchmaker', 'doctor');
      expect(doctor.code).to.equal(1);
      expect(doctor.stdout).to.match(/fault +The row number 2 of matchmaker_patients is damaged and set aside/);
      const deep = await run('check', '--deep');
      expect(deep.code).to.equal(1);
      for (const row of [
        'number 2 of matchmaker_patients',
        'number 1 of matchmaker_matches_records',
        'id one of beacon_datasets',
        `id ${ids.strange} of jobs_queue`,
      ]) {
        expect(deep.stdout).to.include(`The row ${row} is damaged and is skipped`);
      }
      expect(deep.stdout).to.match(/The row id \S+ of tokens_issued is damaged/);

      // A damaged patient can be replaced by its id, and removed.
      expect((await request('POST', '/patient/add', token, { patient: patient('P2') }))[0]).to.equal(200);
      const [, healed] = await request('POST', '/match', token, { patient: patient('Q4') });
      expect(healed.results).to.have.length(3);
      await runSql(home.section, [`update matchmaker_patients set document = '${damaged}' where id = 'P2'`]);
      expect((await request('DELETE', '/patient/delete/P2', token))[0]).to.equal(200);
      // One patient cannot be removed from an unreadable record: erasing deletes the whole record.
      await done(run('matchmaker', 'erase', '--patient', 'P1', '--yes'));
      expect((await run('check', '--deep')).stdout).to.not.match(/matchmaker_/);
    });

    it('do not block the mails after them, and are erased with their patient', async () => {
      await done(run('migrate'));
      await opened([jobs, matchmakerMail], async (storage) => {
        const mail = storage.repository(matchmakerMail);
        const contact = { name: 'Dr', href: 'mailto:dr@example.org' };
        const notices = ['A', 'B', 'C'].map((id): NewNotice => {
          const match = { node: { id: 'us', label: 'Us' }, patient: { id: 'X', contact }, genes: [], terms: [] };
          const pair = { ...match, pair: `${id} X`, score: 1 } as unknown as NewNotice['matches'][number];
          return { id, created: now, due: now, search: id, to: ['dr@example.org'], patient: { id }, matches: [pair] };
        });
        await mail.add(notices);
        const broken = engine.adapter === 'sqlite' ? '{' : '{"to": 1}';
        await runSql(home.section, [`update matchmaker_mail_outbox set document = '${broken}' where id in ('A', 'B')`]);
        expect((await mail.due(now, 1)).map(({ id }) => id)).to.deep.equal(['C']);
        expect((await mail.due(now, 10)).map(({ id }) => id)).to.deep.equal(['C']);
        expect(await mail.waiting()).to.include({ waiting: 3 });
        expect(await storage.damaged?.()).to.deep.equal(
          ['A', 'B'].map((id) => ({
            contract: 'matchmaker-mail@1',
            table: 'matchmaker_mail_outbox',
            row: `id ${id}`,
          })),
        );
        await mail.erase('X');
        expect(await mail.waiting()).to.include({ waiting: 0 });
      });
    });

    // PostgreSQL refuses a time that is none.
    if (engine.adapter === 'sqlite') {
      it('do not end a list of who saw whom', async () => {
        await done(run('migrate'));
        await opened([matchmakerAudit], async (storage) => {
          const trail = storage.repository(matchmakerAudit);
          const entry = { at: now, actor: 'scout', action: 'read', patient: 'P' } as const;
          await trail.add([entry, entry, entry]);
          await runSql(home.section, ["update matchmaker_audit_entries set at = 'x' where number in (1, 2)"]);
          expect((await trail.entries({ limit: 1 })).map(({ number }) => number)).to.deep.equal([3]);
          expect(await storage.damaged?.()).to.have.length(2);
        });
      });
    }

    it('do not block searches on other nodes', async () => {
      await done(run('migrate'));
      const { matchmakerNodes } = await import('../../../plugins/matchmaker/contract.js');
      await opened([matchmakerNodes], async (storage) => {
        for (const id of ['a', 'b']) await connectPeer(storage, 'http://127.0.0.1:9', { id });
        await runSql(home.section, ["update matchmaker_nodes_peers set token = 'null' where id = 'a'"]);
        expect((await storage.repository(matchmakerNodes).nodes()).map(({ id }) => id)).to.deep.equal(['b']);
      });
    });
  });
}
