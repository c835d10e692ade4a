/** The frame of the pages of reviews, their language, errors as a page, and the style that all of them share. */
import type { IncomingHttpHeaders } from 'node:http';
import {
  type ErrorShape,
  faultBody,
  faultPage,
  type Html,
  type HtmlValue,
  html,
  pageLanguage,
  raw,
  workPage,
} from '../../../core/plugin.js';
import type { CaseKey } from '../contract.js';
import { en, type ReviewTexts } from '../texts/en.js';
import { sv } from '../texts/sv.js';
import { dayText } from './words.js';

export const reviewsPath = '/reviews';

export interface ReviewPageContext {
  /** Path of the public address, before every link; empty if the server is at the root. */
  base: string;
  nonce: string;
  texts: ReviewTexts;
}

interface ReviewPageParts {
  title: string;
  /** The heading, if it is more than the title. */
  heading?: HtmlValue;
  isWorklist?: boolean;
  intro?: HtmlValue;
  body: HtmlValue;
}

export function reviewPage(
  { base, nonce, texts }: ReviewPageContext,
  { isWorklist = false, ...parts }: ReviewPageParts,
): string {
  const { title } = texts.list;
  const links = [
    html`<a href="${base}${reviewsPath}">${title}</a>`,
    html`<a href="${base}${reviewsPath}/yield">${texts.yield.title}</a>`,
  ];
  return workPage({
    ...{ language: texts.language, base, nonce, sheet, list: { path: reviewsPath, title } },
    above: isWorklist ? undefined : [],
    links: { label: texts.links, of: links },
    ...parts,
  });
}

export function pageFault(base: string): ErrorShape {
  return faultPage(
    (headers) => pageLanguage(undefined, headers),
    (fault, { title, back }, { headers, nonceOf }) =>
      reviewPage(
        { base, nonce: nonceOf(), texts: textsFor(undefined, headers) },
        { title, body: faultBody(fault, back) },
      ),
  );
}

export function textsFor(named: string | undefined, headers: IncomingHttpHeaders): ReviewTexts {
  return { en, sv }[pageLanguage(named, headers)];
}

/** A day, in UTC. */
export function day(at: Date): Html {
  const text = dayText(at);
  return html`<time class="time" datetime="${text}">${text}</time>`;
}

export function fact(title: string, value: HtmlValue): Html {
  return html`<div><dt>${title}</dt><dd>${value}</dd></div>`;
}

/** Of a case, below the server's address; `under` is a part of its page. */
export function casePath(
  { owner, case: name }: CaseKey,
  under = '',
  more: Readonly<Record<string, string>> = {},
): string {
  const fields = Object.entries({ ...(owner !== undefined && { owner }), ...more });
  const query = fields.map(([field, value]) => `${field}=${encodeURIComponent(value)}`).join('&');
  return `${reviewsPath}/cases/${encodeURIComponent(name)}${under}${query && `?${query}`}`;
}

const sheet = raw(`
:root { --field: #ffffff; --edge: #7b8d92; --on-accent: #ffffff; --good: #0b6b3f; --warn: #8a5300; --bad: #8c1d18; --bad-paper: #fce4e2; --calm-paper: #e8edee; }
@media (prefers-color-scheme: dark) {
  :root { --field: #131c1f; --edge: #6f858a; --on-accent: #06302b; --good: #8ce3b6; --warn: #f5cf7f; --bad: #ffb4ab; --bad-paper: #42191a; --calm-paper: #26343a; }
}
main, header, footer { max-width: 76rem; }
header { padding-top: 1.25rem; }
main > * { margin: .8rem 0; }
.card { padding: .8rem 1.1rem; }
.stack > * + * { margin-top: .8rem; }
h2 { margin: 0 0 .3rem; }
h3 { font-size: 1rem; margin: .5rem 0 .25rem; }
h1, h2, h3, p, dd, li, td, th { overflow-wrap: anywhere; }
a.skip { position: absolute; left: -100rem; }
a.skip:focus { left: 1rem; top: .5rem; background: var(--card); padding: .5rem .75rem; }
.path, header p { margin: 0 0 .25rem; }
.badge { display: inline-block; border: 1px solid currentColor; border-radius: 1rem; padding: .05rem .6rem; font-size: .8125rem; font-weight: 650; white-space: nowrap; letter-spacing: 0; vertical-align: middle; }
.badge.p1, .badge.p2 { color: var(--bad); } .badge.p3, .badge.p4 { color: var(--warn); } .badge.p5, .badge.p6 { color: var(--soft); }
.note { border-radius: .45rem; padding: .6rem .85rem; background: var(--calm-paper); }
.note.bad { background: var(--bad-paper); color: var(--bad); }
.unknown { color: var(--warn); }
.columns { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: .8rem; align-items: start; }
.facts { display: flex; flex-wrap: wrap; gap: .25rem 1.75rem; margin: 0; }
.facts dt { color: var(--soft); font-size: .8125rem; } .facts dd { margin: 0; }
ul.plain { list-style: none; margin: 0; padding: 0; } ul.plain > li { padding: .35rem 0; } ul.plain > li + li { border-top: 1px solid var(--line); }
.fields { display: grid; gap: .9rem 1.1rem; grid-template-columns: repeat(auto-fit, minmax(min(9.5rem, 100%), 1fr)); align-items: end; }
.field { display: flex; flex-direction: column; gap: .2rem; min-width: 0; }
.fields + .field, .field + .fields, .field + .field { margin-top: .9rem; } .fields > .field { margin-top: 0; }
.field label, legend { font-weight: 550; padding: 0; }
.hint { color: var(--soft); font-size: .875rem; margin: 0; }
input[type=text], input[type=date], select, textarea { font: inherit; color: inherit; background: var(--field); border: 1px solid var(--edge); border-radius: .45rem; padding: .45rem .6rem; width: 100%; min-height: 2.6rem; }
input:focus-visible, select:focus-visible, textarea:focus-visible, button:focus-visible, summary:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.actions { display: flex; flex-wrap: wrap; gap: .6rem 1rem; align-items: center; margin: .9rem 0 0; }
main button, a.button { font: inherit; font-weight: 650; border: 1px solid var(--accent); border-radius: .5rem; padding: .5rem 1.1rem; min-height: 2.6rem; cursor: pointer; background: var(--accent); color: var(--on-accent); line-height: 1.5; text-decoration: none; }
main button.second, a.button.second { background: none; color: var(--accent); }
summary { cursor: pointer; color: var(--accent); padding: .35rem 0; width: fit-content; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: baseline; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line); font-weight: normal; }
thead th { font-size: .875rem; color: var(--soft); overflow-wrap: normal; }
tbody th { font-weight: 550; }
.stack td { min-width: 4.5rem; }
.number { white-space: nowrap; font-variant-numeric: tabular-nums; }
.time { font-variant-numeric: tabular-nums; white-space: nowrap; }
.small { font-size: .875rem; }
.kept { white-space: pre-wrap; margin: .25rem 0 0; }
@media screen and (max-width: 48rem) {
  main, header, footer { padding-left: .9rem; padding-right: .9rem; }
  .card { padding: .9rem; }
  .columns { grid-template-columns: minmax(0, 1fr); }
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
  body { font-size: 9pt; } .small, .hint, thead th, .facts dt { font-size: 8pt; }
  h1 { font-size: 14pt; } h2 { font-size: 11pt; } main > *, .card { margin: .5rem 0; }
  .card, .note { border: 1px solid #bbb; padding: .4rem .6rem; }
  a { color: inherit; text-decoration: none; padding: 0; }
  thead { display: table-header-group; } tr, .facts > div, ul.plain > li { break-inside: avoid; }
}
`);
