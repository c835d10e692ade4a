import { expect } from 'chai';
import { z } from 'zod';
import { brokenRules, screenshot, useBrowser } from '../../support/browser.js';
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
    await page.close();
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`shows the front page, ${colorScheme}, on a phone too, accessibly`, async () => {
      const { page, complaints } = await open('/', { colorScheme, viewport: { width: 360, height: 740 } });
      expect(await page.getByRole('heading', { level: 1 }).textContent()).to.equal('Trefoil');
      expect(await page.getByRole('link').allInnerTexts()).to.deep.equal([
        'Demo',
        'API documentation',
        'OpenAPI description',
        'Readiness',
      ]);
      // The nonce permits the style: without it the background would be the browser's own.
      const paper = await page.evaluate('getComputedStyle(document.body).backgroundColor');
      expect(paper).to.equal(colorScheme === 'light' ? 'rgb(246, 248, 248)' : 'rgb(17, 25, 27)');
      expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(360);
      expect(await brokenRules(page)).to.deep.equal([]);
      await screenshot(page, `front-${colorScheme}`);
      expect(complaints).to.deep.equal([]);
      await page.close();
    });
  }
});
