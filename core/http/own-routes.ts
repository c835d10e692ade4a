/**
 * The core's own routes: `GET /` with the version and the plugins, `/openapi.json`, `/docs`, a page to read and try the API
 * without other hosts, and the endpoints under `/-/`, for operators and for owners of jobs.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { Fault } from '../fault.js';
import { type Job, jobStates } from '../jobs/contract.js';
import { type Access, ownerOf, type Policy } from '../policy/policy.js';
import { type HttpMetrics, metricsFormats } from './metrics.js';
import { html, page, preferred, raw, style } from './pages.js';
import { type RouteDeclaration, route } from './route.js';

// How the server describes itself: `GET /` with its version and plugins, `/openapi.json` with the description of every route,
// and `/docs`, a page to read and try it, without other hosts.

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

// The endpoints under `/-/`, for operators and for owners of jobs.

/** What `/-/ready` reports: every check by name, `ok` or a sentence without secrets. */
export interface Readiness {
  ready: boolean;
  checks: Record<string, string>;
}

const readinessBody = z
  .strictObject({
    ready: z.boolean(),
    checks: z.record(z.string(), z.string()).describe('Each check by name: `ok`, or what is wrong.'),
    writable: z
      .boolean()
      .optional()
      .describe(
        'What the last trial write came to, at most half a minute ago; reads are answered but for those in `refused`.',
      ),
    refused: z
      .array(z.string())
      .optional()
      .describe('If `writable` is false: the reads that are refused, because each is recorded before it is answered.'),
  })
  .meta({ id: 'Readiness' });

const jobBody = z
  .strictObject({
    id: z.string(),
    kind: z.string().describe('`plugin.verb`, for example `beacon.add-variants`.'),
    state: z.enum(jobStates),
    progress: z.number().min(0).max(1),
    attempts: z.int().min(0).describe('How often it was begun so far.'),
    error: z.string().nullable().describe('What the last attempt failed of.'),
    result: z.unknown().describe('What it answered, once done; else null.'),
    created: z.iso.datetime(),
    updated: z.iso.datetime(),
  })
  .meta({ id: 'Job', description: 'Background jobs.' });

interface HealthOptions {
  readiness(): Promise<Readiness>;
  /** Whether the storage accepts writes; undefined if unknown. */
  writable(): Promise<boolean | undefined>;
  /** What is recorded before it is answered, as phrases. */
  recorded: readonly string[];
  draining(): boolean;
}

export function healthRoutes(options: HealthOptions): RouteDeclaration[] {
  const state = { 'application/json': readinessBody };
  return [
    route({
      method: 'GET',
      path: '/-/live',
      operation: 'live',
      class: 'health',
      summary: 'Whether the process answers',
      answers: {
        200: { description: 'It does.', content: { 'application/json': z.strictObject({ live: z.literal(true) }) } },
      },
      handle: () => ({ body: { live: true } }),
    }),
    route({
      method: 'GET',
      path: '/-/ready',
      operation: 'ready',
      class: 'health',
      summary: 'Whether the server can do its work',
      description: 'Asks the storage and every plugin.',
      answers: {
        200: { description: 'It can.', content: state },
        503: { description: 'It cannot, or not yet, or not any more; `checks` says why.', content: state },
      },
      async handle() {
        const { ready, checks } = options.draining()
          ? { ready: false, checks: { server: 'is stopping' } }
          : await answeredSoon(options.readiness());
        const writable = options.draining() ? undefined : await options.writable();
        const refused = writable === false && options.recorded.length > 0 ? [...options.recorded] : undefined;
        const storage = { ...(writable === undefined ? {} : { writable }), ...(refused && { refused }) };
        return { status: ready ? 200 : 503, body: { ready, checks, ...storage } };
      },
    }),
  ];
}

const patience = 5000;

/** Reports not ready if the checks take too long: a storage that hangs is as bad as one that fails. */
async function answeredSoon(asked: Promise<Readiness>): Promise<Readiness> {
  const late = new AbortController();
  const never = sleep(patience, undefined, { signal: late.signal }).then(
    () => ({ ready: false, checks: { readiness: `no answer within ${patience / 1000} s` } }),
    () => asked,
  );
  try {
    return await Promise.race([asked, never]);
  } finally {
    late.abort();
  }
}

export function metricsRoute(metrics: HttpMetrics): RouteDeclaration {
  return route({
    method: 'GET',
    path: '/-/metrics',
    operation: 'metrics',
    class: 'health',
    summary: 'Metrics for Prometheus',
    answers: {
      200: {
        description: 'All metrics in the text format, or in OpenMetrics if that is preferred.',
        content: { 'text/plain': z.string(), 'application/openmetrics-text': z.string() },
      },
    },
    async handle({ headers }) {
      // Versions and the like are not compared: there is one of each format.
      const accept = headers.accept?.replace(/;\s*(?!\s|q=)[^;,]*/gi, '');
      const format = preferred(accept === undefined ? {} : { accept }, metricsFormats);
      const { type, text } = await metrics.scrape(format ?? 'text/plain');
      return { type, headers: { Vary: 'Accept' }, body: text };
    },
  });
}

export function jobRoute(
  access: Access,
  policy: Policy,
  findJob: (id: string, owner: string) => Promise<Job | undefined>,
): RouteDeclaration {
  return route({
    method: 'GET',
    path: '/-/jobs/:id',
    operation: 'job',
    summary: 'State and progress of background work',
    description: 'Shown to the owner of the token that started it; to all others it does not exist.',
    access,
    params: z.object({ id: z.string().max(64) }),
    answers: { 200: { description: 'The job.', content: { 'application/json': jobBody } } },
    async handle({ params, principal }) {
      const job = await findJob(params.id, ownerOf(principal));
      if (job === undefined || !(await policy.owns(principal, job)))
        throw new Fault('not-found', 'There is no such job');
      const { id, kind, state, progress, attempts, error = null, result = null, created, updated } = job;
      return { body: { id, kind, state, progress, attempts, error, result, created, updated } };
    },
  });
}
