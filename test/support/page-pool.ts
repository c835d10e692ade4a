/**
 * Pages of one browser, shared by the whole run. A page is used by one test after another: a new one starts a process
 * and compiles every script anew.
 */
import { existsSync } from 'node:fs';
import type { Browser, CDPSession, Page } from 'playwright-core';

/** The shell is Chromium without windows, and shows a page in little more than half the processor time. */
const installed = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path));
const executablePath = process.env.CHROMIUM ?? installed;

export const browserInstalled = executablePath !== undefined && existsSync(executablePath);

/** In CSS pixels, as all sizes. */
export const phone = { width: 360, height: 740 };

/** The first two are fixed for the life of a page; a used page takes on the others. */
export interface PageOptions {
  javaScriptEnabled?: boolean;
  locale?: string;
  colorScheme?: 'light' | 'dark';
  viewport?: { width: number; height: number };
}

let browser: Promise<Browser> | undefined;
/** Pages that no test uses. */
const free = new Set<PooledPage>();

async function launch(): Promise<Browser> {
  const { chromium } = await import('playwright-core');
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

/** At the end of the run. */
export async function closeBrowser(): Promise<void> {
  const started = browser;
  browser = undefined;
  free.clear();
  // The callers that requested a page have received the error of a browser that did not start.
  await (await started?.catch(() => undefined))?.close();
}

/** The pages of the running test. */
export class PagePool {
  #taken: PooledPage[] = [];

  async take(options: PageOptions): Promise<PooledPage> {
    browser ??= launch();
    const known = [...free].find((one) => one.fits(options));
    if (known) free.delete(known);
    const one = known ?? (await PooledPage.open(await browser, options));
    this.#taken.push(one);
    await one.use(options);
    return one;
  }

  /** Pages of a failed test are in an unknown state and are not used again. */
  async release(reusable: boolean): Promise<void> {
    const taken = this.#taken;
    this.#taken = [];
    for (const one of taken) {
      if (!reusable) await one.close();
      else {
        await one.clear();
        free.add(one);
      }
    }
  }
}

export class PooledPage {
  readonly page: Page;
  readonly #session: CDPSession;
  readonly #options: PageOptions;
  #origin: string | undefined;
  #complaints: string[] = [];

  private constructor(page: Page, session: CDPSession, options: PageOptions) {
    this.page = page;
    this.#session = session;
    this.#options = options;
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) this.#complaints.push(message.text());
    });
    page.on('pageerror', (error) => this.#complaints.push(error.message));
    page.on('dialog', (dialog) => {
      this.#complaints.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('response', (response) => {
      if (response.status() >= 400) this.#complaints.push(`${response.status()} ${response.url()}`);
    });
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol.startsWith('http') && origin !== this.#origin) this.#complaints.push(`foreign ${request.url()}`);
    });
  }

  /** A page in a profile of its own. */
  static async open(from: Browser, { javaScriptEnabled, locale }: PageOptions): Promise<PooledPage> {
    const context = await from.newContext({ javaScriptEnabled, locale });
    const page = await context.newPage();
    return new PooledPage(page, await context.newCDPSession(page), { javaScriptEnabled, locale });
  }

  fits({ javaScriptEnabled = true, locale }: PageOptions): boolean {
    const own = this.#options;
    return javaScriptEnabled === (own.javaScriptEnabled ?? true) && locale === own.locale;
  }

  async use({ colorScheme = 'light', viewport = { width: 1280, height: 720 } }: PageOptions): Promise<void> {
    await this.page.setViewportSize(viewport);
    await this.page.emulateMedia({ colorScheme, media: null });
  }

  /** From now on complaints go to the returned list; a request to another origin is one. */
  watch(origin: string): string[] {
    this.#origin = origin;
    this.#complaints = [];
    return this.#complaints;
  }

  /** Leaves nothing of the test: no document, history, cookies, stored data, cached responses or further pages. */
  async clear(): Promise<void> {
    const context = this.page.context();
    for (const other of context.pages()) if (other !== this.page) await other.close();
    await context.clearCookies();
    await this.#session.send('Network.clearBrowserCache');
    if (this.#origin === undefined) await this.page.goto('about:blank');
    else {
      await this.#session.send('Storage.clearDataForOrigin', { origin: this.#origin, storageTypes: 'all' });
      await this.page.evaluate('sessionStorage.clear()');
      // The document leaves by itself, since a navigation from outside would take a new process.
      await Promise.all([this.page.waitForURL('about:blank'), this.page.evaluate("location.replace('about:blank')")]);
    }
    await this.#session.send('Page.resetNavigationHistory');
    this.#origin = undefined;
  }

  close(): Promise<void> {
    return this.page.context().close();
  }
}
