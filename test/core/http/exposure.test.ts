/** Endpoints for operators are open, require a token, or are off; no other credential opens them. */
import { expect } from 'chai';
import { hashToken } from '../../../core/auth/access.js';
import { exposures } from '../../../core/http/settings.js';
import { apiToken, type Served, serve } from './support.js';
import { type TokenStore, tokenStore } from './tokens.js';

const operator = 'trf_operator-token-of-43-characters-0123456789';
const writer = 'trf_writers-token-of-43-characters-01234567890';

describe('endpoints for operators', () => {
  let server: Served | undefined;
  let store: TokenStore;
  before(async () => {
    store = await tokenStore();
    await store.repository.add(apiToken({ hash: hashToken(operator), owner: 'operators', scopes: ['server:read'] }));
    await store.repository.add(apiToken({ hash: hashToken(writer), owner: 'lab', scopes: ['beacon:write'] }));
  });
  after(() => store.close());
  afterEach(() => server?.close());

  const status = async (url: string, headers: Record<string, string> = {}) => {
    const response = await fetch(url, { headers });
    await response.text();
    return response.status;
  };
  const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

  const settings = {
    '/docs': (exposure: (typeof exposures)[number]) => ({ docs: exposure }),
    '/docs/assets/swagger-ui.css': (exposure: (typeof exposures)[number]) => ({ docs: exposure }),
    '/openapi.json': (exposure: (typeof exposures)[number]) => ({ openapi: exposure }),
    '/-/metrics': (exposure: (typeof exposures)[number]) => ({ metrics: { access: exposure } }),
  };
  const expected = {
    open: { anonymous: 200, writer: 200, operator: 200 },
    token: { anonymous: 401, writer: 403, operator: 200 },
    off: { anonymous: 404, writer: 404, operator: 404 },
  };
  for (const [path, setting] of Object.entries(settings)) {
    for (const exposure of exposures) {
      it(`${path} is ${exposure} if configured so`, async () => {
        server = await serve(() => undefined, { settings: setting(exposure), tokens: store.repository });
        const url = `${server.url}${path}`;
        expect({
          anonymous: await status(url),
          writer: await status(url, { 'X-Auth-Token': writer }),
          operator: await status(url, { 'X-Auth-Token': operator }),
        }).to.deep.equal(expected[exposure]);
        // Only the endpoint that the setting names is closed.
        expect(await status(`${server.url}/-/live`)).to.equal(200);
        const front = await (await fetch(server.url, { headers: { accept: 'text/html' } })).text();
        if (path === '/docs' || path === '/openapi.json') {
          expect(front.includes(`href="${path}"`)).to.equal(exposure !== 'off');
        }
      });
    }
  }

  it('accept the token as a bearer token and as a password, and make a browser ask for it', async () => {
    server = await serve(() => undefined, { settings: { docs: 'token' }, tokens: store.repository });
    const url = `${server.url}/docs`;
    expect(await status(url, { Authorization: `Bearer ${operator}` })).to.equal(200);
    expect(await status(url, { Authorization: basic('anybody', operator) })).to.equal(200);
    expect(await status(url, { Authorization: basic('', operator) })).to.equal(200);
    expect(await status(url, { Authorization: basic(operator, '') })).to.equal(401);
    expect(await status(url, { Authorization: basic('anybody', writer) })).to.equal(403);
    for (const wrong of [operator, 'Basic', 'Basic !!', 'Bearer x', `Digest ${operator}`]) {
      expect(await status(url, { Authorization: wrong }), wrong).to.equal(401);
    }
    const response = await fetch(url);
    expect(response.headers.get('www-authenticate')).to.equal('Basic realm="trefoil", charset="UTF-8"');
    expect(JSON.stringify(server.log)).to.not.include(operator);
  });

  it('keep their setting if metrics have a separate port', async () => {
    const metrics = { access: 'token', port: 0 } as const;
    server = await serve(() => undefined, { settings: { metrics }, tokens: store.repository });
    const alone = `http://127.0.0.1:${server.metricsPort}`;
    expect(await status(`${alone}/-/metrics`)).to.equal(401);
    expect(await status(`${alone}/-/metrics`, { Authorization: `Bearer ${operator}` })).to.equal(200);
    expect(await status(`${alone}/-/ready`)).to.equal(200);
    expect(await status(`${server.url}/-/metrics`, { Authorization: `Bearer ${operator}` })).to.equal(404);
  });
});
