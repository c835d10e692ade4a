import { once } from 'node:events';
import { expect } from 'chai';
import { z } from 'zod';
import type { RouteHost } from '../../../core/http/app.js';
import type { RouteDeclaration } from '../../../core/http/route.js';
import { get, problemOf, raw, type Served, serve, until } from './support.js';

describe('security of the HTTP layer', () => {
  const servers: Served[] = [];
  const start = async (...args: Parameters<typeof serve>) => {
    const server = await serve(...args);
    servers.push(server);
    return server;
  };
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });
  const hello = get('/hello', () => ({ body: 'hello' }));

  it('sends the same protective headers with every response, errors included, and forbids caching', async () => {
    const { url } = await start(
      (host) => {
        host.route(hello);
        host.route(
          get('/post', () => ({ body: 1 }), {
            method: 'POST',
            body: { types: ['application/json'], schema: z.unknown(), limit: 10 },
          }),
        );
        host.route(
          get('/broken', () => {
            throw new Error('broken');
          }),
        );
      },
      { settings: { requestTimeout: 5 } },
    );
    const post = (body: string) => ({ method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
    const answers = await Promise.all([
      fetch(`${url}/hello`),
      fetch(`${url}/hello`, { method: 'HEAD' }),
      fetch(`${url}/hello`, { method: 'OPTIONS' }),
      fetch(`${url}/nowhere`),
      fetch(`${url}/hello`, { method: 'DELETE' }),
      fetch(`${url}/post`, post('[1,2,3,4,5,6,7]')),
      fetch(`${url}/broken`),
    ]);
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 204, 404, 405, 413, 500]);
    for (const { status, headers } of answers) {
      const sent = Object.fromEntries(headers);
      expect(sent, String(status)).to.include({
        'content-security-policy': "default-src 'none';frame-ancestors 'none'",
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      });
      expect(sent['x-request-id']).to.match(/^[0-9a-f-]{36}$/);
    }
  });

  it('gives every page a policy with its own nonce', async () => {
    const { url } = await start((host) => host.route(hello));
    const page = () => fetch(url, { headers: { Accept: 'text/html' } });
    const [a, b] = await Promise.all([page(), page()]);
    const policy = (response: Response) => response.headers.get('content-security-policy') ?? '';
    expect(policy(a).replace(/nonce-[^']+/g, 'nonce-N')).to.equal(
      "default-src 'none';script-src 'nonce-N';style-src 'nonce-N';img-src 'self' data:;font-src 'self';" +
        "connect-src 'self';form-action 'self';base-uri 'none';frame-ancestors 'none'",
    );
    expect(policy(a)).to.not.equal(policy(b));
    const nonce = /nonce-([^']+)/.exec(policy(a))?.[1] ?? 'none';
    expect(await a.text()).to.include(`<style nonce="${nonce}">`);
  });

  it('does not reveal its software, and mentions https only if configured', async () => {
    const { url } = await start((host) => host.route(hello));
    const a = await fetch(`${url}/hello`);
    expect(a.headers.get('strict-transport-security')).to.equal(null);
    expect(a.headers.get('x-powered-by')).to.equal(null);
    const secure = await start((host) => host.route(hello), { settings: { hsts: 600 } });
    const response = await fetch(`${secure.url}/hello`);
    expect(response.headers.get('strict-transport-security')).to.equal('max-age=600');
  });

  it('keeps a harmless request id, and makes one otherwise', async () => {
    const { url, log } = await start((host) => host.route(hello));
    const ask = async (id: string) =>
      (await fetch(`${url}/hello`, { headers: { 'X-Request-Id': id } })).headers.get('x-request-id');
    expect(await ask('trace-0123.A_b')).to.equal('trace-0123.A_b');
    for (const bad of ['short', 'x'.repeat(65), 'with blank inside', '-leading-dash', '{"a":"injected"}']) {
      expect(await ask(bad), bad).to.match(/^[0-9a-f-]{36}$/);
    }
    await until(() => log.some(({ requestId }) => requestId === 'trace-0123.A_b'));
  });

  it('logs the pattern of the route, but no URL, header or address', async () => {
    const { url, log } = await start((host) => host.route(get('/patient/:id', () => ({ body: 1 }))));
    await fetch(`${url}/patient/Jane?hpo=HP%3A1`, { headers: { 'X-Auth-Token': 'secret-token', Cookie: 'c=ookie' } });
    await fetch(`${url}/unknown/Jane`);
    await until(() => log.filter(({ msg }) => msg === 'request').length === 2);
    const [known, unknown] = log.filter(({ msg }) => msg === 'request');
    expect(known).to.include({ method: 'GET', route: '/patient/:id', owner: 'demo', status: 200, level: 30 });
    expect(known).to.have.property('ms').that.is.a('number');
    expect(unknown).to.include({ method: 'GET', status: 404 }).and.not.have.property('route');
    expect(JSON.stringify(log)).to.not.match(/Jane|HP|secret|ookie|127\.0\.0\.1/);
  });

  it('grants other origins nothing by default, and the configured ones what they need', async () => {
    const plain = await start((host) => host.route(hello));
    const none = await fetch(`${plain.url}/hello`, { headers: { Origin: 'https://portal.example.org' } });
    expect(none.headers.get('access-control-allow-origin')).to.equal(null);

    const { url } = await start((host) => host.route(hello), {
      settings: { cors: { origins: ['https://portal.example.org/'] } },
    });
    const ask = (origin: string, init: RequestInit = {}, path = '/hello') =>
      fetch(url + path, { ...init, headers: { ...init.headers, Origin: origin } });
    const fine = await ask('https://portal.example.org');
    expect(fine.headers.get('access-control-allow-origin')).to.equal('https://portal.example.org');
    expect(fine.headers.get('access-control-expose-headers')).to.equal('X-Request-Id,Retry-After');
    expect(fine.headers.get('vary')).to.include('Origin');
    const error = await ask('https://portal.example.org', {}, '/nowhere');
    expect([error.status, error.headers.get('access-control-allow-origin')]).to.deep.equal([
      404,
      'https://portal.example.org',
    ]);
    const foreign = await ask('https://evil.example.org');
    expect([foreign.status, foreign.headers.get('access-control-allow-origin')]).to.deep.equal([200, null]);
    const preflight = await ask('https://portal.example.org', {
      method: 'OPTIONS',
      headers: { 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'x-auth-token' },
    });
    expect(preflight.status).to.equal(204);
    expect(preflight.headers.get('access-control-allow-headers')).to.equal('x-auth-token');
    expect(preflight.headers.get('access-control-allow-methods')).to.include('POST');

    const open = await start((host) => host.route(hello), { settings: { cors: { origins: ['*'] } } });
    const anyone = await fetch(`${open.url}/hello`, { headers: { Origin: 'https://x.example' } });
    expect(anyone.headers.get('access-control-allow-origin')).to.equal('*');
  });

  it('lets pages of any origin read open resources, until origins are configured', async () => {
    const question: RouteDeclaration = {
      ...hello,
      method: ['GET', 'POST'],
      path: '/question',
      operation: 'question',
      anyOrigin: true,
      body: { types: ['application/json'], schema: z.unknown() },
    };
    const nothing = z.object({ id: z.string() });
    const one = { ...question, path: '/things/:id', operation: 'one', params: nothing };
    const register = (host: RouteHost) => {
      host.route(hello);
      host.route(question);
      // Declared before the literal path, which the router nevertheless prefers.
      host.route(one);
      host.route({ ...hello, path: '/things/own', operation: 'own' });
      host.route({ ...hello, path: '/things/:id/parts', operation: 'parts', params: nothing });
    };
    const { url } = await start(register);
    const origin = { Origin: 'https://portal.example.org' };
    const allowed = async (path: string, method: string, headers: Record<string, string> = {}) => {
      const reply = await fetch(url + path, { method, headers: { ...origin, ...headers } });
      return [reply.headers.get('access-control-allow-origin'), reply.headers.get('access-control-allow-credentials')];
    };
    for (const [method, path] of [
      ['GET', '/question'],
      ['GET', '/question/'],
      ['HEAD', '/question'],
      ['POST', '/question'],
      ['GET', '/things/7'],
      ['HEAD', '/things/7/'],
      ['POST', '/things/a%2Fb'],
      ['POST', '/things/own'],
    ] as const) {
      expect(await allowed(path, method), `${method} ${path}`).to.deep.equal(['*', null]);
      const preflight = await fetch(url + path, {
        method: 'OPTIONS',
        headers: {
          ...origin,
          'Access-Control-Request-Method': method,
          'Access-Control-Request-Headers': 'content-type',
        },
      });
      expect(preflight.status).to.equal(204);
      expect(preflight.headers.get('access-control-allow-methods')).to.equal('GET,HEAD,POST');
      expect(preflight.headers.get('access-control-allow-headers')).to.equal('content-type');
    }
    for (const [method, path] of [
      ['GET', '/hello'],
      ['GET', '/questions'],
      ['GET', '/question/1'],
      ['DELETE', '/question'],
      ['GET', '/things'],
      ['GET', '/things/own'],
      ['GET', '/things/7/parts'],
      ['DELETE', '/things/7'],
    ] as const) {
      expect(await allowed(path, method), `${method} ${path}`).to.deep.equal([null, null]);
    }
    for (const method of ['DELETE', 'PUT']) {
      const asked = { 'Access-Control-Request-Method': method };
      expect(await allowed('/question', 'OPTIONS', asked), method).to.deep.equal([null, null]);
    }

    const own = await start(register, { settings: { cors: { origins: ['https://lab.example.org'] } } });
    const foreign = await fetch(`${own.url}/question`, { headers: origin });
    expect(foreign.headers.get('access-control-allow-origin')).to.equal(null);
  });

  it('limits the requests of one client, with Retry-After, but never the probes', async () => {
    const { url } = await start((host) => host.route(hello), {
      settings: { rateLimit: { enabled: true, requests: 3, perSeconds: 3600 }, trustProxy: 1 },
    });
    const as = (address: string, path = '/hello') => fetch(url + path, { headers: { 'X-Forwarded-For': address } });
    for (let i = 0; i < 3; i += 1) expect((await as('198.51.100.1')).status).to.equal(200);
    const refused = await as('198.51.100.1');
    expect(refused.status).to.equal(429);
    const wait = Number(refused.headers.get('retry-after'));
    expect(wait).to.be.within(3500, 3600);
    expect((await problemOf(refused)).detail).to.equal(`Too many requests; try again in ${wait} s`);
    expect((await as('198.51.100.1', '/nowhere')).status).to.equal(429);
    // Entries by the client are to the left of the one that our proxy adds: they have no effect.
    expect((await as('203.0.113.9, 198.51.100.1')).status).to.equal(429);
    for (const probe of ['/-/live', '/-/ready']) expect((await as('198.51.100.1', probe)).status).to.equal(200);
    expect((await as('198.51.100.2')).status).to.equal(200);
  });

  it('ignores X-Forwarded-For unless configured to use it', async () => {
    const { url } = await start((host) => host.route(hello), {
      settings: { rateLimit: { enabled: true, requests: 2, perSeconds: 3600 } },
    });
    const as = (address: string) => fetch(`${url}/hello`, { headers: { 'X-Forwarded-For': address } });
    const statuses = [await as('1.1.1.1'), await as('2.2.2.2'), await as('3.3.3.3')].map(({ status }) => status);
    expect(statuses).to.deep.equal([200, 200, 429]);
  });

  it('does not limit by default', async () => {
    const { url } = await start((host) => host.route(hello));
    const all = await Promise.all(Array.from({ length: 700 }, () => fetch(`${url}/hello`)));
    expect(new Set(all.map(({ status }) => status))).to.deep.equal(new Set([200]));
  });

  it('rejects headers that are too large or arrive too slowly', async () => {
    const { url, port, log } = await start((host) => host.route(hello), {
      settings: { headerLimit: 2048, headerTimeout: 0.2 },
    });
    const long = await fetch(`${url}/hello`, { headers: { 'X-Long': 'a'.repeat(3000) } });
    expect(long.status).to.equal(431);
    const { requestId, ...told } = (await long.json()) as Record<string, unknown>;
    expect(told).to.deep.equal({
      type: 'about:blank',
      title: 'Request Header Fields Too Large',
      status: 431,
      detail:
        'The first line and the headers of the request are larger than 2048 bytes together, which is the limit of this server ' +
        '(http.headerLimit)',
    });
    expect([
      long.headers.get('content-type'),
      long.headers.get('cache-control'),
      long.headers.get('x-request-id'),
    ]).to.deep.equal(['application/problem+json', 'no-store', requestId]);
    expect(log.filter((line) => line.requestId === requestId).map(({ status }) => status)).to.deep.equal([431]);
    const slow = await raw(port, 'GET /hello HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    expect(slow)
      .to.match(/^HTTP\/1.1 408/)
      .and.include('its head must within 0.2 s, and all of it within 60 s');
    const rubbish = await raw(port, 'rubbish\r\n\r\n');
    expect(rubbish)
      .to.match(/^HTTP\/1.1 400/)
      .and.include('"detail":"The request is not valid HTTP/1.1"');
    const chunks = 'POST /hello HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
    expect(await raw(port, chunks, `1;${'a'.repeat(20_000)}\r\n`)).to.match(/HTTP\/1.1 (413|405)/);
    expect((await fetch(`${url}/hello`)).status).to.equal(200);
  });

  it('responds 504 if the handler takes too long, signals it, and stops a body that arrives too slowly', async () => {
    let told = false;
    const { url, port, log } = await start(
      (host) => {
        host.route(
          get('/slow', async ({ signal }) => {
            await once(signal, 'abort');
            told = true;
            return { body: 'too late' };
          }),
        );
        host.route(
          get('/late-failure', async ({ signal }) => {
            await once(signal, 'abort');
            throw new Error('and then it failed');
          }),
        );
        host.route(
          get('/post', () => ({ body: 1 }), {
            method: 'POST',
            body: { types: ['application/json'], schema: z.unknown() },
          }),
        );
      },
      { settings: { requestTimeout: 0.3, headerTimeout: 0.2 } },
    );
    const response = await fetch(`${url}/slow`);
    expect(response.status).to.equal(504);
    expect((await problemOf(response)).detail).to.equal('The answer took too long');
    expect(told).to.equal(true);
    expect((await fetch(`${url}/late-failure`)).status).to.equal(504);
    const cut = await raw(
      port,
      'POST /post HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n[1',
    );
    expect(cut).to.match(/^HTTP\/1.1 408/);
    await until(() => log.some(({ aborted }) => aborted === true));
  });

  it('gives a handler that reads the signal after the time limit an aborted one', async () => {
    const seen: unknown[] = [];
    let answered = () => {};
    const wait = new Promise<void>((resolve) => {
      answered = resolve;
    });
    const { url } = await start(
      (host) =>
        host.route(
          get('/late', async (request) => {
            await wait;
            const { signal, nonce, log: ownLog } = { ...request }; // a copy has all properties too
            seen.push(signal.aborted, (signal.reason as Error).message, signal === request.signal, nonce.length >= 32);
            ownLog.info({}, 'asked late');
            return { body: 1 };
          }),
        ),
      { settings: { requestTimeout: 0.2 } },
    );
    expect((await fetch(`${url}/late`)).status).to.equal(504);
    answered();
    await until(() => seen.length > 0);
    expect(seen).to.deep.equal([true, 'The answer took too long', true, true]);
  });
});
