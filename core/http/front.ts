/** `GET /`: the server's version and plugins, as JSON or as a page. */
import { z } from 'zod';
import { html } from '../html.js';
import { preferred } from './negotiate.js';
import { page, style } from './pages.js';
import { type RouteDeclaration, route } from './route.js';

export interface FrontPlugin {
  name: string;
  summary: string;
  links: readonly { href: string; title: string }[];
}

export interface FrontOptions {
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
