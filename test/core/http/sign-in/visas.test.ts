/** Visas that the provider tells of at sign-in count in the session, by the rules for those of access tokens. */
import { expect } from 'chai';
import { serveForTest, type TestServer } from '../../../../core/testing.js';
import { Broker, newKey, now } from '../../../support/broker.js';
import { faultOf } from '../../../support/fault.js';
import { Browser, publicUrl } from './support.js';

describe('visas of people who sign in', () => {
  let broker: Broker;
  let server: TestServer;
  let ahead = 0;

  const settings = (scopes: readonly string[] = ['beacon:read:cohort']) => ({
    http: { baseUrl: publicUrl },
    auth: {
      signIn: { issuer: broker.issuer, clientId: broker.client.id, clientSecret: broker.client.secret },
      visaIssuers: [
        {
          issuer: broker.issuer,
          jku: [broker.jwksUrl],
          sources: { ControlledAccessGrants: ['https://dac.test'] },
        },
      ],
      visaGrants: [{ value: 'https://data.test/1', scopes }],
    },
  });

  before(async () => {
    broker = await Broker.start();
    broker.allowRedirects(`${publicUrl}/-/sign-in/callback`);
    server = await serveForTest({
      plugins: { beacon: {} },
      settings: settings(),
      now: () => new Date(Date.now() + ahead),
    });
  });
  after(async () => {
    await server.close();
    await broker.close();
  });

  async function signedIn(sub: string, visas: readonly string[]): Promise<Browser> {
    broker.visitor = broker.add({ sub, visas });
    const browser = new Browser(server.url);
    await browser.open('/-/sign-in');
    return browser;
  }

  const granted = [{ scope: 'beacon:read:cohort', because: ['visa ControlledAccessGrants by dac'] }];

  it('open the datasets that the configuration names, until they expire', async () => {
    const browser = await signedIn('erna', [await broker.visa({ sub: 'erna' })]);
    expect((await browser.me()).rights).to.deep.equal(granted);
    // The broker's visas live for ten minutes.
    ahead = 11 * 60_000;
    expect(await browser.me()).to.deep.include({ signedIn: true, rights: [] });
    ahead = 0;
  });

  it('give nothing if they fail a check', async () => {
    for (const visa of [
      await broker.visa({ sub: 'karl' }),
      await broker.visa({ sub: 'erna', key: await newKey() }),
      await broker.visa({ sub: 'erna', claims: { exp: now() - 1 } }),
      await broker.visa({ sub: 'erna', visa: { source: 'https://other.test' } }),
      await broker.visa({ sub: 'erna', visa: { value: 'https://data.test/10' } }),
      await broker.visa({ sub: 'erna', visa: { by: undefined } }),
      'no visa',
    ]) {
      const browser = await signedIn('erna', [visa]);
      expect(await browser.me(), visa).to.deep.include({ signedIn: true, rights: [] });
    }
  });

  it('can grant no more than reading one thing', async () => {
    const wide = ['*', 'beacon:read', 'beacon:write:cohort', 'server:read'];
    const fault = await faultOf(serveForTest({ plugins: { beacon: {} }, settings: settings(wide) }));
    const named = [...fault.message.matchAll(/auth\.visaGrants\.0\.scopes\.\d\b.*?"([^"]+)" is more than a visa may/g)];
    expect(named.map(([, scope]) => scope)).to.deep.equal(wide);
  });
});
