/** Contract §4 and §5: eight endpoints, and the track × kinds of token × places of the token. */

import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { faultsOf } from '../../support/configured.js';
import { IdentityProvider } from '../../support/identity-provider.js';
import { serveCoverage, useTokens } from './support/serve.js';

type Place = 'form' | 'cookie' | 'header';

interface Endpoint {
  path: string;
  method: 'GET' | 'POST';
  /** Where the endpoint reads the token, according to the contract's table. */
  places: readonly Place[];
}

const page = { method: 'POST', places: ['form', 'cookie'] } as const;
const json = { method: 'POST', places: ['header'] } as const;
const endpoints: readonly Endpoint[] = [
  { path: '/report', ...page },
  { path: '/overview', ...page },
  { path: '/gene_overview', ...page },
  { path: '/mane_overview', ...page },
  { path: '/coverage/d4/interval/', ...json },
  { path: '/coverage/d4/interval_file/', ...json },
  { path: '/coverage/d4/genes/summary', ...json },
  { path: '/coverage/samples/predicted_sex', method: 'GET', places: ['header'] },
  { path: '/coverage/track', method: 'GET', places: ['header', 'cookie'] },
];
const places: readonly Place[] = ['form', 'cookie', 'header'];

/** The response of an endpoint to a good token: these requests lack required data. */
const beyondTheToken = 422;

function send(url: string, { path, method }: Endpoint, place?: Place, token = ''): Promise<Response> {
  const isForm = !path.startsWith('/coverage/');
  const headers: Record<string, string> = {};
  if (place === 'header') headers.authorization = `Bearer ${token}`;
  if (place === 'cookie') headers.cookie = `access_token=${token}`;
  const asForm = isForm || place === 'form';
  const fields = new URLSearchParams(place === 'form' ? { access_token: token } : { build: 'GRCh37' });
  if (!asForm) headers['content-type'] = 'application/json';
  return fetch(method === 'GET' && place === 'form' ? `${url}${path}?${fields}` : `${url}${path}`, {
    method,
    headers,
    ...(method === 'GET' ? {} : { body: asForm ? fields : '{}' }),
  });
}

describe('tokens of the coverage endpoints', () => {
  const { provider, server } = useTokens({});

  const kinds: Record<string, () => Promise<string[]>> = {
    valid: async () => [await provider().token()],
    expired: async () => [await provider().token({ expires: -60 })],
    'of another audience': async () => [await provider().token({ audience: 'another' })],
    'without aud': async () => [await provider().token({ audience: undefined })],
    'without exp': async () => [await provider().token({ expires: undefined })],
    "signed with another issuer's key": async () => {
      const stranger = await provider().stranger();
      return [await provider().token({ key: stranger, kid: provider().current.kid })];
    },
    'with an unknown kid': async () => [
      await provider().token({ key: await provider().stranger() }),
      await provider().token({ kid: 'nobody' }),
    ],
    'of alg none': async () => [provider().unsigned()],
    'of HS256 with the public key': () => provider().confused(),
    'that is garbage': async () => ['garbage', 'a.b.c', '..', '%00', 'null', '{}'],
  };

  for (const endpoint of endpoints) {
    describe(endpoint.path, () => {
      it('refuses a request without a token', async () => {
        const answer = await send(server().url, endpoint);
        expect(answer.status).to.equal(401);
        expect(answer.headers.get('www-authenticate')).to.match(/^Bearer /);
      });

      for (const place of places) {
        for (const [kind, make] of Object.entries(kinds)) {
          const accepted = kind === 'valid' && endpoint.places.includes(place);
          it(`${accepted ? 'accepts' : 'refuses'} one ${kind} in the ${place}`, async () => {
            for (const token of await make()) {
              const answer = await send(server().url, endpoint, place, token);
              if (accepted) {
                expect(answer.status).to.equal(beyondTheToken);
              } else {
                expect(answer.status, token).to.equal(401);
                expect(answer.headers.get('www-authenticate')).to.match(/^Bearer /);
                expect(await answer.text())
                  .to.not.include('jw')
                  .and.not.include('signature');
              }
            }
          });
        }
      }

      it('survives a rotation of keys', async () => {
        const [place] = endpoint.places;
        const old = await provider().token();
        expect((await send(server().url, endpoint, place, old)).status).to.equal(beyondTheToken);
        await provider().rotate('RS256', { keep: true });
        await new Promise((resolve) => setTimeout(resolve, 1050));
        expect((await send(server().url, endpoint, place, await provider().token())).status).to.equal(beyondTheToken);
        expect((await send(server().url, endpoint, place, old)).status).to.equal(beyondTheToken);
      });
    });
  }

  it('responds with 401 in the format of these paths', async () => {
    const answer = await send(server().url, endpoints[4] as Endpoint);
    expect(await answer.json()).to.deep.equal({ detail: 'This needs an access token' });
  });

  it('checks the token with and without a trailing slash', async () => {
    for (const path of ['/coverage/d4/interval', '/coverage/d4/genes/summary/']) {
      expect((await send(server().url, { path, ...json })).status).to.equal(401);
    }
  });

  it('requires no token elsewhere', async () => {
    expect((await fetch(`${server().url}/`)).status).to.equal(200);
    expect((await fetch(`${server().url}/openapi.json`)).status).to.equal(200);
  });

  it('keeps tokens out of the log', async () => {
    const token = await provider().token({ expires: -60 });
    for (const endpoint of endpoints) for (const place of places) await send(server().url, endpoint, place, token);
    expect(server().log()).to.not.include(token.slice(-40));
  });
});

describe('coverage if the identity provider was never reached', () => {
  it('responds with 503 to tokens that may be valid and 401 to others, at every endpoint', async () => {
    const provider = await IdentityProvider.start();
    const { jwksUrl, audience } = provider;
    const [token, expired] = [await provider.token(), await provider.token({ expires: -60 })];
    await provider.close();
    const server = await serveCoverage({ settings: { oidc: { jwksUrl, audience } } });
    try {
      for (const endpoint of endpoints) {
        for (const place of endpoint.places) {
          const answer = await send(server.url, endpoint, place, token);
          expect(answer.status, endpoint.path).to.equal(endpoint.places.includes(place) ? 503 : 401);
          if (answer.status === 503) expect(Number(answer.headers.get('retry-after'))).to.be.greaterThan(0);
          const refused = await send(server.url, endpoint, place, expired);
          expect(refused.status, endpoint.path).to.equal(401);
          expect(refused.headers.get('www-authenticate')).to.match(/^Bearer /);
        }
      }
    } finally {
      await server.close();
    }
  });
});

describe('coverage without token settings', () => {
  it('requires no token at any endpoint', async () => {
    const server = await serveCoverage();
    try {
      for (const endpoint of endpoints) {
        expect((await send(server.url, endpoint)).status, endpoint.path).to.equal(beyondTheToken);
      }
    } finally {
      await server.close();
    }
  });

  const file = fileURLToPath(new URL('../../../config/one-plugin/coverage.yaml', import.meta.url));

  const sentence = ({ path, message }: { path: string; message: string }) => `${path}: ${message}`;

  it('does not start with only one of the two settings, and names the missing one', async () => {
    const withUrl = await faultsOf({ file, environment: { JWKS_URL: 'https://id.example.org/jwks.json' } });
    expect(withUrl.map(sentence)).to.deep.equal([
      'plugins.coverage.oidc.audience: is missing (AUDIENCE), while jwksUrl (JWKS_URL) is set: token checks need both',
    ]);
    const withAudience = await faultsOf({ file, environment: { AUDIENCE: 'trefoil' } });
    expect(withAudience.map(sentence)).to.deep.equal([
      'plugins.coverage.oidc.jwksUrl: is missing (JWKS_URL), while audience (AUDIENCE) is set: token checks need both',
    ]);
    const inFile = [{ path: ['plugins', 'coverage'], value: { oidc: { audience: 'trefoil' } }, source: 'test' }];
    expect(await faultsOf({ file, overrides: inFile })).to.have.length(1);
  });

  it('does not start with an algorithm that needs no private key', async () => {
    const overrides = [{ path: ['plugins', 'coverage'], value: { oidc: { algorithms: ['HS256'] } }, source: 'test' }];
    expect(await faultsOf({ file, overrides })).to.have.length(1);
  });
});
