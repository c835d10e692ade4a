/**
 * The style of the coverage pages, on top of that of all pages (on screens of any width, in the dark, and on paper), and what
 * they can do only with JavaScript.
 */
import { raw } from '../../../../core/plugin.js';

const light = `--field: #ffffff; --edge: #7b8d92; --good: #0b5d3b; --good-paper: #e6f4ec; --bad: #9c1c1c; --bad-paper: #fdecea;
  --warn: #5f3d00; --warn-paper: #fff6e0; --warn-line: #e0b04a; --zebra: #f1f5f5; --shade: #10202459; --on-accent: #ffffff; --gene: #33474d; --utr: #9fb1b5;
  --s0: #0067a5; --s1: #b3460b; --s2: #00755a; --s3: #8a3f8f; --s4: #7a5c00; --s5: #4a5ab8;`;

export const sheet = raw(`
:root { ${light} }
@media screen and (prefers-color-scheme: dark) {
  :root { --field: #131c1f; --edge: #6f858a; --good: #8ce3b6; --good-paper: #123526; --bad: #ffb0a6; --bad-paper: #41191a;
    --warn: #f5d48c; --warn-paper: #33270d; --warn-line: #8a6a20; --zebra: #1e2a2d; --shade: #000000b3; --on-accent: #06302b; --gene: #c3d2d5; --utr: #6c8187;
    --s0: #6cc0f5; --s1: #ffa66b; --s2: #5fd6b3; --s3: #dd9ce0; --s4: #e0c25a; --s5: #a9b5ff; }
}
html { -webkit-text-size-adjust: 100%; }
body { font: .9375rem/1.5 "Source Sans 3", "Source Sans Pro", system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main, header, footer { max-width: 68rem; }
header.top { display: flex; flex-wrap: wrap; gap: .75rem 2rem; align-items: flex-end; justify-content: space-between; padding-top: 1.75rem; }
header.top > div:first-child { min-width: 0; flex: 1 1 18rem; }
h1 { font-size: 1.7rem; font-weight: 650; }
h2 { font-size: 1.15rem; font-weight: 650; margin: 0 0 .35rem; }
h3 { font-size: 1rem; font-weight: 650; margin: 0 0 .2rem; }
.subtitle { font-size: 1.05rem; color: var(--soft); margin: 0; }
h1, h2, h3, p, dd, li, .subtitle { overflow-wrap: anywhere; }
main > * { margin: 1.1rem 0; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
a.skip { position: absolute; left: -100rem; }
a.skip:focus { left: 1rem; top: .5rem; background: var(--card); padding: .5rem .75rem; z-index: 1; }
.block { margin: 1.7rem 0; }
.block > h2 { margin: 0 0 .1rem; }
.heading { margin: 2rem 0 .5rem; }
.heading p { margin: 0 0 .25rem; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(15rem, 100%), 1fr)); gap: .55rem 1.75rem; margin: 0 0 1rem; }
.facts div { min-width: 0; }
.facts .whole { grid-column: 1 / -1; max-width: 52rem; }
dt { color: var(--soft); font-size: .8125rem; }
dd { margin: 0; }
.terms dl { display: grid; gap: .6rem; max-width: 52rem; margin: 0; }
.terms dt { color: inherit; font-size: inherit; font-weight: 650; }
.notices { background: var(--warn-paper); color: var(--warn); border-left: .25rem solid var(--warn-line); padding: .7rem 1rem; border-radius: .2rem; }
.notices.bad { background: var(--bad-paper); color: var(--bad); border-color: currentColor; }
.notices h2 { font-size: 1rem; }
.notices ul { margin: 0; padding-left: 1.1rem; }
.note { color: var(--soft); margin: .5rem 0; }
.note.good { color: var(--good); }
.scroll { overflow-x: auto; }
@media screen {
  /* A shadow at each edge behind which there is more: the paper that covers it moves with the content. */
  .scroll { background: linear-gradient(90deg, var(--paper) 40%, transparent) 0 0 / 2.5rem 100% no-repeat local,
    linear-gradient(-90deg, var(--paper) 40%, transparent) 100% 0 / 2.5rem 100% no-repeat local,
    linear-gradient(90deg, var(--shade), transparent) 0 0 / .9rem 100% no-repeat scroll,
    linear-gradient(-90deg, var(--shade), transparent) 100% 0 / .9rem 100% no-repeat scroll; }
  table.dense { font-size: .8125rem; }
}
.scroll:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
.caption { font-size: .875rem; color: var(--soft); margin: 0 0 .4rem; }
th, td { max-width: 26rem; overflow-wrap: break-word; text-align: left; vertical-align: baseline; padding: .34rem .7rem .34rem 0; font-weight: 400; border-bottom: 1px solid var(--line); }
th:last-child, td:last-child { padding-right: 0; }
thead th { font-size: .8125rem; font-weight: 600; color: var(--soft); border-bottom: 1.5px solid var(--edge); vertical-align: bottom; }
tbody th { font-weight: 550; }
.n { text-align: right; white-space: nowrap; }
thead th button.link { text-decoration-style: dotted; }
th[aria-sort] button::after { content: " ▴"; }
.n + :not(.n) { padding-left: 1.1rem; }
thead th.n { white-space: normal; }
td.good { color: var(--good); }
td.bad { color: var(--bad); font-weight: 600; }
.sign { font-size: .7em; margin-right: .25em; }
.again { color: var(--soft); }
.badge { display: inline-block; font-size: .75rem; line-height: 1.35; padding: 0 .45em; border: 1px solid var(--edge); border-radius: .6em; color: var(--soft); font-weight: 500; white-space: nowrap; }
.n .badge { display: block; width: fit-content; margin-left: auto; }
.below { display: block; font-size: .75rem; line-height: 1.35; color: var(--soft); font-weight: 400; white-space: normal; }
.below > span { white-space: nowrap; }
.ranges { margin: 0; padding: 0; list-style: none; }
.ranges li { white-space: pre; }
.ranges.wraps li { min-width: 10rem; white-space: pre-line; }
.ranges li + li { margin-top: .2rem; }
ul.names { columns: 25rem; column-gap: 1.75rem; list-style: none; margin: 0; padding: 0; font-size: .875rem; }
ul.names li { break-inside: avoid; }
summary { cursor: pointer; color: var(--accent); padding: .3rem 0; width: fit-content; border-radius: .2rem; }
details.rows > summary { margin-bottom: .3rem; }
summary:focus-visible, button:focus-visible, input:focus-visible, select:focus-visible, textarea:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
figure { margin: 0; }
figcaption { font-size: .875rem; margin-top: .3rem; }
svg.plot { display: block; width: 100%; min-width: 38rem; height: auto; max-width: 60rem; font-family: inherit; }
.f-none { fill: none; }
.k-ink { stroke: var(--ink); } .k-soft { stroke: var(--soft); } .k-line { stroke: var(--line); } .k-bad { stroke: var(--bad); } .k-gene { stroke: var(--gene); }
.f-ink { fill: var(--ink); } .f-soft { fill: var(--soft); } .f-line { fill: var(--line); } .f-card { fill: var(--card); } .f-bad { fill: var(--bad); } .f-gene { fill: var(--gene); } .f-utr { fill: var(--utr); }
${[0, 1, 2, 3, 4, 5].map((i) => `.k-s${i} { stroke: var(--s${i}); } .f-s${i} { fill: var(--s${i}); }`).join('\n')}
.exports, .levels, .others { display: flex; flex-wrap: wrap; gap: .4rem; align-items: center; }
.levels > span, .others > span { margin-right: .35rem; }
button { font: inherit; font-weight: 600; border: 0; border-radius: .4rem; padding: .55rem 1.2rem; cursor: pointer; background: var(--accent); color: var(--on-accent); }
button.plain { background: var(--card); color: var(--accent); border: 1px solid var(--edge); padding: .3rem .75rem; min-height: 2rem; font-weight: 550; }
button.plain[aria-current] { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
button.link { background: none; color: var(--accent); padding: 0; font-weight: inherit; text-decoration: underline; text-underline-offset: .2em; text-align: left; border-radius: .15rem; }
.ask { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .3rem 1rem; }
.ask[open] { padding-bottom: 1rem; }
.more { margin: .4rem 0; }
.fields { display: grid; gap: .1rem 1.1rem; grid-template-columns: repeat(auto-fit, minmax(min(15rem, 100%), 1fr)); }
.field { display: flex; flex-direction: column; justify-content: flex-end; gap: .2rem; min-width: 0; margin: .45rem 0; }
.field label { font-weight: 550; font-size: .875rem; }
input[type=text], input[type=search], select, textarea { font: inherit; color: inherit; background: var(--field); border: 1px solid var(--edge); border-radius: .35rem; padding: .4rem .55rem; width: 100%; min-height: 2.3rem; }
textarea, input[type=text] { font-variant-numeric: tabular-nums; }
textarea { resize: vertical; }
fieldset { border: 0; margin: 0; padding: 0; min-width: 0; }
.samples { border: 1px solid var(--line); border-radius: .4rem; padding: .3rem .9rem .5rem; margin: .6rem 0; }
legend { font-weight: 550; font-size: .875rem; padding: 0 .3rem; }
.samples > legend { margin-left: -.3rem; }
.hint { font-size: .8125rem; color: var(--soft); margin: 0 0 .15rem; }
.sample { display: grid; gap: 0 .9rem; grid-template-columns: 3fr 5fr 2fr 3fr; border-top: 1px solid var(--line); padding: .3rem 0 .1rem; margin-top: .5rem; }
.sample.registered { grid-template-columns: 3fr 3fr 4fr 2fr 3fr; }
.sample > details { grid-column: 1 / -1; }
.sample > legend { float: left; grid-column: 1 / -1; padding: .3rem 0 0; font-weight: 650; }
.field [aria-invalid] { border-color: var(--bad); border-width: 2px; }
.notices a { color: inherit; padding: 0; }
#samples, textarea[id^="intervals_bed"] { font-family: ui-monospace, "SFMono-Regular", Menlo, Consolas, monospace; font-size: .8125rem; }
.actions { margin: .7rem 0 0; }
.browse { display: flex; flex-wrap: wrap; gap: .2rem 1rem; align-items: flex-end; }
.browse .field:first-child { flex: 1 1 16rem; }
.browse > p { margin: .3rem 0; }
.parts { flex-basis: 100%; }
.heading .links { display: flex; flex-wrap: wrap; gap: .1rem 1rem; align-items: center; font-size: .875rem; }
footer { margin-top: 2rem; display: grid; gap: .75rem; }
@media (max-width: 40rem) {
  table { width: max-content; min-width: 100%; }
  th, td { max-width: 13rem; }
  tbody th:first-child, thead th:first-child { position: sticky; left: 0; background: var(--paper); padding-right: .6rem; }
  header.top { padding-top: 1.1rem; }
  main, header, footer { padding-left: .9rem; padding-right: .9rem; }
  h1 { font-size: 1.4rem; }
  .facts { grid-template-columns: 1fr 1fr; }
  .facts .whole { grid-column: 1 / -1; }
  .sample, .sample.registered { grid-template-columns: 1fr 1fr; }
  .sample .id, .sample .name, .sample .file { grid-column: 1 / -1; }
}
@page { size: A4; margin: 14mm 13mm 15mm; }
@media screen { .paper { display: none; } }
@media print {
  :root { --ink: #000; --soft: #444; --paper: #fff; --card: #fff; --line: #c9d1d2; ${light} }
  html { font-size: 11.5px; }
  body { background: #fff; }
  .screen, .ask, a.skip { display: none !important; }
  main, header, footer { max-width: none; padding-left: 0; padding-right: 0; }
  header.top { padding-top: 0; border-bottom: 2px solid #000; padding-bottom: .5rem; }
  main > * { margin: .8rem 0; }
  .scroll { overflow: visible; }
  thead { display: table-header-group; }
  th, td { max-width: none; }
  .long { overflow-wrap: anywhere; }
  table.wide, table.wide tbody, table.wide tr { display: block; }
  table.wide thead { display: none; }
  table.wide tr { border-bottom: 1px solid var(--line); padding: .3rem 0; }
  table.wide th, table.wide td { display: inline-block; border: 0; padding: 0 1.1rem 0 0; vertical-align: top; text-align: left; max-width: 100%; overflow-wrap: anywhere; }
  table.wide [data-title]::before { content: attr(data-title) ": "; color: var(--soft); font-weight: 400; }
  tr, .notices, .facts div, .terms div, figure, .drawing { break-inside: avoid; }
  h2, h3, .caption, summary, .heading { break-after: avoid; }
  .ranges li, .ranges.wraps li { min-width: 0; white-space: pre-line; }
  button.link { color: inherit; text-decoration: none; }
  th[aria-sort] button::after { content: none; }
  summary { list-style: none; color: inherit; }
  details.rows::details-content { content-visibility: visible; display: block; }
  .notices, .note.good { background: none; border: 1px solid #000; border-left-width: 4px; color: #000; }
  .note.good { padding: .3rem .6rem; }
  svg.plot { min-width: 0; }
}
`);

// What pages can do only with JavaScript: print collapsed tables, and read a BED file into the form.

export const script = `
for (const hidden of document.querySelectorAll('.script-only')) hidden.hidden = false;
const closed = [];
addEventListener('beforeprint', () => {
  for (const one of document.querySelectorAll('details.rows:not([open]):not(.screen)')) { one.open = true; closed.push(one); }
});
addEventListener('afterprint', () => { for (const one of closed.splice(0)) one.open = false; });
document.getElementById('print')?.addEventListener('click', () => print());
for (const input of document.querySelectorAll('input[data-bed]')) input.addEventListener('change', async () => {
  const [file] = input.files;
  if (!file) return;
  document.getElementById('intervals_bed' + input.dataset.bed).value = await file.text();
  document.getElementById('intervals_bed_name' + input.dataset.bed).value = file.name;
  document.getElementById('interval_type').value = 'custom_intervals';
});
`;
