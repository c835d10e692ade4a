/** The worklist, with the rows for owners of panels and the changes that wait for a person, and the page of the yield. */
import {
  choice,
  field,
  type Html,
  hidden,
  html,
  type PaperDocument,
  tableHtml,
  tablePaper,
  type WorkTable,
} from '../../../core/plugin.js';
import {
  allelesOf,
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
import { alleleWords, becauseOf, dayText, factsOf, marksOf, placeWords } from './words.js';

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

type ListAround = Pick<ReviewPageContext, 'base' | 'texts'>;

/** The id of the form, by which buttons below the table belong to it. */
const formId = 'conditions';

/** How many findings there are, in how many cases. */
function foundText({ asked, findings, next }: Worklist, { list }: ListAround['texts']): string {
  const cases = new Set(findings.map((one) => JSON.stringify([one.owner, one.case]))).size;
  return list.found(findings.length, cases, next === undefined && asked.after === '');
}

export function worklistPage(list: Worklist, around: ReviewPageContext): string {
  const { texts } = around;
  const { asked, findings, next, groups, held, unlooked } = list;
  return reviewPage(around, {
    title: texts.list.title,
    above: undefined,
    intro: texts.list.intro,
    body: html`${held.length > 0 && heldSection(list, around)}
${filterForm(asked, around)}
<section aria-labelledby="findings"><h2 id="findings">${foundText(list, texts)}</h2>
${findings.length === 0 ? html`<p class="note">${texts.list.nothing}</p>` : tableHtml(findingTable(findings, around))}
${next !== undefined && html`<p class="actions screen"><button class="second" form="${formId}" name="after" value="${next}">${texts.list.next}</button></p>`}
${unlooked > 0 && html`<p class="note unknown">${texts.list.unlooked(unlooked)}</p>`}</section>
${
  groups.length > 0 &&
  html`<section aria-labelledby="groups"><h2 id="groups">${texts.groups.title}</h2><p class="soft">${texts.groups.hint}</p>
${tableHtml(groupTable(groups, around))}</section>`
}`,
  });
}

/** The same on paper, with the conditions that were asked. */
export function worklistPaper(list: Worklist, around: ListAround, now: Date): PaperDocument {
  const { texts } = around;
  const { asked, findings, groups, held, unlooked } = list;
  const note = (text: string) => ({ kind: 'note', text }) as const;
  const ownersTable = tablePaper(texts.groups.title, groupTable(groups, around), texts.groups.hint);
  const facts = conditions(asked, texts).flatMap(({ label, value, choices }) => {
    const text = choices?.find((one) => one.value === value)?.text ?? value;
    return value === '' ? [] : [{ label, text }];
  });
  return {
    ...{ title: texts.list.title, subtitle: '', foot: texts.made(dayText(now)), facts },
    sections: [
      note(texts.list.intro),
      ...held.map((one) => note(heldText(one, texts))),
      {
        kind: 'table',
        table: tablePaper(foundText(list, texts), findingTable(findings, around)),
        ...(findings.length === 0 && { note: texts.list.nothing }),
      },
      ...(unlooked > 0 ? [note(texts.list.unlooked(unlooked))] : []),
      ...(groups.length > 0 ? [{ kind: 'table' as const, table: ownersTable }] : []),
    ],
  };
}

interface ListCondition {
  name: Exclude<keyof WorklistChoice, 'after'>;
  label: string;
  value: string;
  hint?: string;
  choices?: readonly { value: string; text: string }[];
}

/** What can be asked of the list. */
function conditions(asked: WorklistChoice, { list, ...texts }: ListAround['texts']): ListCondition[] {
  const { panel, gene, reason, age, person, state } = asked;
  const anyReason = { value: '', text: list.anyReason };
  const reasonChoices = [anyReason, ...reasons.map((value) => ({ value, text: texts.reasons[value] }))];
  const ages = (['', ...worklistAges] as const).map((value) => ({ value, text: list.ages[value] }));
  const states = findingStates.map((value) => ({ value, text: texts.states[value] }));
  return [
    { name: 'panel', label: list.columns.panel, value: panel },
    { name: 'gene', label: list.gene, value: gene, hint: list.geneHint },
    { name: 'reason', label: list.reason, value: reason, choices: reasonChoices },
    { name: 'age', label: list.columns.found, value: age, choices: ages },
    { name: 'person', label: list.person, value: person, hint: list.personHint },
    { name: 'state', label: list.columns.state, value: state, choices: states },
  ];
}

function filterForm(asked: WorklistChoice, { base, texts }: ListAround): Html {
  const { list } = texts;
  return html`<form class="card screen" id="${formId}" method="post" action="${base}${reviewsPath}" role="search" aria-label="${list.filters}">
${hidden('lang', texts.language)}
<div class="fields">
${conditions(asked, texts).map(
  ({ name, label, value, hint, choices }) => html`${
    choices ? choice(name, label, value, choices) : field(name, label, value, { hint, spellcheck: false })
  }
`,
)}</div>
<p class="actions"><button>${list.search}</button>${['csv', 'json', 'pdf'].map((format) => html`<button class="second" name="format" value="${format}">${format.toUpperCase()}</button>`)}</p>
</form>`;
}

function findingTable(findings: readonly CaseFinding[], { base, texts }: ListAround): WorkTable {
  const { columns } = texts.list;
  return {
    columns: [
      { title: columns.priority, weight: 0.6 },
      { title: columns.case, names: true, weight: 0.8 },
      { title: columns.because, look: 'long', weight: 4 },
      { title: columns.panel },
      { title: columns.found, weight: 0.8 },
      { title: columns.state, look: 'time', weight: 0.8 },
    ],
    rows: findings.map((one) => {
      const marks = marksOf(one, texts);
      return [
        html`<span class="badge p${one.priority}" title="${texts.priorities[one.priority]}">${one.priority}</span>`,
        html`<a href="${base}${casePath(one)}"><strong><bdi>${one.case}</bdi></strong></a>`,
        html`<bdi>${becauseOf(one, texts)}</bdi>${allelesOf(one).map((allele) => html`<br><bdi class="soft small">${one.evidence.partners && `${placeWords(allele)}: `}${alleleWords(allele, texts)}</bdi>`)}${factsOf(one, texts).map(({ name, before, now }) => html`<br><bdi class="small">${name}: ${before ?? '–'} → ${now ?? '–'}</bdi>`)}${marks.length > 0 && html`<br><span class="unknown small">${marks.join('; ')}</span>`}`,
        html`<bdi>${one.panel}</bdi>`,
        day(one.found),
        texts.states[one.state],
      ];
    }),
  };
}

function groupTable(groups: readonly GroupRow[], { texts }: ListAround): WorkTable {
  const { columns, kinds } = texts.groups;
  return {
    columns: [
      { title: columns.subject, names: true, weight: 2 },
      { title: columns.kind },
      { title: columns.assay },
      { title: columns.release },
      { title: columns.cases, look: 'number' },
      { title: columns.panels },
    ],
    rows: groups.map((row) => [
      html`<bdi>${row.subject}</bdi>`,
      kinds[row.kind],
      html`<bdi>${row.assay}</bdi>`,
      html`<bdi>${row.release}</bdi>`,
      texts.number(row.cases),
      html`<bdi>${row.panels.join(', ')}</bdi>`,
    ]),
  };
}

/** What would come onto the list, after the id of the change. */
function heldCounts({ cases, watched, byReason }: HeldChange, texts: ListAround['texts']): string {
  const counts = Object.entries(byReason).map(
    ([reason, count]) => `${texts.reasons[reason as Reason]}: ${texts.number(count)}`,
  );
  return `${texts.held.text(cases, watched)} (${counts.join(', ')})`;
}

const heldText = (one: HeldChange, texts: ListAround['texts']) =>
  `${texts.held.title}: ${one.id} ${heldCounts(one, texts)}, ${dayText(one.found)}`;

function heldSection({ held, mayApply }: Worklist, { base, texts }: ListAround): Html {
  return html`<section class="note" aria-labelledby="held"><h2 id="held">${texts.held.title}</h2><ul class="plain">${held.map(
    (one) => html`
<li><strong><bdi>${one.id}</bdi></strong> ${heldCounts(one, texts)}, ${day(one.found)}
${mayApply && html`<form class="screen" method="post" action="${base}${reviewsPath}/changes/${encodeURIComponent(one.id)}/approve"><p class="actions"><button class="second">${texts.held.approve}</button></p></form>`}</li>`,
  )}</ul></section>`;
}

export function yieldPage(rows: readonly YieldRow[], around: ReviewPageContext): string {
  const { texts } = around;
  const { columns, all, title, intro, nothing } = texts.yield;
  const counted = ['findings', 'reopened', 'solved'] as const;
  const years = [...new Set(rows.map(({ year }) => year))].sort((one, other) => other - one);
  const table = years.flatMap((year) => {
    const own = rows.filter((row) => row.year === year);
    const counts = (some: readonly YieldRow[]) =>
      counted.map((member) => texts.number(some.reduce((total, row) => total + row[member], 0)));
    return [
      ...own.map((row) => [year, texts.reasons[row.reason], ...counts([row])]),
      [year, html`<strong>${all}</strong>`, ...counts(own)],
    ];
  });
  return reviewPage(around, {
    title,
    above: [],
    intro,
    body:
      rows.length === 0
        ? html`<p class="note">${nothing}</p>`
        : tableHtml({
            columns: [
              { title: columns.year, names: true },
              { title: texts.list.reason },
              ...counted.map((member) => ({ title: columns[member], look: 'number' as const })),
            ],
            rows: table,
          }),
  });
}
