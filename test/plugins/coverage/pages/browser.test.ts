import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { pageNames } from '../../../../plugins/coverage/report/form/request.js';
import { brokenRules, inEachLook, screenshot, useBrowser } from '../../../support/browser.js';
import { sampled } from '../../../support/sample.js';
import { serveCoverage } from '../support/serve.js';
import { demoForm, post, trio } from './support/post.js';
import { shownDepth } from './support/tables.js';

/** The texts of a table's cells, by row. */
function cells(page: Page, title: string | RegExp): Promise<string[][]> {
  return page
    .getByRole('table', { name: title })
    .locator('tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll('th,td')].map((cell) => cell.textContent?.trim() ?? '')),
    );
}

describe('coverage pages: in a browser', function () {
  this.timeout(120_000);
  const { server, open, blank } = useBrowser(() => serveCoverage({ demo: true }));

  for (const name of pageNames) {
    it(`is accessible and fits: ${name}`, async () => {
      const { page, complaints } = await open(`/${name}/demo`);
      // Closed sections are checked, too.
      await page.locator('details').evaluateAll((all) => {
        for (const one of all) one.setAttribute('open', '');
      });
      await inEachLook(page, async ({ look, width }) => {
        expect(await page.evaluate('document.documentElement.scrollWidth'), look).to.equal(width);
        expect(await brokenRules(page), look).to.deep.equal([]);
        const cut = await page
          .locator('.scroll table')
          .evaluateAll(
            (all) => all.filter((one) => one.scrollWidth > (one.parentElement?.clientWidth ?? 0) + 1).length,
          );
        if (width === 1280) expect(cut, `tables of ${look} that show no last column`).to.equal(0);
        await screenshot(page, `${name}-${look}`);
      });
      // axe does not look for these; a link to such an id leads to the first of them.
      const ids = await page.locator('[id]').evaluateAll((all) => all.map(({ id }) => id));
      expect(ids.filter((id, i) => ids.indexOf(id) !== i)).to.deep.equal([]);
      expect(complaints).to.deep.equal([]);
    });
  }

  for (const javaScriptEnabled of sampled([true, false], 2)) {
    describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
      it('changes the coverage threshold without losing anything', async () => {
        const { page, complaints } = await open('/report/demo', { javaScriptEnabled });
        await page.getByRole('button', { name: '10×', exact: true }).click();
        await page.waitForURL('**/report');
        await page.getByRole('heading', { name: 'Fully covered transcripts at 10×' }).waitFor();
        expect(await page.locator('.subtitle').innerText()).to.equal('Case: Demo trio · Panel: Demo panel');
        expect(await page.locator('.notices').innerText()).to.include('LAMA1: not in the gene set that is loaded');
        const before = await cells(page, 'Samples');
        expect(before.map(([sample]) => sample)).to.deep.equal(['demo_child', 'demo_mother', 'demo_father']);
        expect(before[0]).to.include('2026-04-23').and.include('demo_trio');
        await page.getByRole('button', { name: '30×', exact: true }).click();
        await page.getByRole('heading', { name: 'Fully covered transcripts at 30×' }).waitFor();
        expect(await cells(page, 'Samples')).to.deep.equal(before);
        expect(complaints).to.deep.equal([]);
      });

      it('changes interval type, panel and genes with the form', async () => {
        const { page, complaints } = await open('/report/demo', { javaScriptEnabled });
        await page.getByText('Report settings').click();
        await page.getByLabel('Intervals').selectOption('exons');
        await page.getByLabel('Panel name').fill('Other "panel"');
        await page.getByLabel('Genes:').fill('7436, FOLR1');
        await page.getByRole('button', { name: 'Create report' }).click();
        await page.getByRole('heading', { name: 'Fully covered exons at 20×' }).waitFor();
        expect(await page.locator('.subtitle').innerText()).to.equal('Case: Demo trio · Panel: Other "panel"');
        expect(await page.locator('.facts').innerText()).to.match(/Requested\s+2 genes, /);
        expect(complaints).to.deep.equal([]);
      });

      it('links to the other views, to a gene and to the other language', async () => {
        const { page, complaints } = await open('/report/demo', { javaScriptEnabled });
        await page.getByRole('button', { name: 'Incomplete intervals' }).click();
        await page.waitForURL('**/overview');
        const opened = page.context().waitForEvent('page');
        await page.getByRole('button', { name: 'DHFR', exact: true }).first().click();
        const gene = await opened;
        await gene.getByRole('heading', { name: 'Coverage of DHFR' }).waitFor();
        expect(await gene.locator('svg[role=img]').count()).to.equal(3);
        await gene.getByRole('button', { name: 'Report', exact: true }).last().click();
        await gene.getByRole('heading', { name: 'Fully covered transcripts at 20×' }).waitFor();
        expect(await gene.locator('.facts').innerText()).to.match(/Requested\s+8 genes, /);
        await gene.close();
        await page.getByRole('button', { name: 'MANE transcripts' }).click();
        await page.waitForURL('**/mane_overview');
        await page.getByRole('button', { name: 'Svenska' }).click();
        await page.getByRole('heading', { name: 'Täckning för MANE-transkript' }).waitFor();
        expect(await page.locator('html').getAttribute('lang')).to.equal('sv');
        await page.getByRole('button', { name: 'Rapport', exact: true }).last().click();
        await page.getByRole('heading', { name: 'Täckningsrapport' }).waitFor();
        expect(complaints).to.deep.equal([]);
      });

      it('filters and sorts the overview', async () => {
        const { page, complaints } = await open('/overview/demo?interval_type=exons', { javaScriptEnabled });
        await page.getByLabel('Filter by').fill('folr1');
        await page.getByLabel('Sort').selectOption('completeness');
        await page.getByRole('button', { name: 'Apply' }).click();
        await page.waitForURL('**/overview');
        const rows = await cells(page, /Intervals with bases below 20×/);
        expect(rows.length).to.be.greaterThan(0);
        expect(new Set(rows.map(([gene]) => gene))).to.deep.equal(new Set(['FOLR1']));
        expect(await page.getByLabel('Sort').inputValue()).to.equal('completeness');
        expect(complaints).to.deep.equal([]);
      });

      it('sorts the genes with incomplete coverage by a column', async () => {
        const { page, complaints } = await open('/report/demo', { javaScriptEnabled });
        const title = /Genes with incomplete coverage at 20×/;
        const shares = (rows: string[][], column: number) =>
          rows.map((row) => Number.parseFloat(row[column]?.replace('▾', '') ?? ''));
        const first = shares(await cells(page, title), 1);
        expect(first.length).to.be.greaterThan(2);
        expect(first).to.deep.equal(first.toSorted((a, b) => a - b));
        expect(await page.locator('th[aria-sort]').innerText()).to.equal('Lowest');
        await page.getByRole('table', { name: title }).getByRole('button', { name: 'demo_mother' }).click();
        await page.waitForURL('**/report#table-incomplete_genes');
        const second = shares(await cells(page, title), 3);
        expect(second).to.deep.equal(second.toSorted((a, b) => a - b));
        expect(await page.locator('th[aria-sort]').innerText()).to.equal('demo_mother');
        // The saved file equals the visible table.
        await page.getByRole('table', { name: title }).getByRole('button', { name: 'Gene' }).click();
        await page.waitForFunction("document.querySelector('th[aria-sort]').textContent === 'Gene'");
        const genes = (await cells(page, title)).map(([gene = '']) => gene);
        expect(genes).to.deep.equal(genes.toSorted());
        expect(complaints).to.deep.equal([]);
      });

      it('draws another transcript', async () => {
        const { page, complaints } = await open('/gene_overview/demo', { javaScriptEnabled });
        await page.getByRole('button', { name: 'Draw this transcript' }).first().click();
        await page.waitForURL('**/gene_overview');
        await page.getByText('Exons of ENST').waitFor();
        expect(await page.getByText('Exons of ENST').innerText()).not.to.include('ENST00000376590');
        expect(complaints).to.deep.equal([]);
      });

      it('downloads every format', async () => {
        const { page } = await open('/report/demo', { javaScriptEnabled });
        for (const [label, ending] of [
          ['PDF', 'pdf'],
          ['CSV', 'csv'],
          ['TSV', 'tsv'],
          ['BED (low coverage)', 'bed'],
          ['JSON', 'json'],
          ['MultiQC', 'json'],
        ] as const) {
          const [download] = await Promise.all([
            page.waitForEvent('download'),
            page.getByRole('button', { name: label, exact: true }).click(),
          ]);
          expect(download.suggestedFilename()).to.match(
            new RegExp(
              label === 'MultiQC'
                ? '^coverage-report_.+_Demo-panel_GRCh38_20x_.+_mqc\\.json$'
                : `^coverage-report_Demo-trio_Demo-panel_GRCh38_20x_\\d{4}-\\d\\d-\\d\\d\\.${ending}$`,
            ),
          );
        }
      });

      it('says what is wrong and accepts the correction', async () => {
        const { page } = await open('/report/demo', { javaScriptEnabled });
        await page.getByText('Report settings').click();
        await page.getByLabel('Genes:').fill('NOSUCHGENE');
        await page.getByRole('button', { name: 'Create report' }).click();
        await page.getByRole('heading', { name: 'The report could not be created' }).waitFor();
        expect(await page.getByRole('alert').innerText()).to.include('NOSUCHGENE');
        expect(await brokenRulesIfScripted(page, javaScriptEnabled)).to.deep.equal([]);
        await page.getByLabel('Genes:').fill('MTHFR');
        await page.getByRole('button', { name: 'Create report' }).click();
        await page.getByRole('heading', { name: 'Coverage report' }).waitFor();
        expect(await page.locator('.subtitle').innerText()).to.equal('Case: Demo trio · Panel: Demo panel');
      });
    });
  }

  const brokenRulesIfScripted = async (page: Page, scripted: boolean) => (scripted ? brokenRules(page) : []);

  it('shows the numbers of its JSON', async () => {
    const { page } = await open('/report/demo');
    const data = (await (await fetch(`${server().url}/report/demo?format=json`)).json()) as {
      thresholds: number[];
      samples: { name: string; mean_coverage: number; completeness_percent: Record<string, number> }[];
    };
    const shown = await cells(page, /^Coverage$/);
    const expected = data.samples.map(({ name, mean_coverage, completeness_percent }) => [
      name,
      shownDepth(mean_coverage),
      ...data.thresholds.map((threshold) => `${(completeness_percent[threshold] ?? -1).toFixed(2)} %`),
    ]);
    expect(shown.map((row) => row.map((cell) => cell.replace('▾', '')))).to.deep.equal(expected);
  });

  it('reads a BED file into the form', async () => {
    const { page, complaints } = await open('/report/demo');
    await page.getByText('Report settings').click();
    await page.locator('summary', { hasText: 'BED lines' }).click();
    await page.getByLabel('Load from a file', { exact: true }).setInputFiles({
      name: 'panel.bed',
      mimeType: 'text/plain',
      buffer: Buffer.from('1\t11785722\t11785822\tone\n'),
    });
    await page.waitForFunction("document.getElementById('intervals_bed').value !== ''");
    await page.getByRole('button', { name: 'Create report' }).click();
    await page.getByRole('heading', { name: 'Fully covered intervals at 20×' }).waitFor();
    expect(await page.locator('.facts').innerText()).to.include('1 interval');
    expect(complaints).to.deep.equal([]);
  });

  it('prints on A4: with every gap, without buttons and forms', async () => {
    const { page } = await open('/report/demo');
    await page.emulateMedia({ media: 'print' });
    for (const hidden of ['.exports', '.levels', '.ask', 'footer']) {
      expect(await page.locator(hidden).first().isVisible(), hidden).to.equal(false);
    }
    const file = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
    // A4 in points.
    expect(file).to.match(/\/MediaBox \[0 0 59[45](\.\d+)? 84[12](\.\d+)?\]/);
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    expect(await page.getByRole('table', { name: 'Regions below 20×' }).isVisible()).to.equal(true);
  });

  it('prints any number of samples within the page', async () => {
    const fields = { ...demoForm, hgnc_gene_id: 'MTHFR', hgnc_gene_ids: 'MTHFR,DHFR,FOLR1' };
    // The width of A4 between its margins: 210 mm less 2 × 13 mm, at 96 to the inch.
    const page = await blank({ viewport: { width: 695, height: 900 } });
    await page.emulateMedia({ media: 'print' });
    for (const count of [3, 4, 7, 50]) {
      const samples = Array.from({ length: count }, (_, i) => ({
        ...trio[i % 3],
        name: i === 1 ? 'a_name_that_is_longer_than_what_a_column_has_room_for' : `sample ${i + 1}`,
      }));
      for (const name of pageNames) {
        const { text } = await post(`${server().url}/${name}`, { ...fields, samples: JSON.stringify(samples) });
        await page.setContent(text);
        await page.evaluate("dispatchEvent(new Event('beforeprint'))");
        expect(await page.evaluate('document.documentElement.scrollWidth'), `${name} ${count}`).to.equal(695);
        const tooWide = await page
          .locator('.scroll:visible')
          .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1).length);
        expect(tooWide, `${name} ${count}`).to.equal(0);
      }
    }
  });

  for (const [path, status] of [
    ['/coverage', 200],
    ['/report', 405],
    ['/report/demo?default_level=many&lang=sv', 422],
  ] as const) {
    it(`is accessible and fits on error pages and first pages: ${path}`, async () => {
      const { page, complaints } = await open(path);
      await inEachLook(page, async ({ look, width }) => {
        expect(await page.evaluate('document.documentElement.scrollWidth'), look).to.equal(width);
        expect(await brokenRules(page), look).to.deep.equal([]);
        await screenshot(page, `${path.replace(/\W+/g, '-')}-${look}`);
      });
      // The browser itself logs the status.
      expect(complaints.filter((one) => !one.includes(String(status)))).to.deep.equal([]);
    });
  }

  it('works with the keyboard alone', async () => {
    const { page, complaints } = await open('/report/demo');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).to.equal('Skip to content');
    for (let i = 0; i < 12; i++) {
      await page.keyboard.press('Tab');
      if ((await page.evaluate('document.activeElement.textContent')) === '15×') break;
    }
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Fully covered transcripts at 15×' }).waitFor();
    expect(complaints).to.deep.equal([]);
  });

  it('links its first page to a report', async () => {
    const { page, complaints } = await open('/coverage');
    expect(await brokenRules(page)).to.deep.equal([]);
    await page.getByRole('link', { name: 'Coverage of MANE transcripts' }).click();
    await page.getByRole('heading', { name: 'Coverage of MANE transcripts' }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Create report' }).click();
    await page.getByRole('heading', { name: 'Coverage report' }).waitFor();
    expect(complaints).to.deep.equal([]);
  });
});
