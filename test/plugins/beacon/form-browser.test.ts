import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { memorySubject } from '../../kit/memory.js';
import { brokenRules, inEachLook, screenshot, useBrowser } from '../../support/browser.js';
import { encoded } from '../../support/http.js';
import { phone } from '../../support/page-pool.js';
import { sampled } from '../../support/sample.js';
import { dataset, serveBeacon } from './support/serve.js';

const path = '/apiv1.0/query_form';
const carrier = { assemblyId: 'GRCh37', referenceName: '1', start: '156146085', referenceBases: 'C' };

/** Numbers in the row of a dataset: variants, calls, samples. */
async function counts(page: Page, id: string): Promise<string[]> {
  const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: id, exact: true }) });
  return row.getByRole('cell').allInnerTexts();
}

async function choose(page: Page, place: { assembly: string; chromosome: string }): Promise<void> {
  await page.getByLabel('Genome assembly').selectOption(place.assembly);
  await page.getByLabel('Chromosome', { exact: true }).selectOption(place.chromosome);
}

async function search(page: Page): Promise<void> {
  const before = page.url();
  await page.getByRole('button', { name: 'Search Trefoil beacon' }).click();
  await page.waitForURL((url) => url.href !== before);
}

/** The headings of the first table that take several lines, or the names of cells that do, if its last cell is long. */
const brokenHeadings = `(() => {
  const table = document.querySelector('table');
  const cells = [...table.querySelectorAll('td')];
  cells.at(-1).innerHTML = '<span>' + 'covered '.repeat(60) + '</span>';
  const isHigh = ({ height, fontSize }) => parseFloat(height) > 2 * parseFloat(fontSize);
  const isBroken = (th) => {
    const range = document.createRange();
    range.selectNodeContents(th);
    return new Set([...range.getClientRects()].map(({ top }) => top)).size > 1;
  };
  return [
    ...[...table.querySelectorAll('thead th')].filter(isBroken).map(({ textContent }) => textContent),
    ...cells.filter((cell) => isHigh(getComputedStyle(cell, '::before'))).map(({ dataset }) => dataset.label),
  ];
})()`;

describe('beacon: the query page in a browser', function () {
  this.timeout(120_000);
  const pages = useBrowser(async () => {
    const beacon = await serveBeacon(memorySubject, { demo: true });
    const more = { assembly: 'GRCh38', description: 'Nothing so far.', externalUrl: 'https://example.org' } as const;
    await beacon.repository.addDataset(dataset('a_dataset.with-a:very_long_id_of_one_word', more), new Date());
    return beacon;
  });

  for (const javaScriptEnabled of sampled([true, false], 2, 1)) {
    describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
      const open = (search = '') => pages.open(path + search, { javaScriptEnabled });

      it('finds an allele; the URL is the query', async () => {
        const { page, complaints } = await open();
        await choose(page, { assembly: 'GRCh37', chromosome: '1' });
        await page.getByLabel('Start', { exact: true }).fill('156146085');
        await page.getByLabel('Reference bases').fill('c');
        await page.getByLabel('Alternate bases').fill('A');
        await search(page);
        expect(await page.title()).to.equal('Allele found · Trefoil beacon');
        expect(await page.locator('.alert-success').first().innerText()).to.equal('Allele was found in this beacon');
        // The child and the mother have it once each; the dataset of the other assembly is listed too.
        expect(await counts(page, 'test_public')).to.deep.equal(['PUBLIC', 'Allele exists: True', '1', '2', '2']);
        expect(await counts(page, 'a_dataset.with-a:very_long_id_of_one_word')).to.deep.equal([
          ...['PUBLIC', 'Allele exists: False', '0', '0', '0'],
        ]);
        expect(await page.getByLabel('Start', { exact: true }).inputValue()).to.equal('156146085');
        expect(await page.getByLabel('Chromosome', { exact: true }).inputValue()).to.equal('1');
        expect(new URL(page.url()).searchParams.get('start')).to.equal('156146085');

        const again = await pages.open(page.url(), { javaScriptEnabled });
        expect(await again.page.locator('#answer').innerText()).to.equal(await page.locator('#answer').innerText());
        await page.getByRole('link', { name: 'Link to this query' }).click();
        await page.waitForURL((url) => !url.searchParams.has('query'));
        expect(await page.title()).to.equal('Allele found · Trefoil beacon');
        await page.getByRole('link', { name: 'Reset' }).click();
        await page.getByText('Examples:').waitFor();
        expect(await page.getByLabel('Start', { exact: true }).inputValue()).to.equal('');
        expect([...complaints, ...again.complaints]).to.deep.equal([]);
      });

      it('does not find another', async () => {
        const { page, complaints } = await open(`?${encoded({ ...carrier, alternateBases: 'T' })}`);
        expect(await page.title()).to.equal('Allele not found · Trefoil beacon');
        expect(await page.locator('.alert').allInnerTexts()).to.deep.equal(['Allele could not be found']);
        expect(complaints).to.deep.equal([]);
      });

      it('reports a fault, and accepts the correction', async () => {
        const { page, complaints } = await open();
        await choose(page, { assembly: 'GRCh37', chromosome: '1' });
        await page.getByLabel('Start', { exact: true }).fill('156146085');
        await page.getByLabel('Alternate bases').fill('A');
        await search(page);
        expect(await page.title()).to.equal('Error in the query · Trefoil beacon');
        expect(await page.locator('.alert-danger').innerText()).to.include('Missing one or more mandatory parameters');
        await page.getByLabel('Reference bases').fill('C');
        await search(page);
        await page.getByText('Allele was found in this beacon').waitFor();
        expect(complaints).to.deep.equal([]);
      });

      it('finds within a range', async () => {
        const { page, complaints } = await open();
        await choose(page, { assembly: 'GRCh37', chromosome: '3' });
        await page.getByText('Search a range instead').click();
        await page.getByLabel('Minimum start').fill('60505000');
        await page.getByLabel('Maximum start').fill('60505100');
        await page.getByLabel('Minimum end').fill('60507000');
        await page.getByLabel('Maximum end').fill('60508000');
        await page.getByLabel('Reference bases').fill('N');
        await page.getByLabel('Variant type').selectOption('DEL');
        await page.getByRole('radio', { name: 'With the allele' }).check();
        await search(page);
        expect(await page.getByRole('row').count()).to.equal(2);
        expect(await counts(page, 'test_public')).to.deep.equal(['PUBLIC', 'Allele exists: True', '1', '2', '2']);
        expect(await page.getByLabel('Maximum end').isVisible()).to.equal(true);
        expect(complaints).to.deep.equal([]);
      });

      it('finds structural variants: a duplication in a chosen dataset, a breakend by its mate', async () => {
        const { page, complaints } = await open();
        await choose(page, { assembly: 'GRCh37', chromosome: '20' });
        await page.getByLabel('Start', { exact: true }).fill('54963148');
        await page.getByLabel('End', { exact: true }).fill('54963210');
        await page.getByLabel('Reference bases').fill('C');
        await page.getByLabel('Variant type').selectOption('DUP');
        await page.getByRole('checkbox', { name: 'Test public dataset' }).check();
        await search(page);
        expect(await page.getByRole('row').count()).to.equal(2);
        expect(await counts(page, 'test_public')).to.deep.equal(['PUBLIC', 'Allele exists: True', '1', '2', '2']);
        expect(await page.getByRole('checkbox', { name: 'Test public dataset' }).isChecked()).to.equal(true);

        // The junction 9:21970900 – 22:29065000 of the child, queried from its far end.
        await choose(page, { assembly: 'GRCh37', chromosome: '22' });
        await page.getByLabel('Start', { exact: true }).fill('29064999');
        await page.getByLabel('End', { exact: true }).fill('21970899');
        await page.getByLabel('Reference bases').fill('N');
        await page.getByLabel('Variant type').selectOption('BND');
        await page.getByLabel('Mate chromosome (breakends)').selectOption('9');
        await search(page);
        expect(await counts(page, 'test_public')).to.deep.equal(['PUBLIC', 'Allele exists: True', '1', '1', '1']);
        expect(complaints).to.deep.equal([]);
      });
    });
  }

  it('works with the keyboard alone', async () => {
    const { page, complaints } = await pages.open(path);
    const focused = () => page.evaluate('document.activeElement.id || document.activeElement.textContent');
    await page.keyboard.press('Tab');
    expect(await focused()).to.equal('Skip to the form');
    await page.keyboard.press('Enter');
    const typed = [
      ['assemblyId', 'GRCh37'],
      ['referenceName', '1'],
      ['start', '156146085'],
      ['end', ''],
      ['Search a range instead', ''],
      ['referenceBases', 'C'],
      ['alternateBases', 'A'],
    ] as const;
    for (const [id, text] of typed) {
      await page.keyboard.press('Tab');
      expect(await focused()).to.equal(id);
      await page.keyboard.type(text);
    }
    await page.keyboard.press('Enter');
    await page.getByText('Allele was found in this beacon').waitFor();
    expect(complaints).to.deep.equal([]);
  });

  const states = {
    empty: {},
    hit: { ...carrier, alternateBases: 'A', includeDatasetResponses: 'ALL' },
    miss: { ...carrier, alternateBases: 'N'.repeat(300), includeDatasetResponses: 'HIT', datasetIds: 'test_public' },
    error: { ...carrier, start: 'here' },
    range: { ...carrier, start: '', startMin: 0, endMax: 200_000_000, variantType: 'SNV', assemblyId: 'GRCh38' },
  };
  for (const [state, parameters] of Object.entries(states)) {
    it(`is accessible and fits: ${state}`, async () => {
      const { page, complaints } = await pages.open(`${path}?${encoded(parameters)}`);
      await inEachLook(page, async ({ look, colorScheme, width }) => {
        const paper = await page.evaluate('getComputedStyle(document.body).backgroundColor');
        expect(paper, look).to.equal(colorScheme === 'light' ? 'rgb(246, 248, 248)' : 'rgb(17, 25, 27)');
        expect(await page.evaluate('document.documentElement.scrollWidth'), look).to.equal(width);
        expect(await brokenRules(page), look).to.deep.equal([]);
        await screenshot(page, `query-form-${state}-${look}`);
      });
      expect(complaints).to.deep.equal([]);
    });
  }

  it('breaks no heading of the search page within a word, beside a long cell', async () => {
    for (const viewport of [{ width: 1200, height: 900 }, phone]) {
      const url = '/beacon/search?assemblyId=GRCh37&q=1-156146086-C-A';
      const { page } = await pages.open(url, { viewport });
      expect(await page.evaluate(brokenHeadings), `${viewport.width}`).to.deep.equal([]);
    }
  });

  it('prints the result without the form', async () => {
    const { page } = await pages.open(`${path}?${encoded(states.hit)}`);
    await page.emulateMedia({ media: 'print' });
    const isShown = (selector: string) => page.locator(selector).isVisible();
    expect([await isShown('#answer'), await isShown('#form'), await isShown('footer')]).to.eql([true, false, false]);
  });

  it('keeps a table for screen readers, also on a phone', async () => {
    const url = `${path}?${encoded(states.hit)}`;
    const { page } = await pages.open(url, { viewport: phone });
    expect(await page.getByRole('columnheader').allTextContents()).to.deep.equal([
      ...['Dataset datasetId', 'Access accessType', 'Result exists'],
      ...['Variants variantCount', 'Calls callCount', 'Samples sampleCount'],
    ]);
    expect(await counts(page, 'test_public')).to.deep.equal(['PUBLIC', 'Allele exists: True', '1', '2', '2']);
  });

  it('shows any input as text', async () => {
    const nasty = `"'><script>alert(1)</script><img src=//x.example/ onerror=alert(1)>`;
    const texts = ['start', 'end', 'startMin', 'startMax', 'endMin', 'endMax', 'referenceBases', 'alternateBases'];
    const selects = ['assemblyId', 'referenceName', 'variantType', 'mateName'];
    const names = [...texts, ...selects, 'datasetIds', 'includeDatasetResponses'];
    const sent = Object.fromEntries(names.map((name) => [name, `${name}${nasty}`]));
    const { page, complaints } = await pages.open(`${path}?${encoded(sent)}`);
    for (const name of [...texts, ...selects]) {
      expect(await page.locator(`#${name}`).inputValue()).to.equal(`${name}${nasty}`);
    }
    expect(await page.locator('script, img').count()).to.equal(0);
    expect(await page.locator('.alert-danger').count()).to.equal(1);
    expect(complaints).to.deep.equal([]);
  });
});
