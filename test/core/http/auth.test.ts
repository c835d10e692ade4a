import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { expect } from 'chai';
import { z } from 'zod';
import { hashToken, makeToken } from '../../../core/auth/access.js';
import { Fault } from '../../../core/fault.js';
import type { RunningWork } from '../../../core/http/exchange.js';
import { defineRight } from '../../../core/policy/policy.js';
import { apiToken, get, problemOf, raw, type Served, serve, until } from './support.js';
import { type TokenStore, tokenStore } from './tokens.js';

const write = defineRight({ scope: 'demo:write', summary: 'Write' });

describe('API tokens', () => {
  it('consist of 32 random bytes and are stored as a SHA-256', () => {
    const { token, hash } = makeToken();
    expect(token).to.match(/^trf_[A-Za-z0-9_-]{43}$/);
    expect(hash).to.match(/^[0-9a-f]{64}$/);
    expect(makeToken().token).to.not.equal(token);
    // Test vector "abc" of FIPS 180-4.
    expect(hashToken('abc')).to.equal('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  it('can be chosen by the operator, if long enough and printable', () => {
    expect(makeToken('0123456789abcdef')).to.deep.equal({
      token: '0123456789abcdef',
      hash: '9f9f5111f7b27a781f1f1ddde5ebc2dd2b796bfc7365c9c28b548e564176929f',
    });
    for (const bad of [
      '',
      '0123456789abcde',
      'x'.repeat(513),
      'with blanks in between',
      'ümlaut-ümlaut-ümlaut',
      `${'a'.repeat(20)}\n`,
    ]) {
      expect(() => makeToken(bad), bad)
        .to.throw(Fault, 'printable ASCII')
        .with.property('code', 'invalid');
    }
  });

  it('can be weak if the operator allows it', () => {
    const { hash } = makeToken('DEMO', { allowWeak: true });
    expect(hash).to.equal(hashToken('DEMO'));
    for (const bad of ['', 'x'.repeat(513), 'a b', 'ümlaut']) {
      expect(() => makeToken(bad, { allowWeak: true }), bad).to.throw(Fault, 'A token has 1 to 512 printable ASCII');
    }
    expect(() => makeToken('DEMO')).to.throw(
      Fault,
      'A token has 16 to 512 printable ASCII characters without blanks; --',
    );
    expect(() => makeToken('a b')).to.throw(Fault, /without blanks$/);
  });
});

describe('access by API token', () => {
  let store: TokenStore;
  let server: Served;
  /** The requests that the server handles. */
  let work: RunningWork;
  const isCreated = (created: unknown) => {
    work = created as RunningWork;
  };
  let now = new Date('2026-03-01T12:00:00Z');
  let touches: string[];
  let looks: number;
  /** What a look-up waits for after it has read. */
  let held: Promise<unknown> | undefined;

  beforeEach(async () => {
    now = new Date('2026-03-01T12:00:00Z');
    touches = [];
    looks = 0;
    held = undefined;
    store = await tokenStore();
    const add = (token: string, own: Partial<Parameters<typeof apiToken>[0]>) =>
      store.repository.add(apiToken({ hash: hashToken(token), id: token, ...own }));
    await add('writer-token-0001', { owner: 'lab', scopes: ['demo:write'] });
    await add('family-token-0001', { owner: 'lab', scopes: ['demo:*'] });
    await add('reader-token-0001', { owner: 'clinic', scopes: ['demo:read'] });
    await add('expired-token-001', { scopes: ['*'], expires: new Date('2026-03-01T12:00:00Z') });
    await add('lasting-token-001', { scopes: ['*'], expires: new Date('2026-03-01T12:00:01Z') });
    await add('revoked-token-001', { scopes: ['*'], revoked: new Date('2026-02-01T00:00:00Z') });
    subscribe('trefoil:http:work', isCreated);
    server = await serve(
      (host) => {
        host.route(get('/write', ({ principal }) => ({ body: principal }), { access: host.tokenAccess(write) }));
        host.route(
          get('/load', () => ({ body: 1 }), {
            method: 'POST',
            access: host.tokenAccess(write),
            body: { types: ['application/json'], schema: z.unknown() },
          }),
        );
      },
      {
        rights: [write],
        now: () => now,
        tokens: {
          ...store.repository,
          async findByHash(hash) {
            looks += 1;
            const found = await store.repository.findByHash(hash);
            await held;
            return found;
          },
          touch(id, at) {
            touches.push(`${id} ${at.toISOString()}`);
            return store.repository.touch(id, at);
          },
        },
      },
    );
  });
  afterEach(async () => {
    unsubscribe('trefoil:http:work', isCreated);
    await server.close();
    await store.close();
  });

  const ask = (token?: string) =>
    fetch(`${server.url}/write`, { headers: token === undefined ? {} : { 'X-Auth-Token': token } });

  it('admits a token that has the scope, and gives its owner to the handler', async () => {
    const response = await ask('writer-token-0001');
    // Only the policy sees scopes: even a handler that returns its caller does not reveal them.
    expect([response.status, await response.json()]).to.deep.equal([200, { kind: 'token', owner: 'lab' }]);
    expect((await ask('family-token-0001')).status).to.equal(200);
    expect((await ask('lasting-token-001')).status).to.equal(200);
  });

  it('responds 401 with a challenge to a missing, unknown, expired or revoked token', async () => {
    const missing = await ask();
    expect([missing.status, missing.headers.get('www-authenticate')]).to.deep.equal([
      401,
      'X-Auth-Token realm="trefoil"',
    ]);
    expect((await problemOf(missing)).detail).to.equal('This needs an API token in the header X-Auth-Token');
    for (const token of [
      'unknown',
      'expired-token-001',
      'revoked-token-001',
      'WRITER-TOKEN-0001',
      hashToken('writer-token-0001'),
    ]) {
      const response = await ask(token);
      expect(response.status, token).to.equal(401);
      expect(response.headers.get('www-authenticate')).to.equal('X-Auth-Token realm="trefoil"');
      expect((await problemOf(response)).detail).to.equal('The API token is not valid: unknown, expired or revoked');
    }
  });

  it('responds 403 to a token that lacks the scope', async () => {
    const response = await ask('reader-token-0001');
    expect(response.status).to.equal(403);
    expect((await problemOf(response)).detail).to.equal('The API token lacks the scope demo:write');
  });

  it('applies a revocation at once', async () => {
    expect((await ask('writer-token-0001')).status).to.equal(200);
    await store.repository.revoke('writer-token-0001', now);
    expect((await ask('writer-token-0001')).status).to.equal(401);
  });

  it('looks a token up once for all concurrent requests, and never uses an older look-up for them', async () => {
    let release = () => {};
    held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const first = ask('writer-token-0001');
    await until(() => looks === 1);
    // The first look-up has read, or is about to: the token is invalid from here on.
    await new Promise((resolve) => setTimeout(resolve, 50));
    await store.repository.revoke('writer-token-0001', now);
    const later = Array.from({ length: 20 }, () => ask('writer-token-0001'));
    const other = ask('reader-token-0001');
    await until(() => work.inFlight() === 1 + later.length + 1);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(looks, 'those who came later wait').to.equal(1);
    release();
    expect((await first).status).to.equal(200);
    expect((await Promise.all(later)).map(({ status }) => status)).to.eql(later.map(() => 401));
    expect((await other).status).to.equal(403);
    expect(looks).to.equal(3);
  });

  it('records the last use at most once a minute, and only of valid tokens', async () => {
    for (let i = 0; i < 3; i += 1) await ask('writer-token-0001');
    await ask('expired-token-001');
    now = new Date('2026-03-01T12:00:59Z');
    await ask('writer-token-0001');
    now = new Date('2026-03-01T12:01:00Z');
    await ask('writer-token-0001');
    await ask('family-token-0001');
    expect(touches).to.deep.equal([
      'writer-token-0001 2026-03-01T12:00:00.000Z',
      'writer-token-0001 2026-03-01T12:01:00.000Z',
      'family-token-0001 2026-03-01T12:01:00.000Z',
    ]);
    // The request did not wait for this record.
    const lastUsed = async () => (await store.repository.findByHash(hashToken('writer-token-0001')))?.lastUsed;
    while ((await lastUsed())?.getTime() !== now.getTime()) await new Promise((resolve) => setTimeout(resolve, 5));
  });

  it('serves the request if the use cannot be recorded, and logs that', async () => {
    const failing = await serve(
      (host) => host.route(get('/write', () => ({ body: 1 }), { access: host.tokenAccess(write) })),
      {
        rights: [write],
        tokens: {
          ...store.repository,
          findByHash: (hash) => store.repository.findByHash(hash),
          touch: () => Promise.reject(new Error('disk full')),
        },
      },
    );
    const response = await fetch(`${failing.url}/write`, { headers: { 'X-Auth-Token': 'writer-token-0001' } });
    expect(response.status).to.equal(200);
    await until(() => failing.log.some(({ msg }) => msg === 'token use not recorded'));
    await failing.close();
  });

  it('checks the token before it reads the body', async () => {
    // The request announces a thousand bytes and sends none: only a response that does not wait for them can arrive.
    const answer = await raw(
      server.port,
      'POST /load HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n',
    );
    expect(answer).to.match(/^HTTP\/1.1 401/);
  });

  it('never logs a token', async () => {
    const response = await fetch(`${server.url}/write`, { headers: { 'X-Auth-Token': 'wrong-token-in-log' } });
    expect(response.status).to.equal(401);
    expect(JSON.stringify(server.log)).to.not.match(/wrong-token|writer-token/);
  });
});
