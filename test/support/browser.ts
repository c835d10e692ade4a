/** Pages in a real browser, with their errors recorded. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';

type PageOptions = NonNullable<Parameters<Browser['newPage']>[0]>;

/** A server and a browser for a suite, which is skipped if no browser is installed. */
export function useBrowser<Server extends { url: string; close(): Promise<unknown> }>(serve: () => Promise<Server>) {
  let browser: Browser | undefined;
  let server: Server | undefined;

  before(async function () {
    if (!existsSync(executablePath)) return this.skip();
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    server = await serve();
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  const running = () => {
    if (browser === undefined || server === undefined) throw new Error('The browser runs only during tests');
    return { browser, server };
  };
  return {
    server: () => running().server,
    /** Opens a path of the server, or one of its URLs. */
    open: (path: string, options?: PageOptions) =>
      openPage(running().browser, new URL(path, running().server.url).href, options),
    /** A page without an address, which no one watches. */
    blank: (options?: PageOptions) => running().browser.newPage(options),
  };
}

interface Watched {
  page: Page;
  /** Console errors and warnings, exceptions, dialogs, responses of 400 and above, requests to another host. */
  complaints: string[];
}

async function openPage(browser: Browser, url: string, options: PageOptions = {}): Promise<Watched> {
  const page = await browser.newPage(options);
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`);
  });
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol.startsWith('http') && origin !== new URL(url).origin) complaints.push(`foreign ${request.url()}`);
  });
  await page.goto(url);
  return { page, complaints };
}

/** The axe rules that the page violates. axe runs like an extension: outside the page's own policy. */
export async function brokenRules(page: Page): Promise<string[]> {
  const source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  const run = `${source}; axe.run().then(({ violations }) => violations.map(({ id }) => id))`;
  return (await page.evaluate(run)) as string[];
}

/** Keeps a screenshot for people to look at, if a folder for them is configured. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}
