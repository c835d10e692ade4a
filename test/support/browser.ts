/** Pages of a server in a real browser, as tests look at them. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Context } from 'mocha';
import type { Page } from 'playwright-core';
import { browserInstalled, type PageOptions, PagePool, phone } from './page-pool.js';
import { sampled } from './sample.js';

interface Watched {
  page: Page;
  /** Console errors and warnings, exceptions, dialogs, responses of 400 and above, requests to another host. */
  complaints: string[];
}

/** A server and pages for a suite, which is skipped if no browser is installed. */
export function useBrowser<Server extends { url: string; close(): Promise<unknown> }>(serve: () => Promise<Server>) {
  let server: Server | undefined;
  const pages = new PagePool();

  before(async function () {
    if (!browserInstalled) return this.skip();
    server = await serve();
  });
  afterEach(async function (this: Context) {
    await pages.release(this.currentTest?.state === 'passed');
  });
  after(async () => {
    await server?.close();
  });

  const running = () => {
    if (server === undefined) throw new Error('The server runs only during tests');
    return server;
  };
  return {
    server: running,
    /** Opens a path of the server, or one of its URLs, until the test ends. */
    async open(path: string, options: PageOptions = {}): Promise<Watched> {
      const url = new URL(path, running().url);
      const one = await pages.take(options);
      const complaints = one.watch(url.origin);
      await one.page.goto(url.href);
      return { page: one.page, complaints };
    },
    /** A page without an address, which no one watches, until the test ends. */
    async blank(options: PageOptions = {}): Promise<Page> {
      const { page } = await pages.take(options);
      await page.goto('about:blank');
      return page;
    },
  };
}

interface Look {
  colorScheme: 'light' | 'dark';
  /** In CSS pixels. */
  width: number;
  /** For messages and the names of files: `dark-360`. */
  look: string;
}

const desktop = { width: 1280, height: 900 };
/** Colors do not depend on the width, nor sizes on the colors: each is looked at once. */
const looks = [
  { viewport: desktop, colorScheme: 'light' },
  { viewport: phone, colorScheme: 'dark' },
] as const;
const others = [
  { viewport: desktop, colorScheme: 'dark' },
  { viewport: phone, colorScheme: 'light' },
] as const;

let shown = 0;

/**
 * Shows a loaded page on a desktop and on a phone, one light and one dark, or in the whole suite on one of them in turn;
 * TEST_LOOKS=all (`.ci/long`) each in both.
 */
export async function inEachLook(page: Page, check: (look: Look) => Promise<void>): Promise<void> {
  const all = process.env.TEST_LOOKS === 'all' ? [...looks, ...others] : looks;
  for (const { viewport, colorScheme } of sampled(all, 2, shown++)) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    await check({ colorScheme, width: viewport.width, look: `${colorScheme}-${viewport.width}` });
  }
}

/** The axe rules that the page violates. axe runs like an extension: outside the page's own policy. */
export async function brokenRules(page: Page): Promise<string[]> {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(await axe());
  // Of other results only the first element is described.
  return (await page.evaluate(
    'axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id }) => id))',
  )) as string[];
}

let source: Promise<string> | undefined;

function axe(): Promise<string> {
  source ??= readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  return source;
}

/** Keeps a screenshot for people to look at, if a folder for them is configured. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}
