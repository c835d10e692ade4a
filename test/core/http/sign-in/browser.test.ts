/** Signing in, in a real browser: the provider is on another site, as it is outside of tests. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { logTo } from '../../../../core/log.js';
import { start } from '../../../../core/start.js';
import { Broker } from '../../../support/broker.js';
import { brokenRules, inEachLook, screenshot, useBrowser } from '../../../support/browser.js';
import { freePort } from '../../../support/port.js';

describe('signing in, in a browser', function () {
  this.timeout(120_000);
  let broker: Broker;

  const { open } = useBrowser(async () => {
    broker = await Broker.start();
    const port = await freePort();
    // Another host than the provider's: its redirects come from another site.
    const url = `http://localhost:${port}`;
    broker.allowRedirects(`${url}/-/sign-in/callback`, `${url}/-/me`);
    const signIn = { issuer: broker.issuer, clientId: broker.client.id, clientSecret: broker.client.secret };
    const folder = await mkdtemp(join(tmpdir(), 'trefoil-sign-in-'));
    const file = join(folder, 'lab.yaml');
    await writeFile(
      file,
      JSON.stringify({
        http: { baseUrl: url, port },
        storage: { adapter: 'sqlite', file: join(folder, 'trefoil.sqlite') },
        demo: true,
        auth: { signIn, roles: [{ claim: 'groups', value: '/lab/doctors', role: 'read' }] },
        plugins: { beacon: {}, coverage: {} },
      }),
    );
    const server = await start({ file, environment: {}, log: logTo({ write: () => undefined }, { level: 'error' }) });
    return {
      url,
      async close() {
        await server.stop();
        await broker.close();
        await rm(folder, { recursive: true });
      },
    };
  });

  /** What the page complains about, apart from the visit at the provider. */
  const own = (complaints: readonly string[]) => complaints.filter((one) => !one.includes(broker.issuer));

  async function looksGood(page: Page, name: string): Promise<void> {
    await inEachLook(page, async ({ look, width }) => {
      expect(await page.evaluate('document.documentElement.scrollWidth'), `${name} ${look}`).to.equal(width);
      expect(await brokenRules(page), `${name} ${look}`).to.deep.equal([]);
      await screenshot(page, `sign-in-${name}-${look}`);
    });
  }

  it('shows who is signed in on every page, and signs out, without a script', async () => {
    broker.visitor = broker.add({ sub: 'erna', claims: { name: 'Erna Ågren', groups: ['/lab/doctors'] } });
    const { page, complaints } = await open('/-/me', { javaScriptEnabled: false });
    expect(await page.getByRole('heading', { level: 1 }).textContent()).to.equal('You are not signed in');
    await page.getByRole('link', { name: 'Sign in' }).click();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).to.equal('Signed in as Erna Ågren');
    expect(await page.getByRole('definition').allTextContents()).to.include('read');

    await page.goto(new URL('/beacon/search', page.url()).href);
    const account = page.getByRole('complementary', { name: 'Account' });
    expect(await account.getByRole('link').textContent()).to.equal('Erna Ågren');
    await page.emulateMedia({ media: 'print' });
    expect(await account.isVisible(), 'on paper').to.equal(false);
    await page.emulateMedia({ media: null });

    // A form of the page posts with the session.
    await page.goto(new URL('/report/demo', page.url()).href);
    await page.getByRole('button', { name: '20×' }).first().click();
    expect(await account.isVisible()).to.equal(true);

    await account.getByRole('button', { name: 'Sign out' }).click();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).to.equal('You are signed out');
    await page.getByRole('link', { name: 'Sign out at the provider' }).click();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).to.equal('You are not signed in');
    await page.goto(new URL('/beacon/search', page.url()).href);
    expect(await account.count()).to.equal(0);
    expect(own(complaints)).to.deep.equal([]);
  });

  it('leads to the page that needed it', async () => {
    broker.visitor = broker.add({ sub: 'karl', claims: { name: 'Karl', groups: ['/lab/doctors'] } });
    const question = '/observations?assembly=GRCh37&allele=1-156146086-C-A';
    const { page, complaints } = await open(question);
    expect(new URL(page.url()).pathname).to.equal('/observations');
    expect(await page.getByRole('complementary', { name: 'Account' }).isVisible()).to.equal(true);
    expect(own(complaints)).to.deep.equal([]);
  });

  it('is accessible and fits, in English and Swedish', async () => {
    const erna = { name: 'Erna Ågren', groups: ['/lab/doctors'] };
    broker.visitor = broker.add({ sub: 'en', claims: erna });
    const english = await open('/-/sign-in?to=/-/me', { locale: 'en-GB' });
    await looksGood(english.page, 'me-en');
    await english.page.goto(new URL('/beacon/search', english.page.url()).href);
    await looksGood(english.page, 'search-en');
    expect(own(english.complaints)).to.deep.equal([]);

    broker.visitor = undefined;
    const { page, complaints } = await open('/-/me', { locale: 'sv-SE' });
    await looksGood(page, 'stranger-sv');
    const name = 'Karl-Fredrik Överschmidt-Öfverstrålén av Södergren, specialistläkare';
    broker.visitor = broker.add({ sub: 'sv', claims: { ...erna, name } });
    await page.getByRole('link', { name: 'Logga in' }).click();
    await looksGood(page, 'me-sv');
    await page.getByRole('button', { name: 'Logga ut' }).click();
    await looksGood(page, 'out-sv');
    expect(own(complaints)).to.deep.equal([]);
    broker.visitor = undefined;
    await page.getByRole('link', { name: 'Logga in igen' }).click();
    await looksGood(page, 'denied-sv');
  });
});
