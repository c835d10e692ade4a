import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { PostgresServer, postgresTools } from '../../support/cluster.js';
import { useFolder } from '../../support/folder.js';
import { Running, serve, trefoil } from '../../support/trefoil.js';

interface Job {
  state: string;
  attempts: number;
  result: { calls: number } | null;
}

describe('replica: two servers and a worker on a primary and its replica', function () {
  this.timeout(240_000); // database servers and many processes
  const folder = useFolder();
  let primary: PostgresServer;
  let replica: PostgresServer;
  const processes: Running[] = [];

  before(function () {
    if (postgresTools === undefined) this.skip();
  });
  afterEach(async () => {
    await Promise.all(processes.map((one) => one.kill('SIGKILL')));
    await replica?.remove();
    await primary?.remove();
  });

  it('loses no acknowledged write, whichever of them is killed, and continues with the promoted replica', async () => {
    primary = await PostgresServer.primary();
    replica = await primary.replica();
    await folder.write(
      'lab.yaml',
      `http: { port: 0 }
migrate: manual
demo: false
jobs: { pollSeconds: 0.1, leaseSeconds: 6, renewSeconds: 0.2, retrySeconds: 0.1 }
plugins: { beacon: { roots: ['${folder.path()}'] } }
`,
    );
    let env: Record<string, string> = { DATABASE_URL: primary.url, DATABASE_REPLICA_URL: replica.url };
    const options = () => ({ cwd: folder.path(), env: { TREFOIL_CONFIG: 'lab.yaml', ...env } });
    const server = async () => {
      const started = await serve(['serve', '--jobs', '0'], options());
      processes.push(started.process);
      return started;
    };
    const worker = async () => {
      const started = new Running(['work'], options());
      processes.push(started);
      await started.says(/is ready/);
      return started;
    };
    const migrated = await trefoil(['migrate'], options());
    expect(migrated.code, migrated.stderr).to.equal(0);
    const issued = await trefoil(['token', 'add', '--owner', 'Lab', '--scope', 'beacon:write', '--json'], options());
    const headers = { 'X-Auth-Token': JSON.parse(issued.stdout).token as string, 'Content-Type': 'application/json' };

    let first = await server();
    const second = await server();
    let working = await worker();
    const post = async (url: string, body: object) => {
      const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
      expect(answer.status, await answer.clone().text()).to.be.oneOf([200, 202]);
      return (await answer.json()) as { job?: { href: string } };
    };
    const until = async (url: string, wanted: (job: Job) => boolean) => {
      for (;;) {
        const answer = await fetch(url, { headers });
        const job = (await answer.json()) as Job;
        if (answer.ok && wanted(job)) return job;
        if (job.state === 'failed') throw new Error(JSON.stringify(job));
        await sleep(50);
      }
    };
    /** One allele at each position from `from` on, one sample. */
    const add = async (url: string, from: number, count: number) => {
      const lines = Array.from({ length: count }, (_, i) => `1\t${from + i}\t.\tA\tC\t.\tPASS\t.\tGT\t0/1`);
      const header = `##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tS${from}`;
      const vcf_path = await folder.write(`${from}.vcf`, `${header}\n${lines.join('\n')}\n`);
      const { job } = await post(`${url}/apiv1.0/add`, { dataset_id: 'lab', vcf_path, assemblyId: 'GRCh37' });
      return job?.href ?? '';
    };
    const counted = async (url: string): Promise<{ alleles: number; calls: number }> => {
      const answer = await fetch(`${url}/apiv1.0/info`);
      const { datasets } = (await answer.json()) as { datasets: { variantCount: number; callCount: number }[] };
      return { alleles: datasets[0]?.variantCount ?? -1, calls: datasets[0]?.callCount ?? -1 };
    };
    const dataset = { id: 'lab', name: 'Lab', build: 'GRCh37', authlevel: 'public' };
    await post(`${first.url}/apiv1.0/add_dataset`, dataset);

    // The worker does the jobs that one server queued, and the other server sees the result.
    const job = await until(second.url + (await add(first.url, 1000, 100)), ({ state }) => state === 'done');
    expect(job.attempts).to.equal(1);
    expect(await counted(second.url)).to.deep.equal({ alleles: 100, calls: 100 });

    // The worker is killed while it runs.
    const long = await add(first.url, 100_000, 60_000);
    await until(first.url + long, ({ state }) => state === 'running');
    await working.kill('SIGKILL');
    expect((await counted(first.url)).alleles).to.equal(100);
    working = await worker();
    expect((await until(second.url + long, ({ state }) => state === 'done')).attempts).to.equal(2);
    expect(await counted(first.url)).to.deep.equal({ alleles: 60_100, calls: 60_100 });

    // A server is killed: the other responds, and so does its successor.
    await first.process.kill('SIGKILL');
    expect((await counted(second.url)).alleles).to.equal(60_100);
    first = await server();
    expect((await counted(first.url)).alleles).to.equal(60_100);

    // The replica is killed: the primary responds alone.
    await replica.kill();
    expect((await counted(second.url)).alleles).to.equal(60_100);
    await until(first.url + (await add(second.url, 2000, 100)), ({ state }) => state === 'done');
    expect((await counted(first.url)).alleles).to.equal(60_200);
    await replica.start();

    // From here on a commit is acknowledged once the replica has it: the setting for sites that may lose none.
    await primary.sql("alter system set synchronous_standby_names = '*'");
    await primary.sql('select pg_reload_conf()');
    await until(first.url + (await add(second.url, 3000, 100)), ({ state }) => state === 'done');

    // The primary is killed: a clear error until the replica is promoted and configured instead.
    await primary.kill();
    const meanwhile = await fetch(`${second.url}/apiv1.0/add_dataset`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ ...dataset, id: 'other' }),
    });
    expect(meanwhile.status).to.equal(503);
    // Reads go on for `maxStaleness`.
    while ((await fetch(`${second.url}/-/ready`)).status !== 503) await sleep(100);
    await replica.promote();
    await replica.sql('alter system reset synchronous_standby_names');
    await replica.sql('select pg_reload_conf()');
    env = { DATABASE_URL: replica.url };
    for (const one of [first.process, second.process, working]) await one.kill('SIGTERM');
    const third = await server();
    await worker();
    expect(await counted(third.url)).to.deep.equal({ alleles: 60_300, calls: 60_300 });
    await until(third.url + (await add(third.url, 4000, 100)), ({ state }) => state === 'done');
    expect(await counted(third.url)).to.deep.equal({ alleles: 60_400, calls: 60_400 });
  });
});
