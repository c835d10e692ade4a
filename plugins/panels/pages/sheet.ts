/** Style rules of the pages of panels, in addition to those of all pages. */
import { raw } from '../../../core/plugin.js';

export const sheet = raw(`
:root { --field: #ffffff; --edge: #7b8d92; --on-accent: #ffffff; --green: #0b6b3f; --amber: #8a5300; --red: #a3211b;
  --warn: #6b4500; --warn-paper: #fdf0d2; --bad: #8c1d18; --bad-paper: #fce4e2; --calm-paper: #e8edee; }
@media (prefers-color-scheme: dark) {
  :root { --field: #131c1f; --edge: #6f858a; --on-accent: #06302b; --green: #8ce3b6; --amber: #f5cf7f; --red: #ffb4ab;
    --warn: #f5cf7f; --warn-paper: #3a2c0d; --bad: #ffb4ab; --bad-paper: #42191a; --calm-paper: #26343a; }
}
main, header, footer { max-width: 68rem; }
header { padding-top: 1.75rem; }
main > * { margin: 1.25rem 0; }
h2 { margin: 0 0 .6rem; }
main > section:not(.card) { margin-top: 2rem; }
h1, h2, p, dd, li, .wide { overflow-wrap: anywhere; }
th, td { overflow-wrap: break-word; }
.level { white-space: nowrap; }
a.skip { position: absolute; left: -100rem; }
a.skip:focus { left: 1rem; top: .5rem; background: var(--card); padding: .5rem .75rem; }
code, .mono { font-family: ui-monospace, "SFMono-Regular", Menlo, Consolas, monospace; font-size: .92em; }
.path { margin: 0 0 .25rem; }
.badge { display: inline-block; border: 1px solid currentColor; border-radius: 1rem; padding: .05rem .6rem; font-size: .8125rem; font-weight: 650; white-space: nowrap; }
.badge.draft { color: var(--amber); } .badge.review { color: var(--accent); } .badge.signed { color: var(--green); } .badge.retired { color: var(--soft); }
h1 .badge { vertical-align: middle; font-size: .9rem; letter-spacing: 0; }
.level::before { content: "●"; margin-right: .4em; }
.green::before { color: var(--green); } .amber::before { color: var(--amber); } .red::before { color: var(--red); } .unrated::before { content: "○"; color: var(--soft); }
.note { border-radius: .45rem; padding: .6rem .85rem; background: var(--calm-paper); }
.note.warn { background: var(--warn-paper); color: var(--warn); } .note.bad { background: var(--bad-paper); color: var(--bad); }
.note ul { margin: .35rem 0 0; padding-left: 1.25rem; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(15rem, 100%), 1fr)); gap: .6rem 1.5rem; margin: 0; }
.facts dt { color: var(--soft); font-size: .8125rem; } .facts dd { margin: 0; } .facts .whole { grid-column: 1 / -1; }
form.row, .row { display: flex; flex-wrap: wrap; gap: .6rem 1rem; align-items: end; }
.fields { display: grid; gap: .9rem 1.1rem; grid-template-columns: repeat(auto-fit, minmax(min(16rem, 100%), 1fr)); }
.field { display: flex; flex-direction: column; gap: .2rem; min-width: 0; flex: 1 1 14rem; }
.field label, fieldset legend { font-weight: 550; }
.hint { color: var(--soft); font-size: .875rem; margin: 0; }
fieldset { border: 0; margin: 0; padding: 0; min-width: 0; }
input[type=text], select, textarea { font: inherit; color: inherit; background: var(--field); border: 1px solid var(--edge); border-radius: .45rem; padding: .45rem .6rem; width: 100%; min-height: 2.6rem; }
textarea { min-height: 5rem; }
input[type=checkbox], input[type=radio] { accent-color: var(--accent); width: 1.15rem; height: 1.15rem; margin: 0 .45rem 0 0; vertical-align: -.15rem; }
label.check { display: inline-block; padding: .3rem .9rem .3rem 0; }
input:focus-visible, select:focus-visible, textarea:focus-visible, button:focus-visible, summary:focus-visible, .scroll:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.actions { display: flex; flex-wrap: wrap; gap: .6rem 1rem; align-items: center; margin: .9rem 0 0; }
.actions:first-child { margin-top: 0; }
.actions > form { flex: 1 1 100%; }
li.entry form { margin-top: .5rem; }
main button, a.button { font: inherit; font-weight: 650; border: 1px solid var(--accent); border-radius: .5rem; padding: .5rem 1.1rem; min-height: 2.6rem; cursor: pointer; background: var(--accent); color: var(--on-accent); text-decoration: none; display: inline-block; line-height: 1.5; }
main button.second, a.second { background: none; color: var(--accent); }
main button.grave { background: none; border-color: var(--bad); color: var(--bad); }
summary { cursor: pointer; color: var(--accent); padding: .35rem 0; width: fit-content; }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; color: var(--soft); font-size: .875rem; padding-bottom: .4rem; }
th, td { text-align: left; vertical-align: baseline; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); font-weight: normal; }
thead th { font-size: .875rem; color: var(--soft); }
.number { text-align: right; font-variant-numeric: tabular-nums; }
td.time, td.id, .nowrap { white-space: nowrap; font-variant-numeric: tabular-nums; }
ul.plain { list-style: none; margin: 0; padding: 0; }
li.entry { border-bottom: 1px solid var(--line); padding: .75rem 0; }
@media (max-width: 42rem) {
  header { padding-top: 1.25rem; }
  main, header, footer { padding-left: .9rem; padding-right: .9rem; }
  .card { padding: .9rem; }
  table, caption, tbody, tr, th, td { display: block; overflow-wrap: anywhere; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tbody tr { padding: .5rem 0; border-bottom: 1px solid var(--line); }
  tbody th, tbody td { border: 0; padding: .1rem 0; }
  tbody td:empty { display: none; }
  tbody td[data-label] { display: flow-root; text-align: right; }
  tbody td[data-label]::before { content: attr(data-label); color: var(--soft); font-size: .875rem; float: left; margin-right: 1rem; }
  td.time { white-space: normal; }
  tr.gene { display: flex; flex-wrap: wrap; gap: 0 .9rem; align-items: baseline; }
  tr.gene > td[data-label]::before { content: none; }
  tr.gene > .wide { flex: 1 1 100%; text-align: left; }
}
@media print {
  :root { --ink: #000; --soft: #444; --paper: #fff; --card: #fff; --line: #bbb; --accent: #000; --calm-paper: #fff; --warn-paper: #fff; --bad-paper: #fff;
    --warn: #000; --bad: #000; --green: #0b6b3f; --amber: #8a5300; --red: #a3211b; }
  .screen, footer, .skip { display: none; }
  main, header { max-width: none; padding: 0; }
  body { font-size: 9.5pt; }
  .card, .note { border: 1px solid #bbb; }
  a { color: inherit; text-decoration: none; padding: 0; }
  thead { display: table-header-group; } tr, .facts > div { break-inside: avoid; }
  th, td { padding-top: .15rem; padding-bottom: .15rem; }
}
`);
