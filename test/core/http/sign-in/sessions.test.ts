/** What a session may do, and when it ends. */
import { expect } from 'chai';
import { z } from 'zod';
import { html, page, style } from '../../../../core/http/pages.js';
import { route } from '../../../../core/http/route.js';
import { defineRight } from '../../../../core/policy/policy.js';
import { get, problemOf } from '../support.js';
import { type Browser, type Lab, openLab, publicUrl, type Sent } from './support.js';

const read = defineRight({ scope: 'demo:read', summary: 'Read', part: 'read' });
const load = defineRight({ scope: 'demo:load', summary: 'Load', part: 'load' });
const admin = defineRight({ scope: 'demo:admin', summary: 'Change', part: 'admin' });

const form = html`<form method="post" action="/form"><button>Send</button></form><form method="get"><button>Ask</button></form>`;
const pageContent = { 200: { description: 'A page', content: { 'text/html': z.string() } } };

describe('a session', () => {
  let lab: Lab;
  let erna: Browser;

  before(async () => {
    lab = await openLab(
      (host) => {
        const optional = host.optionalAccess(read);
        const shown = (nonce: string, language = 'en') => ({
          type: 'text/html',
          headers: { 'Cache-Control': 'public, max-age=60' },
          body: page({
            title: 'A page',
            language,
            schemes: 'light dark',
            head: style(nonce),
            body: html`<body><a class="skip" href="#c">Skip</a><main id="c">${'<body><form method="post">'}${form}</main></body>`,
          }),
        });
        const pages = [
          ['/open-page', { handle: ({ nonce }) => shown(nonce) }],
          ['/swedish-page', { handle: ({ nonce }) => shown(nonce, 'sv') }],
          ['/readers', { access: host.browserAccess(read), handle: ({ nonce }) => shown(nonce) }],
          ['/admins', { access: host.browserAccess(admin), handle: ({ nonce }) => shown(nonce) }],
        ] as [string, { access?: ReturnType<typeof host.browserAccess>; handle: Parameters<typeof get>[1] }][];
        for (const [path, { handle, ...access }] of pages) {
          host.route(get(path, handle, { ...access, answers: pageContent }));
        }
        host.route(get('/data', ({ principal }) => ({ body: principal }), { access: host.tokenAccess(read) }));
        host.route(
          get('/optional', async (request) => ({ body: await optional.callerOf(request) }), {
            optionalAccess: optional,
            method: ['GET', 'POST'],
            body: { types: ['application/json', 'application/x-www-form-urlencoded'], schema: z.unknown() },
          }),
        );
        for (const [path, access] of [
          ['/form', host.tokenAccess(read)],
          ['/report', host.callerAccess(read)],
        ] as const) {
          host.route(
            route({
              method: 'POST',
              path,
              operation: path.slice(1),
              summary: 'A form',
              access,
              body: {
                types: ['application/x-www-form-urlencoded', 'multipart/form-data', 'application/json'],
                form: { file: 1000 },
                schema: z.unknown(),
              },
              answers: { 200: { description: 'Anything', content: { 'application/json': z.any() } } },
              handle: ({ principal, body }) => ({ body: { who: principal.owner, body } }),
            }),
          );
        }
        host.route(
          get('/reports', ({ nonce }) => shown(nonce), { access: host.callerAccess(read), answers: pageContent }),
        );
      },
      {
        rights: [read, load, admin],
        roles: [{ claim: 'groups', value: '/lab/doctors', role: 'work' }],
        signIn: { sessionHours: 10, idleMinutes: 60 },
        breachesWanted: true,
      },
    );
  });
  after(() => lab.close());
  beforeEach(async () => {
    lab.ahead = 0;
    lab.broker.faults = {};
    lab.broker.visitor = lab.broker.add({ sub: 'erna', claims: { name: 'Erna <b>', groups: ['/lab/doctors'] } });
    erna = lab.browser();
    await erna.open('/-/sign-in');
  });

  const json = async (response: Response) => (await response.json()) as Record<string, unknown>;
  const navigation = { Accept: 'text/html', 'Sec-Fetch-Mode': 'navigate' };

  it('identifies its person for pages and data, with the rights of the configuration', async () => {
    const person = { kind: 'subject', owner: 'erna', name: 'Erna <b>', issuer: lab.broker.issuer, tenants: [] };
    for (const path of ['/data', '/optional']) {
      const response = await erna.ask(path);
      expect(response.status, path).to.equal(200);
      expect(await json(response), path).to.deep.equal(person);
    }
    expect((await erna.ask('/readers')).status).to.equal(200);
    // Someone who is signed in is not sent to sign in again.
    const refused = await erna.ask('/admins', { headers: navigation });
    expect(refused.status).to.equal(403);
    expect((await problemOf(refused)).detail).to.include('You do not have the right demo:admin');
  });

  it('does not mix with an API token', async () => {
    for (const headers of [{ 'X-Auth-Token': '' }, { Authorization: 'Bearer x' }] as Record<string, string>[]) {
      const response = await erna.ask('/optional', { headers });
      expect(response.status, JSON.stringify(headers)).to.not.equal(200);
      await response.body?.cancel();
    }
  });

  describe('is asked for', () => {
    it('by sending browsers to sign in, and back to the page', async () => {
      const stranger = lab.browser();
      const { response, trail, text } = await stranger.open('/readers?gene=POT1');
      expect(response.status).to.equal(200);
      expect(trail[0]).to.equal(`${publicUrl}/readers?gene=POT1`);
      expect(trail[1]).to.equal(`${publicUrl}/-/sign-in?to=%2Freaders%3Fgene%3DPOT1`);
      expect(trail.at(-1)).to.equal(`${publicUrl}/readers?gene=POT1`);
      expect(text).to.include('Erna &lt;b&gt;');
      expect((await lab.browser().open('/reports')).trail.at(-1)).to.equal(`${publicUrl}/reports`);
    });

    it('with a challenge for programs, of which a session is no part', async () => {
      for (const headers of [{ Accept: '*/*' }, { Accept: 'text/html', 'Sec-Fetch-Mode': 'cors' }] as Record<
        string,
        string
      >[]) {
        const response = await lab.browser().ask('/readers', { headers });
        expect(response.status, JSON.stringify(headers)).to.equal(401);
        expect(response.headers.get('www-authenticate')).to.match(/^Basic /);
      }
      const data = await lab.browser().ask('/data', { headers: navigation });
      expect(data.status, 'data is no page').to.equal(401);
    });
  });

  describe('ends', () => {
    async function isOver(browser: Browser): Promise<void> {
      const secret = browser.session ?? '';
      const response = await browser.ask('/optional');
      expect(response.status).to.equal(401);
      expect((await problemOf(response)).detail).to.equal('Your session has ended; sign in again');
      expect(browser.session, 'the cookie is removed').to.equal(undefined);
      browser.cookies.set('__Host-trefoil-session', secret);
      // A person is sent to sign in, and does not take what a stranger sees for the whole.
      const page = await browser.ask('/readers', { headers: navigation });
      expect(page.status).to.equal(303);
      expect(browser.session).to.equal(undefined);
    }

    it('an hour after its last use, and not before', async () => {
      for (let minutes = 50; minutes <= 300; minutes += 50) {
        lab.ahead = minutes * 60_000;
        expect((await erna.ask('/data')).status, `${minutes} minutes`).to.equal(200);
      }
      lab.ahead = 361 * 60_000;
      await isOver(erna);
    });

    it('after ten hours, however much it is used', async () => {
      for (let hours = 0.5; hours < 10; hours += 0.5) {
        lab.ahead = hours * 3_600_000;
        expect((await erna.ask('/data')).status, `${hours} hours`).to.equal(200);
      }
      lab.ahead = 10 * 3_600_000;
      await isOver(erna);
    });

    it('when it is removed, at once and in every browser', async () => {
      const [other, second] = [lab.browser(), lab.browser()];
      await second.open('/-/sign-in');
      lab.broker.visitor = { sub: 'karl' };
      await other.open('/-/sign-in');
      await lab.repository.removeOf({ issuer: lab.broker.issuer, subject: 'erna' });
      await isOver(erna);
      await isOver(second);
      expect(await other.me()).to.include({ signedIn: true, subject: 'karl', name: null });
    });

    it('if its cookie is changed, and a secret that is none finds nothing', async () => {
      const secret = erna.session ?? '';
      for (const wrong of [secret.slice(0, 42), `${secret}A`, secret.toUpperCase(), 'x', `${secret}; a`, '%00']) {
        const browser = lab.browser();
        browser.cookies.set('__Host-trefoil-session', wrong);
        const response = await browser.ask('/data');
        expect(response.status, wrong).to.be.oneOf(wrong === `${secret}; a` ? [200] : [401]);
        await response.body?.cancel();
      }
      // Without the prefix, any host of the domain could have set it.
      const browser = lab.browser();
      browser.cookies.set('trefoil-session', secret);
      expect((await browser.ask('/data')).status).to.equal(401);
      // Two of one name: one of them is not ours.
      const two = await erna.ask('/-/me', { headers: { Cookie: `__Host-trefoil-session=${secret}` } });
      await two.body?.cancel();
    });

    it('and leaves nothing behind after the next sign-in', async () => {
      lab.ahead = 11 * 3_600_000;
      await lab.browser().open('/-/sign-in');
      expect(await lab.repository.list()).to.have.length(1);
    });
  });

  describe('changes data only for our own pages', () => {
    const proof = { 'Sec-Fetch-Site': 'same-origin', Origin: 'https://lab.test' };
    const post = (path: string, headers: Record<string, string>, body: Sent['body'] = 'a=1'): Promise<Response> => {
      const type: Record<string, string> =
        body instanceof FormData ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' };
      return erna.ask(path, { method: 'POST', headers: { ...type, ...headers }, body: body ?? null });
    };

    it('with the token of the session in a header', async () => {
      const token = await erna.csrfToken();
      for (const from of [proof, { Origin: 'https://lab.test' }, {}] as Record<string, string>[]) {
        const response = await post('/form', { ...from, 'X-CSRF-Token': token });
        expect(await json(response)).to.deep.equal({ who: 'erna', body: { a: '1' } });
      }
    });

    it('or in a field of the form, which no handler sees', async () => {
      const token = await erna.csrfToken();
      for (const path of ['/form', '/report']) {
        expect(await json(await post(path, proof, `a=1&csrfToken=${token}`)), path).to.deep.equal({
          who: 'erna',
          body: { a: '1' },
        });
        const multipart = new FormData();
        multipart.set('csrfToken', token);
        multipart.set('a', '1');
        multipart.set('file', new Blob(['x'.repeat(900)]), 'f.bed');
        const response = await post(path, proof, multipart);
        expect((await json(response)).body, path).to.deep.include({ fields: { a: '1' } });
      }
      const optional = await post('/optional', proof, `csrfToken=${token}`);
      expect(await json(optional)).to.include({ kind: 'subject', owner: 'erna' });
    });

    it('and refuses every request without that proof, whatever the route', async () => {
      const token = await erna.csrfToken();
      const other = lab.browser();
      await other.open('/-/sign-in');
      const foreign = await other.csrfToken();
      const field = (value: string) => `a=1&csrfToken=${encodeURIComponent(value)}`;
      const attempts: [string, Record<string, string>, string][] = [
        ['no token', proof, 'a=1'],
        ['the token of another session', proof, field(foreign)],
        ['a part of the token', proof, field(token.slice(0, 42))],
        ['the token twice', proof, `${field(token)}&csrfToken=${token}`],
        ['an empty token', proof, field('')],
        ['the secret itself', proof, field(erna.session ?? '')],
        ['another site', { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.test' }, field(token)],
        ['another host of the domain', { 'Sec-Fetch-Site': 'same-site' }, field(token)],
        ['an address typed in', { 'Sec-Fetch-Site': 'none' }, field(token)],
        ['another origin', { Origin: 'https://evil.test' }, field(token)],
        ['another scheme', { Origin: 'http://lab.test' }, field(token)],
        ['a hidden origin', { Origin: 'null' }, field(token)],
        ['a wrong header beside the right field', { ...proof, 'X-CSRF-Token': 'x' }, field(token)],
      ];
      for (const path of ['/form', '/report', '/optional', '/-/sign-out']) {
        for (const [what, headers, body] of attempts) {
          const response = await post(path, headers, body);
          expect(response.status, `${path}: ${what}`).to.equal(403);
          await response.body?.cancel();
        }
        const data = await erna.ask(path, {
          method: 'POST',
          headers: { ...proof, 'Content-Type': 'application/json' },
          body: JSON.stringify({ csrfToken: token }),
        });
        expect(data.status, `${path}: JSON is no form`).to.equal(403);
        await data.body?.cancel();
      }
      expect((await erna.me()).signedIn).to.equal(true);
    });
  });

  describe('is shown', () => {
    it('at the top of each page, after the link to the content, and as a field of each form that posts', async () => {
      const { text, response } = await erna.open('/open-page');
      const token = await erna.csrfToken();
      const input = `<input type="hidden" name="csrfToken" value="${token}">`;
      expect(text).to.match(/<body><a class="skip" href="#c">Skip<\/a>\s*<aside class="trefoil-account"/);
      expect(text).to.include('Signed in as <a href="/trefoil/-/me"><bdi>Erna &lt;b&gt;</bdi></a>');
      expect(text).to.include(`<form method="post" action="/form">${input}<button>`);
      expect(text).to.include('<form method="get"><button>');
      expect(text).to.include('&lt;body&gt;&lt;form method=&quot;post&quot;&gt;<form');
      // One for the form, one for the button that signs out.
      expect(text.split(input)).to.have.length(3);
      expect(response.headers.get('cache-control')).to.equal('no-store');
      expect(response.headers.get('vary')).to.match(/Cookie/);
      expect((await erna.open('/swedish-page')).text)
        .to.include('Inloggad som')
        .and.include('Logga ut');
    });

    it('to nobody else: the page of a stranger is what it was', async () => {
      const { text, response } = await lab.browser().open('/open-page');
      expect(text).to.not.match(/trefoil-account|csrfToken/);
      expect(response.headers.get('cache-control')).to.equal('public, max-age=60');
    });
  });

  describe('is ended by its person', () => {
    it('here, and at the provider by a link without a token', async () => {
      const token = await erna.csrfToken();
      const secret = erna.session ?? '';
      const response = await erna.ask('/-/sign-out', {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'Sec-Fetch-Site': 'same-origin' },
        body: `csrfToken=${token}`,
      });
      expect(response.status).to.equal(200);
      const text = await response.text();
      expect(text).to.include('You are signed out').and.not.include('trefoil-account');
      expect(erna.session).to.equal(undefined);
      expect(await lab.repository.list({ issuer: lab.broker.issuer, subject: 'erna' })).to.not.deep.include({ secret });
      const [, address = ''] = /<a class="button" href="([^"]+)"/.exec(text) ?? [];
      const url = new URL(address.replaceAll('&amp;', '&'));
      expect(url.origin + url.pathname).to.equal(lab.broker.endpoint('logout'));
      expect(Object.fromEntries(url.searchParams)).to.deep.equal({
        client_id: 'trefoil',
        post_logout_redirect_uri: `${publicUrl}/-/me`,
      });
      const { trail, text: after } = await erna.open(url.href);
      expect(trail.at(-1)).to.equal(`${publicUrl}/-/me`);
      expect(after).to.include('You are not signed in');
      erna.cookies.set('__Host-trefoil-session', secret);
      expect((await erna.ask('/data')).status).to.equal(401);
    });

    it('even while the provider is down', async () => {
      const other = await openLab(() => undefined, { rights: [] });
      other.broker.visitor = { sub: 'erna' };
      other.broker.faults = {
        discovery: ({ end_session_endpoint: _, ...document }) => document,
      };
      const browser = other.browser();
      await browser.open('/-/sign-in');
      const token = await browser.csrfToken();
      await other.broker.close();
      const response = await browser.ask('/-/sign-out', { method: 'POST', headers: { 'X-CSRF-Token': token } });
      expect(response.status).to.equal(200);
      expect(await response.text()).to.not.include('class="button"');
      expect(await other.repository.list()).to.deep.equal([]);
      await other.server.close();
    });

    it('and once more without harm', async () => {
      const response = await lab.browser().ask('/-/sign-out', { method: 'POST' });
      expect(response.status).to.equal(200);
    });
  });

  it('tells a stranger where to sign in', async () => {
    expect(await lab.browser().me()).to.deep.equal({ signedIn: false, signIn: '/trefoil/-/sign-in' });
    const { text } = await lab.browser().open('/-/me');
    expect(text).to.include('You are not signed in').and.include('href="/trefoil/-/sign-in?to=/-/me"');
  });
});
