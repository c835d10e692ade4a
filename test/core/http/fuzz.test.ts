import { expect } from 'chai';
import fc from 'fast-check';
import { z } from 'zod';
import { hashToken } from '../../../core/auth/access.js';
import { route } from '../../../core/http/route.js';
import { apiToken, raw, type Served, serve } from './support.js';
import { type TokenStore, tokenStore } from './tokens.js';

describe('random input', () => {
  let server: Served;
  let tokens: TokenStore;

  before(async () => {
    tokens = await tokenStore();
    const { repository } = tokens;
    await repository.add(apiToken({ hash: hashToken('a-token-for-fuzzing'), scopes: ['*'] }));
    server = await serve(
      (host) => {
        host.route(
          route({
            method: ['GET', 'POST', 'DELETE'],
            path: '/ask/:id',
            operation: 'ask',
            summary: 'Takes everything',
            params: z.object({ id: z.string() }),
            query: z.object({ n: z.coerce.number().optional(), list: z.array(z.string()).optional() }),
            body: {
              types: ['application/json', 'application/x-www-form-urlencoded'],
              schema: z.object({ n: z.number().optional(), list: z.array(z.string()).optional() }),
            },
            answers: { 200: { description: 'Echo', content: { 'application/json': z.any() } } },
            handle: ({ params, input, body }) => ({ body: { params, input: input ?? null, body: body ?? null } }),
          }),
        );
        host.errorBody('/ask', (fault, _, request) => ({ body: { why: fault.message, sent: request.sent ?? null } }));
      },
      { tokens: repository, settings: { cors: { origins: ['https://a.example'] }, bodyLimit: 10_000 } },
    );
  });
  after(async () => {
    await server.close();
    await tokens.close();
  });

  const seen = new Set<number>();
  const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]);
  /** Visible and control bytes alike, except those that end the line. */
  const bytes = fc
    .array(fc.integer({ min: 0, max: 255 }), { maxLength: 60 })
    .map((list) => Buffer.from(list.filter((byte) => byte !== 10 && byte !== 13)).toString('latin1'));
  const target = fc.oneof(
    fc.webPath().map((path) => path || '/'),
    fc
      .tuple(fc.constantFrom('/', '/ask/', '/-/jobs/', '/docs/assets/', '//', '*', 'http://x/'), bytes)
      .map((it) => it.join('')),
    fc.tuple(fc.constant('/ask/x?'), bytes).map((it) => it.join('')),
  );
  const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND');
  const header = fc.tuple(
    fc.constantFrom(
      'Accept',
      'Accept-Encoding',
      'Content-Type',
      'Content-Encoding',
      'X-Request-Id',
      'X-Auth-Token',
      'X-Forwarded-For',
      'Origin',
      'Access-Control-Request-Method',
      'Cookie',
      'Range',
      'If-None-Match',
      'Expect',
      'Host',
    ),
    fc.oneof(bytes, fc.constantFrom('application/json', 'text/html;q=x', '*/*', 'gzip', 'a-token-for-fuzzing', 'null')),
  );
  const json = fc.oneof(
    fc.json(),
    fc.json().map((text) => text.slice(0, -1)),
    fc.string(),
    bytes,
  );

  it('in path, method, header and body never causes a 5xx and never ends the server', async () => {
    await fc.assert(
      fc.asyncProperty(method, target, fc.array(header, { maxLength: 4 }), json, async (verb, path, headers, body) => {
        const head = [
          `${verb} ${path} HTTP/1.1`,
          'Host: x',
          'Connection: close',
          ...headers.map(([name, value]) => `${name}: ${value}`),
          `Content-Length: ${Buffer.byteLength(body)}`,
        ].join('\r\n');
        const answer = await raw(server.port, Buffer.from(`${head}\r\n\r\n`, 'latin1'), body);
        expect(statusOf(answer), answer).to.be.within(200, 499);
        seen.add(statusOf(answer));
      }),
      {
        numRuns: 400,
        // One for each status that is expected below: random ones would have to happen to reach it.
        examples: [
          ['GET', '/ask/x', [], ''],
          ['POST', '/ask/x', [['Content-Type', 'application/json']], '{'],
          ['GET', '/none', [], ''],
          ['PUT', '/ask/x', [], ''],
        ],
      },
    );
    // Some of the input got as far as a handler.
    expect([...seen]).to.include.members([200, 400, 404, 405]);
  });

  it('as JSON or form body of a route gives its response or a 4xx in its shape', async () => {
    const type = fc.constantFrom('application/json', 'application/x-www-form-urlencoded');
    await fc.assert(
      fc.asyncProperty(type, json, fc.webQueryParameters(), async (contentType, body, query) => {
        const response = await fetch(`${server.url}/ask/x?${query}`, {
          method: 'POST',
          headers: { 'Content-Type': contentType },
          body,
        });
        expect(response.status).to.be.oneOf([200, 400, 413]);
        const answer = (await response.json()) as Record<string, unknown>;
        expect(answer).to.have.property(response.status === 200 ? 'params' : 'why');
      }),
      { numRuns: 300 },
    );
  });

  it('leaves no error in the log, and the server running', async () => {
    expect(server.log.filter(({ level }) => Number(level) >= 50)).to.deep.equal([]);
    expect((await fetch(`${server.url}/-/live`)).status).to.equal(200);
  });
});
