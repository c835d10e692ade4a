import { expect } from 'chai';
import { z } from 'zod';
import { Fault, type FaultCode } from '../../../core/fault.js';
import { route } from '../../../core/http/route.js';
import { JsonText } from '../../../core/text.js';
import { get, problemOf, type Served, serve } from './support.js';

/** Written by hand, from the meaning of each code in core/fault.ts. */
const statuses: Record<FaultCode, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  'method-not-allowed': 405,
  'not-acceptable': 406,
  conflict: 409,
  'too-large': 413,
  'unsupported-media-type': 415,
  unprocessable: 422,
  'too-many-requests': 429,
  internal: 500,
  unavailable: 503,
  overloaded: 503,
  timeout: 504,
};

describe('errors over HTTP', () => {
  let server: Served;

  before(async () => {
    server = await serve(
      (host) => {
        host.route(
          get('/fault/:code', ({ params }) => {
            const { code } = params as { code: FaultCode };
            throw new Fault(code, `Because of ${code}`, { headers: { 'X-Why': 'test' }, fields: [] });
          }),
        );
        host.route(
          get('/outage', () => {
            throw new Fault('unavailable', 'The disk /data of db.example.org is full', {
              public: 'The storage does not answer',
            });
          }),
        );
        host.route(
          get('/crash', () => {
            const error = new TypeError('the reason');
            throw Object.assign(error, { detail: 'Key (name)=(Jane Doe)', cause: new Error('below') });
          }),
        );
        host.route(
          get('/odd', () => {
            throw 'a string';
          }),
        );
        host.route(get('/wrong', () => ({ body: { n: 'x' } }), declared(z.strictObject({ n: z.number() }))));
        host.route(get('/extra', () => ({ body: { n: 1, m: 2 } }), declared(z.object({ n: z.number() }))));
        const numbered = declared(z.object({ n: z.number() }));
        host.route(get('/text', () => ({ body: new JsonText('{ "n": 1.0 }') }), numbered));
        host.route(get('/wrongtext', () => ({ body: new JsonText('{"n":"x"}') }), numbered));
        host.route(get('/undeclared', () => ({ status: 202, body: {} })));
        host.route(get('/othertype', () => ({ type: 'text/csv', body: 'a,b' })));

        host.use('/shaped/forbidden', async (ctx) => ctx.throw(403, 'Not for you'));
        host.errorBody('/shaped', (fault, status, request) => ({
          body: { code: status, why: fault.message, asked: request.sent ?? null, path: request.path },
        }));
        host.errorBody('/shaped/deep', (fault) => ({ type: 'text/x-own+json', body: [fault.code] }));
        host.errorBody('/shaped/broken', () => {
          throw new Error('shape failed');
        });
        host.route(
          route({
            method: ['GET', 'POST'],
            path: '/shaped/ask',
            operation: 'ask',
            summary: 'Asks',
            query: z.object({ start: z.coerce.number() }),
            body: { types: ['application/json'], schema: z.object({ start: z.number() }) },
            answers: {
              200: { description: 'Fine', content: { 'application/json': z.any() } },
              400: {
                description: 'Wrong',
                content: {
                  'application/json': z.strictObject({
                    code: z.literal(400),
                    why: z.string(),
                    asked: z.any(),
                    path: z.string(),
                  }),
                },
              },
            },
            handle: () => {
              throw new Error('inside: Jane Doe');
            },
          }),
        );
      },
      { breachesWanted: true },
    );
  });
  after(() => server.close());

  const declared = (schema: z.ZodType) => ({
    answers: { 200: { description: 'Declared', content: { 'application/json': schema } } },
  });

  it('chooses the status by the code, and sends the headers of the fault', async () => {
    for (const [code, status] of Object.entries(statuses)) {
      const response = await fetch(`${server.url}/fault/${code}`);
      expect(response.status, code).to.equal(status);
      const problem = await problemOf(response);
      expect(problem.status).to.equal(status);
      if (code === 'internal') {
        expect(problem).to.not.have.property('detail');
      } else {
        expect(problem.detail).to.equal(`Because of ${code}`);
        expect(response.headers.get('x-why')).to.equal('test');
      }
    }
  });

  it('gives clients the public sentence of a fault, and the log the one for operators', async () => {
    const response = await fetch(`${server.url}/outage`);
    expect(response.status).to.equal(503);
    expect((await problemOf(response)).detail).to.equal('The storage does not answer');
    expect(JSON.stringify(server.log)).to.include('The disk /data of db.example.org is full');
  });

  it('responds 500 without detail to unknown errors, and logs their stack but no other property', async () => {
    const response = await fetch(`${server.url}/crash`, { headers: { 'X-Request-Id': 'find-me-123' } });
    expect(response.status).to.equal(500);
    expect(await problemOf(response)).to.deep.equal({
      type: 'about:blank',
      title: 'Internal Server Error',
      status: 500,
      requestId: 'find-me-123',
    });
    const line = server.log.find(({ requestId, level }) => requestId === 'find-me-123' && level === 50);
    const err = line?.error as { type: string; message: string; stack: string; cause: { message: string } };
    expect(err.type).to.equal('TypeError');
    expect(err.stack).to.include('errors.test.ts');
    expect(err.cause.message).to.equal('below');
    expect(JSON.stringify(line)).to.not.include('Jane Doe');
    expect((await fetch(`${server.url}/odd`)).status).to.equal(500);
  });

  it('shapes every error on the paths of a plugin: invalid input, 404, 405 and crashes', async () => {
    const query = await fetch(`${server.url}/shaped/ask?start=x`);
    expect(query.status).to.equal(400);
    expect(await query.json()).to.deep.equal({
      code: 400,
      why: 'start: must be a number',
      asked: { start: 'x' },
      path: '/shaped/ask',
    });
    const body = await fetch(`${server.url}/shaped/ask`, {
      method: 'POST',
      body: '{"start":"y"}',
      headers: { 'Content-Type': 'application/json' },
    });
    expect(await body.json()).to.deep.include({ code: 400, asked: { start: 'y' } });
    const missing = await fetch(`${server.url}/shaped/nothing/here`);
    expect([missing.status, await missing.json()]).to.deep.equal([
      404,
      { code: 404, why: 'There is nothing at this path', asked: null, path: '/shaped/nothing/here' },
    ]);
    const method = await fetch(`${server.url}/shaped/ask`, { method: 'DELETE' });
    expect([method.status, method.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD, OPTIONS, POST']);
    expect(((await method.json()) as { code: number }).code).to.equal(405);
    const crash = await fetch(`${server.url}/shaped/ask?start=1`);
    const text = await crash.text();
    expect(crash.status).to.equal(500);
    expect(text).to.include('"code":500').and.not.include('Jane');
  });

  it('uses the shape of the longest prefix, matched by whole segments', async () => {
    const deep = await fetch(`${server.url}/shaped/deep/x`);
    expect([deep.headers.get('content-type'), await deep.json()]).to.deep.equal(['text/x-own+json', ['not-found']]);
    await problemOf(await fetch(`${server.url}/shapedx`));
  });

  it('falls back to the default if a shape fails, and turns Koa errors of middleware into faults', async () => {
    const broken = await fetch(`${server.url}/shaped/broken/x`);
    expect(broken.status).to.equal(404);
    await problemOf(broken);
    const koa = await fetch(`${server.url}/shaped/forbidden`);
    expect([koa.status, ((await koa.json()) as { why: string }).why]).to.deep.equal([403, 'Not for you']);
  });

  it('responds 500 if a response violates its declaration, and records the violation', async () => {
    const before = server.app.breaches.length;
    for (const path of ['/wrong', '/extra', '/wrongtext', '/undeclared', '/othertype']) {
      expect((await fetch(server.url + path)).status, path).to.equal(500);
    }
    expect(server.app.breaches.slice(before)).to.deep.equal([
      'GET /wrong 200: n: Invalid input: expected number, received string',
      'GET /extra 200: it has members that are not declared',
      'GET /wrongtext 200: n: Invalid input: expected number, received string',
      'GET /undeclared 202: this status is not declared',
      'GET /othertype 200: text/csv is not declared',
    ]);
  });

  it('sends JSON text as it is', async () => {
    const response = await fetch(`${server.url}/text`);
    expect(response.headers.get('content-type')).to.equal('application/json; charset=utf-8');
    expect(await response.text()).to.equal('{ "n": 1.0 }');
  });

  it('does not check responses in production', async () => {
    const plain = await serve(
      (host) => host.route(get('/extra', () => ({ body: { n: 1, m: 2 } }), declared(z.object({ n: z.number() })))),
      { checkAnswers: false },
    );
    expect(await (await fetch(`${plain.url}/extra`)).json()).to.deep.equal({ n: 1, m: 2 });
    await plain.close();
  });
});
