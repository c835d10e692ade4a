/**
 * The pages of triage: the list of submissions with its search, one submission with its rows, and one row with its notes and
 * mail.
 */
import { choice, fact, field, type Html, hidden, html } from '../../../../core/plugin.js';
import {
  type KnownNode,
  type StoredPatient,
  type TriageEntry,
  type TriageRow,
  thisNode,
  triageStatuses,
} from '../../contract.js';
import { addressesOfContact } from '../../mail/readers.js';
import { purposeOfPatient } from '../../patients/patient.js';
import type { Resources } from '../../resources/resources.js';
import { firstDraft, rowPath, submissionPath, submissionsPath } from '../desk.js';
import { featuresOfPatient, genesOfPatient } from '../json.js';
import type { LocalFinding, LocalFindings } from '../local.js';
import type { SameDisease } from '../same-disease.js';
import { countsOfStatuses, pageSize, type SubmissionFilters, type SubmissionResults } from '../submission-search.js';
import type { TriageTexts } from '../texts/en.js';
import {
  badge,
  check,
  contactLink,
  directionText,
  historyTable,
  localBeside,
  localSection,
  nodeLabel,
  nodeState,
  type Peers,
  statedTable,
  type TriagePageContext,
  time,
  triagePage,
} from './frame.js';

interface SubmissionListPage {
  asked: SubmissionFilters;
  found: SubmissionResults;
  peers: ReadonlyMap<string, KnownNode>;
  resources: Resources;
}

const names = ['text', 'gene', 'term', 'label', 'submitter', 'status', 'assignee', 'node', 'since'] as const;

export function submissionListPage(
  { asked, found, peers, resources }: SubmissionListPage,
  around: TriagePageContext,
): string {
  const { texts } = around;
  const { list } = texts;
  const { submissions, next } = found;
  return triagePage(around, {
    title: list.title,
    above: undefined,
    intro: list.intro,
    body: html`${searchForm(asked, peers, around)}
<section aria-labelledby="found"><h2 id="found">${list.found(submissions.length)}</h2>
${submissions.length > 0 ? submissionTable(submissions, resources, around) : html`<p>${list.nothing}</p>`}
${next !== undefined && nextForm(asked, next, submissions.length === pageSize, around)}
</section>`,
  });
}

function nextForm(asked: SubmissionFilters, next: string, isFull: boolean, { base, texts }: TriagePageContext): Html {
  const { list } = texts;
  return html`<form class="screen" method="post" action="${base}${submissionsPath}">
${names.map((name) => asked[name] !== undefined && hidden(name, asked[name]))}${asked.all && hidden('all', 'yes')}${hidden('lang', texts.language)}${hidden('after', next)}
<p class="actions"><button class="second">${list.next}</button> <span class="soft">${isFull ? list.more : list.readMore}</span></p></form>`;
}

function searchForm(
  asked: SubmissionFilters,
  peers: SubmissionListPage['peers'],
  { base, texts }: TriagePageContext,
): Html {
  const { list, statuses, submission } = texts;
  const isDetailed = asked.all || names.slice(1).some((name) => asked[name] !== undefined);
  const anyStatus = { value: '', text: list.anyStatus };
  const nodes = [
    { value: '', text: list.anyNode },
    { value: thisNode.id, text: submission.here },
    ...[...peers.values()].map(({ id, label }) => ({ value: id, text: label })),
  ];
  return html`<form class="card screen" method="post" action="${base}${submissionsPath}" role="search">
${hidden('lang', texts.language)}
${field('text', list.text, asked.text ?? '', { hint: list.textHint })}
<details${isDetailed && html` open`}><summary>${list.filters}</summary>
<div class="fields">
${field('gene', list.gene, asked.gene ?? '')}
${field('term', list.term, asked.term ?? '', { hint: list.termHint })}
${field('label', list.label, asked.label ?? '')}
${field('submitter', list.submitter, asked.submitter ?? '')}
${choice('status', list.status, asked.status ?? '', [anyStatus, ...triageStatuses.map((value) => ({ value, text: statuses[value] }))])}
${field('assignee', list.assignee, asked.assignee ?? '')}
${choice('node', list.node, asked.node ?? '', nodes)}
${field('since', list.since, asked.since ?? '', { type: 'date' })}
</div>
<p>${check('all', 'yes', list.all, asked.all)}</p>
</details>
<p class="actions"><button>${list.search}</button></p>
</form>`;
}

function submissionTable(
  submissions: SubmissionResults['submissions'],
  resources: Resources,
  { base, texts }: TriagePageContext,
): Html {
  const { columns } = texts.list;
  return html`<table>
<thead><tr><th scope="col">${columns.submission}<th scope="col">${columns.contact}<th scope="col">${columns.genes}<th scope="col">${columns.last}<th scope="col">${columns.matches}<th scope="col">${columns.unseen}</tr></thead>
<tbody>${submissions.map(({ stored, summary }) => {
    const { number, patient } = stored;
    const { last, statuses, unseen } = summary;
    return html`
<tr><th scope="row"><a href="${base}${submissionPath(number)}"><strong><bdi>${patient.id}</bdi></strong></a>${patient.label !== undefined && html` <bdi class="soft">${patient.label}</bdi>`}<td class="long" data-label="${columns.contact}">${contactLink(patient.contact)}<td data-label="${columns.genes}">${genesOfPatient(stored, resources).join(', ')}<td data-label="${columns.last}">${last && time(last, texts)}<td data-label="${columns.matches}">${countsOfStatuses(statuses).map(([status, count]) => badge(status, texts, count))}<td data-label="${columns.unseen}">${unseen > 0 && html`<span class="fresh">${unseen}</span>`}</tr>`;
  })}
</tbody></table>`;
}

// The page of a submission: its matches, one line each.

interface SubmissionPage {
  stored: StoredPatient;
  rows: readonly TriageRow[];
  /** Those that the choice shows. */
  visible: readonly TriageRow[];
  local: LocalFindings;
  sameDisease(row: TriageRow): SameDisease | undefined;
  choice: RowChoice;
  /** Rows that are first seen later are new to the person; all of them if undefined. */
  since: Date | undefined;
  peers: Peers;
  notes: readonly TriageEntry[];
  mayHandOver: boolean;
  resources: Resources;
}

/** Which rows are shown. */
interface RowChoice {
  requireGene: boolean;
  /** Nodes whose rows without a shared gene are hidden. */
  hide: readonly string[];
}

export function isRowShown({ genes, node }: TriageRow, { requireGene, hide }: RowChoice): boolean {
  return genes.length > 0 || !(requireGene || hide.includes(node));
}

export function submissionPage(shown: SubmissionPage, around: TriagePageContext): string {
  const { stored, rows, visible, notes, mayHandOver, resources } = shown;
  const { texts, base } = around;
  const { submission } = texts;
  const { patient, number } = stored;
  const notShown = rows.length - visible.length;
  return triagePage(around, {
    title: submission.title(patient.id),
    above: [],
    body: html`${submissionFacts(stored, resources, texts)}
${statedTable(featuresOfPatient(stored, resources), { id: 'stated', title: submission.stated }, resources, texts)}
<section aria-labelledby="matches"><h2 id="matches">${submission.matches(visible.length)}</h2>
${rows.length === 0 ? html`<p>${submission.noMatches}</p>` : choiceForm(shown, around)}
${notShown > 0 && html`<p class="note">${submission.hidden(notShown)}</p>`}
${visible.length > 0 && rowTable(visible, shown, around)}
</section>
${mayHandOver && handOverForm(stored, `${base}${submissionPath(number)}/contact`, texts)}
${notes.length > 0 && html`<section aria-labelledby="history"><h2 id="history">${submission.history}</h2>${historyTable(notes, texts)}</section>`}`,
  });
}

function submissionFacts(stored: StoredPatient, resources: Resources, texts: TriageTexts): Html {
  const { patient, owner, updated } = stored;
  const titles = texts.submission.facts;
  const purpose = purposeOfPatient(patient);
  const { ontology } = resources;
  const observed = (patient.features ?? []).filter((one) => one.observed !== 'no');
  const terms = observed.map(({ id, label = '' }) => {
    const term = ontology.resolve(id)?.term;
    return `${id} ${term === undefined ? label : ontology.name(term)}`.trim();
  });
  return html`<section class="card"><dl class="facts">
${patient.label !== undefined && fact(titles.label, html`<bdi>${patient.label}</bdi>`)}
${fact(titles.contact, contactLink(patient.contact))}
${fact(titles.owner, html`<bdi>${owner}</bdi>`)}
${fact(titles.changed, time(updated, texts))}
${fact(titles.genes, genesOfPatient(stored, resources).join(', ') || texts.none)}
${purpose !== undefined && fact(titles.purpose, texts.purposes[purpose])}
${fact(titles.terms, terms.join('; ') || texts.none, true)}
</dl></section>`;
}

function choiceForm({ rows, choice, stored, peers }: SubmissionPage, { base, texts }: TriagePageContext): Html {
  const { submission } = texts;
  const nodes = [...new Map(rows.map((row) => [row.node, row]))].sort(([one], [other]) => (one < other ? -1 : 1));
  return html`<form class="card screen" method="get" action="${base}${submissionPath(stored.number)}">
${hidden('chosen', 'yes')}${hidden('lang', texts.language)}
<p>${check('require', 'gene', submission.requireGene, choice.requireGene)}</p>
<fieldset><legend>${submission.hide}</legend>${nodes.map(([id, row]) => check('hide', id, html`<bdi>${nodeLabel(row, peers, texts)}</bdi>`, choice.hide.includes(id)))}</fieldset>
<p class="actions"><button class="second">${submission.apply}</button></p>
</form>`;
}

function rowTable(
  rows: readonly TriageRow[],
  { since, peers, local, sameDisease }: SubmissionPage,
  { base, texts }: TriagePageContext,
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
<tr><th scope="row"><a href="${base}${rowPath(row)}"><strong><bdi>${patient}</bdi></strong></a>${mark !== undefined && html` <span class="fresh">${mark}</span>`}<br><bdi class="soft small">${contact.name}</bdi><td class="long" data-label="${columns.node}"><bdi>${nodeLabel(row, peers, texts)}</bdi><br><span class="soft small">${directionText(row, texts)}<br>${nodeState(row, peers, texts)}</span><td data-label="${columns.genes}">${genes.length > 0 ? html`<strong>${genes.join(', ')}</strong>` : html`<span class="soft">${submission.noGene}</span>`}<td data-label="${columns.score}">${scoreCell(row, sameDisease(row), texts)}${local.size > 0 && html`<td class="long" data-label="${columns.local}">${localBeside(local.get(row.id) ?? [], texts)}`}<td data-label="${columns.seen}">${time(firstSeen, texts)}<br>${time(lastSeen, texts)}<td data-label="${columns.status}">${badge(work.status, texts)}<td data-label="${columns.assignee}">${work.assignee !== undefined && html`<bdi>${work.assignee}</bdi>`}</tr>`;
  })}
</tbody></table>${kind && html`<p class="soft small">${texts.sameDisease.note(kind)}</p>`}`;
}

/** What is new to the person. */
function markOf({ firstSeen, scores }: TriageRow, since: Date | undefined, texts: TriageTexts): string | undefined {
  if (since === undefined || firstSeen > since) return texts.new;
  const changed = scores.length > 1 ? scores.at(-1)?.at : undefined;
  return changed && changed > since ? texts.submission.changed : undefined;
}

function scoreCell({ score, scores }: TriageRow, same: SameDisease | undefined, texts: TriageTexts): Html {
  const before = scores.at(-2)?.score.patient;
  const was = before === undefined ? undefined : texts.submission.was(texts.score(before));
  const { reading } = score;
  const lines = [reading && texts.submission.higher(reading.higherThan), same && texts.sameDisease.share(same), was];
  return html`<span class="number">${texts.score(score.patient)}</span>${lines.map((line) => line !== undefined && html`<br><span class="soft small">${line}</span>`)}`;
}

function handOverForm({ patient, version }: StoredPatient, action: string, { submission }: TriageTexts): Html {
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

// The page of a row: one counterpart, what is noted about it, and a mail to its contact.

interface RowPage {
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

export function rowPage(shown: RowPage, around: TriagePageContext): string {
  const { stored, row, peers, mayWork, resources, local = [], sameDisease } = shown;
  const { texts, base } = around;
  const action = `${base}${rowPath(row)}`;
  const { history } = row.work;
  return triagePage(around, {
    title: texts.row.title(row.patient, nodeLabel(row, peers, texts)),
    above: [{ href: submissionPath(stored.number), text: stored.patient.id }],
    body: html`${rowFacts(row, peers, texts)}
${statedTable(row.stated, { id: 'stated', title: texts.row.stated }, resources, texts)}
${localSection(local, texts)}
${mayWork && workForm(row, action, texts)}
${mayWork && mailForm(shown, action, texts)}
${scoreTable(row, sameDisease, texts)}
<section aria-labelledby="history"><h2 id="history">${texts.row.history}</h2>
${history.length > 0 ? historyTable(history, texts) : html`<p>${texts.row.nothing}</p>`}</section>`,
  });
}

function rowFacts(row: TriageRow, peers: Peers, texts: TriageTexts): Html {
  const titles = texts.row.facts;
  const { contact, genes, terms, formerIds, firstSeen, lastSeen, work, purpose } = row;
  return html`<section class="card"><dl class="facts">
${fact(titles.contact, contactLink(contact))}
${fact(titles.node, html`<bdi>${nodeLabel(row, peers, texts)}</bdi><br><span class="small">${nodeState(row, peers, texts)}</span>`)}
${fact(titles.genes, genes.length > 0 ? html`<strong>${genes.join(', ')}</strong>` : texts.submission.noGene)}
${fact(titles.way, directionText(row, texts))}
${fact(titles.seen, html`${time(firstSeen, texts)}<br>${time(lastSeen, texts)}`)}
${fact(texts.row.status, texts.statuses[work.status])}
${work.assignee !== undefined && fact(texts.row.assignee, html`<bdi>${work.assignee}</bdi>`)}
${purpose !== undefined && fact(titles.purpose, texts.purposes[purpose])}
${formerIds.length > 0 && fact(titles.former, html`<bdi>${formerIds.join(', ')}</bdi>`)}
${fact(titles.terms, terms.join('; ') || texts.none, true)}
</dl></section>`;
}

function workForm({ work, revision }: TriageRow, action: string, { row, statuses }: TriageTexts): Html {
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

function mailForm({ stored, row, sends }: RowPage, action: string, texts: TriageTexts): Html {
  const words = texts.row;
  const to = addressesOfContact(row.contact);
  const title = html`<h2 id="mail">${words.mail}</h2>`;
  if (to.length === 0 || !sends) {
    const why = to.length === 0 ? words.noAddress : words.noServer;
    return html`<section class="card screen" aria-labelledby="mail">${title}<p>${why}</p><p>${contactLink(row.contact)}</p></section>`;
  }
  const { subject, text } = row.work.draft ?? firstDraft(stored, row);
  const replies = addressesOfContact(stored.patient.contact);
  return html`<form class="card screen" method="post" action="${action}" aria-labelledby="mail">
${title}
${hidden('revision', row.revision)}
<p>${words.to}: <bdi>${to.join(', ')}</bdi>. ${replies.length > 0 ? words.replies(replies.join(', ')) : words.noReplies}</p>
${field('subject', words.subject, subject, { required: true })}
${field('text', words.text, text, { lines: 12, required: true })}
<p class="actions"><button name="action" value="send">${words.send}</button><button class="second" name="action" value="draft">${words.keep}</button></p>
</form>`;
}

/** `same` is about the last score. */
function scoreTable({ scores }: TriageRow, same: SameDisease | undefined, texts: TriageTexts): Html {
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
