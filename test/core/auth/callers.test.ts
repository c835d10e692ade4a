/** When brokers are asked, how often, and what happens if they fail or withdraw what they said. */
import { expect } from 'chai';
import type { Context } from 'koa';
import { callerSources } from '../../../core/auth/callers.js';
import { authSettings } from '../../../core/auth/settings.js';
import { isFault } from '../../../core/fault.js';
import { createPolicy, defineRight, type Principal } from '../../../core/policy/policy.js';
import { Broker, newKey, now } from '../../support/broker.js';
import { faultsOf } from '../../support/configured.js';

const read = defineRight<{ id: string }>({
  scope: 'demo:read',
  summary: 'Read',
  part: 'read',
  of: { noun: 'book', id: ({ id }) => id },
});
const hour = 3600;

const status = (code: number) => (context: Context) => {
  context.status = code;
};
const body = (content: unknown) => (context: Context) => {
  context.body = content;
};

describe('callers whom identity providers vouch for', () => {
  let broker: Broker;
  let rems: Broker;
  /** Seconds that have passed for the server since the test began. */
  let passed = 0;
  let logged: string[] = [];
  let source: (token: string) => Promise<Principal | undefined>;

  function configure(issuer: Record<string, unknown> = {}): void {
    const auth = authSettings.parse({
      issuers: [{ issuer: broker.issuer, audience: broker.audience, visas: 'userinfo', timeout: 1, ...issuer }],
      visaIssuers: [
        {
          issuer: rems.issuer,
          jku: [rems.jwksUrl],
          subjectsOf: broker.issuer,
          sources: { ControlledAccessGrants: ['https://dac.test'] },
        },
      ],
      visaGrants: [{ value: 'https://data.test/1', scopes: ['demo:read:one'] }],
      roles: [{ claim: 'groups', value: '/lab', role: 'read' }],
    });
    const write = (...line: unknown[]) => void logged.push(JSON.stringify(line));
    const { bearer } = callerSources({
      auth,
      rights: [read],
      log: { debug: write, info: write, warn: write, error: write },
      now: () => new Date(Date.now() + passed * 1000),
    });
    source = async (token) => bearer?.({ method: 'GET', headers: { authorization: `Bearer ${token}` } });
  }

  beforeEach(async () => {
    [broker, rems] = await Promise.all([Broker.start(), Broker.start()]);
    passed = 0;
    logged = [];
    configure();
  });
  afterEach(async () => {
    await Promise.all([broker.close(), rems.close()]);
    // Neither tokens nor names of people.
    expect(logged.join('\n')).to.not.match(/eyJ|\bada\b/);
  });

  const lasting = { exp: now() + 10 * hour };
  const grant = () => rems.visa({ sub: 'ada', claims: lasting });
  const policy = createPolicy();
  const mayRead = async (token: string) => {
    const caller = await source(token);
    if (caller === undefined) throw new Error('the token was not recognised');
    return policy.may(caller, read, { id: 'one' });
  };
  const faultOf = async (token: string) => {
    try {
      await source(token);
    } catch (error) {
      if (isFault(error)) return error.code;
      throw error;
    }
    return 'accepted';
  };

  it('are not asked about tokens of others, and API tokens are not theirs', async () => {
    for (const token of ['trf_0123456789', 'a.b.c', '..', await rems.accessToken('ada')]) {
      expect(await source(token), token).to.equal(undefined);
    }
    expect(broker.requests('jwks')).to.equal(0);
  });

  it('keep the visas of a token for an hour, and what was withdrawn then ends', async () => {
    broker.add({ sub: 'ada', visas: [await grant()] });
    const token = await broker.accessToken('ada', lasting);
    expect(await Promise.all([mayRead(token), mayRead(token), mayRead(token)])).to.deep.equal([true, true, true]);
    broker.add({ sub: 'ada', visas: [] });
    passed = hour - 60;
    expect([await mayRead(token), broker.requests('userinfo')]).to.deep.equal([true, 1]);
    passed = hour + 60;
    expect([await mayRead(token), broker.requests('userinfo')]).to.deep.equal([false, 2]);
    // Another token of the same person is asked about by itself.
    broker.add({ sub: 'ada', visas: [await grant()] });
    expect(await mayRead(await broker.accessToken('ada', lasting))).to.equal(true);
  });

  it('keep visas no longer than the first of them is valid', async () => {
    const brief = await rems.visa({ sub: 'ada', claims: { exp: now() + 300 } });
    broker.add({ sub: 'ada', visas: [brief] });
    const token = await broker.accessToken('ada', lasting);
    expect(await mayRead(token)).to.equal(true);
    passed = 301;
    expect(await mayRead(token)).to.equal(false);
  });

  it('refuse a token from the moment at which their broker does', async () => {
    broker.add({ sub: 'ada', visas: [await grant()] });
    const token = await broker.accessToken('ada', lasting);
    expect(await mayRead(token)).to.equal(true);
    broker.faults = { userinfo: status(401) };
    passed = hour + 60;
    expect(await faultOf(token)).to.equal('unauthenticated');
    expect(await faultOf(token)).to.equal('unauthenticated');
    expect(broker.requests('userinfo')).to.equal(2);
  });

  it('are unavailable while their broker fails, which is asked again after half a minute', async () => {
    broker.add({ sub: 'ada', visas: [await grant()] });
    const failures: [string, Broker['faults']][] = [
      ['500', { userinfo: status(500) }],
      ['429', { userinfo: status(429) }],
      ['no response', { userinfo: () => new Promise<void>(() => undefined) }],
      ['an endless response', { userinfo: body('x'.repeat(3 * 1024 * 1024)) }],
    ];
    for (const [what, faults] of failures) {
      broker.faults = faults;
      const before = broker.requests('userinfo');
      const token = await broker.accessToken('ada', lasting);
      expect(await faultOf(token), what).to.equal('unavailable');
      expect(await faultOf(token), what).to.equal('unavailable');
      expect(broker.requests('userinfo') - before, what).to.equal(1);
      broker.faults = {};
      passed += 31;
      expect(await mayRead(token), what).to.equal(true);
    }
  });

  it('follow no redirect, and believe nothing that another host says', async () => {
    broker.add({ sub: 'ada', visas: [await grant()] });
    broker.faults = { userinfo: (context) => context.redirect(rems.endpoint('userinfo')) };
    expect(await mayRead(await broker.accessToken('ada', lasting))).to.equal(false);
    expect(rems.requests('userinfo')).to.equal(0);
    rems.faults = { jwks: (context) => context.redirect(broker.jwksUrl) };
    broker.faults = {};
    expect(await mayRead(await broker.accessToken('ada', lasting))).to.equal(false);
  });

  it('are asked for their keys once for any number of unknown ones', async () => {
    const visas = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => rems.visa({ sub: 'ada', header: { kid: `no-${i}` } })),
    );
    broker.add({ sub: 'ada', visas: [...visas, await grant()] });
    expect(await mayRead(await broker.accessToken('ada', lasting))).to.equal(true);
    expect(rems.requests('jwks')).to.equal(1);
    const tokens = await Promise.all(
      Array.from({ length: 20 }, (_, i) => broker.accessToken('ada', {}, { header: { kid: `no-${i}` } })),
    );
    for (const token of tokens) expect(await faultOf(token)).to.equal('unauthenticated');
    expect(broker.requests('jwks')).to.equal(1);
  });

  it('are unavailable while their keys are, and visas do not count for half a minute if the keys of their issuer are', async () => {
    broker.add({ sub: 'ada', visas: [await grant()] });
    rems.faults = { jwks: status(500) };
    const token = await broker.accessToken('ada', lasting);
    expect(await mayRead(token)).to.equal(false);
    configure();
    broker.faults = { jwks: status(500) };
    expect(await faultOf(token)).to.equal('unavailable');
    expect(await faultOf(await broker.accessToken('ada', { exp: now() - 100 })), 'expired').to.equal('unauthenticated');
  });

  it('are taken by metadata that name them, and no address elsewhere on private networks is asked', async () => {
    const wrong: [string, Record<string, unknown>][] = [
      ['another issuer', { issuer: rems.issuer }],
      ['an issuer with another slash', { issuer: broker.issuer.replace(/\/$/, '') }],
      ['keys on a private network', { jwks_uri: 'https://10.0.0.1/jwks' }],
      ['keys without https', { jwks_uri: 'http://keys.test/jwks' }],
      ['no keys', { jwks_uri: undefined }],
      ['a file', { jwks_uri: 'file:///etc/passwd' }],
    ];
    const token = await broker.accessToken('ada');
    for (const [what, changes] of wrong) {
      configure();
      broker.faults = { discovery: (document) => ({ ...document, ...changes }) };
      expect(await faultOf(token), what).to.equal('unavailable');
    }
    broker.faults = {};
    configure();
    expect(await faultOf(token)).to.equal('accepted');
  });

  it('exchange tokens for passports, with their own secret, and believe only passports of the person', async () => {
    const { id, secret } = broker.client;
    const exchanging = { visas: 'exchange', clientId: id, clientSecret: secret };
    const visas = [await grant()];
    broker.add({ sub: 'ada', visas });
    configure(exchanging);
    const token = await broker.accessToken('ada', lasting);
    expect(await mayRead(token)).to.equal(true);
    expect([await mayRead(token), broker.requests('exchange'), broker.requests('userinfo')]).to.deep.equal([
      true,
      1,
      0,
    ]);
    configure({ ...exchanging, clientSecret: 'wrong' });
    expect(await mayRead(token), 'a wrong secret').to.equal(false);
    const wrong: [string, unknown][] = [
      ['another person', await broker.passport('eve', visas)],
      ['another issuer', await broker.passport('ada', visas, { iss: rems.issuer })],
      ['another key', await broker.passport('ada', visas, {}, { key: await newKey() })],
      ['an expired one', await broker.passport('ada', visas, { exp: now() - 61 })],
      ['a passport for another client', await broker.passport('ada', visas, { aud: 'another' })],
      ['an access token', await broker.accessToken('ada', { ga4gh_passport_v1: visas })],
      ['a list', visas],
      ['nothing', undefined],
    ];
    for (const [what, passport] of wrong) {
      configure(exchanging);
      broker.faults = { exchange: body({ access_token: passport }) };
      expect(await mayRead(token), what).to.equal(false);
    }
  });

  it('have the rights of their claims in access tokens for this server, and in no others', async () => {
    configure({ requireAudience: false });
    broker.add({ sub: 'ada', claims: { groups: ['/lab'] } });
    expect(await mayRead(await broker.accessToken('ada'))).to.equal(true);
    expect(await mayRead(await broker.accessToken('ada', { aud: undefined })), 'no audience').to.equal(false);
    expect(await mayRead(await broker.passport('ada', [], { groups: ['/lab'] })), 'a passport').to.equal(false);
  });
});

describe('configuration: visas', () => {
  const wrong = async (auth: Record<string, unknown>, more: Record<string, unknown> = {}) => {
    const faults = await faultsOf({
      overrides: [
        { path: ['auth'], value: auth, source: 'test' },
        { path: ['plugins'], value: { beacon: {} }, source: 'test' },
        ...Object.entries(more).map(([key, value]) => ({ path: [key], value, source: 'test' })),
      ],
    });
    return faults.map(({ path, message }) => `${path}: ${message}`).join('\n');
  };
  const issuer = { issuer: 'https://login.test/', audience: 'x' };

  it('may grant rights to read single things only', async () => {
    for (const scope of [
      '*',
      'beacon:*',
      'beacon:read',
      'beacon:write:one',
      'beacon:admin',
      'beacon:cases:one',
      'server:read',
    ]) {
      const faults = await wrong({ visaGrants: [{ value: 'https://data.test/1', scopes: [scope] }] });
      expect(faults, scope).to.match(/^auth\.visaGrants\.0\.scopes\.0: .*more than a visa may grant/);
    }
    expect(await wrong({ visaGrants: [{ value: 'x', scopes: ['becon:read:one'] }] })).to.include('did you mean');
    const audit = { visaGrants: [{ value: 'x', scopes: ['server:audit'] }] };
    expect(await wrong(audit)).to.include('Unknown scope "server:audit"');
    expect(await wrong(audit, { audit: { key: 'k'.repeat(32) } })).to.include(
      '"server:audit" is more than a visa may grant',
    );
  });

  it('need issuers with safe addresses, each once', async () => {
    expect(await wrong({ issuers: [{ ...issuer, issuer: 'http://login.test/' }] })).to.include(
      'must be an https address',
    );
    expect(await wrong({ issuers: [{ ...issuer, jwksUrl: 'https://a:b@login.test/' }] })).to.include(
      'must be an https',
    );
    expect(await wrong({ issuers: [issuer, issuer] })).to.include('names an issuer twice');
    expect(await wrong({ issuers: [{ ...issuer, algorithms: ['HS256'] }] })).to.include('auth.issuers.0.algorithms.0');
    expect(await wrong({ issuers: [{ ...issuer, visas: 'exchange' }] })).to.include('exchange needs clientId');
  });
});
