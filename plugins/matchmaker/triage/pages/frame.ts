/** The frame of the pages of triage, their language, and the parts that several of them show. */
import { basesText } from '../../../../core/genome.js';
import { type Html, type HtmlValue, html, raw, type WorkAround, workPages } from '../../../../core/plugin.js';
import {
  type Contact,
  type KnownNode,
  type TriageEntry,
  type TriageRow,
  type TriageStatus,
  thisNode,
} from '../../contract.js';
import { inheritanceWords, isOneBased, type StatedFeature, type StatedVariant } from '../../patients/presentation.js';
import type { Resources } from '../../resources/resources.js';
import { nameOfPerson, submissionsPath } from '../desk.js';
import type { LocalCounts, LocalCoverage, LocalFinding } from '../local.js';
import { en, type TriageTexts } from '../texts/en.js';
import { sv } from '../texts/sv.js';

export type TriagePageContext = WorkAround<TriageTexts>;

const sheet = raw(`
main, header, footer { max-width: 72rem; }
header { padding-top: 1.75rem; }
main > * { margin: 1.25rem 0; }
h2 { margin: 0 0 .6rem; }
.badge { margin: 0 .25rem .2rem 0; }
.badge.new { color: var(--accent); } .badge.contacted, .badge.they-contacted, .badge.follow-up { color: var(--warn); } .badge.solved { color: var(--good); } .badge.irrelevant { color: var(--soft); }
.fresh { color: var(--accent); font-weight: 650; white-space: nowrap; }
.bad { color: var(--bad); } .warn { color: var(--warn); } .good { color: var(--good); }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(15rem, 100%), 1fr)); gap: .6rem 1.5rem; margin: 0; }
.facts .whole { grid-column: 1 / -1; }
.fields { grid-template-columns: repeat(auto-fit, minmax(min(16rem, 100%), 1fr)); }
.fields + .field, p + .field, form > .field + .field { margin-top: .9rem; }
section > form.card { margin-bottom: 1rem; }
fieldset { border: 0; margin: .5rem 0 0; padding: 0; min-width: 0; }
textarea { min-height: 6rem; }
input[type=checkbox] { accent-color: var(--accent); width: 1.15rem; height: 1.15rem; margin: 0 .45rem 0 0; vertical-align: -.15rem; }
label.check { display: inline-block; padding: .3rem .9rem .3rem 0; }
th, td { padding: .4rem .75rem .4rem 0; }
.gene { min-width: 4.5rem; }
@media screen and (max-width: 48rem) {
  header { padding-top: 1.25rem; }
}
@media print {
  body { font-size: 9.5pt; } .small, .hint, thead th, .facts dt { font-size: 8.5pt; }
}
`);

export const {
  show: triagePage,
  fault: pageFault,
  textsFor,
} = workPages<TriageTexts>({
  path: submissionsPath,
  texts: { en, sv },
  sheet,
  other: { path: '/matchmaker', title: (texts) => texts.dashboard },
});

// Parts that the pages of triage share.

export function check(name: string, value: string, label: HtmlValue, checked: boolean): Html {
  return html`<label class="check"><input type="checkbox" name="${name}" value="${value}"${checked && html` checked`}>${label}</label>`;
}

export function badge(status: TriageStatus, { statuses }: TriageTexts, count?: number): Html {
  return html`<span class="badge ${status}">${count !== undefined && `${count} `}${statuses[status]}</span>`;
}

export function time(at: Date, texts: TriageTexts): Html {
  return html`<time class="time" datetime="${at.toISOString()}">${texts.time(at)}</time>`;
}

/** A contact with a link to it: only addresses of mail and of the web are links. */
export function contactLink({ name, href, institution }: Pick<Contact, 'name' | 'href' | 'institution'>): Html {
  const isLink = /^(?:mailto:|https?:\/\/)/i.test(href);
  const shown = html`<bdi>${href.replace(/^mailto:/i, '')}</bdi>`;
  return html`<bdi>${name}</bdi>${typeof institution === 'string' && html`, <bdi>${institution}</bdi>`}<br>${isLink ? html`<a href="${href}" rel="noreferrer">${shown}</a>` : shown}`;
}

export function historyTable(history: readonly TriageEntry[], texts: TriageTexts): Html {
  const { columns } = texts.row;
  return html`<table>
<thead><tr><th scope="col">${columns.at}<th scope="col">${columns.by}<th scope="col">${columns.what}</tr></thead>
<tbody>${[...history].reverse().map(
    (entry) => html`
<tr><td data-label="${columns.at}">${time(entry.at, texts)}<td data-label="${columns.by}"><bdi>${nameOfPerson(entry)}</bdi>${entry.name !== undefined && html` <span class="soft small">${entry.by}</span>`}<td class="long"><bdi>${entryWords(entry, texts)}</bdi>${entry.text !== undefined && html`<p class="kept">${entry.text}</p>`}${entry.mail && html`<details><summary>${entry.mail.subject}</summary><p class="kept">${entry.mail.text}</p></details>`}</tr>`,
  )}
</tbody></table>`;
}

function entryWords({ what, from = '', to = '', mail }: TriageEntry, { entries, statuses, none }: TriageTexts): string {
  const named = (status: string) => (statuses as Readonly<Record<string, string>>)[status] ?? status;
  if (what === 'status') return entries.status(named(from), named(to));
  if (what === 'assignee') return entries.assignee(from || none, to || none);
  if (what === 'contact') return entries.contact(from, to);
  if (what !== 'mail' || !mail) return what === 'draft' ? entries.draft : entries.note;
  return entries.mail[mail.state](mail.to.join(', '), mail.reason ?? '');
}

export type Peers = ReadonlyMap<string, KnownNode>;

export function nodeLabel(
  { node, label }: Pick<TriageRow, 'node' | 'label'>,
  peers: Peers,
  texts: TriageTexts,
): string {
  return node === thisNode.id ? texts.submission.here : (peers.get(node)?.label ?? label);
}

/** The last response of a node, or its failure; nothing for this one. */
export function nodeState({ node }: Pick<TriageRow, 'node'>, peers: Peers, texts: TriageTexts): Html {
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

export function directionText(
  { found, asked }: Pick<TriageRow, 'found' | 'asked'>,
  { submission }: TriageTexts,
): string {
  if (found && asked) return submission.both;
  return found ? submission.found : submission.asked;
}

/** Nothing if no more than names of genes is stated. */
export function statedTable(
  stated: readonly StatedFeature[],
  { id, title }: { id: string; title: string },
  { ontology }: Pick<Resources, 'ontology'>,
  texts: TriageTexts,
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

/** With a one-based position: `GRCh38 2:166245425 G>A`. */
export function variantWords(variant: StatedVariant): string {
  const { assembly, chromosome, start, end, reference, alternate } = variant;
  const place = `${assembly} ${chromosome}:${isOneBased(variant) ? start : start + 1}`;
  if (reference !== undefined && alternate !== undefined)
    return `${place} ${basesText(reference)}>${basesText(alternate)}`;
  return end === undefined || end <= start + 1 ? place : `${place}–${end}`;
}

/** Findings beside a row; its page has all. */
const mostBeside = 2;

export function localBeside(findings: readonly LocalFinding[], texts: TriageTexts): Html {
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

export function localSection(findings: readonly LocalFinding[], texts: TriageTexts): Html {
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

function coverageLine({ coverage, from }: LocalFinding, { local }: TriageTexts): Html | undefined {
  if (coverage === undefined) return undefined;
  const words = coverageWords(coverage, local);
  return html`<span class="${coverage.state === 'covered' ? 'good' : 'warn'}">${words}</span> <span class="soft">${local.sampleOf[from]}</span>`;
}

function coverageWords(
  { state, threshold, reason, lifted: build }: LocalCoverage,
  { covered, notCovered, unknown, reasons, lifted }: TriageTexts['local'],
) {
  if (state === 'unknown') return unknown(reason === undefined ? '' : reasons[reason]);
  const words = state === 'covered' ? covered(threshold) : notCovered(threshold);
  return build === undefined ? words : `${words}, ${lifted(build)}`;
}

function countLines({ counts = [] }: LocalFinding, { local }: TriageTexts): Html[] {
  return counts.map((one) => html`${countWords(one, local)} <bdi class="soft">${one.dataset}</bdi>`);
}

function countWords(
  { carriers, homozygotes, samples, denominator, oneBased }: LocalCounts,
  words: TriageTexts['local'],
): string {
  const { covered, notCovered, total } = denominator;
  const within = denominator.carriers - denominator.carriersBelowThreshold;
  const seen =
    covered + notCovered > 0
      ? words.among({ carriers, homozygotes, within, covered, total })
      : words.ofSamples({ carriers, homozygotes, samples });
  return oneBased ? `${seen}; ${words.oneBased}` : seen;
}
