import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import { type Browser, chromium, type Page } from 'playwright-core';
import { z } from 'zod';
import { get, type Served, serve } from './support.js';

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';

describe('the core’s pages in a browser', function () {
  this.timeout(120_000);
  let browser: Browser;
  let server: Served;

  before(async function () {
    if (!existsSync(executablePath)) return this.skip();
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    server = await serve((host) => {
      host.link('/demo', 'Demo');
      host.route(
        get('/demo', ({ input }) => ({ body: input }), {
          query: z.object({ start: z.coerce.number().describe('Zero-based.') }),
        }),
      );
    });
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  /** A page whose console, failed requests and foreign hosts are watched. */
  async function open(path: string, options: Parameters<Browser['newPage']>[0] = {}) {
    const page = await browser.newPage(options);
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('response', (response) => {
      if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`);
    });
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.protocol.startsWith('http') && url.origin !== server.url) complaints.push(`foreign ${request.url()}`);
    });
    await page.goto(server.url + path);
    return { page, complaints };
  }

  /** The rules that axe finds broken. It runs as an extension would: beside the page's own policy. */
  async function brokenRules(page: Page): Promise<string[]> {
    const source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    const run = `${source}; axe.run().then(({ violations }) => violations.map(({ id }) => id))`;
    return (await page.evaluate(run)) as string[];
  }

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
    if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/docs.png` });
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
      // The style was let through by its nonce: without it the paper would be the browser's own.
      const paper = await page.evaluate('getComputedStyle(document.body).backgroundColor');
      expect(paper).to.equal(colorScheme === 'light' ? 'rgb(246, 248, 248)' : 'rgb(17, 25, 27)');
      expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(360);
      expect(await brokenRules(page)).to.deep.equal([]);
      if (process.env.SCREENSHOTS)
        await page.screenshot({ path: `${process.env.SCREENSHOTS}/front-${colorScheme}.png` });
      expect(complaints).to.deep.equal([]);
      await page.close();
    });
  }
});
