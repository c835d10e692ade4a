/**
 * Pages on which people work through a list: their frame, their tables (also on paper), errors as such a page, and the words that
 * all of them share, in English and Swedish.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Fault } from '../fault.js';
import { fileRows, type PaperTable } from '../paper/document.js';
import { type Html, type HtmlValue, html, type PageLanguage, page, plainText, preferred, style } from './pages.js';
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

export interface WorkPage {
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
export function faultBody({ message, fields }: Fault, back: string): Html {
  return html`<p class="note bad" role="alert" lang="en">${message}</p>
${fields.length > 0 && html`<ul lang="en">${fields.map((field) => html`<li>${field.path}: ${field.message}</li>`)}</ul>`}
<p>${back}</p>`;
}
