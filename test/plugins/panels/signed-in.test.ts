/** People who are signed in use the pages of panels: by their rights, their names, and forms that only our pages can send. */
import { expect } from 'chai';
import { serveForTest, type TestServer } from '../../../core/testing.js';
import { type PanelRepository, panels } from '../../../plugins/panels/contract.js';
import { draftVersion, submittedVersion } from '../../../plugins/panels/versions/lifecycle.js';
import { Browser, publicUrl } from '../../core/http/sign-in/support.js';
import { Broker } from '../../support/broker.js';
import { useOnce } from '../../support/use.js';
import { at, contentOf, geneTable, green } from './support/served.js';

describe('the pages of panels for people who are signed in', function () {
  this.timeout(30_000);
  const broker = useOnce(() => Broker.start());
  let server: TestServer;
  let repository: PanelRepository;
  before(async () => {
    broker.allowRedirects(`${publicUrl}/-/sign-in/callback`, `${publicUrl}/-/me`);
    const { client, issuer } = broker;
    const roles = (['read', 'work', 'admin'] as const).map((role) => ({ claim: 'groups', value: role, role }));
    const signIn = { issuer, clientId: client.id, clientSecret: client.secret };
    const settings = { http: { baseUrl: publicUrl }, auth: { roles, signIn } };
    server = await serveForTest({ plugins: { panels: { signatures: 2, signers: 'people' } }, settings });
    repository = server.repository(panels);
    const names = { release: '2026-11-01', sources: ['set.txt'], approved: 6, withdrawn: 6, loaded: at };
    await repository.replaceNames(names, geneTable().pack());
    await repository.add(draftVersion('kidney', '1', contentOf([green(950, 'BAP1')]), { by: 'import', at }));
  });
  after(async () => {
    await server?.close();
  });

  async function signedIn(sub: string, name: string, ...groups: string[]): Promise<Browser> {
    broker.visitor = broker.add({ sub, claims: { name, groups } });
    const browser = new Browser(server.url);
    await browser.open('/-/sign-in?to=/panels');
    return browser;
  }

  const ours = { 'Sec-Fetch-Site': 'same-origin', Accept: 'text/html' };
  /** Fills in the form of the page that does this, as the browser sends it. */
  async function send(browser: Browser, page: string, act: string, headers: Record<string, string> = ours) {
    const { text } = await browser.open(page);
    const form = text.split('<form').find((one) => one.includes(`value="${act}"`)) ?? '';
    const action = /action="([^"]*)"/.exec(form)?.[1] ?? '';
    const fields = [...form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)];
    const body = new URLSearchParams(Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value])));
    const response = await browser.ask(action.replace('/trefoil', ''), { method: 'POST', headers, body });
    await response.body?.cancel();
    return { status: response.status, location: response.headers.get('location'), body, action };
  }

  it('lead to sign in, and back', async () => {
    broker.visitor = broker.add({ sub: 'x-1', claims: { name: 'Anna Berg', groups: ['work'] } });
    const { trail, text } = await new Browser(server.url).open('/panels/kidney/1');
    expect(trail[1]).to.equal(`${publicUrl}/-/sign-in?to=%2Fpanels%2Fkidney%2F1`);
    expect(trail.at(-1)).to.equal(`${publicUrl}/panels/kidney/1`);
    expect(text).to.include('Anna Berg').and.include('href="/trefoil/panels/kidney/1/edit"');
  });

  it('let each do what their role may, under the name of the provider', async () => {
    const reader = await signedIn('x-0', 'Rut Read', 'read');
    const page = await reader.open('/panels/kidney/1');
    expect(page.response.status).to.equal(200);
    expect(page.text.replace(/<aside.*?<\/aside>/s, '')).to.not.include('method="post"');
    const anna = await signedIn('x-1', 'Anna Berg', 'work');
    expect(await send(anna, '/panels/kidney/1', 'submit')).to.include({
      status: 303,
      location: '/trefoil/panels/kidney/1',
    });
    expect((await anna.open('/panels/kidney/1/sign')).response.status).to.equal(403);
    for (const [sub, name] of [
      ['x-2', 'Bo Ek'],
      ['x-3', 'Cilla <Dahl>'],
    ] as const) {
      const signer = await signedIn(sub, name, 'admin');
      expect((await signer.open('/panels/kidney/1/sign')).text).to.include(
        `as <bdi>${name.replace('<', '&lt;').replace('>', '&gt;')}`,
      );
      expect((await send(signer, '/panels/kidney/1/sign', 'sign')).status).to.equal(303);
      expect((await signer.open('/panels/kidney/1/sign')).text).to.include('role="alert"');
    }
    const stored = await repository.find('kidney', '1');
    expect(stored?.history.slice(1).map(({ what, by, name }) => [what, by, name])).to.deep.equal([
      ['submitted', 'x-1', 'Anna Berg'],
      ['signed', 'x-2', 'Bo Ek'],
      ['signed', 'x-3', 'Cilla <Dahl>'],
      ['signed off', 'x-3', 'Cilla <Dahl>'],
    ]);
    expect((await reader.open('/panels/kidney/1')).text).to.include(
      'Signed off</strong> by <bdi>Bo Ek</bdi> and <bdi>Cilla &lt;Dahl&gt;</bdi>',
    );
  });

  it('let only people sign: a token does not say who holds it', async () => {
    const content = contentOf([green(950, 'BAP1')]);
    await repository.add(
      submittedVersion(draftVersion('heart', '1', content, { by: 'import', at }), { by: 'import', at }),
    );
    const { digest: sha256 } = (await repository.find('heart', '1')) ?? {};
    const token = await server.token('panels:read', 'panels:sign');
    const headers = { 'X-Auth-Token': token, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ revision: 2, sha256 });
    const response = await fetch(`${server.url}/panels/heart/1/sign`, { method: 'POST', headers, body });
    expect(response.status).to.equal(403);
    const sentence = 'sign in at the identity provider, an API token does not say who you are';
    expect(await response.text()).to.include(sentence);
    const authorization = `Basic ${Buffer.from(`anyone:${token}`).toString('base64')}`;
    const page = await fetch(`${server.url}/panels/heart/1/sign`, { headers: { authorization, Accept: 'text/html' } });
    expect(await page.text())
      .to.include(sentence)
      .and.not.include('I have reviewed this content');
    const bo = await signedIn('x-2', 'Bo Ek', 'admin');
    expect((await send(bo, '/panels/heart/1/sign', 'sign')).status).to.equal(303);
    expect((await repository.find('heart', '1'))?.history.at(-1)).to.include({ what: 'signed', by: 'x-2' });
  });

  it('take no form that another site sends, or that lacks the token of the session', async () => {
    await repository.add(draftVersion('lung', '1', contentOf([green(950, 'BAP1')]), { by: 'import', at }));
    const anna = await signedIn('x-1', 'Anna Berg', 'work');
    expect((await send(anna, '/panels/lung/1', 'submit', { ...ours, 'Sec-Fetch-Site': 'cross-site' })).status).to.equal(
      403,
    );
    const act = { method: 'POST', headers: ours, body: new URLSearchParams({ act: 'submit', revision: '1' }) };
    for (const path of ['act', 'edit']) {
      const refused = await anna.ask(`/panels/lung/1/${path}`, act);
      expect(refused.status, path).to.equal(403);
      expect(await refused.text()).to.include('CSRF token');
    }
    expect((await repository.find('lung', '1'))?.state).to.equal('draft');
    expect((await send(anna, '/panels/lung/1', 'submit')).status).to.equal(303);
  });
});
