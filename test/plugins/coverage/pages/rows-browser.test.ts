import { expect } from 'chai';
import { brokenRules, inEachLook, screenshot, useBrowser } from '../../../support/browser.js';
import { sampled } from '../../../support/sample.js';
import { serveCoverage } from '../support/serve.js';

describe('coverage pages: samples as rows in a browser', function () {
  this.timeout(120_000);
  const pages = useBrowser(() => serveCoverage({ demo: true }));
  const open = (options: Parameters<typeof pages.open>[1] = {}) => pages.open('/coverage', options);

  for (const javaScriptEnabled of sampled([true, false], 2, 1)) {
    it(`adds a sample, says what is wrong with it and reports it ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async () => {
      const { page, complaints } = await open({ javaScriptEnabled });
      const fourth = page.getByRole('group', { name: 'Sample 4' });
      expect(await fourth.count()).to.equal(0);
      await page.getByRole('button', { name: 'Add a sample' }).click();
      await fourth.waitFor();
      await fourth.getByLabel('Name').fill('<again>');
      await fourth.getByLabel('Declared sex').selectOption('female');
      await page.getByRole('button', { name: 'Create report' }).click();
      await page.getByRole('heading', { name: 'The report could not be created' }).waitFor();
      expect(await page.getByRole('alert').locator('li').allInnerTexts()).to.deep.equal([
        'D4 file of sample 4 is missing',
      ]);
      if (javaScriptEnabled) expect(await brokenRules(page)).to.deep.equal([]);
      await page.getByRole('alert').getByRole('link').click();
      const file = fourth.getByRole('combobox', { name: 'D4 file' });
      expect(await file.getAttribute('aria-invalid')).to.equal('true');
      await file.fill('mother.d4');
      await page.getByRole('button', { name: 'Create report' }).click();
      await page.getByRole('heading', { name: 'Coverage report' }).waitFor();
      const names = await page.getByRole('table', { name: 'Samples' }).locator('tbody th').allInnerTexts();
      expect(names).to.deep.equal(['demo_child', 'demo_mother', 'demo_father', '<again>']);
      // The report settings have the same rows.
      await page.getByText('Report settings').click();
      expect(await fourth.getByLabel('Name').inputValue()).to.equal('<again>');
      expect(complaints.filter((one) => !one.includes('422'))).to.deep.equal([]);
    });
  }

  it('is filled in with the keyboard alone: Enter requests the report, also on its page', async () => {
    const { page, complaints } = await open();
    await page.getByRole('button', { name: 'Add a sample' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('group', { name: 'Sample 4' }).waitFor();
    await page.waitForFunction("document.activeElement.id === 'sample_name_4'");
    await page.keyboard.type('fourth');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.id')).to.equal('sample_file_4');
    await page.keyboard.type('child.d4');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/report');
    await page.getByRole('heading', { name: 'Coverage report' }).waitFor();
    await page.getByText('Report settings').click();
    await page.getByLabel('Panel name').fill('Another');
    await page.getByLabel('Panel name').press('Enter');
    await page.getByText('Panel: Another').waitFor();
    expect(complaints).to.deep.equal([]);
  });

  it('offers the files', async () => {
    const { page } = await open();
    const file = page.getByRole('group', { name: 'Sample 1' }).getByLabel('D4 file', { exact: true });
    const options = page.locator(`datalist#${await file.getAttribute('list')} option`);
    const offered = await options.evaluateAll((all) => all.map((one) => one.getAttribute('value')));
    expect(offered).to.deep.equal(['child.d4', 'father.d4', 'mother.d4']);
  });

  for (const locale of ['en', 'sv']) {
    it(`is accessible and fits: ${locale}`, async () => {
      const { page, complaints } = await open({ locale });
      await page.getByRole('button', { name: locale === 'sv' ? 'Lägg till prov' : 'Add a sample' }).click();
      await page.getByRole('group', { name: locale === 'sv' ? 'Prov 4' : 'Sample 4' }).waitFor();
      await page.locator('details').evaluateAll((all) => {
        for (const one of all) one.setAttribute('open', '');
      });
      await inEachLook(page, async ({ look, width }) => {
        expect(await page.evaluate('document.documentElement.scrollWidth'), look).to.equal(width);
        expect(await brokenRules(page), look).to.deep.equal([]);
        await screenshot(page, `rows-${locale}-${look}`);
      });
      expect(complaints).to.deep.equal([]);
    });
  }
});
