/** The page at `/-/audit`: a form, and the entries that it selects. Without a script. */

import type { ReadEntry } from '../../audit/read.js';
import { type Html, html, raw } from '../../html.js';
import { page, style } from '../pages.js';
import type { AuditTexts } from './texts.js';

/** `person`: an id that samples, cases or patients of any plugin have. */
export const kinds = ['person', 'sample', 'case', 'patient', 'dataset'] as const;

/** What was sent, to be shown in the form again. */
export interface Sent {
  kind: (typeof kinds)[number];
  names: string;
  caller: string;
  from: string;
  to: string;
}

export interface Shown {
  entries: readonly ReadEntry[];
  /** Whether there are more. */
  isCut: boolean;
  asked: readonly string[];
  /** Ids that were asked for and that no entry names. */
  unknown: readonly string[];
}

interface View {
  texts: AuditTexts;
  sent: Sent;
  /** Undefined if nothing was asked; `wrong` if the dates are not valid. */
  shown: Shown | 'wrong' | undefined;
  base: string;
  nonce: string;
}

export function auditPage({ texts, sent, shown, base, nonce }: View): string {
  return page({
    title: texts.title,
    language: texts.language,
    schemes: 'light dark',
    head: style(nonce, sheet),
    body: html`<body>
<header>
<h1>${texts.title}</h1>
<p class="soft">${texts.intro}</p>
</header>
<main>
${form(texts, sent, base)}
${shown === 'wrong' ? html`<p role="alert">${texts.wrong}</p>` : shown && results(texts, shown)}
</main>
<footer><a href="${base}/">${texts.home}</a></footer>
</body>`,
  });
}

function form(texts: AuditTexts, sent: Sent, base: string): Html {
  const option = (kind: Sent['kind']) =>
    html`<option value="${kind}"${kind === sent.kind && raw(' selected')}>${texts.kinds[kind]}</option>`;
  return html`<form class="card" method="post" action="${base}/-/audit">
<input type="hidden" name="lang" value="${texts.language}">
<p><label for="kind">${texts.kind}</label> <select id="kind" name="kind">${kinds.map(option)}</select></p>
<p><label for="names">${texts.names}</label>
<textarea id="names" name="names" rows="6" spellcheck="false" aria-describedby="names-hint">${sent.names}</textarea>
<span class="soft" id="names-hint">${texts.namesHint}</span></p>
<p><label for="caller">${texts.caller}</label>
<input id="caller" name="caller" value="${sent.caller}" aria-describedby="caller-hint" autocomplete="off">
<span class="soft" id="caller-hint">${texts.callerHint}</span></p>
<p class="days"><label>${texts.from} <input type="date" name="from" value="${sent.from}"></label>
<label>${texts.to} <input type="date" name="to" value="${sent.to}"></label></p>
<p class="buttons"><button>${texts.search}</button> <button name="format" value="csv">${texts.download}</button></p>
</form>`;
}

function results(texts: AuditTexts, { entries, isCut, asked, unknown }: Shown): Html {
  const wanted = new Set(asked);
  const { columns } = texts;
  const count = html`<h2>${entries.length === 0 ? texts.none : texts.found(entries.length)}</h2>`;
  return html`<section aria-live="polite">
${isCut ? html`<h2>${texts.first(entries.length)}</h2>` : count}
${unknown.length > 0 && html`<p class="soft">${texts.unknown(unknown.join(', '))}</p>`}
${
  entries.length > 0 &&
  html`<div class="scroll" tabindex="0"><table>
<thead><tr><th scope="col">${columns.time}<th scope="col">${columns.caller}<th scope="col">${columns.action}<th scope="col">${columns.about}<th scope="col">${columns.because}<th scope="col">${columns.outcome}</thead>
<tbody>
${entries.map((entry) => row(texts, entry, wanted))}
</tbody></table></div>`
}
</section>`;
}

const shownNames = 4;

function row(texts: AuditTexts, entry: ReadEntry, asked: ReadonlySet<string>): Html {
  const { at, actor, action, about, because, outcome } = entry;
  const wanted = about.filter((name) => asked.has(name));
  const all = [...wanted, ...about.filter((name) => !asked.has(name))];
  const most = Math.max(shownNames, wanted.length);
  const more = all.length - most;
  return html`<tr><td><time datetime="${at.toISOString()}">${at.toISOString().slice(0, 19).replace('T', ' ')}</time><td><bdi>${actor}</bdi><td>${action}<td>${all.slice(0, most).join(', ')}${more > 0 && html` <span class="soft">${texts.more(more)}</span>`}<td>${because ?? '–'}<td>${outcome}
`;
}

const sheet = raw(`
main, header, footer { max-width: 72rem; }
main > * { margin: 1.5rem 0; }
form label { display: block; font-weight: 600; }
.days label { display: inline-block; margin-right: 1.5rem; }
input, select, textarea, button { font: inherit; color: inherit; }
input, select, textarea { background: var(--paper); border: 1px solid var(--line); border-radius: .4rem; padding: .4rem .6rem; }
textarea, #caller { width: 100%; max-width: 36rem; display: block; font-family: ui-monospace, monospace; font-size: .95rem; }
button { background: var(--card); border: 1px solid var(--accent); color: var(--accent); border-radius: .4rem; padding: .45rem 1rem; cursor: pointer; }
.buttons button:first-child { background: var(--accent); color: var(--card); }
input:focus-visible, select:focus-visible, textarea:focus-visible, button:focus-visible, .scroll:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th, td { text-align: left; vertical-align: top; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); }
td:first-child { white-space: nowrap; font-variant-numeric: tabular-nums; }
[role=alert] { color: #b91c1c; }
@media (prefers-color-scheme: dark) { [role=alert] { color: #fca5a5; } }
@media print { form, footer { display: none; } }
`);
