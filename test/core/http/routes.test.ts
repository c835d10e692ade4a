import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { z } from 'zod';
import { html, negotiated } from '../../../core/http/pages.js';
import { route } from '../../../core/http/route.js';
import { get, problemOf, raw, type Served, serve } from './support.js';

const any = { 200: { description: 'Anything', content: { 'application/json': z.any() } } };

describe('routes over HTTP', () => {
  let server: Served;
  let cut = false;

  before(async () => {
    server = await serve((host) => {
      host.route(get('/plain', () => ({ body: { zebra: 1, ant: [true, null], '10': 'ten' } })));
      host.route(get('/thing/new', () => ({ body: 'literal' })));
      host.route(
        get('/thing/:id.csv', ({ params }) => ({ body: { csv: params } }), { params: z.object({ id: z.string() }) }),
      );
      host.route(
        get('/thing/:id', ({ params }) => ({ body: params }), { params: z.object({ id: z.string().max(20) }) }),
      );
      host.route(
        route({
          method: ['GET', 'POST'],
          path: '/ask/',
          operation: 'ask',
          summary: 'Both ways',
          query: z.object({ start: z.coerce.number().int().min(0), ids: z.array(z.string()).optional() }),
          body: { types: ['application/json'], schema: z.strictObject({ start: z.int(), name: z.string() }) },
          answers: any,
          handle: ({ input, body, bodyType }) => ({ body: { input: input ?? null, body: body ?? null, bodyType } }),
        }),
      );
      host.route(
        route({
          method: 'POST',
          path: '/both/:n',
          operation: 'both',
          summary: 'Everything may be wrong',
          params: z.object({ n: z.coerce.number().int() }),
          query: z.object({ a: z.literal('x') }),
          body: { types: ['application/json'], schema: z.object({ samples: z.array(z.object({ name: z.string() })) }) },
          answers: any,
          handle: () => ({ body: 'fine' }),
        }),
      );
      const text = { 200: { description: 'Text', content: { 'text/plain': z.string() } } };
      host.route(
        get('/stream', () => ({ type: 'text/plain', body: Readable.from(['a', 'ö', 'c']) }), { answers: text }),
      );
      host.route(
        get(
          '/broken',
          () => ({
            type: 'text/plain',
            body: new Readable({
              read() {
                this.destroy(new Error('disk gone'));
              },
            }),
          }),
          { answers: text },
        ),
      );
      host.route(
        get(
          '/half',
          () => ({
            type: 'text/plain',
            body: Readable.from(
              (function* () {
                yield 'first';
                throw new Error('second failed');
              })(),
            ),
          }),
          { answers: text },
        ),
      );
      host.route(
        get(
          '/page',
          ({ nonce, query }) => ({
            type: 'text/html',
            body: html`<style nonce="${nonce}"></style>${String(query.q)}`,
          }),
          { answers: { 200: { description: 'Page', content: { 'text/html': z.string() } } } },
        ),
      );
      host.route(get('/none', () => ({ status: 204, body: undefined }), { answers: { 204: { description: 'None' } } }));
      host.route(
        get('/moved', () => ({ status: 303, headers: { Location: '/plain' }, body: undefined }), {
          answers: { 303: { description: 'Elsewhere' } },
        }),
      );
      host.route(
        get(
          '/either',
          ({ headers }) => {
            const type = negotiated(headers, ['application/json', 'text/csv']);
            return { type, headers: { Vary: 'Accept' }, body: type === 'text/csv' ? 'a,b' : ['a', 'b'] };
          },
          {
            answers: {
              200: {
                description: 'Rows',
                content: { 'application/json': z.array(z.string()), 'text/csv': z.string() },
              },
            },
          },
        ),
      );
      host.use('/only', async (ctx, next) => {
        ctx.set('X-Passed', ctx.path);
        await next();
      });
      host.route(get('/only/here', () => ({ body: 1 })));
      host.route(get('/onlyhere', () => ({ body: 1 })));
      host.route(
        get('/slow', async ({ signal }) => {
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          cut = true;
          return { body: null };
        }),
      );
    });
  });
  after(() => server.close());

  it('returns JSON with its keys in the order of the handler', async () => {
    const response = await fetch(`${server.url}/plain`);
    expect(response.headers.get('content-type')).to.equal('application/json; charset=utf-8');
    // JavaScript objects list integer-like keys first; the others keep their order.
    expect(await response.text()).to.equal('{"10":"ten","zebra":1,"ant":[true,null]}');
  });

  it('accepts a path with and without a trailing slash, but not in another case', async () => {
    for (const path of ['/plain', '/plain/', '/ask?start=1', '/ask/?start=1']) {
      expect((await fetch(server.url + path)).status, path).to.equal(200);
    }
    for (const path of ['/Plain', '/plain//', '//plain', '/plai', '/plain/x']) {
      expect((await fetch(server.url + path)).status, path).to.equal(404);
    }
  });

  it('prefers a literal path to a parameter, and decodes parameters', async () => {
    expect(await (await fetch(`${server.url}/thing/new`)).json()).to.equal('literal');
    expect(await (await fetch(`${server.url}/thing/a%2Fb%20%C3%B6`)).json()).to.deep.equal({ id: 'a/b ö' });
  });

  it('prefers a parameter with an ending to one without', async () => {
    for (const [path, answer] of [
      ['a.csv', { csv: { id: 'a' } }],
      ['1.10.csv', { csv: { id: '1.10' } }],
      ['a.csv.gz', { id: 'a.csv.gz' }],
      ['csv', { id: 'csv' }],
      ['.csv', { id: '.csv' }],
    ] as const) {
      expect(await (await fetch(`${server.url}/thing/${path}`)).json(), path).to.deep.equal(answer);
    }
  });

  it('rejects broken percent-encoding and NUL characters', async () => {
    for (const path of ['/thing/%E0%A4%A', '/thing/%', '/thing/a%00b', '/ask?start=1&x=%00']) {
      const response = await fetch(server.url + path);
      expect(response.status, path).to.equal(400);
      expect((await problemOf(response)).detail).to.match(/percent-encoding|NUL/);
    }
  });

  it('passes repeated query parameters as arrays', async () => {
    const response = await fetch(`${server.url}/ask?start=7&ids=a&ids=b`);
    expect(await response.json()).to.deep.equal({ input: { start: 7, ids: ['a', 'b'] }, body: null });
  });

  it('keeps all query parameters, however many there are', async () => {
    const ids = Array.from({ length: 1500 }, (_, i) => `ids=${i}`).join('&');
    const response = await fetch(`${server.url}/ask?${ids}&start=3`);
    const { input } = (await response.json()) as { input: { start: number; ids: string[] } };
    expect(input.start).to.equal(3);
    expect(input.ids).to.have.length(1500);
  });

  it('reads the query of a GET and the body of a POST on one route', async () => {
    const response = await fetch(`${server.url}/ask`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json; charset=UTF-8' },
      body: '{"start":1,"name":"x"}',
    });
    expect(await response.json()).to.deep.equal({
      input: null,
      body: { start: 1, name: 'x' },
      bodyType: 'application/json',
    });
  });

  it('refuses a body of another encoding than UTF-8, in which different names would become equal', async () => {
    const send = (body: Buffer) =>
      fetch(`${server.url}/ask`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
    const refused = await send(Buffer.from('{"start":1,"name":"å"}', 'latin1'));
    expect(refused.status).to.equal(400);
    expect((await problemOf(refused)).detail).to.equal('The body must be encoded in UTF-8');
    for (const name of ['å', '\uFFFD']) {
      const { body } = (await (await send(Buffer.from(JSON.stringify({ start: 1, name })))).json()) as {
        body: unknown;
      };
      expect(body).to.deep.equal({ start: 1, name });
    }
  });

  it('refuses it also in chunks, compressed, and in a query', async () => {
    const latin1 = Buffer.from('{"start":1,"name":"å"}', 'latin1');
    const send = (body: string | Buffer | ReadableStream, headers: Record<string, string>) =>
      fetch(`${server.url}/ask`, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
    const json = { 'Content-Type': 'application/json' };
    const inQuery = await fetch(`${server.url}/ask?start=1&ids=%e5`);
    expect([inQuery.status, (await problemOf(inQuery)).detail]).to.deep.equal([
      400,
      'The query must be encoded in UTF-8',
    ]);
    const wrong = await Promise.all([
      send(new Blob([latin1]).stream(), json),
      send(gzipSync(latin1), { ...json, 'Content-Encoding': 'gzip' }),
    ]);
    expect(wrong.map(({ status }) => status)).to.deep.equal([400, 400]);
    const right = await Promise.all([
      send(new Blob(['{"start":1,"name":"å"}']).stream(), json),
      send(gzipSync('{"start":1,"name":"å"}'), { ...json, 'Content-Encoding': 'gzip' }),
    ]);
    expect(right.map(({ status }) => status)).to.deep.equal([200, 200]);
    const asked = await fetch(`${server.url}/ask?start=1&ids=%c3%A5+%EF%BF%BD&ids=50%`);
    const { input } = (await asked.json()) as { input: unknown };
    expect(input).to.deep.equal({ start: 1, ids: ['å \uFFFD', '50%'] });
  });

  it('names every invalid field at once: path, query and body', async () => {
    const response = await fetch(`${server.url}/both/x?a=y`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"samples":[{"name":"ok"},{"name":7},{}]}',
    });
    expect(response.status).to.equal(400);
    const problem = await problemOf(response);
    expect(problem.errors?.map(({ path }) => path)).to.deep.equal(['n', 'a', 'samples.1.name', 'samples.2.name']);
    for (const error of problem.errors ?? []) expect(error.detail).to.match(/^must be |^is missing$/);
    expect(problem.detail).to.include('samples.1.name: must be text');
    expect(problem).to.include({ type: 'about:blank', title: 'Bad Request', status: 400 });
    expect(problem.requestId).to.equal(response.headers.get('x-request-id'));
  });

  it('reports a missing body if one is required', async () => {
    const response = await fetch(`${server.url}/ask`, { method: 'POST' });
    expect(response.status).to.equal(400);
    expect((await problemOf(response)).detail).to.equal('A request body is needed');
  });

  it('responds to HEAD as to GET, without the body', async () => {
    for (const path of ['/plain', '/stream', '/page?q=1', '/none']) {
      const [head, whole] = await Promise.all([fetch(server.url + path, { method: 'HEAD' }), fetch(server.url + path)]);
      expect(head.status, path).to.equal(whole.status);
      expect(head.headers.get('content-type'), path).to.equal(whole.headers.get('content-type'));
      expect(head.headers.get('content-length'), path).to.equal(whole.headers.get('content-length'));
      expect(await head.text()).to.equal('');
    }
  });

  it('responds to OPTIONS with the methods of a path, and 405 to all others', async () => {
    const options = await fetch(`${server.url}/ask`, { method: 'OPTIONS' });
    expect(options.status).to.equal(204);
    expect(options.headers.get('allow')).to.equal('GET, HEAD, OPTIONS, POST');
    for (const method of ['DELETE', 'PUT', 'PATCH', 'PROPFIND']) {
      const response = await fetch(`${server.url}/plain`, { method });
      expect(response.status, method).to.equal(405);
      expect(response.headers.get('allow')).to.equal('GET, HEAD, OPTIONS');
      expect((await problemOf(response)).detail).to.equal('This path answers GET, HEAD, OPTIONS');
    }
    expect((await fetch(`${server.url}/nowhere`, { method: 'OPTIONS' })).status).to.equal(404);
  });

  it('streams text, and responds with an error if the stream fails before its first byte', async () => {
    const response = await fetch(`${server.url}/stream`);
    expect(response.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
    expect(await response.text()).to.equal('aöc');
    expect((await fetch(`${server.url}/broken`)).status).to.equal(500);
  });

  it('closes the connection if a stream fails later, so that a partial response never looks complete', async () => {
    const answer = await raw(server.port, 'GET /half HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(answer).to.match(/^HTTP\/1.1 200 OK/);
    expect(answer).to.include('first');
    expect(answer.endsWith('0\r\n\r\n'), 'the end of a whole chunked answer').to.equal(false);
  });

  it('escapes values in pages, with a nonce that the policy names', async () => {
    const response = await fetch(`${server.url}/page?q=<script>`);
    const nonce = /'nonce-([^']+)'/.exec(response.headers.get('content-security-policy') ?? '')?.[1];
    expect(nonce).to.have.length.above(20);
    expect(await response.text()).to.equal(`<style nonce="${nonce}"></style>&lt;script&gt;`);
  });

  it('responds without content', async () => {
    const none = await fetch(`${server.url}/none`);
    expect([none.status, none.headers.get('content-type'), await none.text()]).to.deep.equal([204, null, '']);
    const moved = await fetch(`${server.url}/moved`, { redirect: 'manual' });
    expect([moved.status, moved.headers.get('location'), await moved.text()]).to.deep.equal([303, '/plain', '']);
  });

  it('lets a handler choose the type that the client prefers, or refuse', async () => {
    const ask = (accept: string) => fetch(`${server.url}/either`, { headers: { Accept: accept } });
    expect(await (await ask('text/csv;q=0.9, application/json;q=0.1')).text()).to.equal('a,b');
    expect(await (await ask('text/*')).text()).to.equal('a,b');
    expect(await (await ask('*/*')).json()).to.deep.equal(['a', 'b']);
    const refused = await ask('image/png');
    expect(refused.status).to.equal(406);
    expect((await problemOf(refused)).detail).to.equal('The answer comes as application/json or text/csv only');
  });

  it('runs the middleware of a plugin for its prefix and nowhere else', async () => {
    expect((await fetch(`${server.url}/only/here`)).headers.get('x-passed')).to.equal('/only/here');
    expect((await fetch(`${server.url}/only/nothing`)).headers.get('x-passed')).to.equal('/only/nothing');
    expect((await fetch(`${server.url}/onlyhere`)).headers.get('x-passed')).to.equal(null);
  });

  it('aborts the signal of a handler whose client disconnected', async () => {
    await fetch(`${server.url}/slow`, { signal: AbortSignal.timeout(50) }).catch(() => undefined);
    while (!cut) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(cut).to.equal(true);
  });
});
