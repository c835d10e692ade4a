/** More requests than the server handles at a time: some wait, in order, and the rest are refused, by class. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { z } from 'zod';
import { Fault } from '../../../core/fault.js';
import type { RequestClass } from '../../../core/http/route.js';
import { get, problemOf, type Served, serve, until } from './support.js';

const hour = 3600;
const settings = {
  overload: {
    query: { always: 2, most: 2, waiting: 3, seconds: hour },
    report: { always: 1, most: 1, waiting: 1, seconds: hour },
    background: { always: 1, most: 1, waiting: 0, seconds: 0.05 },
  },
};

describe('more requests than the server can handle', () => {
  /** What each handler has begun and not ended, in the order of its beginning. */
  let begun: { path: string; n: string; end(): void }[];
  let server: Served;

  beforeEach(async () => {
    begun = [];
    const held = (path: string, requestClass?: RequestClass) =>
      get(
        path,
        async ({ input }) => {
          const { n } = input as { n: string };
          await new Promise<void>((resolve) => begun.push({ path, n, end: resolve }));
          return { body: n };
        },
        { query: z.object({ n: z.string() }), ...(requestClass && { class: requestClass }) },
      );
    server = await serve(
      (host) => {
        host.route(held('/query'));
        host.route(held('/report', 'report'));
        host.route(held('/later', 'background'));
        host.route(get('/own/thing', () => ({ body: 'done' }), { class: 'background' }));
        host.route(get('/fails', () => Promise.reject(new Fault('invalid', 'It fails'))));
        const upload = (path: string, streamLimit?: number) =>
          get(path, async ({ body }) => ({ body: typeof body }), {
            method: 'POST',
            body: {
              types: [streamLimit === undefined ? 'application/json' : 'text/plain'],
              schema: z.any(),
              ...(streamLimit && { streamLimit }),
            },
          });
        host.route(upload('/json'));
        host.route(upload('/stream', 1000));
        host.errorBody('/own', (fault, status) => ({ body: { wrong: fault.message, status } }));
      },
      { settings },
    );
  });
  afterEach(async () => {
    for (const { end } of begun) end();
    await server.close();
  });

  const ask = (path: string, n: number) => fetch(`${server.url}${path}?n=${n}`);

  async function metric(line: string): Promise<number> {
    const text = await (await fetch(`${server.url}/-/metrics`)).text();
    const found = text.split('\n').find((one) => one.startsWith(`${line} `));
    if (found === undefined) throw new Error(`no metric ${line}`);
    return Number(found.slice(line.length + 1));
  }
  const waiting = (name: string) => metric(`trefoil_http_class_requests{class="${name}",state="waiting"}`);
  const handled = (name: string) => metric(`trefoil_http_class_requests{class="${name}",state="handled"}`);

  async function untilWaiting(name: string, count: number): Promise<void> {
    while ((await waiting(name)) !== count);
  }

  it('wait in order up to a number, and the others get 503 with Retry-After', async () => {
    const answers: Promise<Response>[] = [];
    for (let n = 0; n < 5; n++) {
      answers.push(ask('/query', n));
      if (n < 2) await until(() => begun.length === n + 1);
      else await untilWaiting('query', n - 1);
    }
    const refused = await ask('/query', 5);
    expect(refused.status).to.equal(503);
    expect(refused.headers.get('retry-after')).to.match(/^[1-9]\d*$/);
    expect((await problemOf(refused)).detail).to.match(
      /^The server has too many requests at the moment; try again in \d+ s$/,
    );
    expect(begun.map(({ n }) => n)).to.deep.equal(['0', '1']);
    expect(await metric('trefoil_http_shed_total{class="query",reason="full"}')).to.equal(1);

    const order: string[] = [];
    for (let i = 0; i < 5; i++) {
      await until(() => begun.length > 0);
      const [first] = begun.splice(0, 1);
      order.push(first?.n ?? '');
      first?.end();
    }
    expect(order).to.deep.equal(['0', '1', '2', '3', '4']);
    const received = await Promise.all(
      answers.map(async (answer) => [(await answer).status, await (await answer).json()]),
    );
    expect(received).to.deep.equal(order.map((n) => [200, n]));
    expect([await handled('query'), await waiting('query')]).to.deep.equal([0, 0]);
    expect(await metric('trefoil_http_wait_seconds_count{class="query"}')).to.equal(5);
    expect(server.log.filter(({ msg }) => String(msg).startsWith('overloaded'))).to.have.lengthOf(1);
    expect(server.log.filter(({ level }) => level === 50)).to.deep.equal([]);
  });

  it('of one class leave room for the others, and health checks and metrics are never refused', async () => {
    const answers = [ask('/query', 0), ask('/query', 1), ask('/report', 2), ask('/later', 3)];
    await until(() => begun.length === 4);
    const more = [ask('/query', 4), ask('/report', 5)];
    await untilWaiting('query', 1);
    await untilWaiting('report', 1);
    expect((await ask('/report', 6)).status).to.equal(503);
    expect((await ask('/later', 7)).status).to.equal(503);
    for (const path of ['/-/live', '/-/ready']) expect((await fetch(server.url + path)).status, path).to.equal(200);
    // A report that ends lets a report in, and no query.
    begun.find(({ path }) => path === '/report')?.end();
    await until(() => begun.some(({ n }) => n === '5'));
    expect([await waiting('query'), await waiting('report')]).to.deep.equal([1, 0]);
    for (const { end } of begun) end();
    await until(() => begun.length === 6);
    for (const { end } of begun) end();
    for (const answer of [...answers, ...more]) expect((await answer).status).to.equal(200);
  });

  it('wait for a limited time', async () => {
    await server.close();
    begun = [];
    const seconds = 0.05;
    const overload = { query: { always: 1, most: 1, waiting: 3, seconds } };
    let end = () => {};
    server = await serve(
      (host) =>
        host.route(
          get('/query', async () => {
            await new Promise<void>((resolve) => {
              end = resolve;
              begun.push({ path: '/query', n: '', end });
            });
            return { body: 'done' };
          }),
        ),
      { settings: { overload } },
    );
    const first = ask('/query', 0);
    await until(() => begun.length === 1);
    const late = await Promise.all([ask('/query', 1), ask('/query', 2)]);
    expect(late.map(({ status }) => status)).to.deep.equal([503, 503]);
    expect(await metric('trefoil_http_shed_total{class="query",reason="late"}')).to.equal(2);
    end();
    expect((await first).status).to.equal(200);
    expect(begun).to.have.lengthOf(1);
  });

  it('get the error body of their plugin', async () => {
    const held = ask('/later', 0);
    await until(() => begun.length === 1);
    const refused = await fetch(`${server.url}/own/thing`);
    const { wrong, status } = (await refused.json()) as { wrong: string; status: number };
    expect([refused.status, status]).to.deep.equal([503, 503]);
    expect(wrong).to.include('too many requests');
    begun[0]?.end();
    await held;
    expect((await fetch(`${server.url}/own/thing`)).status).to.equal(200);
  });

  it('make room when their clients leave, and when they fail', async () => {
    const answers = [ask('/query', 0), ask('/query', 1)];
    await until(() => begun.length === 2);
    const sockets: Socket[] = [];
    for (let n = 0; n < 3; n++) {
      const socket = connect(server.port, '127.0.0.1');
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.write('GET /query?n=9 HTTP/1.1\r\nHost: x\r\n\r\n');
      sockets.push(socket);
    }
    await untilWaiting('query', 3);
    expect((await ask('/query', 5)).status).to.equal(503);
    for (const socket of sockets) socket.destroy();
    await untilWaiting('query', 0);
    // Their places are free again, and none of them is handled later.
    const next = [ask('/query', 6), ask('/query', 7), ask('/query', 8)];
    await untilWaiting('query', 3);
    while (begun.length < 5) {
      for (const { end } of begun) end();
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (const { end } of begun) end();
    for (const answer of [...answers, ...next]) expect((await answer).status).to.equal(200);
    expect(new Set(begun.map(({ n }) => n))).to.deep.equal(new Set(['0', '1', '6', '7', '8']));
    for (let i = 0; i < 10; i++) expect((await fetch(`${server.url}/fails`)).status).to.equal(400);
    expect([await handled('query'), await waiting('query')]).to.deep.equal([0, 0]);
  });

  it('take no place while their bodies arrive, nor while these are read as streams', async () => {
    const slow: Socket[] = [];
    const heads = { '/json': 'application/json', '/stream': 'text/plain' };
    for (const [path, type] of Object.entries(heads)) {
      for (let i = 0; i < 3; i++) {
        const socket = connect(server.port, '127.0.0.1');
        await once(socket, 'connect');
        socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: 4\r\n\r\n"a`);
        slow.push(socket);
      }
    }
    // The three of the class `background` find one place and none to wait at, one after the other.
    while ((await metric('trefoil_http_wait_seconds_count{class="query"}')) < 3);
    while ((await metric('trefoil_http_wait_seconds_count{class="background"}')) < 3);
    while ((await handled('background')) + (await handled('query')) > 0);
    const received = slow.map(async (socket) => {
      const [data] = (await once(socket, 'data')) as [Buffer];
      return String(data).slice(9, 12);
    });
    for (const socket of slow) socket.write('b"');
    expect(await Promise.all(received)).to.deep.equal(Array.from({ length: 6 }, () => '200'));
    for (const socket of slow) socket.destroy();
    const posted = await fetch(`${server.url}/json`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '"ab"',
    });
    expect(await posted.json()).to.equal('string');
  });

  it('are all handled at once if that is configured', async () => {
    await server.close();
    begun = [];
    let count = 0;
    let open = () => {};
    const all = new Promise<void>((resolve) => {
      open = resolve;
    });
    server = await serve(
      (host) =>
        host.route(
          get('/query', async () => {
            count += 1;
            if (count === 10) open();
            await all;
            return { body: 'done' };
          }),
        ),
      { settings: { overload: { ...settings.overload, enabled: false } } },
    );
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => ask('/query', n)));
    expect(answers.map(({ status }) => status)).to.deep.equal(Array.from({ length: 10 }, () => 200));
  });
});
