/** The frame of the pages of triage. */
import { type ErrorShape, type HtmlValue, html, page, preferred, style } from '../../../../core/plugin.js';
import { submissionsPath } from '../paths.js';
import { type Texts, textsFor } from '../texts/texts.js';
import { sheet } from './sheet.js';

export interface Around {
  /** Path of the public address, before every link; empty if the server is at the root. */
  base: string;
  nonce: string;
  texts: Texts;
}

interface Framed {
  title: string;
  /** Links to the pages between the list and this one; undefined for the list. */
  above: readonly { href: string; text: string }[] | undefined;
  intro?: HtmlValue;
  body: HtmlValue;
}

export function framed({ base, nonce, texts }: Around, { title, above, intro, body }: Framed): string {
  const list = html`<a href="${base}${submissionsPath}">${texts.list.title}</a>`;
  return page({
    title: above ? `${title} · ${texts.list.title}` : title,
    language: texts.language,
    schemes: 'light dark',
    head: style(nonce, sheet),
    body: html`<body>
<a class="skip" href="#content">${texts.skip}</a>
<header>
${above && html`<nav aria-label="${texts.above}" class="path soft">${list}${above.map(({ href, text }) => html` › <a href="${base}${href}"><bdi>${text}</bdi></a>`)}</nav>`}
<h1><bdi>${title}</bdi></h1>
${intro !== undefined && html`<p class="soft">${intro}</p>`}
</header>
<main id="content">
${body}
</main>
<footer><nav aria-label="${texts.links}"><ul class="links">
<li>${list}</li>
<li><a href="${base}/matchmaker">${texts.dashboard}</a></li>
<li><a href="${base}/">${texts.home}</a></li>
</ul></nav></footer>
</body>`,
  });
}

export function pageFault(base: string): ErrorShape {
  return (fault, status, { headers, nonceOf }) => {
    if (preferred(headers, ['application/json', 'text/html']) !== 'text/html') return undefined;
    const texts = textsFor(undefined, headers);
    const { faults } = texts;
    const known = status === 401 || status === 403 || status === 404 || status === 409 ? faults[status] : undefined;
    const title = known ?? (status < 500 ? faults.other : faults.server);
    const body = html`<p class="note bad" role="alert" lang="en">${fault.message}</p>
${fault.fields.length > 0 && html`<ul lang="en">${fault.fields.map(({ path, message }) => html`<li>${path}: ${message}</li>`)}</ul>`}
<p>${faults.back}</p>`;
    return {
      type: 'text/html; charset=utf-8',
      body: framed({ base, nonce: nonceOf(), texts }, { title, above: [], body }),
    };
  };
}
