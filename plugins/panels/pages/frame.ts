/** The frame of all pages of panels, errors as a page, the parts that several pages show, and their style. */
import { byName } from '../../../core/genome.js';
import {
  field as anyField,
  type ErrorShape,
  type FieldOptions,
  faultPage,
  type Html,
  type HtmlValue,
  html,
  raw,
  workPage,
} from '../../../core/plugin.js';
import type { PanelHead, PanelState } from '../contract.js';
import type { GeneFinding } from '../genes/genes-in-panels.js';
import {
  type Confidence,
  type OtherEntry,
  type PanelContent,
  type PanelGene,
  placesOf,
  type UnmappedEntry,
} from '../versions/content.js';

export interface PanelPageContext {
  /** Path of the public address, before every link; empty if the server is at the root. */
  base: string;
  nonce: string;
}

interface PanelPageParts {
  title: string;
  /** The heading, if it is more than the title. */
  heading?: HtmlValue;
  /** Links to the pages between the list of panels and this one; undefined for the list. */
  above: readonly { href: string; text: string }[] | undefined;
  intro?: HtmlValue;
  body: HtmlValue;
}

export function panelPageFrame(
  { base, nonce }: PanelPageContext,
  { title, heading = title, above, ...parts }: PanelPageParts,
): string {
  return workPage({
    ...{ language: 'en', base, nonce, sheet, list: { path: '/panels', title: 'Gene panels' } },
    ...{ title, heading, ...parts },
    above: above?.map(({ href, text }) => html`<a href="${base}${href}">${text}</a>`),
    links: {
      label: 'Gene panels',
      of: [
        html`<a href="${base}/panels">All panels</a>`,
        html`<a href="${base}/panels/holding">Which panels held a gene</a>`,
      ],
    },
  });
}

export function versionPath(panel: string, version: string): string {
  return `/panels/${panel}/${version}`;
}

/** Most fields take ids and symbols. */
export function field(name: string, label: string, value: string, options: FieldOptions = {}): Html {
  return anyField(name, label, value, { ...options, spellcheck: false });
}

export function pageFault(base: string): ErrorShape {
  return faultPage(
    () => 'en',
    ({ message }, { title, back }, { nonceOf }) => {
      const body = html`<p class="note bad" role="alert">${message}</p>
<p>${back}</p>`;
      return panelPageFrame({ base, nonce: nonceOf() }, { title, above: [], body });
    },
  );
}

// Parts of the pages of panels: states, genes, entries without a gene, findings and history.

const classes: Readonly<Record<PanelState, string>> = {
  draft: 'draft',
  'in review': 'review',
  'signed off': 'signed',
  retired: 'retired',
};

export function badge(state: PanelState): Html {
  return html`<span class="badge ${classes[state]}">${state}</span>`;
}

/** In UTC, to the minute. */
export function time(at: Date): Html {
  return html`<time datetime="${at.toISOString()}">${at.toISOString().slice(0, 16).replace('T', ' ')}</time>`;
}

export function countedNoun(count: number, noun: string, plural: string = `${noun}s`): string {
  return `${count.toLocaleString('en-GB')} ${count === 1 ? noun : plural}`;
}

export function level(confidence: Confidence): Html {
  return html`<span class="level ${confidence}">${confidence}</span>`;
}

/** All that the version states about a gene besides its confidence and how it is inherited. */
export function aboutGene(gene: PanelGene): Html {
  const { transcripts = [], penetrance, mode, tags = [], phenotypes = [], comment, core } = gene;
  const parts = [
    core === true && html`<strong>core gene</strong>`,
    transcripts.length > 0 && html`transcripts <span class="mono">${transcripts.join(', ')}</span>`,
    penetrance !== undefined && html`penetrance: ${penetrance}`,
    mode !== undefined && html`${mode}`,
    tags.length > 0 && html`tags: ${tags.join(', ')}`,
    phenotypes.length > 0 && html`${phenotypes.join('; ')}`,
    comment !== undefined && html`${comment}`,
  ].filter((part) => part !== false);
  return html`${parts.map((part, i) => html`${i > 0 && html`<br>`}${part}`)}`;
}

function geneTable(genes: readonly PanelGene[]): Html {
  if (genes.length === 0) return html`<p>There are no genes in this version yet.</p>`;
  return html`<table>
<thead><tr><th scope="col">HGNC id<th scope="col">Symbol<th scope="col">Confidence<th scope="col">Inheritance<th scope="col">More</tr></thead>
<tbody>${[...genes].sort(bySymbol).map(
    (gene) => html`
<tr class="gene" id="HGNC:${gene.hgnc}"><td class="id" data-label="HGNC id">${gene.hgnc}<th scope="row"><strong>${gene.symbol}</strong><td data-label="Confidence">${level(gene.confidence)}<td class="wide" data-label="Inheritance">${gene.inheritance}<td class="soft wide">${aboutGene(gene)}</tr>`,
  )}
</tbody></table>`;
}

export function bySymbol(one: { symbol: string }, two: { symbol: string }): number {
  return byName(one.symbol, two.symbol);
}

function otherTable(others: readonly OtherEntry[]): Html {
  return html`<table>
<thead><tr><th scope="col">Kind<th scope="col">Name<th scope="col">Confidence<th scope="col">Place</tr></thead>
<tbody>${others.map(
    ({ kind, name, confidence, place, detail, core }) => html`
<tr><td data-label="Kind">${kind === 'str' ? 'short tandem repeat' : 'region'}<th scope="row" class="wide"><strong>${name}</strong>${detail !== undefined && html` <span class="soft">${detail}</span>`}${core && ' (core)'}<td data-label="Confidence">${level(confidence)}<td class="wide" data-label="Place">${place}${Object.keys(placesOf(place)).length === 0 && html` <span class="soft">not looked at by reports: no build and position</span>`}</tr>`,
  )}
</tbody></table>`;
}

export function unmappedTable(entries: readonly UnmappedEntry[]): Html {
  return html`<table>
<thead><tr><th scope="col">As the source names it<th scope="col">Where<th scope="col">Why no gene is certain<th scope="col">Confidence</tr></thead>
<tbody>${entries.map(
    ({ given, at, why, confidence }) => html`
<tr><th scope="row" class="wide"><strong>${given}</strong><td data-label="Where">${at}<td class="wide" data-label="Why">${why}<td data-label="Confidence">${level(confidence)}</tr>`,
  )}
</tbody></table>`;
}

const findingWords: Readonly<Record<GeneFinding['what'], string>> = {
  renamed: 'renamed',
  merged: 'merged',
  withdrawn: 'withdrawn: blocks signing',
  'non-coding': 'not protein-coding',
  elsewhere: 'not on the chromosomes of the reference',
  'no-coordinates': 'without coordinates',
  transcript: 'transcript not found',
};

function findingTable(findings: readonly GeneFinding[]): Html {
  return html`<table>
<thead><tr><th scope="col">In this version<th scope="col">Finding<th scope="col">What is known of it</tr></thead>
<tbody>${findings.map(
    ({ hgnc, symbol, what, text }) => html`
<tr><th scope="row"><strong>${symbol}</strong> <span class="soft">HGNC:${hgnc}</span><td data-label="Finding">${findingWords[what]}<td data-label="Now">${text}</tr>`,
  )}
</tbody></table>`;
}

/** `after` follows the table. */
export function findingSection(
  { release, findings }: { release: string; findings: readonly GeneFinding[] },
  after?: HtmlValue,
): Html {
  return html`<section class="note" aria-labelledby="findings"><h2 id="findings">Genes to look at, by names of release ${release}</h2>
${findingTable(findings)}${after}</section>`;
}

/** The genes, and what the version has beside them. */
export function contentSections({ genes, others = [] }: PanelContent): Html {
  return html`<section aria-labelledby="genes"><h2 id="genes">${countedNoun(genes.length, 'gene')}</h2>
${geneTable(genes)}</section>
${
  others.length > 0 &&
  html`<section aria-labelledby="others"><h2 id="others">${countedNoun(others.length, 'entry', 'entries')} beside genes</h2>
<p class="soft">Reports show their depth apart from the genes, in builds for which this version says where they are.</p>
${otherTable(others)}</section>`
}`;
}

export function historyTable({ history }: Pick<PanelHead, 'history'>): Html {
  return html`<table>
<thead><tr><th scope="col">Time (UTC)<th scope="col">What<th scope="col">By<th scope="col">Comment<th scope="col">Digest after it</tr></thead>
<tbody>${history.map(
    ({ what, at, by, name, comment, digest }) => html`
<tr><td class="time" data-label="Time (UTC)">${time(at)}<th scope="row"><strong>${what}</strong><td class="wide" data-label="By"><bdi>${name ?? by}</bdi>${name !== undefined && html` <span class="soft">${by}</span>`}<td class="wide"><bdi>${comment}</bdi><td data-label="Digest"><code title="${digest}">${digest.slice(0, 12)}</code></tr>`,
  )}
</tbody></table>`;
}

const kinds: Readonly<Record<PanelContent['source']['kind'], string>> = {
  panelapp: 'PanelApp',
  scout: 'an export of Scout',
  list: 'a list',
  bed: 'a BED file',
  person: 'made by',
  version: 'a copy of',
};

export function sourceWords({ source }: Pick<PanelContent, 'source'>): Html {
  const { kind, name, id, version, signedOff, sha256, read } = source;
  return html`${kinds[kind]} <bdi>${name}</bdi>${id !== undefined && html`, id ${id}`}${version !== undefined && html`, version ${version}`}${signedOff !== undefined && html`, signed off there ${signedOff}`}; ${kind === 'person' ? '' : 'read '}${time(new Date(read))} UTC${sha256 !== undefined && html`, sha256 <code>${sha256}</code>`}`;
}

// Style rules of the pages of panels, in addition to those of all pages.

const sheet = raw(`
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
