/** Sign-in by the provider's authorization code: what works, and what forged or repeated returns get. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Context } from 'koa';
import { defineRight } from '../../../../core/policy/policy.js';
import { problemOf } from '../support.js';
import { type Browser, type Lab, openLab, publicUrl } from './support.js';

const read = defineRight({ scope: 'demo:read', summary: 'Read', part: 'read' });
const load = defineRight({ scope: 'demo:load', summary: 'Load', part: 'load' });

describe('signing in', () => {
  let lab: Lab;

  before(async () => {
    lab = await openLab(() => undefined, {
      rights: [read, load],
      roles: [
        { claim: 'groups', value: '/lab/doctors', role: 'read' },
        { claim: 'groups', value: '/lab/engineers', role: 'work' },
      ],
    });
  });
  after(() => lab.close());
  beforeEach(() => {
    lab.ahead = 0;
    lab.broker.faults = {};
    lab.broker.visitor = lab.broker.add({
      sub: 'erna',
      claims: { name: 'Erna Ågren', groups: ['/lab/doctors', '/else'] },
    });
    lab.logged.length = 0;
  });

  it('goes to the provider and back to where the person wanted to be', async () => {
    const browser = lab.browser();
    const { trail } = await browser.open('/-/sign-in?to=/-/me%3Fx%3D1');
    expect(trail).to.have.length(4);
    const asked = new URL(trail[1] ?? '');
    expect(asked.origin + asked.pathname).to.equal(lab.broker.endpoint('authorize'));
    expect(Object.fromEntries(asked.searchParams)).to.include({
      client_id: 'trefoil',
      response_type: 'code',
      scope: 'openid profile',
      redirect_uri: `${publicUrl}/-/sign-in/callback`,
      code_challenge_method: 'S256',
    });
    expect(asked.searchParams.get('code_challenge')).to.match(/^[\w-]{43}$/);
    expect(asked.searchParams.get('nonce')).to.match(/^[\w-]{43}$/);
    expect(asked.href).to.not.include('/-/me');
    expect(trail[3]).to.equal(`${publicUrl}/-/me?x=1`);
    expect(await browser.me()).to.deep.include({
      signedIn: true,
      name: 'Erna Ågren',
      issuer: lab.broker.issuer,
      subject: 'erna',
      roles: ['read'],
      tenants: [],
      rights: [{ scope: 'demo:read', because: ['role read'] }],
    });
  });

  it('keeps a secret in the browser alone, in a cookie that no script, other site or other host can use', async () => {
    const browser = lab.browser();
    await browser.open('/-/sign-in');
    expect(browser.session).to.match(/^[\w-]{43}$/);
    for (const name of ['__Host-trefoil-session', '__Host-trefoil-sign-in']) {
      const attributes = (browser.attributes.get(name) ?? '').split('; ');
      expect(attributes, name).to.include.members(['Path=/', 'HttpOnly', 'SameSite=Lax', 'Secure']);
      expect(attributes.join(), name).to.not.match(/domain/i);
    }
    expect(browser.attributes.get('__Host-trefoil-sign-in')).to.include('Max-Age=600');
    const [stored] = await lab.repository.list({ issuer: lab.broker.issuer, subject: 'erna' });
    const kept = JSON.stringify(await lab.repository.list());
    expect(kept).to.not.include(browser.session).and.not.include('/lab/doctors');
    expect(stored).to.include({ name: 'Erna Ågren' });
  });

  it('writes no token, code or address of a person to the log', async () => {
    const browser = lab.browser();
    const callback = await browser.upToCallback('/samples/ADM1059A1');
    await browser.open(callback);
    const lines = JSON.stringify(lab.server.log) + JSON.stringify(lab.logged);
    for (const secret of [
      new URL(callback).searchParams.get('code'),
      new URL(callback).searchParams.get('state'),
      browser.session,
      lab.broker.client.secret,
      'ADM1059A1',
      'Erna',
    ]) {
      expect(lines).to.not.include(String(secret));
    }
  });

  it('begins with a new secret, and ends the session that the browser had', async () => {
    const browser = lab.browser();
    // A cookie that someone else put there is not taken over.
    browser.cookies.set('__Host-trefoil-session', 'A'.repeat(43));
    await browser.open('/-/sign-in');
    const first = browser.session;
    expect(first).to.not.equal('A'.repeat(43));
    const before = (await lab.repository.list()).length;
    await browser.open('/-/sign-in');
    expect(browser.session).to.not.equal(first);
    expect(await lab.repository.list()).to.have.length(before);
    const old = lab.browser();
    old.cookies.set('__Host-trefoil-session', first ?? '');
    expect(await old.me()).to.include({ signedIn: false });
  });

  it('works in several tabs at the same time', async () => {
    const browser = lab.browser();
    const [one, two] = [await browser.upToCallback('/-/me?tab=1'), await browser.upToCallback('/-/me?tab=2')];
    expect((await browser.open(two)).trail.at(-1)).to.equal(`${publicUrl}/-/me?tab=2`);
    expect((await browser.open(one)).trail.at(-1)).to.equal(`${publicUrl}/-/me?tab=1`);
  });

  it('goes to paths of this server only', async () => {
    for (const to of [
      'https://evil.test/',
      '//evil.test/',
      '/\\evil.test/',
      '/\t/evil.test/',
      '\\\\evil.test',
      'javascript:alert(1)',
      'variants',
      '',
      '/%00'.replace('%00', '\u0000'),
      `/${'x'.repeat(1000)}`,
    ]) {
      const response = await lab.browser().ask(`/-/sign-in?to=${encodeURIComponent(to)}`);
      expect(response.status, to).to.equal(400);
      expect(response.headers.get('location'), to).to.equal(null);
      await response.body?.cancel();
    }
    expect((await lab.browser().ask('/-/sign-in?to=/a&to=/b')).status).to.equal(400);
    // What looks like an address inside a path stays a path.
    const { trail } = await lab.browser().open(`/-/sign-in?to=${encodeURIComponent('/-/me?back=https://evil.test/')}`);
    expect(trail.at(-1)).to.equal(`${publicUrl}/-/me?back=https://evil.test/`);
  });

  describe('refuses', () => {
    /** Opens the address of the provider's return; the session must not begin. */
    async function refused(callback: string, browser: Browser, status = 400): Promise<string> {
      const before = (await lab.repository.list()).length;
      const { response, text, trail } = await browser.open(callback);
      expect(response.status, response.status === status ? '' : text.slice(-600)).to.equal(status);
      expect(trail).to.have.length(1);
      expect(browser.session).to.equal(undefined);
      expect(await lab.repository.list()).to.have.length(before);
      expect(response.headers.get('content-type')).to.match(/^text\/html/);
      expect(text).to.include('You are not signed in').and.include('href="/trefoil/-/sign-in');
      return text;
    }

    it('a return to a browser that did not begin the sign-in', async () => {
      // The attacker signs in and lets the victim open the return.
      const callback = await lab.browser().upToCallback();
      expect(await refused(callback, lab.browser())).to.include('not begun in this browser');
      const other = lab.browser();
      await other.upToCallback();
      await refused(callback, other);
    });

    it('a return after ten minutes', async () => {
      const browser = lab.browser();
      const callback = await browser.upToCallback();
      lab.ahead = 600_000;
      await refused(callback, browser);
    });

    it('a return with another state, or none', async () => {
      const browser = lab.browser();
      const callback = new URL(await browser.upToCallback());
      const state = callback.searchParams.get('state') ?? '';
      for (const wrong of [undefined, '', 'x', state.slice(0, -1), `${state}A`, state.toLowerCase()]) {
        if (wrong === undefined) callback.searchParams.delete('state');
        else callback.searchParams.set('state', wrong);
        await refused(callback.href, browser);
      }
      callback.searchParams.set('state', state);
      await refused(`${callback.href}&state=${state}`, browser);
    });

    it('a code for the second time', async () => {
      const browser = lab.browser();
      const callback = await browser.upToCallback();
      await browser.open(callback);
      const again = lab.browser();
      again.cookies.set('__Host-trefoil-sign-in', browser.cookies.get('__Host-trefoil-sign-in') ?? '');
      await refused(callback, again);
    });

    it('the code of another sign-in: PKCE and the nonce bind it to its own', async () => {
      const [victim, attacker] = [lab.browser(), lab.browser()];
      const own = new URL(await victim.upToCallback());
      const foreign = new URL(await attacker.upToCallback());
      own.searchParams.set('code', foreign.searchParams.get('code') ?? '');
      await refused(own.href, victim);
    });

    it('a return from another provider (mix-up), or one that does not say from whom', async () => {
      for (const change of ['https://evil.test/oidc/', lab.broker.issuer.slice(0, -1), undefined]) {
        lab.broker.faults = {
          redirect: (parameters) => (change === undefined ? parameters.delete('iss') : parameters.set('iss', change)),
        };
        const browser = lab.browser();
        await refused(await browser.upToCallback(), browser);
      }
    });

    it('ID tokens for someone else, of another time, issuer or sign-in', async () => {
      const now = Math.floor(Date.now() / 1000);
      for (const change of [
        { aud: 'another-client' },
        { aud: ['trefoil', 'another-client'], azp: 'another-client' },
        { iss: `${lab.broker.issuer}x` },
        { iss: lab.broker.issuer.slice(0, -1) },
        { nonce: 'another' },
        { nonce: undefined },
        { exp: now - 3600, iat: now - 7200 },
        { exp: undefined },
        { sub: undefined },
        // Userinfo tells of erna.
        { sub: 'mallory' },
      ]) {
        lab.broker.faults = { idToken: (claims) => ({ ...claims, ...change }) };
        const browser = lab.browser();
        const text = await refused(await browser.upToCallback(), browser);
        expect(text, JSON.stringify(change)).to.include('could not be completed');
      }
    });

    it('an ID token that an unknown key signed', async () => {
      const other = await openLab(() => undefined, { rights: [] });
      try {
        other.broker.visitor = { sub: 'erna' };
        other.broker.faults = {
          jwks(context) {
            context.body = { keys: [] };
          },
        };
        const browser = other.browser();
        const { response } = await browser.open(await browser.upToCallback());
        expect(response.status).to.equal(400);
        expect(browser.session).to.equal(undefined);
      } finally {
        await other.close();
      }
    });

    it('a person whom the provider does not let in, and says so', async () => {
      lab.broker.visitor = undefined;
      const browser = lab.browser();
      const text = await refused(await browser.upToCallback(), browser, 403);
      expect(text).to.include('The identity provider did not sign you in');
    });

    it('what a provider writes into the address is not shown', async () => {
      const browser = lab.browser();
      const callback = new URL(await browser.upToCallback());
      callback.searchParams.delete('code');
      callback.searchParams.set('error', 'access_denied');
      callback.searchParams.set('error_description', 'Call 555-1234 <script>alert(1)</script>');
      // Longer than what a page's random values could hold by chance.
      const text = await refused(callback.href, browser, 403);
      expect(text).to.not.include('Call 555-1234').and.to.not.include('alert(1)');
    });
  });

  describe('with a provider in trouble', () => {
    it('tells the person to try again, and the log the reason', async () => {
      const browser = lab.browser();
      const callback = await browser.upToCallback();
      lab.broker.faults = {
        userinfo(context) {
          context.status = 500;
        },
      };
      const { response, text } = await browser.open(callback);
      expect(response.status).to.equal(503);
      expect(response.headers.get('retry-after')).to.equal('30');
      expect(text).to.include('cannot be reached or used at the moment');
      expect(lab.logged).to.have.length(1);
      expect(JSON.stringify(lab.logged)).to.match(/return.*OAUTH_/);
    });

    it('explains it in Swedish to those who prefer that', async () => {
      const response = await lab
        .browser()
        .ask('/-/sign-in/callback?code=1', { headers: { Accept: 'text/html', 'Accept-Language': 'sv' } });
      const text = await response.text();
      expect(text).to.include('<html lang="sv">').and.include('Inloggningen kunde inte slutföras');
      const program = await lab.browser().ask('/-/sign-in/callback?code=1');
      expect((await problemOf(program)).status).to.equal(400);
    });
  });

  it('asks no address that is neither of the provider nor on the internet, and follows no redirect', async () => {
    const other = await openLab(() => undefined, { rights: [] });
    let reached = 0;
    const inside = createServer((_, response) => {
      reached++;
      response.end('{}');
    });
    await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve));
    const { port } = inside.address() as AddressInfo;
    try {
      for (const member of ['token_endpoint', 'userinfo_endpoint', 'jwks_uri']) {
        for (const address of [`http://localhost:${port}/x`, `https://10.0.0.1/x`, 'http://169.254.169.254/x']) {
          other.logged.length = 0;
          other.broker.faults = { discovery: (document) => ({ ...document, [member]: address }) };
          const response = await other.browser().ask('/-/sign-in');
          expect(response.status, `${member} ${address}`).to.equal(503);
          expect(await response.text()).to.not.include(new URL(address).hostname);
          expect(other.logged[0]).to.deep.include({
            reason: `the ${member} of the provider is an address that may not be asked`,
          });
        }
      }
      const away = (context: Context) => context.redirect(`http://127.0.0.1:${port}/x`);
      other.broker.faults = { jwks: away, userinfo: away };
      const browser = other.browser();
      other.broker.visitor = other.broker.add({ sub: 'erna' });
      const { response } = await browser.open('/-/sign-in');
      expect(response.status).to.equal(503);
      expect(reached).to.equal(0);
    } finally {
      await other.close();
      await new Promise((resolve) => inside.close(resolve));
    }
  });

  it('refuses a provider that has another name than configured', async () => {
    const other = await openLab(() => undefined, { rights: [] });
    try {
      const { issuer } = other.broker;
      other.broker.faults = { discovery: (document) => ({ ...document, issuer: issuer.slice(0, -1) }) };
      const response = await other.browser().ask('/-/sign-in', { headers: { Accept: 'text/html' } });
      expect(response.status).to.equal(503);
      await response.body?.cancel();
      expect(other.logged[0]).to.deep.include({ issuer });
      // The next attempt asks again.
      other.broker.faults = {};
      expect((await other.browser().ask('/-/sign-in')).status).to.equal(303);
    } finally {
      await other.close();
    }
  });
});
