/** The frame of all pages of panels. */
import { type Html, type HtmlValue, html, page, style } from '../../../core/plugin.js';
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

export interface FieldOptions {
  hint?: HtmlValue;
  required?: boolean;
  lines?: number;
  /** Distinguishes fields of several forms. */
  id?: string;
  list?: string;
}

/** A text field with its label. */
export function field(name: string, label: string, value: string, options: FieldOptions = {}): Html {
  const { hint, required = false, lines, id = name, list } = options;
  const about = html`id="${id}" name="${name}"${required && html` required`}${hint !== undefined && html` aria-describedby="${id}-hint"`} autocomplete="off" spellcheck="false"`;
  return html`<div class="field"><label for="${id}">${label}</label>
${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}
${
  lines === undefined
    ? html`<input type="text" ${about} value="${value}"${list !== undefined && html` list="${list}"`}>`
    : // A line feed after the tag is not part of the value.
      html`<textarea ${about} rows="${lines}">\n${value}</textarea>`
}</div>`;
}

export function choice(
  name: string,
  label: string,
  value: string,
  choices: readonly { value: string; text: string }[],
  id: string = name,
): Html {
  return html`<div class="field"><label for="${id}">${label}</label>
<select id="${id}" name="${name}">${choices.map((one) => html`<option value="${one.value}"${one.value === value && html` selected`}>${one.text}</option>`)}</select></div>`;
}

export function hidden(name: string, value: string | number): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`;
}
