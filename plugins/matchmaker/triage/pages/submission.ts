/** The page of a submission: its matches, one line each. */
import { field, type Html, hidden, html } from '../../../../core/plugin.js';
import type { StoredPatient, TriageEntry, TriageRow } from '../../contract.js';
import { purposeOf } from '../../patient/extensions.js';
import type { Resources } from '../../resources/resources.js';
import { rowPath, submissionPath } from '../desk.js';
import type { LocalFindings } from '../local/finding.js';
import type { SameDisease } from '../same-disease.js';
import { genesOf, statedOf } from '../shown.js';
import type { Texts } from '../texts/texts.js';
import { type Around, framed } from './frame.js';
import {
  badge,
  check,
  contactOf,
  fact,
  historyTable,
  localBeside,
  nodeLabel,
  nodeState,
  type Peers,
  statedTable,
  time,
  wayOf,
} from './parts.js';

export interface SubmissionPage {
  stored: StoredPatient;
  rows: readonly TriageRow[];
  /** Those that the choice shows. */
  visible: readonly TriageRow[];
  local: LocalFindings;
  sameDisease(row: TriageRow): SameDisease | undefined;
  choice: Choice;
  /** Rows that are first seen later are new to the person; all of them if undefined. */
  since: Date | undefined;
  peers: Peers;
  notes: readonly TriageEntry[];
  mayHandOver: boolean;
  resources: Resources;
}

/** Which rows are shown. */
export interface Choice {
  requireGene: boolean;
  /** Nodes whose rows without a shared gene are hidden. */
  hide: readonly string[];
}

export function isShown({ genes, node }: TriageRow, { requireGene, hide }: Choice): boolean {
  return genes.length > 0 || !(requireGene || hide.includes(node));
}

export function submissionPage(shown: SubmissionPage, around: Around): string {
  const { stored, rows, visible, notes, mayHandOver, resources } = shown;
  const { texts, base } = around;
  const { submission } = texts;
  const { patient, number } = stored;
  const notShown = rows.length - visible.length;
  return framed(around, {
    title: submission.title(patient.id),
    above: [],
    body: html`${facts(stored, resources, texts)}
${statedTable(statedOf(stored, resources), { id: 'stated', title: submission.stated }, resources, texts)}
<section aria-labelledby="matches"><h2 id="matches">${submission.matches(visible.length)}</h2>
${rows.length === 0 ? html`<p>${submission.noMatches}</p>` : choiceForm(shown, around)}
${notShown > 0 && html`<p class="note">${submission.hidden(notShown)}</p>`}
${visible.length > 0 && table(visible, shown, around)}
</section>
${mayHandOver && handOverForm(stored, `${base}${submissionPath(number)}/contact`, texts)}
${notes.length > 0 && html`<section aria-labelledby="history"><h2 id="history">${submission.history}</h2>${historyTable(notes, texts)}</section>`}`,
  });
}

function facts(stored: StoredPatient, resources: Resources, texts: Texts): Html {
  const { patient, owner, updated } = stored;
  const titles = texts.submission.facts;
  const purpose = purposeOf(patient);
  const { ontology } = resources;
  const observed = (patient.features ?? []).filter((one) => one.observed !== 'no');
  const terms = observed.map(({ id, label = '' }) => {
    const term = ontology.resolve(id)?.term;
    return `${id} ${term === undefined ? label : ontology.name(term)}`.trim();
  });
  return html`<section class="card"><dl class="facts">
${patient.label !== undefined && fact(titles.label, html`<bdi>${patient.label}</bdi>`)}
${fact(titles.contact, contactOf(patient.contact))}
${fact(titles.owner, html`<bdi>${owner}</bdi>`)}
${fact(titles.changed, time(updated, texts))}
${fact(titles.genes, genesOf(stored, resources).join(', ') || texts.none)}
${purpose !== undefined && fact(titles.purpose, texts.purposes[purpose])}
${fact(titles.terms, terms.join('; ') || texts.none, true)}
</dl></section>`;
}

function choiceForm({ rows, choice, stored, peers }: SubmissionPage, { base, texts }: Around): Html {
  const { submission } = texts;
  const nodes = [...new Map(rows.map((row) => [row.node, row]))].sort(([one], [other]) => (one < other ? -1 : 1));
  return html`<form class="card screen" method="get" action="${base}${submissionPath(stored.number)}">
${hidden('chosen', 'yes')}${hidden('lang', texts.language)}
<p>${check('require', 'gene', submission.requireGene, choice.requireGene)}</p>
<fieldset><legend>${submission.hide}</legend>${nodes.map(([id, row]) => check('hide', id, html`<bdi>${nodeLabel(row, peers, texts)}</bdi>`, choice.hide.includes(id)))}</fieldset>
<p class="actions"><button class="second">${submission.apply}</button></p>
</form>`;
}

function table(
  rows: readonly TriageRow[],
  { since, peers, local, sameDisease }: SubmissionPage,
  { base, texts }: Around,
): Html {
  const { submission } = texts;
  const { columns } = submission;
  const kind = rows.map(sameDisease).find((one) => one !== undefined)?.kind;
  return html`<table>
<thead><tr><th scope="col">${columns.patient}<th scope="col">${columns.node}<th scope="col">${columns.genes}<th scope="col">${columns.score}${local.size > 0 && html`<th scope="col">${columns.local}`}<th scope="col">${columns.seen}<th scope="col">${columns.status}<th scope="col">${columns.assignee}</tr></thead>
<tbody>${rows.map((row) => {
    const { patient, contact, genes, firstSeen, lastSeen, work } = row;
    const mark = markOf(row, since, texts);
    return html`
<tr><th scope="row"><a href="${base}${rowPath(row)}"><strong><bdi>${patient}</bdi></strong></a>${mark !== undefined && html` <span class="fresh">${mark}</span>`}<br><bdi class="soft small">${contact.name}</bdi><td class="long" data-label="${columns.node}"><bdi>${nodeLabel(row, peers, texts)}</bdi><br><span class="soft small">${wayOf(row, texts)}<br>${nodeState(row, peers, texts)}</span><td data-label="${columns.genes}">${genes.length > 0 ? html`<strong>${genes.join(', ')}</strong>` : html`<span class="soft">${submission.noGene}</span>`}<td data-label="${columns.score}">${scoreOf(row, sameDisease(row), texts)}${local.size > 0 && html`<td class="long" data-label="${columns.local}">${localBeside(local.get(row.id) ?? [], texts)}`}<td data-label="${columns.seen}">${time(firstSeen, texts)}<br>${time(lastSeen, texts)}<td data-label="${columns.status}">${badge(work.status, texts)}<td data-label="${columns.assignee}">${work.assignee !== undefined && html`<bdi>${work.assignee}</bdi>`}</tr>`;
  })}
</tbody></table>${kind && html`<p class="soft small">${texts.sameDisease.note(kind)}</p>`}`;
}

/** What is new to the person. */
function markOf({ firstSeen, scores }: TriageRow, since: Date | undefined, texts: Texts): string | undefined {
  if (since === undefined || firstSeen > since) return texts.new;
  const changed = scores.length > 1 ? scores.at(-1)?.at : undefined;
  return changed && changed > since ? texts.submission.changed : undefined;
}

function scoreOf({ score, scores }: TriageRow, same: SameDisease | undefined, texts: Texts): Html {
  const before = scores.at(-2)?.score.patient;
  const was = before === undefined ? undefined : texts.submission.was(texts.score(before));
  const { reading } = score;
  const lines = [reading && texts.submission.higher(reading.higherThan), same && texts.sameDisease.share(same), was];
  return html`<span class="number">${texts.score(score.patient)}</span>${lines.map((line) => line !== undefined && html`<br><span class="soft small">${line}</span>`)}`;
}

function handOverForm({ patient, version }: StoredPatient, action: string, { submission }: Texts): Html {
  const { name, href, institution } = patient.contact;
  return html`<details class="screen"><summary>${submission.handOver}</summary>
<form class="card" method="post" action="${action}">
${hidden('version', version)}
<p class="hint">${submission.handOverHint}</p>
<div class="fields">
${field('name', submission.name, name, { required: true })}
${field('href', submission.href, href.replace(/^mailto:/i, ''), { required: true })}
${field('institution', submission.institution, typeof institution === 'string' ? institution : '')}
${field('comment', submission.comment, '')}
</div>
<p class="actions"><button>${submission.save}</button></p>
</form></details>`;
}
