/** The pages of triage: by people who sign in, and in a real browser from the list to "solved". */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { beacon } from '../../../../plugins/beacon/contract.js';
import { coverageSamples } from '../../../../plugins/coverage/contract.js';
import { matchmaker } from '../../../../plugins/matchmaker/contract.js';
import { Browser, publicUrl } from '../../../core/http/sign-in/support.js';
import { Broker } from '../../../support/broker.js';
import { brokenRules, inEachLook, screenshot, useBrowser } from '../../../support/browser.js';
import { storages } from '../../../support/storages.js';
import { useOnce } from '../../../support/use.js';
import { allele } from '../../beacon/support/denominators.js';
import { add } from '../../beacon/support/observed.js';
import { dataset } from '../../beacon/support/serve.js';
import { store } from '../../coverage/callability/support.js';
import { found } from '../exchange/support/peer.js';
import { patient } from '../support/serve.js';
import { type ServeTriage, serveTriage, type TriageServer } from './support/served.js';

const list = '/matchmaker/submissions';
const evil = '<img src=x onerror=alert(1)>';

async function filled(options: ServeTriage = {}): Promise<TriageServer & { url: string }> {
  const [engine] = storages;
  if (!engine) throw new Error('there is an engine');
  const lab = await serveTriage(engine, options);
  await lab.add(lab.scout, patient('P-1', { label: `Case ${evil}` }));
  const contact = { name: `Dr. ${evil}`, href: 'mailto:far@clinic.example.org' };
  lab.peer.behave(found(patient('F-1', { contact }), patient('F-2', { contact, genomicFeatures: [] })));
  await lab.matchFar(lab.scout, 'P-1');
  await lab.server.repository(matchmaker).addClient({ id: 'scout', created: new Date() });
  return { ...lab, url: lab.server.url };
}

/** With coverage and beacon, which know the variant of P-1; the token may see what they know. */
async function knowing(): Promise<TriageServer & { url: string; knowing: string }> {
  const lab = await filled({ plugins: { coverage: {}, beacon: {} } });
  const start = 165_991_234;
  const variant = {
    ...{ assembly: 'GRCh38', referenceName: '2', start, end: start + 1, referenceBases: 'G', alternateBases: 'A' },
    _inheritance: 'de novo',
  };
  const genomicFeatures = [{ gene: { id: 'SCN1A' }, variant, zygosity: 1, _inheritance: 'HP:0000006' }];
  const submission = patient('P-1', {
    label: `Case ${evil}`,
    _sample: 'SMP-own',
    _purpose: 'clinical',
    genomicFeatures,
  });
  await lab.add(lab.scout, submission);
  await lab.add(lab.seqr, patient('C-1', { _sample: 'SMP-cand', genomicFeatures: [] }));
  const stretches = [{ chromosome: '2' as const, start, depths: [5] }];
  await store(lab.server.repository(coverageSamples), [{ id: 'SMP-cand', stretches }]);
  const repository = lab.server.repository(beacon);
  await repository.addDataset(dataset('exomes', { assembly: 'GRCh38', access: 'CONTROLLED' }), new Date());
  const carried = { ...allele('2', start + 1, 'G', 'A'), carriers: [[0, 1] as [number, number]] };
  await add(repository, 'exomes', { 'SMP-own': {}, 'SMP-cand': {} }, [carried], new Date());
  await lab.match(lab.scout, submission);
  const rights = ['matchmaker:read', 'matchmaker:triage', 'matchmaker:load', 'coverage:read', 'beacon:observe'];
  return { ...lab, knowing: await lab.server.token(...rights) };
}

describe('matchmaker: the pages of matches for people who are signed in', function () {
  this.timeout(60_000);
  const broker = useOnce(() => Broker.start());
  const lab = useOnce(async () => {
    broker.allowRedirects(`${publicUrl}/-/sign-in/callback`, `${publicUrl}/-/me`);
    const { client, issuer } = broker;
    const roles = (['read', 'work', 'admin'] as const).map((role) => ({ claim: 'groups', value: role, role }));
    const signIn = { issuer, clientId: client.id, clientSecret: client.secret };
    return filled({ settings: { http: { baseUrl: publicUrl }, auth: { roles, signIn } } });
  });

  async function signedIn(name: string, group: string): Promise<Browser> {
    broker.visitor = broker.add({ sub: name, claims: { name, groups: [group] } });
    const browser = new Browser(lab.server.url);
    await browser.open(`/-/sign-in?to=${list}`);
    return browser;
  }
  const pathIn = (text: string, pattern: RegExp) => (pattern.exec(text)?.[1] ?? '').replace('/trefoil', '');

  it('lead to sign in, and let each do what their role may, under their name', async () => {
    broker.visitor = broker.add({ sub: 'x', claims: { name: 'Xenia', groups: ['work'] } });
    const { trail } = await new Browser(lab.server.url).open(list);
    expect(trail[1]).to.include('/-/sign-in?to=');
    const anna = await signedIn('Anna Berg', 'work');
    const { text: all } = await anna.open(list);
    const submission = pathIn(all, /href="([^"]*\/submissions\/\d+)"/);
    const { text: page } = await anna.open(submission);
    expect(page).to.include('>new</span>').and.not.include(evil);
    const row = pathIn(page, /href="([^"]*\/rows\/[^"]+)"/);
    const body = (fields: Record<string, string>) => new URLSearchParams(fields);
    const token = await anna.csrfToken();
    const headers = { 'Sec-Fetch-Site': 'same-origin', Accept: 'text/html', 'X-CSRF-Token': token };
    const fields = { action: 'note', revision: '1', status: 'solved', assignee: 'Anna', note: 'the same\r\nvariant' };
    const done = await anna.ask(row, { method: 'POST', headers, body: body(fields) });
    expect([done.status, done.headers.get('location')]).to.deep.equal([303, `/trefoil${row}`]);
    const { text: after } = await anna.open(row);
    expect(after)
      .to.include('<bdi>Anna Berg</bdi>')
      .and.include('status: new → solved')
      .and.include('the same\nvariant');
    // With the revision of before: a page that says so.
    const late = await anna.ask(row, { method: 'POST', headers, body: body({ ...fields, note: 'late' }) });
    expect(late.status).to.equal(409);
    expect(await late.text()).to.include('The row was changed since it was read');
    // A form of another site does not have the token.
    const forged = await anna.ask(row, {
      method: 'POST',
      headers: { Accept: 'text/html' },
      body: body({ ...fields, revision: '2' }),
    });
    expect(forged.status).to.equal(403);
    const rut = await signedIn('Rut Read', 'read');
    const refused = await rut.ask(row, {
      method: 'POST',
      headers: { ...headers, 'X-CSRF-Token': await rut.csrfToken() },
      body: body({ ...fields, revision: '2' }),
    });
    expect(refused.status).to.equal(403);
  });
});

describe('matchmaker: the pages of matches in a browser', function () {
  this.timeout(120_000);
  const { server, open } = useBrowser(knowing);

  async function opened(locale?: string): Promise<{ page: Page; complaints: string[] }> {
    const { page, complaints } = await open('/', { javaScriptEnabled: true, ...(locale && { locale }) });
    await page.setExtraHTTPHeaders({ 'x-auth-token': server().knowing });
    await page.goto(`${server().url}${list}`);
    return { page, complaints };
  }

  async function looksRight(page: Page, name: string): Promise<void> {
    await page.locator('details').evaluateAll((all) => {
      for (const one of all) one.setAttribute('open', '');
    });
    await inEachLook(page, async ({ look, width }) => {
      expect(await page.evaluate('document.documentElement.scrollWidth'), `${name} ${look}`).to.equal(width);
      expect(await brokenRules(page), `${name} ${look}`).to.deep.equal([]);
      await screenshot(page, `triage-${name}-${look}`);
    });
  }

  it('lead from the list to a mail and to "solved", accessible and without script', async () => {
    const { page, complaints } = await opened();
    await page.getByLabel('Search in matches').fill('clinic.example');
    await page.getByRole('button', { name: 'Search' }).click();
    expect(await page.locator('tbody tr').count()).to.equal(1);
    await looksRight(page, 'list');
    await page.getByRole('link', { name: 'P-1' }).click();
    await page.getByText('not covered (≥ 10x)').waitFor();
    await page.getByText('1 carrier, 0 of them among 0 covered samples of 2').waitFor();
    await looksRight(page, 'submission');
    await page.getByRole('link', { name: 'C-1' }).click();
    await page.getByRole('heading', { name: 'Coverage and counts on this server' }).waitFor();
    await looksRight(page, 'local');
    await page.goBack();
    await page.getByLabel('Require a shared gene').check();
    await page.getByRole('button', { name: 'Show' }).click();
    expect(await page.locator('[aria-labelledby=matches] tbody tr').count()).to.equal(1);
    await page.getByRole('link', { name: 'F-1' }).click();
    await page.getByLabel('Text', { exact: true }).fill('May we compare?');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('mail sent to far@clinic.example.org').waitFor();
    expect(server().sink.mails).to.have.length(1);
    await page.getByLabel('Status', { exact: true }).selectOption('solved');
    await page.getByLabel('Note', { exact: true }).fill('Same variant.');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('status: contacted → solved').waitFor();
    await looksRight(page, 'row');
    expect(await page.locator('script').count()).to.equal(0);
    await page.setExtraHTTPHeaders({});
    expect(complaints).to.deep.equal([]);
  });

  it('speak Swedish', async () => {
    const { page } = await opened('sv-SE');
    await page.getByRole('heading', { name: 'Inskickade patienter', exact: true }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).to.equal('sv');
    await page.getByRole('link', { name: 'P-1' }).click();
    await page.getByText('enbart fenotyp').first().waitFor();
    await page.getByText('inte täckt (≥ 10x)').waitFor();
    expect(await brokenRules(page)).to.deep.equal([]);
    await page.setExtraHTTPHeaders({});
  });
});
