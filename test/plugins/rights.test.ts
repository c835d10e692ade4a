/**
 * Every route of every plugin with every kind of credential: each requires exactly what its description states. In the whole suite
 * each route gets every token that it accepts, and a third of the others.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { issueToken } from '../../core/auth/access.js';
import { tokens } from '../../core/auth/contract.js';
import { serveForTest, type TestServer } from '../../core/testing/server.js';
import { formPath } from '../../plugins/beacon/faces/v1/form.js';
import { IdentityProvider } from '../support/identity-provider.js';
import { sampled } from '../support/sample.js';

type Headers = Record<string, string>;
/** Where access tokens are sent. */
type Place = 'form' | 'cookie' | 'header';

interface Operation {
  method: string;
  path: string;
  description?: string;
  /** If omitted, credentials are not looked at; `{}` among them is an anonymous caller. */
  security?: Record<string, string[]>[];
  requestBody?: { content: Record<string, { schema?: { properties?: object } }> };
}

/** Scopes that routes require or use. */
const scopes = [
  ...['beacon:read', 'beacon:write', 'beacon:observe', 'beacon:cases'],
  ...['coverage:load', 'coverage:register', 'coverage:read', 'coverage:ticket'],
  ...['matchmaker:query', 'matchmaker:submit', 'panels:read', 'panels:edit', 'panels:sign', 'server:read'],
];
/** Those that tokens have: also for one dataset, and for all of a plugin. */
const held = [
  ...scopes.flatMap((scope) => (/^beacon:/.test(scope) ? [scope, `${scope}:x`] : [scope])),
  ...['beacon:admin', 'matchmaker:admin'],
  ...['beacon:*', 'coverage:*', 'matchmaker:*', 'panels:*', 'server:*', '*'],
];

/** Returns whether a scope covers a required one at least in part. */
const covers = (scope: string, required: string) =>
  scope === '*' || scope === required || scope.startsWith(`${required}:`) || scope === required.replace(/:.*/, ':*');

const nameOf = ({ method, path }: Operation) => `${method} ${path}`;
const schemesOf = ({ security = [] }: Operation) => new Set(security.flatMap((one) => Object.keys(one)));
const isRequired = ({ security = [] }: Operation) =>
  security.length > 0 && security.every((one) => Object.keys(one).length > 0);
const takesAccessTokens = (operation: Operation) =>
  schemesOf(operation).has('bearer') || schemesOf(operation).has('cookie');

/** The places from which the operation reads an access token. */
function placesOf(operation: Operation): Place[] {
  const schemes = schemesOf(operation);
  if (schemes.has('cookie')) return ['form', 'cookie'];
  // The track is shown in a genome browser, which sends cookies: the description names the header alone.
  return operation.path === '/coverage/track' ? ['header', 'cookie'] : ['header'];
}

/** The status of a request that has a good token, and lacks required data. */
const beyondTheToken = 422;

async function operationsOf({ url }: TestServer): Promise<Operation[]> {
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, Omit<Operation, 'method' | 'path'>>>;
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
}

/** What a query needs: without it the first version of the protocol looks at no credential. */
const question = { assemblyId: 'GRCh37', referenceName: '1', start: 0, referenceBases: 'A', alternateBases: 'C' };

/** A request of a media type that the route accepts, empty unless it is a query, or with an access token in its form. */
async function send({ url }: TestServer, operation: Operation, headers: Headers = {}, accessToken?: string) {
  const { method, path, requestBody } = operation;
  const types = Object.keys(requestBody?.content ?? {});
  const json = types.find((one) => one.includes('json'));
  const form = new URLSearchParams(accessToken === undefined ? {} : { access_token: accessToken });
  const isForm = accessToken !== undefined && method !== 'GET';
  const type = isForm ? 'application/x-www-form-urlencoded' : (json ?? types[0]);
  const asked = path.endsWith('/query') ? question : {};
  if (method === 'GET') for (const [name, value] of Object.entries(asked)) form.set(name, String(value));
  const query = method === 'GET' && form.size > 0 ? `?${form}` : '';
  const response = await fetch(url + path.replace(/\{\w+\}/g, 'x') + query, {
    method,
    redirect: 'manual',
    headers: { ...headers, ...(type && { 'Content-Type': type }) },
    ...(type && { body: isForm ? form : json ? JSON.stringify(asked) : '' }),
  });
  const { status, headers: answered } = response;
  return { status, challenge: answered.get('www-authenticate'), headers: answered, text: await response.text() };
}

function sendIn(place: Place, server: TestServer, operation: Operation, token: string) {
  if (place === 'form') return send(server, operation, {}, token);
  return send(
    server,
    operation,
    place === 'cookie' ? { Cookie: `access_token=${token}` } : { Authorization: `Bearer ${token}` },
  );
}

describe('rights', function () {
  this.timeout(120_000); // thousands of requests
  let server: TestServer;
  let provider: IdentityProvider;
  let operations: Operation[];
  const tokenOf = new Map<string, string>();

  const serve = (coverage: object = {}) =>
    serveForTest({
      plugins: {
        beacon: {},
        coverage: { intervals: { httpLoading: true }, tickets: { key: 'k'.repeat(32) }, ...coverage },
        matchmaker: { page: 'token' },
        panels: {},
      },
      settings: { http: { docs: 'token', metrics: { access: 'token' } } },
      jobs: false,
    });

  before(async () => {
    provider = await IdentityProvider.start();
    const { jwksUrl, audience } = provider;
    server = await serve({ oidc: { jwksUrl, audience, cooldown: 1 } });
    operations = await operationsOf(server);
    for (const scope of held) tokenOf.set(scope, await server.token(scope));
  });
  after(async () => {
    await server.close();
    await provider.close();
  });

  const withApiToken = (token: string): Headers => ({ 'X-Auth-Token': token });

  it('are required as the API description states: 401 without a token, 403 with a token that lacks them', async () => {
    const required = operations.filter((one) => isRequired(one) && !takesAccessTokens(one));
    expect(required.length).to.be.greaterThan(40);
    for (const [turn, operation] of required.entries()) {
      const [, scope] = /Requires the scope `([^`]+)`/.exec(operation.description ?? '') ?? [];
      const isAccepted = ([own]: [string, string]) => scope === undefined || covers(own, scope);
      const others = [...tokenOf].filter((one) => !isAccepted(one));
      for (const [own, token] of [...[...tokenOf].filter(isAccepted), ...sampled(others, 3, turn)]) {
        const what = `${nameOf(operation)} ${own}`;
        const { status } = await send(server, operation, withApiToken(token));
        if (scope === undefined || covers(own, scope)) expect(status, what).to.not.be.oneOf([401, 500]);
        if (scope !== undefined) expect(status === 403, what).to.equal(!covers(own, scope));
      }
    }
  });

  it('are all described, and each is required or used somewhere', () => {
    const text = operations.map(({ description = '' }) => description).join('\n');
    for (const scope of scopes) expect(text).to.include(`\`${scope}\``);
    const silent = operations.filter(
      (one) => isRequired(one) && !takesAccessTokens(one) && !one.description?.includes('Requires the scope'),
    );
    // Any token is accepted: a job is shown to the owner of the token that started it.
    expect(silent.map(({ path }) => path)).to.deep.equal(['/-/jobs/{id}']);
  });

  it('change nothing on open routes', async () => {
    for (const [turn, operation] of operations.filter((one) => !isRequired(one)).entries()) {
      const open = await send(server, operation);
      for (const [own, token] of sampled([...tokenOf], 3, turn)) {
        const { status } = await send(server, operation, withApiToken(token));
        expect(status, `${nameOf(operation)} ${own}`).to.equal(open.status);
      }
    }
  });

  it('are never those of an anonymous caller if a credential is invalid', async () => {
    const issue = (expires?: Date, created = new Date()) =>
      issueToken(server.repository(tokens), { owner: 'lab', scopes: ['*'], expires }, created);
    const revoked = await issue();
    await server.repository(tokens).revoke(revoked.id, new Date());
    const good = await server.token('beacon:write');
    const lasting = await issue(new Date(Date.now() + 120_000));
    const expired = await issue(new Date(Date.now() - 1000), new Date(Date.now() - 60_000));
    const invalid: Headers[] = [
      { 'X-Auth-Token': '' },
      { 'X-Auth-Token': 'nonsense' },
      { 'X-Auth-Token': revoked.token },
      { 'X-Auth-Token': expired.token },
      { 'X-Auth-Token': `${good} x` },
      { Authorization: '' },
      { Authorization: 'Bearer nonsense' },
      { Authorization: `Bearer ${revoked.token}` },
      { Authorization: `Bearer ${expired.token}` },
      { Authorization: `Basic ${good}` },
      { Authorization: good },
      { 'X-Auth-Token': good, Authorization: 'Bearer nonsense' },
      { 'X-Auth-Token': 'nonsense', Authorization: `Bearer ${good}` },
    ];
    const valid: Headers[] = [
      withApiToken(good),
      { Authorization: `Bearer ${lasting.token}` },
      { Authorization: `Bearer ${good}`, ...withApiToken(good) },
    ];
    // Except the query page, which searches public datasets whatever credentials are sent.
    const ofOpenRoutes = /^(Bearer realm="beacon", error="invalid_(token|request)"|X-Auth-Token realm=)/;
    for (const operation of operations.filter((one) => schemesOf(one).size > 0 && one.path !== formPath)) {
      const anonymous = await send(server, operation);
      if (isRequired(operation)) expect(anonymous.status, nameOf(operation)).to.equal(401);
      for (const headers of invalid) {
        // Routes that need a token in one header do not look at the other.
        if (isRequired(operation) && headers['X-Auth-Token'] === good) continue;
        const what = `${nameOf(operation)} ${JSON.stringify(headers)}`;
        const { status, challenge, text } = await send(server, operation, headers);
        // A change with a password must come from a page of this server, whatever the password is.
        if (status === 403 && /^Basic/.test(headers.Authorization ?? '') && operation.method !== 'GET') continue;
        expect(status, what).to.equal(401);
        expect(challenge, what).to.match(isRequired(operation) ? /^(Bearer|X-Auth-Token|Basic) / : ofOpenRoutes);
        expect(text, what).to.not.include('nonsense').and.not.include(revoked.token);
      }
      if (isRequired(operation)) continue;
      for (const headers of valid) {
        expect((await send(server, operation, headers)).status, nameOf(operation)).to.equal(anonymous.status);
      }
    }
  });

  describe('by access tokens', () => {
    const kinds: Record<string, () => Promise<string[]>> = {
      valid: async () => [await provider.token()],
      expired: async () => [await provider.token({ expires: -60 })],
      'of another audience': async () => [await provider.token({ audience: 'another' })],
      'without aud': async () => [await provider.token({ audience: undefined })],
      'without exp': async () => [await provider.token({ expires: undefined })],
      "signed with another issuer's key": async () => [
        await provider.token({ key: await provider.stranger(), kid: provider.current.kid }),
      ],
      'with an unknown kid': async () => [
        await provider.token({ key: await provider.stranger() }),
        await provider.token({ kid: 'nobody' }),
      ],
      'of alg none': async () => [provider.unsigned()],
      'of HS256 with the public key': () => provider.confused(),
      'that is garbage': async () => ['garbage', 'a.b.c', '..', '%00', 'null', '{}'],
    };
    const protectedBy = () => operations.filter(takesAccessTokens);

    for (const [kind, make] of Object.entries(kinds)) {
      it(`at every endpoint and place: one ${kind}`, async () => {
        expect(protectedBy()).to.have.length(9);
        for (const token of await make()) {
          for (const operation of protectedBy()) {
            for (const place of ['form', 'cookie', 'header'] as const) {
              const what = `${nameOf(operation)} ${place} ${token}`;
              const { status, challenge, text } = await sendIn(place, server, operation, token);
              if (kind === 'valid' && placesOf(operation).includes(place)) {
                expect(status, what).to.equal(beyondTheToken);
                continue;
              }
              expect(status, what).to.equal(401);
              expect(challenge, what).to.match(/^Bearer /);
              expect(text, what).to.not.include('jw').and.not.include('signature');
            }
          }
          if (token.length > 40) expect(server.log()).to.not.include(token.slice(-40));
        }
      });
    }

    it('survive a rotation of keys', async () => {
      const statuses = async (token: string) =>
        Promise.all(
          protectedBy().map(
            async (operation) => (await sendIn(placesOf(operation)[0] as Place, server, operation, token)).status,
          ),
        );
      const all = protectedBy().map(() => beyondTheToken);
      const old = await provider.token();
      expect(await statuses(old)).to.deep.equal(all);
      await provider.rotate('RS256', { keep: true });
      await sleep(1050);
      const next = await provider.token();
      expect(await statuses(next)).to.deep.equal(all);
      expect(await statuses(old)).to.deep.equal(all);
    });

    it('are answered with 503 if they may be valid and the provider was never reached, others with 401', async () => {
      const gone = await IdentityProvider.start();
      const { jwksUrl, audience } = gone;
      const [token, expired] = [await gone.token(), await gone.token({ expires: -60 })];
      await gone.close();
      const alone = await serve({ oidc: { jwksUrl, audience } });
      try {
        for (const operation of (await operationsOf(alone)).filter(takesAccessTokens)) {
          for (const place of placesOf(operation)) {
            const { status, headers } = await sendIn(place, alone, operation, token);
            expect(status, nameOf(operation)).to.equal(503);
            expect(Number(headers.get('retry-after'))).to.be.greaterThan(0);
            const refused = await sendIn(place, alone, operation, expired);
            expect([refused.status, refused.challenge?.slice(0, 7)], nameOf(operation)).to.deep.equal([401, 'Bearer ']);
          }
        }
      } finally {
        await alone.close();
      }
    });

    it('are needed by no endpoint if no provider is set up', async () => {
      const open = await serve();
      try {
        const paths = new Set(protectedBy().map(nameOf));
        const found = (await operationsOf(open)).filter((one) => paths.has(nameOf(one)));
        expect(found).to.have.length(9);
        for (const operation of found) {
          expect(schemesOf(operation).size, nameOf(operation)).to.equal(0);
          expect((await send(open, operation)).status, nameOf(operation)).to.equal(beyondTheToken);
        }
      } finally {
        await open.close();
      }
    });
  });
});
