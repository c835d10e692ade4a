/** The frame of the pages of reviews, their language, errors as a page, and the style rules that only they have. */
import { type Html, html, raw, type WorkAround, workPages } from '../../../core/plugin.js';
import type { CaseKey } from '../contract.js';
import { en, type ReviewTexts } from '../texts/en.js';
import { sv } from '../texts/sv.js';
import { dayText } from './words.js';

export const reviewsPath = '/reviews';

export type ReviewPageContext = WorkAround<ReviewTexts>;

/** A day, in UTC. */
export function day(at: Date): Html {
  const text = dayText(at);
  return html`<time class="time" datetime="${text}">${text}</time>`;
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
main, header, footer { max-width: 76rem; }
header { padding-top: 1.25rem; }
main > * { margin: .8rem 0; }
.card { padding: .8rem 1.1rem; }
.stack > * + * { margin-top: .8rem; }
h2 { margin: 0 0 .3rem; }
h3 { font-size: 1rem; margin: .5rem 0 .25rem; }
header p { margin: 0 0 .25rem; }
.badge { letter-spacing: 0; vertical-align: middle; }
.badge.p1, .badge.p2 { color: var(--bad); } .badge.p3, .badge.p4 { color: var(--warn); } .badge.p5, .badge.p6 { color: var(--soft); }
.unknown { color: var(--warn); }
.columns { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: .8rem; align-items: start; }
.facts { display: flex; flex-wrap: wrap; gap: .25rem 1.75rem; margin: 0; }
ul.plain { list-style: none; margin: 0; padding: 0; } ul.plain > li { padding: .35rem 0; } ul.plain > li + li { border-top: 1px solid var(--line); }
.fields { grid-template-columns: repeat(auto-fit, minmax(min(9.5rem, 100%), 1fr)); }
.fields + .field, .field + .fields, .field + .field { margin-top: .9rem; } .fields > .field { margin-top: 0; }
th, td { padding: .25rem .75rem .25rem 0; }
tbody th { font-weight: 550; min-width: 6rem; }
.stack td { min-width: 4.5rem; }
@media screen and (max-width: 48rem) {
  .columns { grid-template-columns: minmax(0, 1fr); }
}
@media print {
  body { font-size: 9pt; } .small, .hint, thead th, .facts dt { font-size: 8pt; }
  h1 { font-size: 14pt; } h2 { font-size: 11pt; } main > *, .card { margin: .5rem 0; }
  .card, .note { padding: .4rem .6rem; }
  ul.plain > li { break-inside: avoid; }
}
`);

export const {
  show: reviewPage,
  fault: pageFault,
  textsFor,
} = workPages<ReviewTexts>({
  path: reviewsPath,
  texts: { en, sv },
  sheet,
  other: { path: `${reviewsPath}/yield`, title: (texts) => texts.yield.title },
});
