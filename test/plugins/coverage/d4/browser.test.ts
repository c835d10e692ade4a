/** The door for pages: in a real browser, with a file of another origin. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { createD4, openD4 } from '../../../../plugins/coverage/d4/index.js';
import { useBrowser } from '../../../support/browser.js';
import { temporaryFolder } from './support/folder.js';
import { type RangeServer, serveRanges } from './support/server.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const region = { chromosome: '2', begin: 1_000_000, end: 1_200_000 };
const chromosome = { chromosome: '1', begin: 0, end: 4_000_000 };
const question = { intervals: [chromosome, region], thresholds: [10, 20, 30, 40, 50], percentiles: [50], range: true };
const parts = 200;

/** What a page does: draws the region, sums the chromosome and counts the WebAssembly that it runs. */
const pageScript = `
import { openD4 } from '/d4.js';
let assembled = 0;
WebAssembly.Instance = new Proxy(WebAssembly.Instance, {
  construct(target, given) {
    assembled++;
    return Reflect.construct(target, given);
  },
});
const file = await openD4(new URL(location.href).searchParams.get('file'));
const { means } = await file.profile({ interval: ${JSON.stringify(region)}, parts: ${parts} });
const canvas = document.querySelector('canvas');
// Takes no shared memory.
new Blob(Object.values(await file.columns({ intervals: [${JSON.stringify(region)}], thresholds: [10], range: true })).filter(ArrayBuffer.isView));
const context = canvas.getContext('2d');
means.forEach((mean, x) => context.fillRect(x, canvas.height - Math.round(mean), 1, Math.round(mean)));
const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
const heights = Array.from({ length: canvas.width }, (_, x) => {
  let height = 0;
  for (let y = 0; y < canvas.height; y++) if (data[4 * (y * canvas.width + x) + 3] > 0) height++;
  return height;
});
const rows = await file.statistics(${JSON.stringify(question)});
const result = { heights, rows, assembled, isIsolated: crossOriginIsolated };
document.body.append(Object.assign(document.createElement('output'), { textContent: JSON.stringify(result) }));
`;

/** Sums the region of a file that is in shared memory, as a page without isolation has it. */
const sharedScript = `(async () => {
  const { openD4 } = await import('/d4.js');
  const range = { headers: { Range: 'bytes=0-99999999' } };
  const whole = new Uint8Array(await (await fetch(new URL(location.href).searchParams.get('file'), range)).arrayBuffer());
  const initial = Math.ceil(whole.length / 65_536) + 1;
  const { buffer } = new WebAssembly.Memory({ initial, maximum: initial, shared: true });
  const bytes = new Uint8Array(buffer, 0, whole.length);
  bytes.set(whole);
  const region = ${JSON.stringify(region)};
  const at = (initial - 1) * 65_536;
  const begins = new Uint32Array(buffer, at, 1).fill(region.begin);
  const ends = new Uint32Array(buffer, at + 4, 1).fill(region.end);
  const columns = { begins, ends, stretches: [{ name: region.chromosome, from: 0, to: 1 }] };
  const file = await openD4(bytes);
  const { sums } = await file.columns({ intervals: { length: 1, at: () => region, columns } });
  return { sum: sums[0], kind: Object.prototype.toString.call(buffer) };
})()`;

/** The module as the build makes it. */
async function bundle(): Promise<Uint8Array> {
  const { bundleForPages } = (await import(new URL('core/bin/bundle.mjs', `file://${root}`).href)) as {
    bundleForPages(root: string, door: string): Promise<{ outputFiles: { path: string; contents: Uint8Array }[] }>;
  };
  const { outputFiles } = await bundleForPages(root, 'plugins/coverage/d4/browser.ts');
  const found = outputFiles.find(({ path }) => path.endsWith('.js'));
  if (found === undefined) throw new Error('The build makes no module for pages');
  return found.contents;
}

/** Serves a page at `/`, at `/strict` under a policy that permits no WebAssembly, and at `/isolated` with shared memory. */
async function servePages(files: () => RangeServer): Promise<{ url: string; close(): Promise<void> }> {
  const module = await bundle();
  const server = createServer(({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://page');
    if (pathname.endsWith('.js')) response.setHeader('Content-Type', 'text/javascript');
    if (pathname === '/strict') {
      const { origin } = new URL(files().url);
      response.setHeader('Content-Security-Policy', `default-src 'none'; script-src 'self'; connect-src ${origin}`);
    }
    if (pathname === '/isolated') {
      response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
      response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp');
    }
    if (pathname === '/d4.js') response.end(module);
    else if (pathname === '/page.js') response.end(pageScript);
    else if (pathname === '/favicon.ico') response.writeHead(204).end();
    else {
      response.setHeader('Content-Type', 'text/html');
      response.end(`<!doctype html><title>D4</title><canvas width="${parts}" height="150"></canvas>
        <script type="module" src="/page.js"></script>`);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

describe('d4: the door for pages', function () {
  this.timeout(60_000);

  it('is at most 60 kB when compressed, and needs no part of Node.js', async () => {
    const module = Buffer.from(await bundle());
    expect(gzipSync(module).length).to.be.lessThan(60_000);
    expect(module.toString()).not.to.match(/["']node:|\brequire\(|\bBuffer\b|\bprocess\b/);
  });

  describe('in a browser', () => {
    const { path } = temporaryFolder();
    let files: RangeServer;
    const pages = useBrowser(() => servePages(() => files));

    before(async () => {
      // Depths beyond the dictionary, compressed: records and codes are both needed for any sum.
      const batches = ['1', '2'].map((name) => {
        const begins = Array.from({ length: 80_000 }, (_, i) => i * 50);
        const depth = (_: number, i: number) => ((i * 7) % 61) + (i % 97 === 0 ? 70 : 0);
        return { chromosome: name, begins, ends: begins.map((begin) => begin + 50), depths: begins.map(depth) };
      });
      await createD4(path('sample.d4'), batches, { dictionary: { low: 0, high: 64 }, deflate: 5 });
      files = await serveRanges(readFileSync(path('sample.d4')));
      files.headers = {
        'Access-Control-Allow-Origin': '*',
        'Access-Control-Expose-Headers': 'Content-Range, ETag',
      };
    });
    after(() => files.close());

    it('reads shared memory as it reads any other', async () => {
      const { page } = await pages.open(`/?file=${encodeURIComponent(files.url)}`);
      const found = await page.evaluate(sharedScript);
      const file = await openD4(path('sample.d4'));
      const [row] = await file.statistics({ intervals: [region] });
      file.close();
      expect(found).to.deep.equal({ sum: row?.sum, kind: '[object SharedArrayBuffer]' });
    });

    for (const [policy, title] of [
      ['', 'draws a region and sums a chromosome of a file of another origin, by ranges'],
      ['strict', 'does so by plain code if the policy of the page forbids WebAssembly'],
      ['isolated', 'gives no results in shared memory if the page is isolated'],
    ] as const) {
      it(title, async () => {
        files.requests.length = 0;
        const { page, complaints } = await pages.open(`/${policy}?file=${encodeURIComponent(files.url)}`);
        const text = await page.locator('output').textContent({ timeout: 30_000 });
        const { heights, rows, assembled, isIsolated } = JSON.parse(text ?? '') as {
          heights: number[];
          rows: unknown[];
          assembled: number;
          isIsolated: boolean;
        };
        const file = await openD4(path('sample.d4'));
        expect(rows).to.deep.equal(await file.statistics(question));
        const { means } = await file.profile({ interval: region, parts });
        expect(heights).to.deep.equal(Array.from(means, Math.round));
        expect(new Set(heights).size).to.be.greaterThan(3);
        file.close();
        expect(assembled > 0).to.equal(policy !== 'strict');
        expect(isIsolated).to.equal(policy === 'isolated');
        // Each is a single range, for which no permission was asked before.
        expect(files.requests.length).to.be.greaterThan(1);
        for (const range of files.requests) expect(range).to.match(/^bytes=\d+-\d+$/);
        const own = complaints.filter((one) => !one.startsWith('foreign') && !/WebAssembly/.test(one));
        expect(own).to.deep.equal([]);
      });
    }
  });
});
