/** The page that says which versions of panels hold a gene, or were made while no gene was found for its name. */
import { html } from '../../../core/plugin.js';
import type { PanelHead } from '../contract.js';
import type { Held, WantedGene } from '../genes/held.js';
import { type Around, field, framed } from './frame.js';
import { versionLink } from './list.js';
import { badge, counted, time } from './parts.js';

export type HeldGene = WantedGene & Held;

export interface HoldingPage {
  gene: string;
  /** Why no gene was found, or what was; undefined if none was asked for. */
  found: HeldGene | string | undefined;
  /** Of the page with the kept reports on the gene, if the server keeps any. */
  reports: string | undefined;
}

export function holdingPage({ gene, found, reports }: HoldingPage, around: Around): string {
  const { base } = around;
  return framed(around, {
    title: 'Which panels held a gene',
    above: [],
    intro: 'All versions, former and retired ones included.',
    body: html`<form class="card row screen" method="get" action="${base}/panels/holding" role="search">
${field('gene', 'Gene', gene, { hint: 'A symbol, current or former, or an HGNC id.', required: true })}
<button>Look up</button>
</form>
${typeof found === 'string' ? html`<p class="note bad" role="alert">${found}</p>` : found && heldSections(found, base)}
${gene !== '' && reports !== undefined && html`<p class="screen"><a href="${base}${reports}">Kept reports on ${gene}</a></p>`}`,
  });
}

function heldSections({ hgnc, symbol, note, held, open }: HeldGene, base: string) {
  const row = (head: PanelHead, former: readonly number[], more?: string) => {
    const step = head.history.findLast(({ what }) => what === 'signed off') ?? head.history.at(-1);
    return html`
<tr><th scope="row" class="wide"><a href="${base}/panels/${head.panel}">${head.name}</a> <span class="soft">${head.panel}</span><td data-label="Version">${versionLink(head, base)}<td data-label="State">${badge(head.state)}${former.length > 0 && html` <span class="soft">as ${former.map((id) => `HGNC:${id}`).join(', ')}</span>`}<td class="time" data-label="Since (UTC)">${step && html`${step.what} ${time(step.at)}`}${more !== undefined && html`<td data-label="Entry">${more}`}</tr>`;
  };
  const headings = html`<th scope="col">Panel<th scope="col">Version<th scope="col">State<th scope="col">Since (UTC)`;
  return html`${note !== undefined && html`<p class="note">${note}.</p>`}
<section aria-labelledby="held"><h2 id="held">${symbol} (HGNC:${hgnc}) is in ${counted(held.length, 'version')}</h2>
${held.length > 0 && html`<table><thead><tr>${headings}</tr></thead><tbody>${held.map((head) => row(head, head.former))}</tbody></table>`}</section>
${
  open.length > 0 &&
  html`<section aria-labelledby="open"><h2 id="open">${open.length === 1 ? 'An entry' : `${open.length} entries`} without a gene may be it</h2>
<table><thead><tr>${headings}<th scope="col">Entry</tr></thead><tbody>${open.map(({ head, given }) => row(head, [], given))}</tbody></table></section>`
}`;
}
