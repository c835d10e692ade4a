/** The frame of the pages of triage. */
import { type ErrorShape, type HtmlValue, html, page, preferred, raw, style } from '../../../../core/plugin.js';
import { submissionsPath } from '../desk.js';
import { type Texts, textsFor } from '../texts/texts.js';

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

const sheet = raw(`
:root { --field: #ffffff; --edge: #7b8d92; --on-accent: #ffffff; --good: #0b6b3f; --warn: #8a5300; --bad: #8c1d18; --bad-paper: #fce4e2; --calm-paper: #e8edee; }
@media (prefers-color-scheme: dark) {
  :root { --field: #131c1f; --edge: #6f858a; --on-accent: #06302b; --good: #8ce3b6; --warn: #f5cf7f; --bad: #ffb4ab; --bad-paper: #42191a; --calm-paper: #26343a; }
}
main, header, footer { max-width: 72rem; }
header { padding-top: 1.75rem; }
main > * { margin: 1.25rem 0; }
h2 { margin: 0 0 .6rem; }
h1, h2, p, dd, li, td, th { overflow-wrap: anywhere; }
a.skip { position: absolute; left: -100rem; }
a.skip:focus { left: 1rem; top: .5rem; background: var(--card); padding: .5rem .75rem; }
.path { margin: 0 0 .25rem; }
.badge { display: inline-block; border: 1px solid currentColor; border-radius: 1rem; padding: .05rem .6rem; font-size: .8125rem; font-weight: 650; white-space: nowrap; margin: 0 .25rem .2rem 0; }
.badge.new { color: var(--accent); } .badge.contacted, .badge.they-contacted, .badge.follow-up { color: var(--warn); } .badge.solved { color: var(--good); } .badge.irrelevant { color: var(--soft); }
.fresh { color: var(--accent); font-weight: 650; white-space: nowrap; }
.note { border-radius: .45rem; padding: .6rem .85rem; background: var(--calm-paper); }
.note.bad { background: var(--bad-paper); color: var(--bad); }
.bad { color: var(--bad); } .warn { color: var(--warn); } .good { color: var(--good); }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(15rem, 100%), 1fr)); gap: .6rem 1.5rem; margin: 0; }
.facts dt { color: var(--soft); font-size: .8125rem; } .facts dd { margin: 0; } .facts .whole { grid-column: 1 / -1; }
.fields { display: grid; gap: .9rem 1.1rem; grid-template-columns: repeat(auto-fit, minmax(min(16rem, 100%), 1fr)); align-items: end; }
.field { display: flex; flex-direction: column; gap: .2rem; min-width: 0; }
.fields + .field, p + .field, form > .field + .field { margin-top: .9rem; }
section > form.card { margin-bottom: 1rem; }
.field label, legend { font-weight: 550; padding: 0; }
.hint { color: var(--soft); font-size: .875rem; margin: 0; }
fieldset { border: 0; margin: .5rem 0 0; padding: 0; min-width: 0; }
input[type=text], input[type=date], select, textarea { font: inherit; color: inherit; background: var(--field); border: 1px solid var(--edge); border-radius: .45rem; padding: .45rem .6rem; width: 100%; min-height: 2.6rem; }
textarea { min-height: 6rem; }
input[type=checkbox] { accent-color: var(--accent); width: 1.15rem; height: 1.15rem; margin: 0 .45rem 0 0; vertical-align: -.15rem; }
label.check { display: inline-block; padding: .3rem .9rem .3rem 0; }
input:focus-visible, select:focus-visible, textarea:focus-visible, button:focus-visible, summary:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.actions { display: flex; flex-wrap: wrap; gap: .6rem 1rem; align-items: center; margin: .9rem 0 0; }
main button { font: inherit; font-weight: 650; border: 1px solid var(--accent); border-radius: .5rem; padding: .5rem 1.1rem; min-height: 2.6rem; cursor: pointer; background: var(--accent); color: var(--on-accent); line-height: 1.5; }
main button.second { background: none; color: var(--accent); }
summary { cursor: pointer; color: var(--accent); padding: .35rem 0; width: fit-content; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: baseline; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); font-weight: normal; }
thead th { font-size: .875rem; color: var(--soft); overflow-wrap: normal; }
.gene { min-width: 4.5rem; }
.number { white-space: nowrap; font-variant-numeric: tabular-nums; }
.time { font-variant-numeric: tabular-nums; white-space: nowrap; }
.small { font-size: .875rem; }
.kept { white-space: pre-wrap; margin: .25rem 0 0; }
@media (max-width: 48rem) {
  header { padding-top: 1.25rem; }
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
  body { font-size: 9.5pt; } .small, .hint, thead th, .facts dt { font-size: 8.5pt; }
  .card, .note { border: 1px solid #bbb; }
  a { color: inherit; text-decoration: none; padding: 0; }
  thead { display: table-header-group; } tr, .facts > div { break-inside: avoid; }
}
`);
