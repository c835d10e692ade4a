/** The one place where every access finds out who sends a request. */
import { expect } from 'chai';
import { hashToken } from '../../../core/auth/access.js';
import { Fault } from '../../../core/fault.js';
import { type CallerSources, defineRight, heldGrants, type IdentifiedSubject } from '../../../core/policy/policy.js';
import { apiToken, get, problemOf, type Served, serve } from '../http/support.js';
import { type TokenStore, tokenStore } from '../http/tokens.js';

const read = defineRight<{ id: string }>({
  scope: 'demo:read',
  summary: 'Read',
  of: { noun: 'book', id: ({ id }) => id },
});
const write = defineRight({ scope: 'demo:write', summary: 'Write' });

function subject(owner: string, scopes: readonly string[]): IdentifiedSubject {
  const grants = scopes.map((scope) => ({ scope, because: `the grant of ${owner}` }));
  return { kind: 'subject', owner, issuer: 'https://idp.test/', [heldGrants]: grants };
}

/** Bearer tokens `person …` are of an identity provider; the session cookie names its person. */
const callers: CallerSources = {
  async bearer({ headers }) {
    const [, person] = /^Bearer person-(.*)$/.exec(headers.authorization ?? '') ?? [];
    if (person === 'forged') {
      throw new Fault('unauthenticated', 'Forged', { headers: { 'WWW-Authenticate': 'Bearer realm="trefoil"' } });
    }
    return person === undefined ? undefined : subject(person, [`demo:read:${person}`]);
  },
  async session({ headers }) {
    const [, person] = /^session=(.*)$/.exec(headers.cookie ?? '') ?? [];
    return person === undefined ? undefined : subject(person, ['demo:read:diary']);
  },
};

describe('the caller of a request', () => {
  let store: TokenStore;
  let server: Served;

  before(async () => {
    store = await tokenStore();
    await store.repository.add(apiToken({ hash: hashToken('a-token-of-the-lab'), owner: 'lab', scopes: ['demo:*'] }));
    server = await serve(
      (host) => {
        const optional = host.optionalAccess(read);
        host.route(get('/token', ({ principal }) => ({ body: principal }), { access: host.tokenAccess(read) }));
        host.route(get('/write', ({ principal }) => ({ body: principal }), { access: host.tokenAccess(write) }));
        host.route(get('/page', ({ principal }) => ({ body: principal }), { access: host.browserAccess(read) }));
        host.route(
          get('/open', async (head) => ({ body: await optional.callerOf(head) }), { optionalAccess: optional }),
        );
        host.route(
          get('/why/:id', async (head) => {
            const { id } = head.params as { id: string };
            return { body: { why: await host.policy.why(await optional.callerOf(head), read, { id }) } };
          }),
        );
      },
      { rights: [read, write], tokens: store.repository, callers },
    );
  });
  after(async () => {
    await server.close();
    await store.close();
  });

  const ask = (path: string, headers: Record<string, string> = {}) => fetch(server.url + path, { headers });
  const caller = async (path: string, headers?: Record<string, string>) => {
    const response = await ask(path, headers);
    expect(response.status, `${path} ${JSON.stringify(headers)}`).to.equal(200);
    return (await response.json()) as unknown;
  };
  const person = { kind: 'subject', owner: 'atlas', issuer: 'https://idp.test/' };
  const lab = { kind: 'token', owner: 'lab' };

  it('is recognised by every access from the same credential', async () => {
    for (const path of ['/token', '/page', '/open']) {
      expect(await caller(path, { Authorization: 'Bearer person-atlas' }), path).to.deep.equal(person);
      expect(await caller(path, { Cookie: 'session=atlas' }), path).to.deep.equal(person);
      expect(await caller(path, { 'X-Auth-Token': 'a-token-of-the-lab' }), path).to.deep.equal(lab);
    }
  });

  it('has the rights that its credential grants, and no others', async () => {
    const why = async (id: string) => (await caller(`/why/${id}`, { Authorization: 'Bearer person-atlas' })) as object;
    expect(await why('atlas')).to.deep.equal({ why: 'the grant of atlas' });
    expect(await why('diary')).to.deep.equal({});
    const refused = await ask('/write', { Authorization: 'Bearer person-atlas' });
    expect(refused.status).to.equal(403);
    expect((await problemOf(refused)).detail).to.equal('You do not have the right demo:write');
  });

  it('is refused by every access if the credential is not valid, and is never taken for anonymous', async () => {
    for (const path of ['/token', '/page', '/open']) {
      const refused = await ask(path, { Authorization: 'Bearer person-forged', Cookie: 'session=atlas' });
      expect([refused.status, refused.headers.get('www-authenticate')], path).to.deep.equal([
        401,
        'Bearer realm="trefoil"',
      ]);
      const unknown = await ask(path, { Authorization: 'Bearer an-unknown-token', Cookie: 'session=atlas' });
      expect(unknown.status, path).to.equal(401);
    }
  });

  it('comes from the credential that the client sends, before the cookies that a browser adds', async () => {
    const cookie = { Cookie: 'session=atlas' };
    for (const path of ['/token', '/page', '/open']) {
      expect(await caller(path, { ...cookie, 'X-Auth-Token': 'a-token-of-the-lab' }), path).to.deep.equal(lab);
      const wrong = await ask(path, { ...cookie, 'X-Auth-Token': 'wrong' });
      expect(wrong.status, path).to.equal(401);
    }
    const basic = `Basic ${Buffer.from('any:a-token-of-the-lab').toString('base64')}`;
    expect(await caller('/page', { ...cookie, Authorization: basic })).to.deep.equal(lab);
  });

  it('is one: a request with two callers is refused', async () => {
    for (const path of ['/token', '/page', '/open']) {
      const both = { 'X-Auth-Token': 'a-token-of-the-lab', Authorization: 'Bearer person-atlas' };
      const refused = await ask(path, both);
      expect(refused.status, path).to.equal(401);
      expect((await problemOf(refused)).detail).to.include('send one of them');
    }
  });
});
