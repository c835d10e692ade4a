/** Bearer tokens in headers, cookies and forms, against a real key server. */
import { expect } from 'chai';
import { z } from 'zod';
import { bearerVerifier, formOrCookieAccess, headerAccess } from '../../../core/openid.js';
import { route } from '../../../core/plugin.js';
import { IdentityProvider } from '../../support/identity-provider.js';
import { raw, type Served, serve } from './support.js';

const quiet = { warn() {} };

describe('bearer tokens', () => {
  let provider: IdentityProvider;
  beforeEach(async () => {
    provider = await IdentityProvider.start();
  });
  afterEach(() => provider.close());

  const verifier = (options: Partial<Parameters<typeof bearerVerifier>[0]> = {}) =>
    bearerVerifier({
      jwksUrl: provider.jwksUrl,
      audience: provider.audience,
      algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA'],
      clockTolerance: 5,
      timeout: 1,
      cooldown: 30,
      log: quiet,
      now: () => new Date(),
      ...options,
    });

  async function refused(verify: ReturnType<typeof verifier>, token: string | undefined): Promise<string> {
    try {
      await verify(token);
    } catch (error) {
      const { code, headers, message } = error as { code: string; headers: Record<string, string>; message: string };
      expect(code).to.equal('unauthenticated');
      expect(headers['WWW-Authenticate']).to.match(/^Bearer realm="trefoil"/);
      return message;
    }
    throw new Error('the token was accepted');
  }

  it('identifies the owner of a valid token, for every configured algorithm', async () => {
    const verify = verifier({ cooldown: 1 });
    expect(await verify(await provider.token())).to.deep.equal({ kind: 'subject', owner: 'somebody' });
    for (const alg of ['PS256', 'ES256', 'EdDSA']) {
      const other = await IdentityProvider.start(alg);
      try {
        await verifier({ jwksUrl: other.jwksUrl })(await other.token());
        await refused(verifier({ jwksUrl: other.jwksUrl, algorithms: ['RS256'] }), await other.token());
      } finally {
        await other.close();
      }
    }
  });

  it('accepts an audience in a list, but no audience that only begins alike', async () => {
    const verify = verifier();
    await verify(await provider.token({ audience: ['account', provider.audience] }));
    await refused(verify, await provider.token({ audience: `${provider.audience}-2` }));
    await refused(verify, await provider.token({ audience: [] }));
    await refused(verify, await provider.token({ audience: '' }));
  });

  it('allows clocks to differ by the tolerance, and no more', async () => {
    const verify = verifier();
    await verify(await provider.token({ expires: -2 }));
    await refused(verify, await provider.token({ expires: -20 }));
    await verify(await provider.token({ notBefore: 2 }));
    await refused(verify, await provider.token({ notBefore: 60 }));
  });

  it('does not reveal which check failed', async () => {
    const verify = verifier();
    const sentences = new Set([
      await refused(verify, await provider.token({ expires: -60 })),
      await refused(verify, await provider.token({ audience: 'other' })),
      await refused(verify, 'garbage'),
      await refused(verify, provider.unsigned()),
      await refused(verify, 'x'.repeat(100_000)),
    ]);
    expect([...sentences]).to.deep.equal(['The access token is not valid']);
  });

  it('fetches the keys once for many concurrent tokens', async () => {
    const verify = verifier();
    const token = await provider.token();
    await Promise.all(Array.from({ length: 20 }, () => verify(token)));
    expect(provider.fetches).to.equal(1);
  });

  it('finds a new key without a restart, and limits look-ups of unknown ones by the cooldown', async () => {
    const verify = verifier({ cooldown: 1 });
    const before = await provider.token();
    await verify(before);
    await provider.rotate('RS256', { keep: true });
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await verify(await provider.token());
    await verify(before);
    expect(provider.fetches).to.equal(2);
    const cooling = verifier({ cooldown: 3600 });
    await cooling(before);
    const stranger = await provider.stranger();
    for (let i = 0; i < 10; i += 1) await refused(cooling, await provider.token({ key: stranger }));
    expect(provider.fetches).to.equal(3);
  });

  it('refuses a key that is no longer published, once the keys have been fetched again', async () => {
    const verify = verifier({ cooldown: 1 });
    const old = await provider.token();
    await verify(old);
    await provider.rotate();
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await verify(await provider.token());
    await refused(verify, old);
  });

  /** Expects the fault for a token that cannot be verified now. */
  async function unavailable(verify: ReturnType<typeof verifier>, token: string): Promise<void> {
    const error = await verify(token).then(
      () => undefined,
      (thrown: { code: string; headers: Record<string, string> }) => thrown,
    );
    expect(error?.code).to.equal('unavailable');
    expect(Number(error?.headers['Retry-After'])).to.be.greaterThan(0);
  }

  for (const trouble of ['down', 'hangs', 'garbage'] as const) {
    it(`cannot be verified until the key server (${trouble}) responds, which is contacted rarely`, async () => {
      provider.trouble = trouble;
      const verify = verifier();
      const token = await provider.token();
      for (let i = 0; i < 5; i += 1) await unavailable(verify, token);
      expect(provider.fetches).to.equal(1);
      // Tokens that no key could make valid are still refused.
      await refused(verify, await provider.token({ expires: -60 }));
      await refused(verify, await provider.token({ audience: 'other' }));
      await refused(verify, 'garbage');
      await refused(verify, provider.unsigned());
      await refused(verify, undefined);
    });
  }

  it('are verified with the cached keys while the key server is down; an unknown key may be a new one', async () => {
    const verify = verifier({ cooldown: 1 });
    const token = await provider.token();
    await verify(token);
    provider.trouble = 'down';
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await unavailable(verify, await provider.token({ key: await provider.rotate('RS256', { keep: true }) }));
    await verify(token);
    expect(provider.fetches).to.equal(2);
    provider.trouble = undefined;
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await verify(await provider.token());
    await refused(verify, await provider.token({ key: await provider.stranger() }));
  });

  it('must be from the issuer if one is configured, and otherwise from any', async () => {
    const ours = await provider.token({ claims: { iss: 'https://login.example.org/realms/lab' } });
    const theirs = await provider.token({ claims: { iss: 'https://login.example.org/realms/other' } });
    const verify = verifier({ issuer: 'https://login.example.org/realms/lab' });
    await verify(ours);
    await refused(verify, theirs);
    await refused(verify, await provider.token({ claims: {} }));
    await refused(verify, await provider.token({ claims: { iss: ['https://login.example.org/realms/lab'] } }));
    for (const token of [ours, theirs]) await verifier()(token);
  });

  /** Header and claims as in OpenID Connect Core, Back-Channel Logout, RFC 9068 and Keycloak. */
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
  const kinds: Record<'access' | 'id' | 'other', { typ?: string; claims: Record<string, unknown> }[]> = {
    access: [
      { claims: { scope: 'openid' } },
      { typ: 'JWT', claims: {} },
      { typ: 'at+jwt', claims: { nonce: 'n' } },
      { typ: 'application/at+jwt', claims: {} },
      { typ: 'JWT', claims: { typ: 'Bearer', nonce: 'n', scope: 'openid email' } },
    ],
    id: [
      { typ: 'JWT', claims: { typ: 'ID', nonce: 'n', at_hash: 'x' } },
      { claims: { at_hash: 'x', scope: 'openid' } },
      { typ: 'JWT', claims: { nonce: 'n', name: 'Somebody' } },
    ],
    other: [
      { typ: 'logout+jwt', claims: { events, sid: 's' } },
      { typ: 'JWT', claims: { events, sid: 's' } },
      { typ: 'logout+jwt', claims: {} },
      { typ: 'JWT', claims: { typ: 'Logout' } },
      { typ: 'JWT', claims: { typ: 'Refresh' } },
      { typ: 'secevent+jwt', claims: {} },
      { typ: 'dpop+jwt', claims: { typ: 'Bearer' } },
    ],
  };
  for (const [kind, tokens] of Object.entries(kinds)) {
    for (const options of tokens) {
      it(`of the kind ${kind} are distinguished by ${JSON.stringify(options)}`, async () => {
        const verify = verifier();
        const token = await provider.token(options);
        if (kind === 'access') await verify(token);
        else await refused(verify, token);
        const where = 'access-or-id';
        if (kind === 'other') await refused((sent) => verify(sent, where), token);
        else expect((await verify(token, where)).owner).to.equal('somebody');
      });
    }
  }

  it('have one encoding: no padding, and no bits that decoding drops', async () => {
    const verify = verifier();
    const token = await provider.token();
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    // 256 bytes are 342 characters; only two bits of the last one count.
    const last = alphabet[alphabet.indexOf(token.at(-1) ?? '') + 1] ?? '';
    await verify(token);
    for (const other of [
      `${token}=`,
      `${token}==`,
      `${token} `,
      `${token}\n`,
      `${token.slice(0, -1)}${last}`,
      ` ${token}`,
    ]) {
      await refused(verify, other);
    }
  });

  it('cannot be verified with symmetric algorithms', () => {
    expect(() => verifier({ algorithms: ['HS256'] })).to.throw();
    expect(() => verifier({ algorithms: ['none'] })).to.throw();
  });

  describe('in a request', () => {
    let served: Served;
    const handled: unknown[] = [];
    const form = z.object({ wish: z.string() });
    beforeEach(async () => {
      handled.length = 0;
      const verify = verifier();
      served = await serve((host) => {
        const shared = {
          summary: 'For tests',
          answers: { 200: { description: 'Who', content: { 'application/json': z.any() } } },
          handle: ({ principal, body }: { principal?: unknown; body: unknown }) => {
            handled.push(body);
            return { body: { principal } };
          },
        };
        const types = ['application/x-www-form-urlencoded', 'application/json'];
        host.route(
          route({
            ...shared,
            method: ['GET', 'POST'],
            path: '/form',
            operation: 'form',
            access: formOrCookieAccess('access_token', verify),
            query: z.object({}),
            body: { types, schema: form, limit: 4000 },
          }),
        );
        host.route(
          route({
            ...shared,
            method: 'POST',
            path: '/header',
            operation: 'header',
            access: headerAccess(verify),
            body: { types, schema: form },
          }),
        );
      });
    });
    afterEach(() => served.close());

    const send = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
      fetch(`${served.url}${path}`, { method: 'POST', body: new URLSearchParams(fields), headers });

    it('are read from a form field or a cookie only if the route accepts these', async () => {
      const token = await provider.token();
      const wish = 'x';
      expect((await send('/form', { wish, access_token: token })).status).to.equal(200);
      expect((await send('/form', { wish }, { cookie: `a=b; access_token=${token}; c=d` })).status).to.equal(200);
      expect((await send('/form', { wish }, { cookie: `access_token="${token}"` })).status).to.equal(200);
      expect((await send('/form', { wish }, { authorization: `Bearer ${token}` })).status).to.equal(401);
      expect((await send('/form', { wish, id_token: token })).status).to.equal(401);
      expect((await send(`/form?access_token=${token}`, { wish })).status).to.equal(401);
      expect((await send('/header', { wish }, { authorization: `Bearer ${token}` })).status).to.equal(200);
      expect((await send('/header', { wish }, { authorization: `bearer ${token}` })).status).to.equal(200);
      expect((await send('/header', { wish, access_token: token })).status).to.equal(401);
      expect((await send('/header', { wish }, { cookie: `access_token=${token}` })).status).to.equal(401);
      expect((await send('/header', { wish }, { authorization: token })).status).to.equal(401);
      expect((await send('/header', { wish }, { authorization: `Basic ${token}` })).status).to.equal(401);
    });

    it('may accompany a stale cookie or field: one valid token is enough', async () => {
      const [good, bad] = [await provider.token(), await provider.token({ expires: -60 })];
      expect(
        (await send('/form', { wish: 'x', access_token: good }, { cookie: `access_token=${bad}` })).status,
      ).to.equal(200);
      expect(
        (await send('/form', { wish: 'x', access_token: bad }, { cookie: `access_token=${good}` })).status,
      ).to.equal(200);
      expect(
        (await send('/form', { wish: 'x', access_token: bad }, { cookie: `access_token=${bad}` })).status,
      ).to.equal(401);
      const twice = new URLSearchParams([
        ['wish', 'x'],
        ['access_token', good],
        ['access_token', good],
      ]);
      expect((await fetch(`${served.url}/form`, { method: 'POST', body: twice })).status).to.equal(401);
    });

    it('are checked before the form is validated, and give the principal to the handler', async () => {
      expect((await send('/form', {})).status).to.equal(401);
      const token = await provider.token();
      expect((await send('/form', { access_token: token })).status).to.equal(400);
      const answer = await send('/form', { wish: 'x', access_token: token });
      expect(await answer.json()).to.deep.equal({ principal: { kind: 'subject', owner: 'somebody' } });
    });

    it('are not sought beyond the limit of a form, nor in a body that cannot hold a field', async () => {
      expect((await send('/form', { wish: 'x'.repeat(5000) })).status).to.equal(413);
      const json = await fetch(`${served.url}/form`, {
        method: 'POST',
        body: '{"wish": "x"}',
        headers: { 'content-type': 'application/json' },
      });
      expect(json.status).to.equal(401);
      expect((await fetch(`${served.url}/form`)).status).to.equal(401);
      expect(handled).to.deep.equal([]);
    });

    it('are refused in a header before the body has arrived', async () => {
      const head = `POST /header HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 500000\r\nConnection: close\r\n\r\n{`;
      expect(await raw(served.port, head)).to.match(/^HTTP\/1.1 401 /);
    });

    it('do not appear in the log', async () => {
      const [good, bad] = [await provider.token(), await provider.token({ expires: -60 })];
      await send('/form', { wish: 'x', access_token: good });
      await send('/form', { wish: 'x', access_token: bad });
      await send('/header', { wish: 'x' }, { authorization: `Bearer ${bad}` });
      const log = JSON.stringify(served.log);
      expect(log).to.not.include(good.slice(-40)).and.not.include(bad.slice(-40));
    });
  });
});
