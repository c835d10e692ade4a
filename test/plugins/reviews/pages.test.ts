/** The pages of reviews over HTTP, and in a real browser. */
import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { brokenRules, inEachLook, screenshot, useBrowser } from '../../support/browser.js';
import { request } from '../../support/http.js';
import { storages } from '../../support/storages.js';
import { carried, readerScopes, serveWorklist, type WorklistServer } from './support/worklist.js';

const html = 'text/html,application/xhtml+xml,*/*;q=0.8';

interface Listed {
  findings: { id: string; case: string; reason: string; priority: number; revision: number; state: string }[];
  next?: string;
  groups: { id: string; subject: string; cases: number }[];
}

for (const subject of storages) {
  describe(`the worklist of reviews on ${subject.name}`, function () {
    this.timeout(60_000);
    let lab: WorklistServer;
    let [anna, rut] = ['', ''];
    before(async () => {
      lab = await serveWorklist(subject);
      [anna, rut] = [await lab.token('anna', ...readerScopes), await lab.token('rut', 'reviews:read')];
    });
    after(() => lab?.close());

    const ask = <Body = unknown>(path: string, more: Parameters<typeof request>[1] = {}, token = anna) =>
      request<Body>(lab.url + path, { token, ...more });
    const list = async (query = '', token = anna) => (await ask<Listed>(`/reviews${query}`, {}, token)).body;
    const post = (path: string, form: Record<string, string>, accept = html, token = anna) =>
      ask(path, { method: 'POST', form, headers: { accept, 'sec-fetch-site': 'same-origin' } }, token);

    it('lists the most urgent first, with conditions', async () => {
      const { findings, groups } = await list();
      expect(findings.map(({ priority, case: name, reason }) => [priority, name, reason])).to.deep.equal([
        [1, 'F1', 'raised'],
        [3, 'F2', 'raised'],
        [4, 'F1', 'panel'],
        [6, 'F3 <b>', 'match'],
      ]);
      expect(groups.map(({ subject: gene, cases }) => [gene, cases])).to.deep.equal([['CBS', 12]]);
      const cases = async (query: string) => (await list(query)).findings.map((one) => `${one.case} ${one.reason}`);
      expect(await cases('?reason=panel')).to.deep.equal(['F1 panel']);
      expect(await cases('?gene=HGNC:2861')).to.deep.equal(['F1 panel']);
      expect(await cases('?panel=other')).to.deep.equal([]);
      expect(await cases('?age=week')).to.have.length(4);
      expect(await cases('?age=older')).to.deep.equal([]);
      expect(await cases('?state=decided')).to.deep.equal([]);
      const person = await ask<Listed>('/reviews', { method: 'POST', json: { person: 'M-F2' } });
      expect(person.body.findings.map((one) => one.case)).to.deep.equal(['F2']);
      expect((await ask('/reviews?gene=nonesuch')).status).to.equal(400);
      expect((await ask('/reviews?after=1.x')).status).to.equal(400);
    });

    it('comes as a page without script, as CSV and as JSON', async () => {
      const { text, headers } = await ask<string>('/reviews', { headers: { accept: html } });
      expect(headers.get('content-type')).to.include('text/html');
      expect(text).to.include('F3 &lt;b&gt;').and.not.include('<b>').and.not.include('<script');
      expect(text).to.include('Should be looked at because').and.include('1 watched case not looked at yet');
      const csv = await ask<string>('/reviews?format=csv');
      const [head, first] = csv.text.split('\r\n');
      expect(head).to.match(/^priority,case,reason,because,gene,/);
      expect(first).to.match(/^1,F1,raised,1:11796321 G>A in MTHFR is now classified/);
      const sv = await ask<string>('/reviews?lang=sv', { headers: { accept: html } });
      expect(sv.text).to.include('<html lang="sv">').and.include('Bör ses på igen eftersom');
    });

    it('answers five questions on the page of a case, with the rights of the reader', async () => {
      const { text } = await ask<string>('/reviews/cases/F1', { headers: { accept: html } });
      for (const words of [
        '1:11796321 G&gt;A in MTHFR is now classified as (likely) pathogenic',
        'uncertain significance (ClinVar 2026-01, 1 star)',
        'pathogenic (ClinVar 2026-11, 2 stars)',
        'iem@1.1: 1 gene differs',
        '2 coding exons not covered',
        '1 covered now, 1 still not',
        '1 carrier of 2 covered',
        'Statement 1: negative, iem@1.0',
        'the population frequency is unknown',
      ])
        expect(text).to.include(words);
      // Both alleles of a pair, each with who carries it; and what rules say, in the reader's language.
      for (const words of [
        'and 1:11796321 G&gt;A (with 1:11796331 G&gt;A) fits',
        '1:11796331 G&gt;A: heterozygous, from the mother, in trans, ClinVar 2026-11: Pathogenic (2 of 4 stars)',
        'proband (affected): one copy; mother: one copy',
      ])
        expect(text).to.include(words);
      const sv = await ask<string>('/reviews/cases/F1?lang=sv', { headers: { accept: html } });
      for (const words of [
        '(med 1:11796331 G&gt;A) passar',
        'heterozygot, från modern, i trans, ClinVar 2026-11: Pathogenic (2 av 4 stjärnor)',
        '<bdi>saknas</bdi>',
        '<bdi>grön</bdi>',
      ])
        expect(sv.text).to.include(words);
      const other = await ask<string>('/reviews/cases/F1', { headers: { accept: html } }, rut);
      expect(other.text).to.include('not looked at: no dataset of this build that you may read');
      expect(other.text).to.include('not looked at: you may not see it').and.not.include('<form class="card"');
      expect((await ask('/reviews/cases/F9', { headers: { accept: html } })).status).to.equal(404);
    });

    it('comes on paper, in both languages', async function () {
      if (spawnSync('pdftotext', ['-v']).error) return this.skip();
      const list = await paper('/reviews?reason=raised');
      expect(list).to.include('2 findings in 2 cases').and.include('Reason class raised').and.not.include('F3');
      expect(list).to.include(
        '1 F1 1:11796321 G>A in MTHFR is now classified as (likely) pathogenic iem 2026-11-20 open',
      );
      expect(await paper('/reviews?lang=sv'))
        .to.include('Bör ses på igen eftersom')
        .and.include('Sida 1 av 1');
      const whole = await paper('/reviews/cases/F1?format=pdf');
      for (const words of [
        'Case F1',
        'Persons S-F1 (proband, affected); M-F1 (mother)',
        'Why is this here?',
        'MTHFR: Class uncertain significance (ClinVar 2026-01, ',
        'pathogenic (ClinVar 2026-11, 2 stars)',
        'Coverage (≥ 10x) 2 coding exons not covered 1 covered now, 1 still not',
        '1 carrier of 2 covered',
        '2026-02-03 Anna Berg Statement 1: negative, iem@1.0',
        'Created 2026-11-23',
      ])
        expect(whole).to.include(words);
      expect(await paper('/reviews/cases/F1', rut)).to.include('not looked at: you may not see it');
      expect((await ask('/reviews/cases/F9?format=pdf')).status).to.equal(404);
    });

    /** What is on a file that the server sends, with single blanks. */
    async function paper(path: string, token = anna): Promise<string> {
      const response = await fetch(lab.url + path, { headers: { accept: 'application/pdf', 'x-auth-token': token } });
      expect([response.status, response.headers.get('content-type')]).to.deep.equal([200, 'application/pdf']);
      const { stdout } = spawnSync('pdftotext', ['-layout', '-', '-'], {
        input: Buffer.from(await response.arrayBuffer()),
      });
      return stdout.toString('utf8').replace(/\s+/g, ' ');
    }

    it('keeps a decision, once for those who saw the same', async () => {
      const [first] = (await list()).findings;
      const path = `/reviews/findings/${first?.id}/decision`;
      const fields = { revision: `${first?.revision}`, outcome: 'no change', reason: 'does not fit', until: '' };
      expect((await post(path, fields, html, rut)).status).to.equal(403);
      expect((await post(path, { ...fields, reason: ' ' })).status).to.equal(400);
      expect((await post(path, { ...fields, until: '2030-01-31' })).status).to.equal(400);
      const done = await post(path, fields);
      expect([done.status, done.headers.get('location')]).to.deep.equal([303, '/reviews/cases/F1']);
      expect((await post(path, fields)).status).to.equal(409);
      const { text } = await ask<string>('/reviews/cases/F1', { headers: { accept: html } });
      expect(text).to.include('no change (class raised, MTHFR)').and.include('does not fit');
      expect((await list('?state=decided')).findings.map(({ id }) => id)).to.deep.equal([first?.id]);
      // `reopened` leads to a new statement, which supersedes: what the form does not ask stays.
      const other = (await list('?reason=panel')).findings[0];
      const reopened = { ...fields, revision: `${other?.revision}`, outcome: 'reopened', reason: 'look at DHFR' };
      const to = await post(`/reviews/findings/${other?.id}/decision`, reopened);
      expect([to.status, to.headers.get('location')]).to.deep.equal([303, '/reviews/cases/F1/statement']);
      const form = await ask<string>('/reviews/cases/F1/statement', { headers: { accept: html } });
      expect(form.text).to.include('value="1.0"').and.include('value="anna"').and.include('value="HP:0001250"');
      const stated = {
        ...{ revision: '1', conclusion: 'solved', version: '1.1', reviewer: 'Bo', recontact: '2030-01-31' },
        ...{ terms: 'HP:0001250 HP:0001263', releases: 'ClinVar 2026-11\r\n' },
        alleles: '1-11796321-G-A homozygous likely pathogenic basis',
      };
      const wrong = await post('/reviews/cases/F1/statement', { ...stated, alleles: '1-x-G-A' });
      expect([wrong.status, wrong.text]).to.satisfy(([status, text]: [number, string]) => {
        return status === 400 && text.includes('alleles: expected a line such as');
      });
      const unknown = await post('/reviews/cases/F1/statement', { ...stated, version: '9.9' });
      expect([unknown.status, String(unknown.text).includes('has no version 9.9 of iem')]).to.deep.equal([422, true]);
      expect((await post('/reviews/cases/F1/statement', stated)).status).to.equal(303);
      expect((await post('/reviews/cases/F1/statement', stated)).status).to.equal(409);
      const last = await lab.repository.find({ case: 'F1' });
      expect(last).to.deep.include({ revision: 2, conclusion: 'solved', reviewer: 'Bo', thresholds: [10] });
      expect(last?.alleles).to.deep.equal([
        { ...carried, zygosity: 'homozygous', class: 'likely pathogenic', isBasis: true },
      ]);
      const whole = await ask<string>('/reviews/cases/F1', { headers: { accept: html } });
      expect(whole.text).to.include('Statement 2: solved, iem@1.1').and.include('Statement 1: negative, iem@1.0');
      const years = await ask<{ year: number; reason: string; findings: number }[]>('/reviews/yield');
      expect(years.body).to.deep.include({ reason: 'panel', year: 2026, findings: 1, reopened: 1, solved: 1 });
    });
  });
}

describe('the pages of reviews in a browser', function () {
  this.timeout(120_000);
  const { server, open } = useBrowser(async () => {
    const [engine] = storages;
    if (!engine) throw new Error('there is an engine');
    const lab = await serveWorklist(engine);
    return { ...lab, reader: await lab.token('anna', ...readerScopes) };
  });

  async function opened(path: string, locale?: string) {
    const { page, complaints } = await open('/', { javaScriptEnabled: true, ...(locale && { locale }) });
    await page.setExtraHTTPHeaders({ 'x-auth-token': server().reader });
    await page.goto(`${server().url}${path}`);
    return { page, complaints };
  }

  async function looksRight(page: Page, name: string): Promise<void> {
    await page.setViewportSize({ width: 1280, height: 900 });
    await screenshot(page, `reviews-${name}-first`);
    await page.locator('details').evaluateAll((all) => {
      for (const one of all) one.setAttribute('open', '');
    });
    await inEachLook(page, async ({ look, width }) => {
      expect(await page.evaluate('document.documentElement.scrollWidth'), `${name} ${look}`).to.equal(width);
      expect(await brokenRules(page), `${name} ${look}`).to.deep.equal([]);
      await screenshot(page, `reviews-${name}-${look}`);
    });
    // A4 with margins of a centimetre.
    await page.setViewportSize({ width: 718, height: 1000 });
    await page.emulateMedia({ media: 'print', colorScheme: 'light' });
    expect(await page.evaluate('document.documentElement.scrollWidth'), `${name} print`).to.equal(718);
    await screenshot(page, `reviews-${name}-print`);
    await page.emulateMedia({ media: 'screen' });
  }

  it('lead from the list to a decision, accessible and without script', async () => {
    const { page, complaints } = await opened('/reviews');
    await looksRight(page, 'list');
    await page.getByLabel('Person').fill('S-F2');
    await page.getByRole('button', { name: 'Show' }).click();
    expect(await page.locator('[aria-labelledby=findings] tbody tr').count()).to.equal(1);
    await page.goto(`${server().url}/reviews`);
    await page.getByRole('link', { name: 'F1' }).first().click();
    await page.getByText('1 carrier of 2 covered').first().waitFor();
    await looksRight(page, 'case');
    const form = page.locator('form').filter({ hasText: 'Outcome' }).first();
    await form.getByLabel('Reason').fill('Does not fit.');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Does not fit.').waitFor();
    await page.getByRole('link', { name: 'Enter a new statement' }).click();
    await looksRight(page, 'statement');
    await page.getByRole('link', { name: 'Yield' }).click();
    await looksRight(page, 'yield');
    expect(await page.locator('script').count()).to.equal(0);
    await page.setExtraHTTPHeaders({});
    expect(complaints).to.deep.equal([]);
  });

  it('speak Swedish', async () => {
    const { page } = await opened('/reviews', 'sv-SE');
    await page.getByRole('heading', { name: 'Fall att se på igen' }).waitFor();
    await page.getByRole('link', { name: 'F2' }).click();
    await page.getByRole('heading', { name: 'Vad beslutade vi?' }).waitFor();
    await looksRight(page, 'case-sv');
    await page.setExtraHTTPHeaders({});
  });
});
