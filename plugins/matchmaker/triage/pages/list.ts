/** The page at /matchmaker/submissions. */
import { choice, field, type Html, hidden, html } from '../../../../core/plugin.js';
import { type KnownNode, thisNode, triageStatuses } from '../../contract.js';
import type { Resources } from '../../resources/resources.js';
import { submissionPath, submissionsPath } from '../desk.js';
import { countsOf, type Filters, type Found, pageSize } from '../search.js';
import { genesOf } from '../shown.js';
import { type Around, framed } from './frame.js';
import { badge, check, contactOf, time } from './parts.js';

export interface ListPage {
  asked: Filters;
  found: Found;
  peers: ReadonlyMap<string, KnownNode>;
  resources: Resources;
}

const names = ['text', 'gene', 'term', 'label', 'submitter', 'status', 'assignee', 'node', 'since'] as const;

export function listPage({ asked, found, peers, resources }: ListPage, around: Around): string {
  const { texts } = around;
  const { list } = texts;
  const { submissions, next } = found;
  return framed(around, {
    title: list.title,
    above: undefined,
    intro: list.intro,
    body: html`${searchForm(asked, peers, around)}
<section aria-labelledby="found"><h2 id="found">${list.found(submissions.length)}</h2>
${submissions.length > 0 ? table(submissions, resources, around) : html`<p>${list.nothing}</p>`}
${next !== undefined && nextForm(asked, next, submissions.length === pageSize, around)}
</section>`,
  });
}

function nextForm(asked: Filters, next: string, isFull: boolean, { base, texts }: Around): Html {
  const { list } = texts;
  return html`<form class="screen" method="post" action="${base}${submissionsPath}">
${names.map((name) => asked[name] !== undefined && hidden(name, asked[name]))}${asked.all && hidden('all', 'yes')}${hidden('lang', texts.language)}${hidden('after', next)}
<p class="actions"><button class="second">${list.next}</button> <span class="soft">${isFull ? list.more : list.readMore}</span></p></form>`;
}

function searchForm(asked: Filters, peers: ListPage['peers'], { base, texts }: Around): Html {
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

function table(submissions: Found['submissions'], resources: Resources, { base, texts }: Around): Html {
  const { columns } = texts.list;
  return html`<table>
<thead><tr><th scope="col">${columns.submission}<th scope="col">${columns.contact}<th scope="col">${columns.genes}<th scope="col">${columns.last}<th scope="col">${columns.matches}<th scope="col">${columns.unseen}</tr></thead>
<tbody>${submissions.map(({ stored, summary }) => {
    const { number, patient } = stored;
    const { last, statuses, unseen } = summary;
    return html`
<tr><th scope="row"><a href="${base}${submissionPath(number)}"><strong><bdi>${patient.id}</bdi></strong></a>${patient.label !== undefined && html` <bdi class="soft">${patient.label}</bdi>`}<td class="long" data-label="${columns.contact}">${contactOf(patient.contact)}<td data-label="${columns.genes}">${genesOf(stored, resources).join(', ')}<td data-label="${columns.last}">${last && time(last, texts)}<td data-label="${columns.matches}">${countsOf(statuses).map(([status, count]) => badge(status, texts, count))}<td data-label="${columns.unseen}">${unseen > 0 && html`<span class="fresh">${unseen}</span>`}</tr>`;
  })}
</tbody></table>`;
}
