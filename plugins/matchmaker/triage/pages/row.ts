/** The page of a row: one counterpart, what is noted about it, and a mail to its contact. */
import { choice, field, type Html, hidden, html } from '../../../../core/plugin.js';
import { type StoredPatient, type TriageRow, triageStatuses } from '../../contract.js';
import { addressesOf } from '../../mail/pair.js';
import type { Resources } from '../../resources/resources.js';
import { firstDraft } from '../changes.js';
import { rowPath, submissionPath } from '../desk.js';
import type { LocalFinding } from '../local/finding.js';
import type { SameDisease } from '../same-disease.js';
import type { Texts } from '../texts/texts.js';
import { type Around, framed } from './frame.js';
import {
  contactOf,
  fact,
  historyTable,
  localSection,
  nodeLabel,
  nodeState,
  type Peers,
  statedTable,
  time,
  wayOf,
} from './parts.js';

export interface RowPage {
  stored: StoredPatient;
  row: TriageRow;
  peers: Peers;
  mayWork: boolean;
  /** Whether the server sends mail. */
  sends: boolean;
  resources: Resources;
  local: readonly LocalFinding[] | undefined;
  sameDisease: SameDisease | undefined;
}

export function rowPage(shown: RowPage, around: Around): string {
  const { stored, row, peers, mayWork, resources, local = [], sameDisease } = shown;
  const { texts, base } = around;
  const action = `${base}${rowPath(row)}`;
  const { history } = row.work;
  return framed(around, {
    title: texts.row.title(row.patient, nodeLabel(row, peers, texts)),
    above: [{ href: submissionPath(stored.number), text: stored.patient.id }],
    body: html`${facts(row, peers, texts)}
${statedTable(row.stated, { id: 'stated', title: texts.row.stated }, resources, texts)}
${localSection(local, texts)}
${mayWork && workForm(row, action, texts)}
${mayWork && mailForm(shown, action, texts)}
${scoreTable(row, sameDisease, texts)}
<section aria-labelledby="history"><h2 id="history">${texts.row.history}</h2>
${history.length > 0 ? historyTable(history, texts) : html`<p>${texts.row.nothing}</p>`}</section>`,
  });
}

function facts(row: TriageRow, peers: Peers, texts: Texts): Html {
  const titles = texts.row.facts;
  const { contact, genes, terms, formerIds, firstSeen, lastSeen, work, purpose } = row;
  return html`<section class="card"><dl class="facts">
${fact(titles.contact, contactOf(contact))}
${fact(titles.node, html`<bdi>${nodeLabel(row, peers, texts)}</bdi><br><span class="small">${nodeState(row, peers, texts)}</span>`)}
${fact(titles.genes, genes.length > 0 ? html`<strong>${genes.join(', ')}</strong>` : texts.submission.noGene)}
${fact(titles.way, wayOf(row, texts))}
${fact(titles.seen, html`${time(firstSeen, texts)}<br>${time(lastSeen, texts)}`)}
${fact(texts.row.status, texts.statuses[work.status])}
${work.assignee !== undefined && fact(texts.row.assignee, html`<bdi>${work.assignee}</bdi>`)}
${purpose !== undefined && fact(titles.purpose, texts.purposes[purpose])}
${formerIds.length > 0 && fact(titles.former, html`<bdi>${formerIds.join(', ')}</bdi>`)}
${fact(titles.terms, terms.join('; ') || texts.none, true)}
</dl></section>`;
}

function workForm({ work, revision }: TriageRow, action: string, { row, statuses }: Texts): Html {
  const choices = triageStatuses.map((value) => ({ value, text: statuses[value] }));
  return html`<form class="card screen" method="post" action="${action}" aria-labelledby="work">
<h2 id="work">${row.work}</h2>
${hidden('action', 'note')}${hidden('revision', revision)}
<div class="fields">
${choice('status', row.status, work.status, choices)}
${field('assignee', row.assignee, work.assignee ?? '')}
</div>
${field('note', row.note, '', { lines: 3 })}
<p class="actions"><button>${row.save}</button></p>
</form>`;
}

function mailForm({ stored, row, sends }: RowPage, action: string, texts: Texts): Html {
  const words = texts.row;
  const to = addressesOf(row.contact);
  const title = html`<h2 id="mail">${words.mail}</h2>`;
  if (to.length === 0 || !sends) {
    const why = to.length === 0 ? words.noAddress : words.noServer;
    return html`<section class="card screen" aria-labelledby="mail">${title}<p>${why}</p><p>${contactOf(row.contact)}</p></section>`;
  }
  const { subject, text } = row.work.draft ?? firstDraft(stored, row);
  const replies = addressesOf(stored.patient.contact);
  return html`<form class="card screen" method="post" action="${action}" aria-labelledby="mail">
${title}
${hidden('revision', row.revision)}
<p>${words.to}: <bdi>${to.join(', ')}</bdi>. ${replies.length > 0 ? words.replies(replies.join(', ')) : words.noReplies}</p>
${field('subject', words.subject, subject, { required: true })}
${field('text', words.text, text, { lines: 12, required: true })}
<p class="actions"><button name="action" value="send">${words.send}</button><button class="second" name="action" value="draft">${words.keep}</button></p>
</form>`;
}

/** The last score is the one of which `same` says something. */
function scoreTable({ scores }: TriageRow, same: SameDisease | undefined, texts: Texts): Html {
  const columns = texts.row.scoreColumns;
  const shown = (value: number | undefined) => (value === undefined ? '–' : texts.score(value));
  return html`<section aria-labelledby="scores"><h2 id="scores">${texts.row.scores}</h2><table>
<thead><tr><th scope="col">${columns.at}<th scope="col">${columns.score}<th scope="col">${columns.genotype}<th scope="col">${columns.phenotype}<th scope="col">${columns.reading}</tr></thead>
<tbody>${[...scores].reverse().map(
    ({ at, score }, i) => html`
<tr><td data-label="${columns.at}">${time(at, texts)}<td data-label="${columns.score}">${shown(score.patient)}<td data-label="${columns.genotype}">${shown(score.genotype)}<td data-label="${columns.phenotype}">${shown(score.phenotype)}<td class="long" data-label="${columns.reading}">${score.reading && texts.reading(score.reading)}${i === 0 && same && html`<br>${texts.sameDisease.share(same)}`}</tr>`,
  )}
</tbody></table>${same && html`<p class="soft small">${texts.sameDisease.note(same.kind)}</p>`}</section>`;
}
