/** Parts that the pages of triage share. */
import { type Html, type HtmlValue, html } from '../../../../core/plugin.js';
import {
  type Contact,
  type KnownNode,
  type TriageEntry,
  type TriageRow,
  type TriageStatus,
  thisNode,
} from '../../contract.js';
import { inheritanceWords, isOneBased, type StatedFeature, type StatedVariant } from '../../patient/stated.js';
import type { Resources } from '../../resources/resources.js';
import { nameOf } from '../desk.js';
import type { LocalCounts, LocalCoverage, LocalFinding } from '../local/finding.js';
import type { Texts } from '../texts/texts.js';

export function check(name: string, value: string, label: HtmlValue, checked: boolean): Html {
  return html`<label class="check"><input type="checkbox" name="${name}" value="${value}"${checked && html` checked`}>${label}</label>`;
}

export function badge(status: TriageStatus, { statuses }: Texts, count?: number): Html {
  return html`<span class="badge ${status}">${count !== undefined && `${count} `}${statuses[status]}</span>`;
}

export function time(at: Date, texts: Texts): Html {
  return html`<time class="time" datetime="${at.toISOString()}">${texts.time(at)}</time>`;
}

export function fact(title: string, value: HtmlValue, whole = false): Html {
  return html`<div${whole && html` class="whole"`}><dt>${title}</dt><dd>${value}</dd></div>`;
}

/** A contact with a link to it: only addresses of mail and of the web are links. */
export function contactOf({ name, href, institution }: Pick<Contact, 'name' | 'href' | 'institution'>): Html {
  const isLink = /^(?:mailto:|https?:\/\/)/i.test(href);
  const shown = html`<bdi>${href.replace(/^mailto:/i, '')}</bdi>`;
  return html`<bdi>${name}</bdi>${typeof institution === 'string' && html`, <bdi>${institution}</bdi>`}<br>${isLink ? html`<a href="${href}" rel="noreferrer">${shown}</a>` : shown}`;
}

export function historyTable(history: readonly TriageEntry[], texts: Texts): Html {
  const { columns } = texts.row;
  return html`<table>
<thead><tr><th scope="col">${columns.at}<th scope="col">${columns.by}<th scope="col">${columns.what}</tr></thead>
<tbody>${[...history].reverse().map(
    (entry) => html`
<tr><td data-label="${columns.at}">${time(entry.at, texts)}<td data-label="${columns.by}"><bdi>${nameOf(entry)}</bdi>${entry.name !== undefined && html` <span class="soft small">${entry.by}</span>`}<td class="long"><bdi>${entryWords(entry, texts)}</bdi>${entry.text !== undefined && html`<p class="kept">${entry.text}</p>`}${entry.mail && html`<details><summary>${entry.mail.subject}</summary><p class="kept">${entry.mail.text}</p></details>`}</tr>`,
  )}
</tbody></table>`;
}

function entryWords({ what, from = '', to = '', mail }: TriageEntry, { entries, statuses, none }: Texts): string {
  const named = (status: string) => (statuses as Readonly<Record<string, string>>)[status] ?? status;
  if (what === 'status') return entries.status(named(from), named(to));
  if (what === 'assignee') return entries.assignee(from || none, to || none);
  if (what === 'contact') return entries.contact(from, to);
  if (what !== 'mail' || !mail) return what === 'draft' ? entries.draft : entries.note;
  return entries.mail[mail.state](mail.to.join(', '), mail.reason ?? '');
}

export type Peers = ReadonlyMap<string, KnownNode>;

export function nodeLabel({ node, label }: Pick<TriageRow, 'node' | 'label'>, peers: Peers, texts: Texts): string {
  return node === thisNode.id ? texts.submission.here : (peers.get(node)?.label ?? label);
}

/** The last response of a node, or its failure; nothing for this one. */
export function nodeState({ node }: Pick<TriageRow, 'node'>, peers: Peers, texts: Texts): Html {
  const { submission } = texts;
  if (node === thisNode.id) return html``;
  const state = peers.get(node)?.state;
  if (state === undefined) return html`${submission.unknownNode}`;
  const { failures, failure, lastFailure, lastSuccess } = state;
  if (failures > 0 && lastFailure !== undefined) {
    return html`<span class="bad">${submission.failed(failure ?? '', texts.time(lastFailure))}</span>`;
  }
  return html`${lastSuccess ? submission.responded(texts.time(lastSuccess)) : submission.never}`;
}

export function wayOf({ found, asked }: Pick<TriageRow, 'found' | 'asked'>, { submission }: Texts): string {
  if (found && asked) return submission.both;
  return found ? submission.found : submission.asked;
}

/** Nothing if no more than names of genes is stated. */
export function statedTable(
  stated: readonly StatedFeature[],
  { id, title }: { id: string; title: string },
  { ontology }: Pick<Resources, 'ontology'>,
  texts: Texts,
): Html {
  const columns = texts.stated;
  if (!stated.some(({ gene: _, ...more }) => Object.keys(more).length > 0)) return html``;
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2><table>
<thead><tr><th scope="col">${columns.gene}<th scope="col">${columns.variant}<th scope="col">${columns.zygosity}<th scope="col">${columns.inheritance}</tr></thead>
<tbody>${stated.map(
    (one) => html`
<tr><th scope="row" class="gene"><bdi>${one.gene}</bdi><td class="long" data-label="${columns.variant}">${one.variant && html`<bdi>${variantWords(one.variant)}</bdi>`}<td data-label="${columns.zygosity}">${one.zygosity !== undefined && texts.zygosity(one.zygosity)}<td data-label="${columns.inheritance}">${inheritanceWords(one, ontology, texts.origins)}</tr>`,
  )}
</tbody></table></section>`;
}

/** Bases of an allele that are printed. */
const mostBases = 20;

/** With a one-based position: `GRCh38 2:166245425 G>A`. */
export function variantWords(variant: StatedVariant): string {
  const { assembly, chromosome, start, end, reference, alternate } = variant;
  const place = `${assembly} ${chromosome}:${isOneBased(variant) ? start : start + 1}`;
  if (reference !== undefined && alternate !== undefined) return `${place} ${bases(reference)}>${bases(alternate)}`;
  return end === undefined || end <= start + 1 ? place : `${place}–${end}`;
}

function bases(allele: string): string {
  return allele.length <= mostBases ? allele : `${allele.slice(0, mostBases)}… (${allele.length})`;
}

/** Findings beside a row; its page has all. */
const mostBeside = 2;

export function localBeside(findings: readonly LocalFinding[], texts: Texts): Html {
  const more = findings.length - mostBeside;
  return html`${findings
    .slice(0, mostBeside)
    .map(
      (one) =>
        html`<div class="small"><bdi>${one.gene} ${variantWords(one.variant)}</bdi>${[
          coverageLine(one, texts),
          ...countLines(one, texts),
        ].map((line) => line && html`<br>${line}`)}</div>`,
    )}${more > 0 && html`<span class="soft small">${texts.local.more(more)}</span>`}`;
}

export function localSection(findings: readonly LocalFinding[], texts: Texts): Html {
  const { title, columns, hint } = texts.local;
  if (findings.length === 0) return html``;
  return html`<section aria-labelledby="local"><h2 id="local">${title}</h2><p class="hint">${hint}</p><table>
<thead><tr><th scope="col">${columns.variant}<th scope="col">${columns.coverage}<th scope="col">${columns.counts}</tr></thead>
<tbody>${findings.map(
    (one) => html`
<tr><th scope="row"><bdi>${one.gene} ${variantWords(one.variant)}</bdi><td class="long" data-label="${columns.coverage}">${coverageLine(one, texts)}<td class="long" data-label="${columns.counts}">${countLines(one, texts).map((line, i) => html`${i > 0 && html`<br>`}${line}`)}</tr>`,
  )}
</tbody></table></section>`;
}

function coverageLine({ coverage, from }: LocalFinding, { local }: Texts): Html | undefined {
  if (coverage === undefined) return undefined;
  const words = coverageWords(coverage, local);
  return html`<span class="${coverage.state === 'covered' ? 'good' : 'warn'}">${words}</span> <span class="soft">${local.sampleOf[from]}</span>`;
}

function coverageWords(
  { state, threshold, reason, lifted: build }: LocalCoverage,
  { covered, notCovered, unknown, reasons, lifted }: Texts['local'],
) {
  if (state === 'unknown') return unknown(reason === undefined ? '' : reasons[reason]);
  const words = state === 'covered' ? covered(threshold) : notCovered(threshold);
  return build === undefined ? words : `${words}, ${lifted(build)}`;
}

function countLines({ counts = [] }: LocalFinding, { local }: Texts): Html[] {
  return counts.map((one) => html`${countWords(one, local)} <bdi class="soft">${one.dataset}</bdi>`);
}

function countWords(
  { carriers, homozygotes, samples, denominator, oneBased }: LocalCounts,
  words: Texts['local'],
): string {
  const { covered, notCovered, total } = denominator;
  const within = denominator.carriers - denominator.carriersBelowThreshold;
  const seen =
    covered + notCovered > 0
      ? words.among({ carriers, homozygotes, within, covered, total })
      : words.ofSamples({ carriers, homozygotes, samples });
  return oneBased ? `${seen}; ${words.oneBased}` : seen;
}
