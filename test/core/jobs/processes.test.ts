import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { command } from '../../support/command.js';
import { dealt } from '../../support/dealt.js';
import { engines, type LedStorage, preparedFor } from '../../support/engines.js';
import { useFolder } from '../../support/folder.js';
import { anyPort, noJobs, type Started, startedIn } from '../../support/started.js';
import { Running, serve } from '../../support/trefoil.js';

const worker = fileURLToPath(new URL('../../support/plugins/worker.mjs', import.meta.url));

interface Shown {
  state: string;
  attempts: number;
  progress: number;
  result?: { by: number };
}

for (const engine of dealt(engines, 'postgres')) {
  describe(`jobs: several processes on ${engine.name}`, function () {
    this.timeout(120_000); // many processes, one after another
    const folder = useFolder();
    let storage: LedStorage;
    const textHttp = 'http: { port: 0 }\n';
    let text: string;
    let servers: Running[];
    /** Servers in this process. */
    let here: Started[];

    beforeEach(async () => {
      servers = [];
      here = [];
      const jobs = '{ pollSeconds: 0.1, leaseSeconds: 4, renewSeconds: 0.2, retrySeconds: 0.1, stopSeconds: 5 }';
      text = `${textHttp}migrate: auto\njobs: ${jobs}\nplugins:\n  ${worker}: {}\n`;
      await folder.write('lab.yaml', text);
      storage = await engine.lead(await preparedFor(folder.path(), 'lab.yaml'));
    });
    afterEach(async () => {
      await Promise.all([...servers.map((server) => server.kill('SIGKILL')), ...here.map(({ stop }) => stop())]);
      await storage.drop();
    });

    const options = (env: Record<string, string> = {}) => ({
      cwd: folder.path(),
      env: { TREFOIL_CONFIG: 'lab.yaml', ...storage.env, ...env },
    });

    async function server(env: Record<string, string> = {}): Promise<{ url: string; process: Running }> {
      const started = await serve(['serve'], options(env));
      servers.push(started.process);
      return started;
    }

    /** In this process: a server that no test kills. */
    async function other(how: { jobs: boolean } = { jobs: true }): Promise<Started> {
      const started = await startedIn(options(), how.jobs ? [anyPort] : [anyPort, noJobs]);
      here.push(started);
      return started;
    }

    async function token(): Promise<Record<string, string>> {
      const made = await command(['token', 'add', '--owner', 'Lab', '--scope', 'worker:start', '--json'], options());
      return { 'X-Auth-Token': JSON.parse(made.stdout).token };
    }

    async function start(url: string, headers: Record<string, string>): Promise<{ id: string; href: string }> {
      const answer = await fetch(`${url}/work`, { method: 'POST', headers });
      expect(answer.status).to.equal(202);
      return (await answer.json()) as { id: string; href: string };
    }

    /** Polls until the job is as wanted; mocha's own limit ends the wait. */
    async function until(
      url: string,
      headers: Record<string, string>,
      wanted: (job: Shown) => boolean,
    ): Promise<Shown> {
      for (;;) {
        const job = (await (await fetch(url, { headers })).json()) as Shown;
        if (wanted(job)) return job;
        await sleep(50);
      }
    }

    it('take over the job of a killed one', async () => {
      const headers = await token();
      const first = await server({ WORKER: 'hang' });
      const { href } = await start(first.url, headers);
      await until(first.url + href, headers, ({ progress }) => progress === 0.5);
      await first.process.kill('SIGKILL');

      const second = await other();
      const job = await until(second.url + href, headers, ({ state }) => state === 'done');
      expect(job).to.deep.include({
        attempts: 2,
        progress: 1,
        result: { by: process.pid, payload: { n: 1 } },
      });
    });

    it('take over the job of one that stopped in order, at once and without counting the attempt', async () => {
      const headers = await token();
      const first = await server({ WORKER: 'hang' });
      const { id, href } = await start(first.url, headers);
      await until(first.url + href, headers, ({ state }) => state === 'running');
      expect((await first.process.kill('SIGTERM')).code).to.equal(0);
      const left = await command(['job', 'show', id, '--json'], options());
      expect(JSON.parse(left.stdout)).to.include({ state: 'queued', attempts: 0 });

      const second = await other();
      expect((await until(second.url + href, headers, ({ state }) => state === 'done')).attempts).to.equal(1);
    });

    it('run jobs in a worker if the server that queued them runs none', async () => {
      const headers = await token();
      const front = await other({ jobs: false });
      const { href } = await start(front.url, headers);
      await sleep(500); // several polls
      expect(await until(front.url + href, headers, () => true)).to.include({ state: 'queued', attempts: 0 });

      await folder.write(
        'worker.yaml',
        `${text}http: { metrics: { port: 0, host: 127.0.0.1 } }\n`.replace(textHttp, ''),
      );
      const worker = new Running(['work', '--config', 'worker.yaml'], options());
      servers.push(worker);
      const [, metricsPort] = await worker.says(/"worker":true,"metricsPort":(\d+).*is ready/);
      const job = await until(front.url + href, headers, ({ state }) => state === 'done');
      expect(job.result).to.deep.include({ by: worker.child.pid });
      const operators = `http://127.0.0.1:${metricsPort}`;
      expect((await fetch(`${operators}/-/ready`)).status).to.equal(200);
      expect(await (await fetch(`${operators}/-/metrics`)).text()).to.include('process_cpu');
      expect((await fetch(`${operators}/work`, { method: 'POST', headers })).status).to.equal(404);
      expect((await worker.kill('SIGTERM')).code).to.equal(0);
    });

    it('leave a live worker its job, however long it takes, and pass on a cancellation from the CLI', async () => {
      const headers = await token();
      const first = await server({ WORKER: 'hang' });
      const { id, href } = await start(first.url, headers);
      await until(first.url + href, headers, ({ state }) => state === 'running');
      const second = await other();
      // Longer than the lease: without renewals the second would have claimed and done the job by then.
      await sleep(4500);
      expect(await until(second.url + href, headers, () => true)).to.include({ state: 'running', attempts: 1 });
      expect((await command(['job', 'cancel', id], options())).code).to.equal(0);
      await until(second.url + href, headers, ({ state }) => state === 'cancelled');
    });
  });
}
