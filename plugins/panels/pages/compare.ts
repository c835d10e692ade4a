/** The page that compares two versions, gene by gene. */
import { type Html, html } from '../../../core/plugin.js';
import type { PanelHead, PanelVersion } from '../contract.js';
import { type PanelGene, parseContent } from '../domain/content.js';
import { differences, type GeneDifference } from '../domain/differences.js';
import { nameOf } from '../domain/lifecycle.js';
import { type Around, framed, versionPath } from './frame.js';
import { compareForm } from './panel.js';
import { badge, bySymbol, counted, level } from './parts.js';

export interface ComparePage {
  panel: string;
  heads: readonly PanelHead[];
  before: PanelVersion;
  after: PanelVersion;
}

export function comparePage({ panel, heads, before, after }: ComparePage, around: Around): string {
  const { base } = around;
  const found = differences(parseContent(before.content), parseContent(after.content));
  const link = (one: PanelVersion) =>
    html`<a href="${base}${versionPath(one.panel, one.version)}">${nameOf(one)}</a> ${badge(one.state)}`;
  const isOther = before.panel !== panel;
  return framed(around, {
    title: `${nameOf(before)} → ${nameOf(after)}`,
    above: [{ href: `/panels/${panel}`, text: after.name }],
    intro: html`${link(before)} → ${link(after)}`,
    body: html`${compareForm(panel, heads, base, { from: before.version, to: after.version, other: isOther ? before.panel : '' })}
<section aria-labelledby="differences"><h2 id="differences">${found.length === 0 ? 'The same genes' : `${counted(found.length, 'gene')} ${found.length === 1 ? 'differs' : 'differ'}`}</h2>
${found.length > 0 && html`<p class="soft">${summary(found)}</p>${differenceTable(found)}`}
${before.digest === after.digest && html`<p>The contents are the same to the last byte.</p>`}
</section>`,
  });
}

/** `3 added, 1 demoted`. */
export function summary(found: readonly GeneDifference[]): string {
  const counts = new Map<string, number>();
  for (const { what } of found) for (const one of what) counts.set(one, (counts.get(one) ?? 0) + 1);
  return [...counts].map(([what, count]) => `${count} ${what}`).join(', ');
}

export function differenceTable(found: readonly GeneDifference[]): Html {
  return html`<table>
<thead><tr><th scope="col">Gene<th scope="col">Difference<th scope="col">Before<th scope="col">After</tr></thead>
<tbody>${[...found].sort(bySymbol).map(
    ({ hgnc, symbol, what, before, after, changed }) => html`
<tr><th scope="row"><strong>${symbol}</strong> <span class="soft">HGNC:${hgnc}</span><td data-label="Difference">${what.join(', ')}<td class="wide" data-label="Before">${side(before, after, changed)}<td class="wide" data-label="After">${side(after, before, changed)}</tr>`,
  )}
</tbody></table>`;
}

function side(
  gene: PanelGene | undefined,
  other: PanelGene | undefined,
  changed: GeneDifference['changed'],
): Html | undefined {
  if (gene === undefined) return undefined;
  const parts = changed
    .filter((name) => name !== 'confidence')
    .map((name) => html`<br><span class="soft">${name}:</span> ${wordsOf(gene[name])}`);
  const isRenamed = other !== undefined && other.symbol !== gene.symbol;
  return html`<span>${level(gene.confidence)}${isRenamed && html` ${gene.symbol}`}${parts}</span>`;
}

function wordsOf(value: PanelGene[keyof PanelGene]): string {
  if (value === undefined) return 'none';
  if (Array.isArray(value)) return value.join(', ');
  return value === true ? 'yes' : String(value);
}
