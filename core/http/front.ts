/**
 * What the server says of itself: `GET /` with its version and plugins, `/openapi.json` with the description of every route,
 * and `/docs`, a page to read and try it, without other hosts.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { Fault } from '../fault.js';
import { html, page, preferred, raw, style } from './pages.js';
import { type RouteDeclaration, route } from './route.js';

export interface FrontPlugin {
  name: string;
  summary: string;
  links: readonly { href: string; title: string }[];
}

interface FrontOptions {
  version: string;
  plugins: readonly FrontPlugin[];
  /** Of the server itself. */
  links: readonly { href: string; title: string }[];
  /** Path of the public address, before every link; empty if the server is at the root. */
  base: string;
}

const status = z.strictObject({
  message: z.string().describe('That the server runs, with its version.'),
  plugins: z.array(z.string()).describe('Names of the enabled plugins.'),
});

export function frontRoute(options: FrontOptions): RouteDeclaration {
  const message = `Trefoil v${options.version} is up and running!`;
  return route({
    method: 'GET',
    path: '/',
    operation: 'front',
    summary: 'That the server runs, and what it serves',
    answers: {
      200: { description: 'It runs.', content: { 'application/json': status, 'text/html': z.string() } },
    },
    handle({ headers, nonce }) {
      const vary = { Vary: 'Accept' };
      if (preferred(headers, ['application/json', 'text/html']) === 'text/html') {
        return { type: 'text/html', headers: vary, body: frontPage(options, message, nonce) };
      }
      return { headers: vary, body: { message, plugins: options.plugins.map(({ name }) => name) } };
    },
  });
}

function frontPage({ plugins, base, links: own }: FrontOptions, message: string, nonce: string): string {
  const links = (of: FrontPlugin['links']) =>
    html`<ul class="links">${of.map(({ href, title }) => html`<li><a href="${base}${href}">${title}</a></li>`)}</ul>`;
  return page({
    title: 'Trefoil',
    schemes: 'light dark',
    head: style(nonce),
    body: html`<body>
<header>
<h1>Trefoil</h1>
<p class="soft">${message}</p>
</header>
<main>
<ul class="cards">${plugins.map(
      ({ name, summary, links: its }) => html`
<li class="card">
<h2>${name}</h2>
<p>${summary}</p>
${its.length > 0 && links(its)}
</li>`,
    )}
</ul>
${plugins.length === 0 && html`<p>No plugin is enabled.</p>`}
</main>
<footer>
<nav aria-label="The server">${links(own)}</nav>
</footer>
</body>`,
  });
}

// `/openapi.json` and `/docs`: the description of every route, and a page to read and try it, without other hosts.

interface DocsOptions {
  base: string;
  document(): Record<string, unknown>;
}

/** The description, the page, and the files that the page loads. */
interface DocsRoutes {
  openapi: RouteDeclaration;
  docs: RouteDeclaration[];
}

const assets = { 'swagger-ui.css': 'text/css', 'swagger-ui-bundle.js': 'text/javascript' } as const;
type Asset = keyof typeof assets;

export function docsRoutes({ base, document }: DocsOptions): DocsRoutes {
  return {
    openapi: route({
      method: 'GET',
      path: '/openapi.json',
      operation: 'openapi',
      summary: 'This description',
      answers: {
        200: {
          description: 'An OpenAPI 3.1 document.',
          content: { 'application/json': z.record(z.string(), z.any()) },
        },
      },
      handle: () => ({ body: document() }),
    }),
    docs: [
      route({
        method: 'GET',
        path: '/docs',
        operation: 'docs',
        summary: 'This description as a page',
        answers: { 200: { description: 'The page.', content: { 'text/html': z.string() } } },
        handle: ({ nonce }) => ({
          type: 'text/html',
          headers: { 'Content-Security-Policy': docsPolicy(nonce) },
          body: docsPage(base, nonce),
        }),
      }),
      route({
        method: 'GET',
        path: '/docs/assets/:file',
        operation: 'docsAsset',
        summary: 'Style and script of the documentation page',
        params: z.object({ file: z.string() }),
        answers: {
          200: { description: 'The file.', content: { 'text/css': z.string(), 'text/javascript': z.string() } },
        },
        async handle({ params: { file } }) {
          if (!isAsset(file)) throw new Fault('not-found', 'There is no such file');
          return {
            type: assets[file],
            headers: { 'Cache-Control': 'public, max-age=86400' },
            body: await readAsset(file),
          };
        },
      }),
    ],
  };
}

function isAsset(file: string): file is Asset {
  return Object.hasOwn(assets, file);
}

/** Each file is read once: from the copies in the built package, or from the development dependency. */
const readAssets = new Map<Asset, Promise<Buffer>>();

function readAsset(file: Asset): Promise<Buffer> {
  const bytes = readAssets.get(file) ?? readFile(locate(file));
  readAssets.set(file, bytes);
  return bytes;
}

function locate(file: Asset): string {
  const copy = fileURLToPath(new URL(`./assets/${file}`, import.meta.url));
  if (existsSync(copy)) return copy;
  try {
    return createRequire(import.meta.url).resolve(`swagger-ui-dist/${file}`);
  } catch (error) {
    throw new Fault('unavailable', 'The files of the documentation page are not installed', { cause: error });
  }
}

function docsPage(base: string, nonce: string): string {
  const script = `SwaggerUIBundle({ url: ${JSON.stringify(`${base}/openapi.json`)}, dom_id: '#docs', deepLinking: true,
  validatorUrl: null, displayRequestDuration: true, presets: [SwaggerUIBundle.presets.apis] });`;
  return page({
    title: 'Trefoil API',
    schemes: 'light',
    head: html`<link rel="stylesheet" href="${base}/docs/assets/swagger-ui.css" nonce="${nonce}">`,
    body: html`<body>
<main id="docs"></main>
<noscript><p>This page needs JavaScript. The description itself is at <a href="${base}/openapi.json">openapi.json</a>.</p></noscript>
<script src="${base}/docs/assets/swagger-ui-bundle.js" nonce="${nonce}"></script>
<script nonce="${nonce}">${raw(script.replaceAll('<', '\\u003c'))}</script>
</body>`,
  });
}

/** The viewer writes style attributes; everything else is as strict as elsewhere. */
function docsPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src-elem 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join(';');
}
