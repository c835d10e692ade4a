import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { z } from 'zod';
import { get, raw, serve, until } from './support.js';

describe('stopping', () => {
  it('is not ready, closes idle connections, refuses new ones and finishes requests in flight', async () => {
    let finish = () => {};
    let begun = false;
    const server = await serve((host) =>
      host.route(
        get('/slow', async () => {
          begun = true;
          await new Promise<void>((resolve) => {
            finish = resolve;
          });
          return { body: 'done' };
        }),
      ),
    );
    const idle = connect(server.port, '127.0.0.1');
    idle.write('GET /-/live HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(idle, 'data');
    const fresh = connect(server.port, '127.0.0.1');
    await once(fresh, 'connect');
    // Two requests on one connection: the server handles the second while it stops.
    const line = raw(server.port, 'GET /slow HTTP/1.1\r\nHost: x\r\n\r\nGET /-/ready HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => begun);

    let drained = false;
    const drain = server.app.drain(10_000).then(() => {
      drained = true;
    });
    await once(idle.resume(), 'close');
    const refused = connect(server.port, '127.0.0.1');
    const [error] = (await once(refused, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).to.equal('ECONNREFUSED');
    expect(drained).to.equal(false);
    finish();
    const answer = await line;
    expect(answer).to.match(/^HTTP\/1.1 200 OK/);
    expect(answer).to.match(/\r\nConnection: close\r\n/i);
    expect(answer).to.include('"done"');
    await drain;
    fresh.destroy();
    await server.close();
  });

  it('continues to serve during the drain delay, while it reports that it is not ready', async function () {
    this.timeout(120_000);
    const server = await serve((host) => host.route(get('/work', () => ({ body: 'done' }))), {
      settings: { drainDelay: 4 },
    });
    let drained = false;
    const drain = server.app.drain(10_000).then(() => {
      drained = true;
    });
    const ready = await fetch(`${server.url}/-/ready`);
    expect([ready.status, await ready.json()]).to.deep.equal([
      503,
      { ready: false, checks: { server: 'is stopping' } },
    ]);
    const work = await fetch(`${server.url}/work`);
    expect([work.status, work.headers.get('connection'), await work.json()]).to.deep.equal([200, 'close', 'done']);
    expect(drained).to.equal(false);
    await drain;
    const refused = connect(server.port, '127.0.0.1');
    const [error] = (await once(refused, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).to.equal('ECONNREFUSED');
    await server.close();
  });

  it('lets a running stream end, then closes its connection', async () => {
    let push: (chunk: string | null) => void = () => {};
    const server = await serve((host) =>
      host.route(
        get(
          '/stream',
          () => {
            const body = new Readable({ read() {} });
            push = (chunk) => void body.push(chunk);
            body.push('one ');
            return { type: 'text/plain', body };
          },
          { answers: { 200: { description: 'Text', content: { 'text/plain': z.string() } } } },
        ),
      ),
    );
    const response = await fetch(`${server.url}/stream`);
    const drain = server.app.drain(10_000);
    push('two');
    push(null);
    expect(await response.text()).to.equal('one two');
    await drain;
  });

  it('aborts requests that exceed the limit, and signals their handlers', async () => {
    let told = false;
    let begun = false;
    const server = await serve((host) =>
      host.route(
        get('/never', async ({ signal }) => {
          begun = true;
          await once(signal, 'abort');
          told = true;
          return { body: null };
        }),
      ),
    );
    const line = raw(server.port, 'GET /never HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => begun);
    await server.app.drain(50);
    expect(await line).to.equal('');
    await until(() => told);
    await server.app.drain(50); // a second call does no harm
  });

  it('reports on an open connection that it is stopping', async () => {
    let finish = () => {};
    const server = await serve((host) =>
      host.route(
        get(
          '/slow',
          () =>
            new Promise((resolve) => {
              finish = () => resolve({ body: 'done' });
            }),
        ),
      ),
    );
    const slow = raw(server.port, 'GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
    const late = connect(server.port, '127.0.0.1');
    late.write('GET /-/ready HTTP/1.1\r\nHost: x\r\nX-Rest: ');
    await until(() => finish.toString().includes('done'));
    const drain = server.app.drain(10_000);
    late.write('comes\r\n\r\n');
    const [answer] = (await once(late, 'data')) as [Buffer];
    expect(String(answer)).to.match(/^HTTP\/1.1 503/);
    expect(String(answer)).to.include('{"ready":false,"checks":{"server":"is stopping"}}');
    finish();
    expect(await slow).to.include('"done"');
    await drain;
  });
});
