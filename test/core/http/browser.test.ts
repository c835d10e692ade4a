import { expect } from 'chai';
import { z } from 'zod';
import { brokenRules, inEachLook, screenshot, useBrowser } from '../../support/browser.js';
import { get, serve } from './support.js';

describe("the core's pages in a browser", function () {
  this.timeout(120_000);
  const { open } = useBrowser(() =>
    serve((host) => {
      host.link('/demo', 'Demo');
      host.route(
        get('/demo', ({ input }) => ({ body: input }), {
          query: z.object({ start: z.coerce.number().describe('Zero-based.') }),
        }),
      );
    }),
  );

  it('shows the documentation and tries a route out, under the policy and from this server alone', async () => {
    const { page, complaints } = await open('/docs');
    await page
      .getByRole('heading', { name: /Trefoil/ })
      .first()
      .waitFor();
    await page.locator('#operations-demo-demo__demo .opblock-summary-control').click();
    await page.getByRole('button', { name: 'Try it out' }).click();
    await page.getByPlaceholder('start').fill('42');
    await page.getByRole('button', { name: 'Execute' }).click();
    await page.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor();
    expect(await page.locator('.live-responses-table').textContent()).to.include('"start": 42');
    await screenshot(page, 'docs');
    expect(complaints).to.deep.equal([]);
  });

  it('shows the front page, on a phone too, accessibly', async () => {
    const { page, complaints } = await open('/');
    expect(await page.getByRole('heading', { level: 1 }).textContent()).to.equal('Trefoil');
    await inEachLook(page, async ({ look, colorScheme, width }) => {
      expect(await page.getByRole('link').allInnerTexts(), look).to.deep.equal([
        'Demo',
        'API documentation',
        'OpenAPI description',
        'Readiness',
      ]);
      // The nonce permits the style: without it the background would be the browser's own.
      const paper = await page.evaluate('getComputedStyle(document.body).backgroundColor');
      expect(paper, look).to.equal(colorScheme === 'light' ? 'rgb(246, 248, 248)' : 'rgb(17, 25, 27)');
      expect(await page.evaluate('document.documentElement.scrollWidth'), look).to.equal(width);
      expect(await brokenRules(page), look).to.deep.equal([]);
      await screenshot(page, `front-${look}`);
    });
    expect(complaints).to.deep.equal([]);
  });
});
