/**
 * Pages on which people work through a list: their frame, their tables (also on paper), errors as such a page, and the words that
 * all of them share, in English and Swedish.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Fault } from '../fault.js';
import { fileRows, type PaperTable } from '../paper/document.js';
import {
  type Html,
  type HtmlValue,
  html,
  type PageLanguage,
  page,
  pageLanguage,
  plainText,
  preferred,
  raw,
  style,
} from './pages.js';
import type { ErrorShape, FaultyRequest } from './route.js';

interface FrameWords {
  skip: string;
  above: string;
  home: string;
  /** Headings of errors, by status or kind; and what a browser keeps. */
  faults: Readonly<Record<401 | 403 | 404 | 409 | 'other' | 'server' | 'back', string>>;
}

const words: Readonly<Record<PageLanguage, FrameWords>> = {
  en: {
    skip: 'Skip to the content',
    above: 'Above this page',
    home: 'All services of this server',
    faults: {
      401: 'Sign in, or give an API token',
      403: 'Not allowed',
      404: 'Not found',
      409: 'Not possible any more',
      other: 'This cannot be done',
      server: 'The server failed',
      back: 'Your browser’s way back keeps what you have typed.',
    },
  },
  sv: {
    skip: 'Hoppa till innehållet',
    above: 'Ovanför denna sida',
    home: 'Alla tjänster på servern',
    faults: {
      401: 'Logga in, eller ange en API-token',
      403: 'Inte tillåtet',
      404: 'Finns inte',
      409: 'Inte längre möjligt',
      other: 'Detta går inte',
      server: 'Serverfel',
      back: 'Om du går tillbaka i webbläsaren finns det du har skrivit kvar.',
    },
  },
};

interface WorkPage {
  language: PageLanguage;
  /** Path of the public address, before every link; empty if the server is at the root. */
  base: string;
  nonce: string;
  /** Style rules in addition to those of all pages. */
  sheet: Html;
  /** The page of the list, below the server's address. */
  list: { path: string; title: string };
  /** Links to the pages between the list and this one; undefined for the list itself. */
  above: readonly Html[] | undefined;
  title: string;
  /** The heading, if it is more than the title. */
  heading?: HtmlValue;
  intro?: HtmlValue;
  body: HtmlValue;
  /** At the end of the page, before the one to the front page. */
  links: { label: string; of: readonly Html[] };
}

export function workPage(one: WorkPage): string {
  const { language, base, list, above, title, heading, intro, body, links } = one;
  const { skip, above: aboveThis, home } = words[language];
  const toList = html`<a href="${base}${list.path}">${list.title}</a>`;
  return page({
    title: above ? `${title} · ${list.title}` : title,
    language,
    schemes: 'light dark',
    head: style(one.nonce, one.sheet),
    body: html`<body>
<a class="skip" href="#content">${skip}</a>
<header>
${above && html`<nav aria-label="${aboveThis}" class="path soft">${toList}${above.map((link) => html` › ${link}`)}</nav>`}
<h1>${heading ?? html`<bdi>${title}</bdi>`}</h1>
${intro !== undefined && html`<p class="soft">${intro}</p>`}
</header>
<main id="content">
${body}
</main>
<footer><nav aria-label="${links.label}"><ul class="links">
${links.of.map((link) => html`<li>${link}</li>\n`)}<li><a href="${base}/">${home}</a></li>
</ul></nav></footer>
</body>`,
  });
}

/** A table on such a page, and on paper. */
export interface WorkTable {
  columns: readonly WorkColumn[];
  rows: readonly (readonly HtmlValue[])[];
}

export interface WorkColumn {
  title: string;
  /** Its cells name their rows. */
  names?: true;
  look?: 'number' | 'long' | 'time';
  /** Share of the width on paper; 1 if omitted. */
  weight?: number;
}

/** Narrow screens show each cell on a line of its own, with the title of its column. */
export function tableHtml({ columns, rows }: WorkTable): Html {
  const cell = (value: HtmlValue, { title, names, look }: WorkColumn) =>
    names ? html`<th scope="row">${value}` : html`<td${look && html` class="${look}"`} data-label="${title}">${value}`;
  return html`<table>
<thead><tr>${columns.map(({ title }) => (title === '' ? html`<td></td>` : html`<th scope="col">${title}`))}</tr></thead>
<tbody>${rows.map(
    (row) => html`
<tr>${columns.map((column, i) => cell(row[i], column))}</tr>`,
  )}
</tbody></table>`;
}

export function tablePaper(title: string, { columns, rows }: WorkTable, caption = ''): PaperTable {
  return {
    ...{ title, caption, of: rows.length },
    columns: columns.map(({ title, look, weight }) => ({ title, weight, numeric: look === 'number' })),
    rows: rows.slice(0, fileRows).map((row) =>
      row.map((value) => {
        const lines = plainText(value)
          .split('\n')
          .flatMap((line) => line.trim() || []);
        return lines.length > 1 ? { text: '', list: lines } : { text: lines[0] ?? '' };
      }),
    ),
  };
}

type FaultPage = (fault: Fault, parts: { title: string; back: string }, request: FaultyRequest) => string;

/** Errors for browsers as a page of `languageOf` the request, which `show` makes; programs get the default body. */
export function faultPage(languageOf: (headers: IncomingHttpHeaders) => PageLanguage, show: FaultPage): ErrorShape {
  return (fault, status, request) => {
    const { headers } = request;
    if (preferred(headers, ['application/json', 'text/html']) !== 'text/html') return undefined;
    const { back, other, server, ...known } = words[languageOf(headers)].faults;
    const title = Object.entries(known).find(([one]) => one === String(status))?.[1];
    const parts = { title: title ?? (status < 500 ? other : server), back };
    return { type: 'text/html; charset=utf-8', body: show(fault, parts, request) };
  };
}

/** What is wrong, with the fields that are named; in English, whatever the language of the page. */
function faultBody({ message, fields }: Fault, back: string): Html {
  return html`<p class="note bad" role="alert" lang="en">${message}</p>
${fields.length > 0 && html`<ul lang="en">${fields.map((field) => html`<li>${field.path}: ${field.message}</li>`)}</ul>`}
<p>${back}</p>`;
}

/** What the texts of such pages have in every language. */
interface WorkTexts {
  language: PageLanguage;
  /** Of the links at the end of a page. */
  links: string;
  list: { title: string };
}

/** Where a page is shown, and in which language. */
export interface WorkAround<Texts> {
  /** Path of the public address, before every link; empty if the server is at the root. */
  base: string;
  nonce: string;
  texts: Texts;
}

export interface WorkParts extends Pick<WorkPage, 'title' | 'heading' | 'intro' | 'body'> {
  /** Links to the pages between the list and this one, below the server's address; undefined for the list itself. */
  above: readonly { href: string; text: string }[] | undefined;
}

/** The frame of the pages of one list in all their languages, and errors below its path as such a page. */
export function workPages<Texts extends WorkTexts>(own: {
  /** Of the list, below the server's address. */
  path: string;
  texts: Readonly<Record<PageLanguage, Texts>>;
  /** Style rules in addition to those that such pages share. */
  sheet: Html;
  /** Of the other page to which all of them link. */
  other: { path: string; title(texts: Texts): string };
}) {
  const { path, other } = own;
  const sheet = html`${workSheet}${own.sheet}${workMedia}`;
  const textsFor = (named: string | undefined, headers: IncomingHttpHeaders) => own.texts[pageLanguage(named, headers)];

  function show({ base, nonce, texts }: WorkAround<Texts>, { above, ...parts }: WorkParts): string {
    const { title } = texts.list;
    const links = [
      html`<a href="${base}${path}">${title}</a>`,
      html`<a href="${base}${other.path}">${other.title(texts)}</a>`,
    ];
    const frame = { language: texts.language, base, nonce, sheet, list: { path, title } };
    return workPage({
      ...frame,
      links: { label: texts.links, of: links },
      ...parts,
      above: above?.map(({ href, text }) => html`<a href="${base}${href}"><bdi>${text}</bdi></a>`),
    });
  }

  const fault = (base: string): ErrorShape =>
    faultPage(
      (headers) => pageLanguage(undefined, headers),
      (fault, { title, back }, { headers, nonceOf }) => {
        const around = { base, nonce: nonceOf(), texts: textsFor(undefined, headers) };
        return show(around, { title, above: [], body: faultBody(fault, back) });
      },
    );

  return { show, fault, textsFor };
}

export function fact(title: string, value: HtmlValue, whole = false): Html {
  return html`<div${whole && html` class="whole"`}><dt>${title}</dt><dd>${value}</dd></div>`;
}

const workSheet = raw(`
:root { --field: #ffffff; --edge: #7b8d92; --on-accent: #ffffff; --good: #0b6b3f; --warn: #8a5300; --bad: #8c1d18; --bad-paper: #fce4e2; --calm-paper: #e8edee; }
@media (prefers-color-scheme: dark) {
  :root { --field: #131c1f; --edge: #6f858a; --on-accent: #06302b; --good: #8ce3b6; --warn: #f5cf7f; --bad: #ffb4ab; --bad-paper: #42191a; --calm-paper: #26343a; }
}
h1, h2, h3, p, dd, li, td, th { overflow-wrap: anywhere; }
a.skip { position: absolute; left: -100rem; }
a.skip:focus { left: 1rem; top: .5rem; background: var(--card); padding: .5rem .75rem; }
.path { margin: 0 0 .25rem; }
.badge { display: inline-block; border: 1px solid currentColor; border-radius: 1rem; padding: .05rem .6rem; font-size: .8125rem; font-weight: 650; white-space: nowrap; }
.note { border-radius: .45rem; padding: .6rem .85rem; background: var(--calm-paper); }
.note.bad { background: var(--bad-paper); color: var(--bad); }
.facts dt { color: var(--soft); font-size: .8125rem; } .facts dd { margin: 0; }
.fields { display: grid; gap: .9rem 1.1rem; align-items: end; }
.field { display: flex; flex-direction: column; gap: .2rem; min-width: 0; }
.field label, legend { font-weight: 550; padding: 0; }
.hint { color: var(--soft); font-size: .875rem; margin: 0; }
input[type=text], input[type=date], select, textarea { font: inherit; color: inherit; background: var(--field); border: 1px solid var(--edge); border-radius: .45rem; padding: .45rem .6rem; width: 100%; min-height: 2.6rem; }
input:focus-visible, select:focus-visible, textarea:focus-visible, button:focus-visible, summary:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.actions { display: flex; flex-wrap: wrap; gap: .6rem 1rem; align-items: center; margin: .9rem 0 0; }
main button, a.button { font: inherit; font-weight: 650; border: 1px solid var(--accent); border-radius: .5rem; padding: .5rem 1.1rem; min-height: 2.6rem; cursor: pointer; background: var(--accent); color: var(--on-accent); line-height: 1.5; text-decoration: none; }
main button.second, a.button.second { background: none; color: var(--accent); }
summary { cursor: pointer; color: var(--accent); padding: .35rem 0; width: fit-content; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: baseline; border-bottom: 1px solid var(--line); font-weight: normal; }
thead th { font-size: .875rem; color: var(--soft); overflow-wrap: normal; }
.number { white-space: nowrap; font-variant-numeric: tabular-nums; }
.time { font-variant-numeric: tabular-nums; white-space: nowrap; }
.small { font-size: .875rem; }
.kept { white-space: pre-wrap; margin: .25rem 0 0; }
`);

/** The last word: on narrow screens and on paper. */
const workMedia = raw(`
@media screen and (max-width: 48rem) {
  main, header, footer { padding-left: .9rem; padding-right: .9rem; }
  .card { padding: .9rem; }
  table, tbody, tr, th, td { display: block; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tbody tr { padding: .5rem 0; border-bottom: 1px solid var(--line); }
  tbody th, tbody td { border: 0; padding: .1rem 0; }
  tbody td[data-label] { display: flow-root; text-align: right; }
  tbody td[data-label]::before { content: attr(data-label); color: var(--soft); font-size: .875rem; float: left; margin-right: 1rem; }
  tbody td.long { text-align: left; } tbody td.long::before { float: none; display: block; }
  tbody td:empty { display: none; }
}
@media print {
  :root { --ink: #000; --soft: #444; --paper: #fff; --card: #fff; --line: #bbb; --accent: #000; --calm-paper: #fff; --bad-paper: #fff; --bad: #000; --good: #000; --warn: #000; }
  .screen, footer, .skip { display: none; }
  main, header { max-width: none; padding: 0; }
  .card, .note { border: 1px solid #bbb; }
  a { color: inherit; text-decoration: none; padding: 0; }
  thead { display: table-header-group; } tr, .facts > div { break-inside: avoid; }
}
`);
