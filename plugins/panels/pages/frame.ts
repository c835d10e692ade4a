/** The frame of all pages of panels. */
import {
  field as anyField,
  type FieldOptions,
  type Html,
  type HtmlValue,
  html,
  page,
  style,
} from '../../../core/plugin.js';
import { sheet } from './sheet.js';

export interface Around {
  /** Path of the public address, before every link; empty if the server is at the root. */
  base: string;
  nonce: string;
}

export interface Framed {
  title: string;
  /** The heading, if it is more than the title. */
  heading?: HtmlValue;
  /** Links to the pages between the list of panels and this one; undefined for the list. */
  above: readonly { href: string; text: string }[] | undefined;
  intro?: HtmlValue;
  body: HtmlValue;
}

export function framed({ base, nonce }: Around, { title, heading, above, intro, body }: Framed): string {
  return page({
    title: above ? `${title} · Gene panels` : title,
    schemes: 'light dark',
    head: style(nonce, sheet),
    body: html`<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
${above && html`<nav aria-label="Above this page" class="path soft"><a href="${base}/panels">Gene panels</a>${above.map(({ href, text }) => html` › <a href="${base}${href}">${text}</a>`)}</nav>`}
<h1>${heading ?? title}</h1>
${intro !== undefined && html`<p class="soft">${intro}</p>`}
</header>
<main id="content">
${body}
</main>
<footer><nav aria-label="Gene panels"><ul class="links">
<li><a href="${base}/panels">All panels</a></li>
<li><a href="${base}/panels/holding">Which panels held a gene</a></li>
<li><a href="${base}/">All services of this server</a></li>
</ul></nav></footer>
</body>`,
  });
}

export function versionPath(panel: string, version: string): string {
  return `/panels/${panel}/${version}`;
}

/** Most fields take ids and symbols. */
export function field(name: string, label: string, value: string, options: FieldOptions = {}): Html {
  return anyField(name, label, value, { ...options, spellcheck: false });
}
