import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect } from 'chai';
import { hashToken } from '../../../core/auth/access.js';
import { isFault } from '../../../core/fault.js';
import type { Readiness } from '../../../core/http/app.js';
import type { Job } from '../../../core/jobs/contract.js';
import { apiToken, get, problemOf, type Served, serve } from './support.js';
import { tokenStore } from './tokens.js';

const job: Job = {
  id: 'c0ffee00-0000-4000-8000-000000000000',
  kind: 'beacon.add-variants',
  payload: { path: '/data/patient.vcf' },
  owner: 'lab',
  state: 'running',
  attempts: 2,
  crashes: 0,
  progress: 0.25,
  error: 'The first attempt was interrupted',
  cancelRequested: false,
  created: new Date('2026-01-02T03:04:05.678Z'),
  updated: new Date('2026-01-02T03:05:00.000Z'),
  runAfter: new Date('2026-01-02T03:04:05.678Z'),
  worker: 'host-1',
  leaseUntil: new Date('2026-01-02T03:06:00.000Z'),
};

describe('operator endpoints', () => {
  const servers: Served[] = [];
  const start = async (...args: Parameters<typeof serve>) => {
    const server = await serve(...args);
    servers.push(server);
    return server;
  };
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });

  it('report whether the process responds and whether the server can work', async () => {
    let state: Readiness = { ready: true, checks: { storage: 'ok', beacon: 'ok' } };
    const { url } = await start(() => undefined, { readiness: async () => state });
    expect(await (await fetch(`${url}/-/live`)).json()).to.deep.equal({ live: true });
    const ready = await fetch(`${url}/-/ready`);
    expect([ready.status, await ready.json()]).to.deep.equal([200, state]);
    state = { ready: false, checks: { storage: 'does not answer', beacon: 'ok' } };
    const not = await fetch(`${url}/-/ready`);
    expect([not.status, await not.json()]).to.deep.equal([503, state]);
    expect((await fetch(`${url}/-/live`)).status).to.equal(200);
  });

  it('count requests by route and status, and show the metrics of plugins', async () => {
    let broken = false;
    const server = await start((host) => {
      const queries = host.metrics.counter('queries_total', 'Queries', ['kind']);
      host.metrics.gauge('datasets', 'Datasets', async () => {
        if (broken) throw new Error('storage gone');
        return 7;
      });
      host.metrics.gauge('peers', 'Peers', () => [{ labels: { node: 'a' }, value: 1 }], ['node']);
      host.route(
        get('/thing/:id', () => {
          queries({ kind: 'exact' });
          queries({ kind: 'range' }, 2);
          return { body: 1 };
        }),
      );
    });
    await (await fetch(`${server.url}/thing/secret-1`)).text();
    await (await fetch(`${server.url}/thing/secret-2`)).text();
    await (await fetch(`${server.url}/unknown/secret-3`)).text();
    const scrape = async () => {
      const response = await fetch(`${server.url}/-/metrics`);
      expect(response.headers.get('content-type')).to.match(/^text\/plain; version=0\.0\.4/);
      return response.text();
    };
    const text = await scrape();
    const lines = text.split('\n');
    expect(lines).to.include(
      'trefoil_http_request_duration_seconds_count{method="GET",route="/thing/:id",status="200"} 2',
    );
    expect(lines).to.include('trefoil_http_request_duration_seconds_count{method="GET",route="none",status="404"} 1');
    expect(lines).to.include('trefoil_http_requests_in_flight 1');
    expect(lines).to.include('trefoil_demo_queries_total{kind="exact"} 2');
    expect(lines).to.include('trefoil_demo_queries_total{kind="range"} 4');
    expect(lines).to.include('trefoil_demo_datasets 7');
    expect(lines).to.include('trefoil_demo_peers{node="a"} 1');
    expect(lines).to.include('trefoil_jobs{state="failed"} 2');
    expect(text).to.match(/^nodejs_eventloop_lag_seconds /m);
    expect(text).to.not.include('secret');
    broken = true;
    const less = await scrape();
    expect(less).to.include('trefoil_demo_queries_total{kind="exact"} 2');
    expect(less).to.not.match(/^trefoil_demo_datasets \d/m);
  });

  it('serve metrics as OpenMetrics to those who ask for it, with the traces of requests', async () => {
    const server = await start((host) => {
      const count = host.metrics.counter('queries_total', 'Queries');
      host.route(
        get('/query', () => {
          count();
          return { body: 'done' };
        }),
      );
    });
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    await fetch(`${server.url}/query`);
    await fetch(`${server.url}/query`, { headers: { traceparent: `00-${trace}-00f067aa0ba902b7-01` } });
    // What Prometheus 2.49 sends.
    const Accept =
      'application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2';
    const scrape = async (headers: Record<string, string>) => {
      const response = await fetch(`${server.url}/-/metrics`, { headers });
      return { type: response.headers.get('content-type'), text: await response.text() };
    };
    for (let i = 0; i < 2; i++) {
      const open = await scrape({ Accept });
      expect(open.type).to.equal('application/openmetrics-text; version=1.0.0; charset=utf-8');
      expect(open.text).to.match(/\n# EOF\n$/);
      expect(open.text).to.include('# TYPE trefoil_demo_queries counter\ntrefoil_demo_queries_total 2\n');
      const examples = open.text.split('\n').filter((line) => line.includes(' # {'));
      expect(examples).to.have.lengthOf(1);
      expect(examples[0]).to.match(/^trefoil_http_request_duration_seconds_bucket\{.*route="\/query"/);
      expect(examples[0]).to.include(`# {trace_id="${trace}"} `);
      // Counters keep their names in the other format.
      const plain = await scrape({ Accept: 'application/openmetrics-text; version=1.0.0; q=0.1, text/plain; q=0.9' });
      expect(plain.type).to.equal('text/plain; version=0.0.4; charset=utf-8');
      expect(plain.text).to.include('# TYPE trefoil_demo_queries_total counter\ntrefoil_demo_queries_total 2\n');
      expect(plain.text).not.to.include(trace);
    }
  });

  it('serve metrics on a separate port, and then nowhere else', async () => {
    const server = await start(() => undefined, { settings: { metrics: { port: 0 } } });
    expect((await fetch(`${server.url}/-/metrics`)).status).to.equal(404);
    const own = `http://127.0.0.1:${server.metricsPort}`;
    expect(await (await fetch(`${own}/-/metrics`)).text()).to.include('trefoil_http_requests_in_flight');
    expect((await fetch(`${own}/-/live`)).status).to.equal(200);
    expect((await fetch(`${own}/`)).status).to.equal(404);
  });

  it('refuse an unavailable address with one sentence, for metrics too', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const server = await start(() => undefined);
    const refusal = await server.app.listen('127.0.0.1', port).catch((error: unknown) => error);
    expect(isFault(refusal) && refusal.code).to.equal('unavailable');
    expect((refusal as Error).message).to.equal(`Cannot listen on 127.0.0.1:${port}: the port is in use`);
    const foreign = await server.app.listen('192.0.2.1', 0).catch((error: unknown) => error);
    expect((foreign as Error).message).to.equal(
      'Cannot listen on 192.0.2.1:0: this machine does not have that address',
    );
    const both = await serve(() => undefined, { settings: { metrics: { port } } }).catch((error: unknown) => error);
    expect((both as Error).message).to.include('the port is in use');
    taken.close();
  });

  it('show a job to the owner of the token that started it, and to no other client', async () => {
    const tokens = await tokenStore();
    const add = (token: string, owner: string) => tokens.repository.add(apiToken({ hash: hashToken(token), owner }));
    await add('token-of-the-lab', 'lab');
    await add('token-of-another', 'other');
    const { url } = await start(() => undefined, {
      tokens: tokens.repository,
      findJob: async (id) => (id === job.id ? job : undefined),
    });
    const ask = (token: string | undefined, id = job.id) =>
      fetch(`${url}/-/jobs/${id}`, { headers: token === undefined ? {} : { 'X-Auth-Token': token } });
    const mine = await ask('token-of-the-lab');
    expect(mine.status).to.equal(200);
    expect(await mine.json()).to.deep.equal({
      id: job.id,
      kind: 'beacon.add-variants',
      state: 'running',
      progress: 0.25,
      attempts: 2,
      error: 'The first attempt was interrupted',
      result: null,
      created: '2026-01-02T03:04:05.678Z',
      updated: '2026-01-02T03:05:00.000Z',
    });
    const [others, unknown] = await Promise.all([
      problemOf(await ask('token-of-another')),
      problemOf(await ask('token-of-the-lab', 'nothing')),
    ]);
    expect({ ...others, requestId: '' }).to.deep.equal({ ...unknown, requestId: '' });
    expect(others.status).to.equal(404);
    expect((await ask(undefined)).status).to.equal(401);
    await tokens.close();
  });
});
