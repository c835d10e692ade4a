/**
 * HTML pages, the core's and the plugins': a template that escapes every value by default, the frame and style of a page,
 * fields of forms, and what a client accepts of formats and languages (RFC 9110 sections 12.5.1 and 12.5.4).
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import type accepts from 'accepts';
import { Fault } from '../fault.js';

// A tagged template for HTML that escapes every value by default.

const safe = Symbol.for('trefoil.html');

/** Markup that needs no further escaping. */
export interface Html {
  readonly [safe]: true;
  toString(): string;
}

/** A value in a template: text is escaped, markup kept, lists joined; booleans, null and undefined are omitted. */
export type HtmlValue = string | number | boolean | null | undefined | Html | readonly HtmlValue[];

/** Trusts a string as markup: for our own constants only, never for input. */
export function raw(markup: string): Html {
  return { [safe]: true, toString: () => markup };
}

export function html(parts: TemplateStringsArray, ...values: HtmlValue[]): Html {
  let markup = parts[0] ?? '';
  values.forEach((value, i) => {
    markup += render(value) + (parts[i + 1] ?? '');
  });
  return raw(markup);
}

function render(value: HtmlValue): string {
  if (value === null || value === undefined || value === false || value === true) return '';
  if (Array.isArray(value)) return value.map(render).join('');
  if (typeof value === 'object') return value.toString();
  return escaped(String(value));
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

/** What markup says without its elements; lines and paragraphs begin new lines. */
export function plainText(value: HtmlValue): string {
  const text = render(value)
    .replace(/<br>|<p\b[^>]*>/g, '\n')
    .replace(/<[^>]*>/g, '');
  return text.replace(
    /&[#\w]+;/g,
    (entity) => Object.keys(entities).find((sign) => entities[sign] === entity) ?? entity,
  );
}

/** A trefoil drawn of three circles; inline, so that no page requests a favicon. */
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Cg fill='none' stroke='%230f766e' " +
  "stroke-width='3'%3E%3Ccircle cx='16' cy='10' r='7'/%3E%3Ccircle cx='10' cy='20' r='7'/%3E%3Ccircle cx='22' cy='20' r='7'/%3E%3C/g%3E%3C/svg%3E";

export interface HtmlPage {
  title: string;
  /** Language of its texts, as in the attribute `lang`; English if omitted. */
  language?: string;
  /** Colour schemes that its style supports, as in the CSS property. */
  schemes: 'light dark' | 'light';
  /** Head elements after the title. */
  head?: Html;
  body: Html;
}

export function page({ title, language = 'en', schemes, head, body }: HtmlPage): string {
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

// Fields of the forms of pages, with their labels and hints.

export interface FieldOptions {
  /** Read out with the label. */
  hint?: HtmlValue;
  required?: boolean;
  /** Height of a field of several lines; one line if omitted. */
  lines?: number;
  type?: 'text' | 'date';
  /** Distinguishes fields of several forms; the name if omitted. */
  id?: string;
  /** Id of a list of suggestions. */
  list?: string;
  /** False for ids and symbols, which are in no dictionary. */
  spellcheck?: boolean;
}

export function field(name: string, label: string, value: string, options: FieldOptions = {}): Html {
  const { hint, required = false, lines, type = 'text', id = name, list, spellcheck = true } = options;
  const about = html`id="${id}" name="${name}"${required && html` required`}${hint !== undefined && html` aria-describedby="${id}-hint"`} autocomplete="off"${!spellcheck && html` spellcheck="false"`}`;
  return html`<div class="field"><label for="${id}">${label}</label>
${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}
${
  lines === undefined
    ? html`<input type="${type}" ${about} value="${value}"${list !== undefined && html` list="${list}"`}>`
    : // A line feed after the tag is not part of the value.
      html`<textarea ${about} rows="${lines}">\n${value}</textarea>`
}</div>`;
}

/** `id` distinguishes fields of several forms. */
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

// Content negotiation (RFC 9110 sections 12.5.1 and 12.5.4).

let parse: typeof accepts | undefined;

/** Loads the package, and its list of all media types, with the first request: commands have none. It is CommonJS. */
function acceptedBy(headers: IncomingHttpHeaders): accepts.Accepts {
  parse ??= createRequire(import.meta.url)('accepts') as typeof accepts;
  // It reads only the headers of a request.
  return parse({ headers } as IncomingMessage);
}

/**
 * Returns the offered media type that the client prefers, or the first if it has no preference; undefined if it accepts
 * none of them. The response should then carry `Vary: Accept`.
 */
export function preferred<Type extends string>(
  headers: IncomingHttpHeaders,
  offered: readonly [Type, ...Type[]],
): Type | undefined {
  const type = acceptedBy(headers).type([...offered]);
  return offered.find((one) => one === type);
}

/** Like `preferred`, but throws a `not-acceptable` fault that names the types if the client accepts none of them. */
export function negotiated<Type extends string>(
  headers: IncomingHttpHeaders,
  offered: readonly [Type, ...Type[]],
): Type {
  const type = preferred(headers, offered);
  if (type === undefined) throw new Fault('not-acceptable', `The answer comes as ${offered.join(' or ')} only`);
  return type;
}

/** The offered language that the client prefers by its Accept-Language, or the first if it accepts none of them. */
export function preferredLanguage<Language extends string>(
  headers: IncomingHttpHeaders,
  offered: readonly [Language, ...Language[]],
): Language {
  if (headers['accept-language'] === undefined) return offered[0];
  const language = acceptedBy(headers).language([...offered]);
  return offered.find((one) => one === language) ?? offered[0];
}

const pageLanguages = ['en', 'sv'] as const;
export type PageLanguage = (typeof pageLanguages)[number];

/** The language that the request names in its field `lang`, else the best of Accept-Language, else English. */
export function pageLanguage(named: string | undefined, headers: IncomingHttpHeaders): PageLanguage {
  const tag = named?.toLowerCase().split('-', 1)[0];
  return pageLanguages.find((language) => language === tag) ?? preferredLanguage(headers, pageLanguages);
}
