/** The worklist, with the rows for owners of panels and the changes that wait for a person, and the page of the yield. */
import { choice, field, type Html, hidden, html } from '../../../core/plugin.js';
import {
  type CaseFinding,
  findingStates,
  type GroupRow,
  type HeldChange,
  type Reason,
  reasons,
  type YieldRow,
} from '../contract.js';
import { type WorklistChoice, worklistAges } from '../worklist.js';
import { casePath, day, type ReviewPageContext, reviewPage, reviewsPath } from './frame.js';
import { alleleWords, becauseOf, factsOf, marksOf } from './words.js';

export interface Worklist {
  asked: WorklistChoice;
  findings: readonly CaseFinding[];
  /** `after` of the next page. */
  next: string | undefined;
  groups: readonly GroupRow[];
  held: readonly HeldChange[];
  /** Watched cases without a baseline. */
  unlooked: number;
  /** Whether the reader may apply changes that wait. */
  mayApply: boolean;
}

/** The id of the form, by which buttons below the table belong to it. */
const formId = 'conditions';

export function worklistPage(list: Worklist, around: ReviewPageContext): string {
  const { texts } = around;
  const { asked, findings, next, groups, held, unlooked } = list;
  const cases = new Set(findings.map((one) => JSON.stringify([one.owner, one.case]))).size;
  const isAll = next === undefined && asked.after === '';
  return reviewPage(around, {
    title: texts.list.title,
    isWorklist: true,
    intro: texts.list.intro,
    body: html`${held.length > 0 && heldSection(list, around)}
${filterForm(asked, around)}
<section aria-labelledby="findings"><h2 id="findings">${texts.list.found(findings.length, cases, isAll)}</h2>
${findings.length === 0 ? html`<p class="note">${texts.list.nothing}</p>` : findingTable(findings, around)}
${next !== undefined && html`<p class="actions screen"><button class="second" form="${formId}" name="after" value="${next}">${texts.list.next}</button></p>`}
${unlooked > 0 && html`<p class="note unknown">${texts.list.unlooked(unlooked)}</p>`}</section>
${groups.length > 0 && groupSection(groups, around)}`,
  });
}

function filterForm(asked: WorklistChoice, { base, texts }: ReviewPageContext): Html {
  const { list } = texts;
  const anyReason = { value: '', text: list.anyReason };
  const reasonChoices = [anyReason, ...reasons.map((value) => ({ value, text: texts.reasons[value] }))];
  const ages = (['', ...worklistAges] as const).map((value) => ({ value, text: list.ages[value] }));
  const states = findingStates.map((value) => ({ value, text: texts.states[value] }));
  return html`<form class="card screen" id="${formId}" method="post" action="${base}${reviewsPath}" role="search" aria-label="${list.filters}">
${hidden('lang', texts.language)}
<div class="fields">
${field('panel', list.panel, asked.panel, { spellcheck: false })}
${field('gene', list.gene, asked.gene, { hint: list.geneHint, spellcheck: false })}
${choice('reason', list.reason, asked.reason, reasonChoices)}
${choice('age', list.age, asked.age, ages)}
${field('person', list.person, asked.person, { hint: list.personHint, spellcheck: false })}
${choice('state', list.state, asked.state, states)}
</div>
<p class="actions"><button>${list.search}</button>${(['csv', 'json'] as const).map((format) => html`<button class="second" name="format" value="${format}">${list.formats[format]}</button>`)}</p>
</form>`;
}

function findingTable(findings: readonly CaseFinding[], { base, texts }: ReviewPageContext): Html {
  const { columns } = texts.list;
  return html`<table>
<thead><tr><th scope="col">${columns.priority}<th scope="col">${columns.case}<th scope="col">${columns.because}<th scope="col">${columns.panel}<th scope="col">${columns.found}<th scope="col">${columns.state}</tr></thead>
<tbody>${findings.map((one) => {
    const marks = marksOf(one, texts);
    return html`
<tr><td data-label="${columns.priority}"><span class="badge p${one.priority}" title="${texts.priorities[one.priority]}">${one.priority}</span><th scope="row"><a href="${base}${casePath(one)}"><strong><bdi>${one.case}</bdi></strong></a><td class="long" data-label="${columns.because}"><bdi>${becauseOf(one, texts)}</bdi>${one.allele && html`<br><bdi class="soft small">${alleleWords(one.allele, texts)}</bdi>`}${factsOf(one, texts).map(({ name, before, now }) => html`<br><bdi class="small">${name}: ${before ?? '–'} → ${now ?? '–'}</bdi>`)}${marks.length > 0 && html`<br><span class="unknown small">${marks.join('; ')}</span>`}<td data-label="${columns.panel}"><bdi>${one.panel}</bdi><td data-label="${columns.found}">${day(one.found)}<td class="time" data-label="${columns.state}">${texts.states[one.state]}</tr>`;
  })}
</tbody></table>`;
}

function groupSection(groups: readonly GroupRow[], { texts }: ReviewPageContext): Html {
  const { columns, kinds, title, hint } = texts.groups;
  return html`<section aria-labelledby="groups"><h2 id="groups">${title}</h2><p class="soft">${hint}</p>
<table>
<thead><tr><th scope="col">${columns.subject}<th scope="col">${columns.kind}<th scope="col">${columns.assay}<th scope="col">${columns.release}<th scope="col">${columns.cases}<th scope="col">${columns.panels}</tr></thead>
<tbody>${groups.map(
    (row) => html`
<tr><th scope="row"><bdi>${row.subject}</bdi><td data-label="${columns.kind}">${kinds[row.kind]}<td data-label="${columns.assay}"><bdi>${row.assay}</bdi><td data-label="${columns.release}"><bdi>${row.release}</bdi><td class="number" data-label="${columns.cases}">${texts.number(row.cases)}<td data-label="${columns.panels}"><bdi>${row.panels.join(', ')}</bdi></tr>`,
  )}
</tbody></table></section>`;
}

function heldSection({ held, mayApply }: Worklist, { base, texts }: ReviewPageContext): Html {
  return html`<section class="note" aria-labelledby="held"><h2 id="held">${texts.held.title}</h2><ul class="plain">${held.map(
    ({ id, cases, watched, byReason, found }) => html`
<li><strong><bdi>${id}</bdi></strong> ${texts.held.text(cases, watched)} (${Object.entries(byReason)
      .map(([reason, count]) => `${texts.reasons[reason as Reason]}: ${texts.number(count)}`)
      .join(', ')}), ${day(found)}
${mayApply && html`<form class="screen" method="post" action="${base}${reviewsPath}/changes/${encodeURIComponent(id)}/approve"><p class="actions"><button class="second">${texts.held.approve}</button></p></form>`}</li>`,
  )}</ul></section>`;
}

export function yieldPage(rows: readonly YieldRow[], around: ReviewPageContext): string {
  const { texts } = around;
  const { columns, all, title, intro, nothing } = texts.yield;
  const cells = ({ findings, reopened, solved }: Omit<YieldRow, 'reason' | 'year'>) =>
    html`<td class="number" data-label="${columns.findings}">${texts.number(findings)}<td class="number" data-label="${columns.reopened}">${texts.number(reopened)}<td class="number" data-label="${columns.solved}">${texts.number(solved)}`;
  const years = [...new Set(rows.map(({ year }) => year))].sort((one, other) => other - one);
  const yearRows = (year: number) => {
    const own = rows.filter((row) => row.year === year);
    const sum = (member: 'findings' | 'reopened' | 'solved') => own.reduce((total, row) => total + row[member], 0);
    const total = { findings: sum('findings'), reopened: sum('reopened'), solved: sum('solved') };
    return html`${own.map(
      (row) => html`
<tr><th scope="row">${year}<td data-label="${columns.reason}">${texts.reasons[row.reason]}${cells(row)}</tr>`,
    )}
<tr><th scope="row">${year}<td data-label="${columns.reason}"><strong>${all}</strong>${cells(total)}</tr>`;
  };
  return reviewPage(around, {
    title,
    intro,
    body:
      rows.length === 0
        ? html`<p class="note">${nothing}</p>`
        : html`<table>
<thead><tr><th scope="col">${columns.year}<th scope="col">${columns.reason}<th scope="col">${columns.findings}<th scope="col">${columns.reopened}<th scope="col">${columns.solved}</tr></thead>
<tbody>${years.map(yearRows)}
</tbody></table>`,
  });
}
