import { writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import sqlite from '../../../adapters/sqlite/adapter.js';
import { jobs } from '../../../core/jobs/contract.js';
import { useFolder } from '../../support/folder.js';
import { type Started, startedIn } from '../../support/started.js';
import { killedAt } from '../../support/steps.js';
import { quiet } from '../../support/storages.js';
import { beaconBin, type Running, type RunOptions, serve } from '../../support/trefoil.js';
import { typedCommands } from '../../support/typed.js';
import type { Json } from './support/serve.js';
import { until } from './support/write.js';

const token = 'a-token-for-tests-of-processes';
const header = '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\n';
const vcf = (records: number) =>
  `${header}${Array.from({ length: records }, (_, i) => `1\t${i + 1}\t.\tA\tC\t.\t.\t.\tGT\t0/1\t1/1\t0/1\n`).join('')}`;
const size = 5_000;
const file = vcf(size);

describe('beacon: jobs of servers that are killed, on SQLite', function () {
  this.timeout(120_000); // many processes, one after another
  const folder = useFolder();
  let servers: Running[];
  /** Servers in this process. */
  let here: Started[];
  const options = () => ({
    cwd: folder.path(),
    env: {
      TREFOIL_CONFIG: 'lab.yaml',
      TREFOIL_SQLITE_FILE: 'lab.sqlite',
      TREFOIL_BEACON_ROOTS: folder.path(),
      TREFOIL_BEACON_UPLOADS: join(folder.path(), 'uploads'),
    },
  });

  beforeEach(async () => {
    servers = [];
    here = [];
    const section = '{ pollSeconds: 0.1, leaseSeconds: 1, renewSeconds: 0.1, retrySeconds: 0.1 }';
    await folder.write('lab.yaml', `http: { port: 0 }\njobs: ${section}\nplugins:\n  beacon: {}\n`);
    writeFileSync(join(folder.path(), 'lab.vcf'), file);
    await beacon('add', 'user', '--uid', 'lab', '--name', 'Lab', '--token', token);
    await beacon('add', 'dataset', '--did', 'ds', '--name', 'A set', '--authlevel', 'public');
  });
  afterEach(async () => {
    await Promise.all([...servers.map((server) => server.kill('SIGKILL')), ...here.map(({ stop }) => stop())]);
  });

  const { done } = typedCommands(() => ({ ...options(), script: beaconBin }));
  const beacon = async (...args: string[]) => (await done(...args)).stdout;

  async function server(how: Partial<RunOptions> = {}): Promise<{ url: string; process: Running }> {
    const started = await serve(['serve'], { ...options(), ...how, env: { ...options().env, ...how.env } });
    servers.push(started.process);
    return started;
  }

  /** In this process: a server that no test kills. */
  async function other(): Promise<Started> {
    const started = await startedIn(options());
    here.push(started);
    return started;
  }

  const headers = { 'X-Auth-Token': token };

  async function send(url: string, path: string, body: unknown, type = 'application/json'): Promise<string> {
    const response = await fetch(`${url}/apiv1.0/${path}`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': type },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const answer = (await response.json()) as { message: string; job: { href: string } };
    expect(response.status, answer.message).to.equal(202);
    return answer.job.href;
  }

  async function untilJob(url: string, isSo: (job: Json) => boolean): Promise<Json> {
    for (;;) {
      const job = (await (await fetch(url, { headers })).json()) as Json;
      if (isSo(job)) return job;
      if (job.state === 'failed') throw new Error(`the job failed: ${job.error}`);
      await sleep(20);
    }
  }
  const underWay = (job: Json) => job.state === 'running' && Number(job.progress) > 0;
  const isDone = (job: Json) => job.state === 'done';
  const uploads = () => readdir(join(folder.path(), 'uploads')).catch(() => []);

  /** Alleles, calls and samples of the dataset, by the command line. */
  async function totals(): Promise<unknown[]> {
    const { alleleCount, callCount, sampleCount } = JSON.parse(await beacon('dataset', 'show', 'ds', '--json')) as Json;
    return [alleleCount, callCount, sampleCount];
  }

  const add = { dataset_id: 'ds', vcf_path: 'lab.vcf', assemblyId: 'GRCh37' };

  it('a killed addition by path or upload is not visible, and the next server completes it', async () => {
    for (const way of ['path', 'upload']) {
      const first = await server(killedAt('beacon.load.stored'));
      const href =
        way === 'path'
          ? await send(first.url, 'add', { ...add, samples: ['a', 'b'] })
          : await send(first.url, 'add?dataset_id=ds&assemblyId=GRCh37&samples=c', file, 'text/vcf');
      expect((await first.process.ended).signal).to.equal('SIGKILL');
      // a has one copy of each allele, b two, c one.
      expect(await totals()).to.deep.equal(way === 'path' ? [0, 0, 0] : [size, 3 * size, 2]);
      expect(await uploads()).to.have.length(way === 'path' ? 0 : 1);

      const second = await other();
      const job = await untilJob(second.url + href, isDone);
      // More if a lease expires on a busy machine: the result is the same.
      expect(job.attempts).to.be.at.least(2);
      expect(await totals()).to.deep.equal(way === 'path' ? [size, 3 * size, 2] : [size, 4 * size, 3]);
      await until(async () => (await uploads()).length === 0);
      await second.stop();
    }
    expect(await beacon('verify')).to.equal(`ds: right, ${size} alleles, ${4 * size} calls, 3 samples\n`);
  });

  it('a killed deletion is visible completely or not at all, and the next server completes it', async () => {
    await beacon('add', 'variants', '--ds', 'ds', '--vcf', 'lab.vcf');
    const first = await server(killedAt('beacon.remove.copied'));
    const href = await send(first.url, 'delete', { dataset_id: 'ds', samples: ['b'] });
    expect((await first.process.ended).signal).to.equal('SIGKILL');
    expect(await totals()).to.be.deep.oneOf([
      [size, 4 * size, 3],
      [size, 2 * size, 2],
    ]);
    const second = await other();
    await untilJob(second.url + href, isDone);
    expect(await beacon('verify')).to.equal(`ds: right, ${size} alleles, ${2 * size} calls, 2 samples\n`);
  });

  it('a cancelled addition adds nothing', async () => {
    // Large enough for the load to be cancelled half way.
    writeFileSync(join(folder.path(), 'lab.vcf'), vcf(120_000));
    const { url } = await other();
    // Not by the command line: the load would end before the command starts.
    const storage = await sqlite.open({
      settings: { file: join(folder.path(), 'lab.sqlite'), busyTimeout: 15_000 },
      contracts: [jobs],
      bindings: new Map(),
      log: quiet,
    });
    try {
      const href = await send(url, 'add', add);
      await untilJob(url + href, underWay);
      expect(await storage.repository(jobs).cancel(href.slice('/-/jobs/'.length), new Date())).to.equal(true);
      await untilJob(url + href, ({ state }) => state === 'cancelled');
    } finally {
      await storage.close();
    }
    expect(await totals()).to.deep.equal([0, 0, 0]);
  });

  it('two servers on one database reach the right result together', async () => {
    const [first, second] = await Promise.all([server(), other()]);
    await untilJob(first.url + (await send(first.url, 'add', { ...add, samples: ['a'] })), isDone);
    const hrefs = await Promise.all([
      send(first.url, 'add', { ...add, samples: ['b'] }),
      send(second.url, 'delete', { dataset_id: 'ds', samples: ['a'] }),
      send(second.url, 'add', { ...add, samples: ['c'] }),
    ]);
    for (const href of hrefs) await untilJob(first.url + href, isDone);
    expect(await beacon('verify')).to.equal(`ds: right, ${size} alleles, ${3 * size} calls, 2 samples\n`);
  });

  it('half an upload is removed at the next start', async () => {
    const first = await server();
    const sending = request(`${first.url}/apiv1.0/add?dataset_id=ds&assemblyId=GRCh37`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'text/vcf', 'Content-Length': file.length },
    });
    sending.on('error', () => undefined);
    sending.write(file.slice(0, 100_000));
    await until(async () => (await uploads()).length === 1);
    await first.process.kill('SIGKILL');
    sending.destroy();
    expect(await uploads()).to.have.length(1);
    await other();
    expect(await uploads()).to.deep.equal([]);
  });
});
