/** Settings of access tokens, and how the endpoints refuse a request without one. All kinds at all endpoints: test/plugins/rights.test.ts. */
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { faultsOf } from '../../support/configured.js';
import { useTokens } from './support/serve.js';

describe('access tokens of the coverage endpoints', () => {
  const { server } = useTokens({});

  it('are missed in the format of these paths, with and without a trailing slash', async () => {
    for (const path of ['/coverage/d4/interval/', '/coverage/d4/interval', '/coverage/d4/genes/summary/']) {
      const response = await fetch(`${server().url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
      expect(response.status).to.equal(401);
      expect(await response.json()).to.deep.equal({ detail: 'This needs an access token' });
    }
  });
});

describe('settings of access tokens', () => {
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
