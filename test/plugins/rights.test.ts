/** Every route of every plugin, with every kind of token: each requires exactly what its description states. */
import { expect } from 'chai';
import { serveForTest, type TestServer } from '../../core/testing/server.js';

interface Operation {
  description?: string;
  security?: Record<string, string[]>[];
  requestBody?: { content: Record<string, unknown> };
}

const scopes = [
  'beacon:read',
  'beacon:read:x',
  'beacon:write',
  'beacon:write:x',
  'beacon:admin',
  'beacon:observe',
  'beacon:observe:x',
  'beacon:cases',
  'beacon:cases:x',
  'coverage:load',
  'coverage:register',
  'coverage:read',
  'coverage:ticket',
  'matchmaker:query',
  'matchmaker:submit',
  'matchmaker:admin',
  'server:read',
  'beacon:*',
  'coverage:*',
  'matchmaker:*',
  'server:*',
  '*',
];

/** Returns whether a scope covers a required one at least in part. */
const covers = (scope: string, required: string) =>
  scope === '*' || scope === required || scope.startsWith(`${required}:`) || scope === required.replace(/:.*/, ':*');

describe('rights', function () {
  this.timeout(120_000); // some 600 requests
  let server: TestServer;
  let paths: Record<string, Record<string, Operation>>;
  const tokens = new Map<string, string>();

  before(async () => {
    server = await serveForTest({
      plugins: {
        beacon: {},
        coverage: { intervals: { httpLoading: true }, tickets: { key: 'k'.repeat(32) } },
        matchmaker: { page: 'token' },
      },
      settings: { http: { docs: 'token', metrics: { access: 'token' } } },
      jobs: false,
    });
    paths = ((await (await fetch(`${server.url}/openapi.json`)).json()) as { paths: typeof paths }).paths;
    for (const scope of scopes) tokens.set(scope, await server.token(scope));
  });
  after(() => server.close());

  /** An empty request, of a media type that the route accepts: the credential is checked first. */
  async function status(method: string, path: string, operation: Operation, token?: string): Promise<number> {
    const types = Object.keys(operation.requestBody?.content ?? {});
    const type = types.find((one) => one.includes('json')) ?? types[0];
    const response = await fetch(server.url + path.replace(/\{\w+\}/g, 'x'), {
      method: method.toUpperCase(),
      redirect: 'manual',
      headers: { ...(token && { 'X-Auth-Token': token }), ...(type && { 'Content-Type': type }) },
      ...(type && { body: type.includes('json') ? '{}' : '' }),
    });
    await response.arrayBuffer();
    return response.status;
  }

  const operations = () =>
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    );
  const isRequired = ({ security = [] }: Operation) =>
    security.length > 0 && security.every((one) => Object.keys(one).length > 0);

  it('are required as the API description states: 401 without a token, 403 with a token that lacks them', async () => {
    const required = operations().filter(({ operation }) => isRequired(operation));
    expect(required.length).to.be.greaterThan(15);
    for (const { path, method, operation } of required) {
      const what = `${method} ${path}`;
      expect(await status(method, path, operation), what).to.equal(401);
      expect(await status(method, path, operation, 'nonsense'), what).to.equal(401);
      const [, scope] = /Requires the scope `([^`]+)`/.exec(operation.description ?? '') ?? [];
      for (const [held, token] of tokens) {
        const answered = await status(method, path, operation, token);
        if (scope === undefined || covers(held, scope)) expect(answered, `${what} ${held}`).to.not.be.oneOf([401, 500]);
        if (scope !== undefined) expect(answered === 403, `${what} ${held}`).to.equal(!covers(held, scope));
      }
    }
  });

  it('are all described, and each is required or used somewhere', () => {
    const text = operations()
      .map(({ operation }) => operation.description ?? '')
      .join('\n');
    for (const scope of [
      'beacon:read',
      'beacon:write',
      'beacon:observe',
      'beacon:cases',
      'coverage:load',
      'coverage:register',
      'coverage:read',
      'coverage:ticket',
      'matchmaker:query',
      'matchmaker:submit',
      'server:read',
    ]) {
      expect(text).to.include(`\`${scope}\``);
    }
    const silent = operations().filter(
      ({ operation }) => isRequired(operation) && !operation.description?.includes('Requires the scope'),
    );
    // Any token is accepted: a job is shown to the owner of the token that started it.
    expect(silent.map(({ path }) => path)).to.deep.equal(['/-/jobs/{id}']);
  });

  it('change nothing on open routes', async () => {
    for (const { path, method, operation } of operations().filter(({ operation }) => !isRequired(operation))) {
      const open = await status(method, path, operation);
      for (const [held, token] of tokens) {
        expect(await status(method, path, operation, token), `${method} ${path} ${held}`).to.equal(open);
      }
    }
  });
});
