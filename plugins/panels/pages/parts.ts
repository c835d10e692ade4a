/** Parts of the pages of panels: states, genes, entries without a gene, findings and history. */
import { type Html, html } from '../../../core/plugin.js';
import type { PanelHead, PanelState } from '../contract.js';
import type { Confidence, OtherEntry, PanelContent, PanelGene, UnmappedEntry } from '../domain/content.js';
import type { GeneFinding } from '../genes/check.js';

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

export function counted(count: number, noun: string, plural: string = `${noun}s`): string {
  return `${count.toLocaleString('en-GB')} ${count === 1 ? noun : plural}`;
}

export function level(confidence: Confidence): Html {
  return html`<span class="level ${confidence}">${confidence}</span>`;
}

/** All that the version says of a gene besides its confidence and how it is inherited. */
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

export function geneTable(genes: readonly PanelGene[]): Html {
  if (genes.length === 0) return html`<p>There are no genes in this version yet.</p>`;
  return html`<table>
<thead><tr><th scope="col">HGNC id<th scope="col">Symbol<th scope="col">Confidence<th scope="col">Inheritance<th scope="col">More</tr></thead>
<tbody>${[...genes].sort(bySymbol).map(
    (gene) => html`
<tr class="gene" id="HGNC:${gene.hgnc}"><td class="id" data-label="HGNC id">${gene.hgnc}<th scope="row"><strong>${gene.symbol}</strong><td data-label="Confidence">${level(gene.confidence)}<td class="wide" data-label="Inheritance">${gene.inheritance}<td class="soft wide">${aboutGene(gene)}</tr>`,
  )}
</tbody></table>`;
}

/** ABCA2 comes before ABCA10. */
const order = new Intl.Collator('en', { numeric: true });

export function bySymbol(one: { symbol: string }, two: { symbol: string }): number {
  return order.compare(one.symbol, two.symbol);
}

export function otherTable(others: readonly OtherEntry[]): Html {
  return html`<table>
<thead><tr><th scope="col">Kind<th scope="col">Name<th scope="col">Confidence<th scope="col">Place</tr></thead>
<tbody>${others.map(
    ({ kind, name, confidence, place, detail }) => html`
<tr><td data-label="Kind">${kind === 'str' ? 'short tandem repeat' : 'region'}<th scope="row" class="wide"><strong>${name}</strong>${detail !== undefined && html` <span class="soft">${detail}</span>`}<td data-label="Confidence">${level(confidence)}<td class="wide" data-label="Place">${place}</tr>`,
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

export function findingTable(findings: readonly GeneFinding[]): Html {
  return html`<table>
<thead><tr><th scope="col">In this version<th scope="col">Finding<th scope="col">What is known of it</tr></thead>
<tbody>${findings.map(
    ({ hgnc, symbol, what, text }) => html`
<tr><th scope="row"><strong>${symbol}</strong> <span class="soft">HGNC:${hgnc}</span><td data-label="Finding">${findingWords[what]}<td data-label="Now">${text}</tr>`,
  )}
</tbody></table>`;
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
