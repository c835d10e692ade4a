/** The frame and style of all pages, the core's and the plugins': self-contained, light and dark. */
import { type Html, html, raw } from '../html.js';

/** A trefoil drawn of three circles; inline, so that no page requests a favicon. */
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Cg fill='none' stroke='%230f766e' " +
  "stroke-width='3'%3E%3Ccircle cx='16' cy='10' r='7'/%3E%3Ccircle cx='10' cy='20' r='7'/%3E%3Ccircle cx='22' cy='20' r='7'/%3E%3C/g%3E%3C/svg%3E";

export interface Page {
  title: string;
  /** Language of its texts, as in the attribute `lang`; English if omitted. */
  language?: string;
  /** Colour schemes that its style supports, as in the CSS property. */
  schemes: 'light dark' | 'light';
  /** Head elements after the title. */
  head?: Html;
  body: Html;
}

export function page({ title, language = 'en', schemes, head, body }: Page): string {
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${schemes}">
<title>${title}</title>
<link rel="icon" href="${icon}">
${head}
</head>
${body}
</html>
`.toString();
}

/** The style of all pages, followed by the rules of one page. */
export function style(nonce: string, own?: Html): Html {
  return html`<style nonce="${nonce}">${sheet}${own}</style>`;
}

const sheet = raw(`
:root { --ink: #1b2a2f; --soft: #52646a; --paper: #f6f8f8; --card: #ffffff; --line: #d5dfe0; --accent: #0f766e; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6eeee; --soft: #a3b5b8; --paper: #11191b; --card: #1a2528; --line: #2f3f43; --accent: #5eead4; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; }
main, header, footer { max-width: 46rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 3rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .35rem; letter-spacing: -.01em; }
h2 { font-size: 1.15rem; margin: 0 0 .25rem; }
p { margin: 0 0 .75rem; }
.soft { color: var(--soft); }
.cards { list-style: none; margin: 1.75rem 0; padding: 0; display: grid; gap: 1rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1.1rem 1.25rem; }
.links { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; }
a { color: var(--accent); text-underline-offset: .2em; display: inline-block; padding: .25rem 0; }
a:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: .2rem; }
footer { padding-top: 1rem; padding-bottom: 3rem; border-top: 1px solid var(--line); }
`);
