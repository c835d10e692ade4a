/** The result of a query, or its error. */
import { assemblyNamed } from '../../../../../core/genome.js';
import { type Html, html } from '../../../../../core/plugin.js';
import type { Dataset } from '../../../contract.js';
import { alert } from '../../../pages/parts.js';
import type { Sent } from '../parameters.js';
import { curlOf, firstOf, givenOf, linkOf } from './request.js';

/** One row: the response of a dataset, as the API returns it. */
export interface DatasetRow {
  datasetId: string;
  exists: boolean;
  variantCount: number;
  callCount: number;
  sampleCount: number;
  info: { accessType: string; counts?: 'withheld' | undefined };
}

export type Outcome =
  | {
      exists: boolean;
      responses: readonly DatasetRow[];
      /** What was seen of the allele in datasets that the caller may observe, if any. */
      observed?: ObservedHere | undefined;
    }
  | { /** What is wrong with the query, in one sentence. */ error: string };

/** A short result for the title of the page, which screen readers read first. */
export function headline(outcome: Outcome): string {
  if ('error' in outcome) return 'Error in the query';
  return outcome.exists ? 'Allele found' : 'Allele not found';
}

export interface ObservedHere {
  /** Address of the page with the details. */
  href: string;
  datasets: readonly {
    name: string;
    cases: number;
    of: number;
    /** Out of how many samples in which it could have been seen. */
    words: string;
  }[];
}

export interface Answered {
  outcome: Outcome;
  sent: Sent;
  /** The datasets that may be queried. */
  datasets: readonly Dataset[];
  /** The address of the server. */
  server: string;
}

export function outcomeSection({ outcome, sent, datasets, server }: Answered): Html {
  return html`<section class="card" id="answer" aria-labelledby="answer-title">
<h2 id="answer-title">Result</h2>
${'error' in outcome ? alert('danger', outcome.error) : found(outcome, sent, datasets)}
${givenOf(sent).length > 0 && request(sent, server)}
</section>`;
}

function request(sent: Sent, server: string): Html {
  const link = linkOf(sent);
  return html`<h3>Query</h3>
<dl class="given">
${givenOf(sent).map(([name, texts]) => html`<div><dt>${name}</dt><dd>${someOf(texts)}${name === 'start' && vcfPosition(texts)}</dd></div>\n`)}</dl>
<h3>Command line</h3>
<pre><code>${curlOf(sent, server)}</code></pre>
<p class="actions">${link && html`<a href="${link}">Link to this query</a> `}<a href="#form">Edit the query</a></p>`;
}

/** Most values shown for one parameter: more would hide the result. */
const mostShown = 20;

function someOf(texts: readonly string[]): string {
  const shown = texts.slice(0, mostShown).join(', ');
  return texts.length > mostShown ? `${shown} and ${texts.length - mostShown} more` : shown;
}

/** Users compare with VCF files, whose positions are 1-based. */
function vcfPosition([start = '']: readonly string[]): Html | undefined {
  if (!/^\d{1,9}$/.test(start)) return undefined;
  return html` <span class="soft">(position ${Number(start) + 1} in a VCF file)</span>`;
}

type Found = Exclude<Outcome, { error: string }>;

function found({ exists, responses, observed }: Found, sent: Sent, datasets: readonly Dataset[]): Html {
  const assembly = firstOf(sent, 'assemblyId');
  const searched = datasets.some((dataset) => dataset.assembly === assemblyNamed(assembly));
  const include = firstOf(sent, 'includeDatasetResponses');
  const asked = include !== '' && include !== 'NONE';
  return html`${exists ? alert('success', 'Allele was found in this beacon') : alert('secondary', 'Allele could not be found')}
${observed?.datasets.map(
  ({
    name,
    cases,
    of,
    words,
  }) => html`<p class="observed">Seen in <a href="${observed.href}">${numbers.format(cases)} of ${numbers.format(of)} cases</a> here: ${name}. <span class="soft">${words}.</span></p>
`,
)}
${!searched && alert('warning', `No public dataset uses the assembly ${assembly}. No dataset was searched.`)}
${responses.length > 0 && table(responses)}
${asked && responses.length === 0 && html`<p>There is no dataset to list for ${include}.</p>`}`;
}

const numbers = new Intl.NumberFormat('en');

/** On a narrow screen rows become blocks; hence the explicit roles, and cells that name their column. */
function table(rows: readonly DatasetRow[]): Html {
  const cell = (label: string, content: Html | string) => html`<td role="cell" data-label="${label}">${content}</td>`;
  const count = (label: string, value: number, { counts }: DatasetRow['info']) =>
    html`<td role="cell" class="count" data-label="${label}">${counts ? html`<span class="soft">withheld</span>` : numbers.format(value)}</td>`;
  const head = (label: string, name: string) =>
    html`<th scope="col" role="columnheader">${label} <code>${name}</code></th>`;
  return html`<table role="table">
<caption>Per dataset: matching alleles (variants), calls of these alleles, and samples that carry at least one of them.</caption>
<thead role="rowgroup"><tr role="row">${head('Dataset', 'datasetId')}${head('Access', 'accessType')}${head('Result', 'exists')}${head('Variants', 'variantCount')}${head('Calls', 'callCount')}${head('Samples', 'sampleCount')}</tr></thead>
<tbody role="rowgroup">
${rows.map(
  (row) => html`<tr role="row">
<th scope="row" role="rowheader">${row.datasetId}</th>
${cell('Access', row.info.accessType)}
${cell('Result', html`<span class="alert alert-${row.exists ? 'success' : 'secondary'}">Allele exists: ${row.exists ? 'True' : 'False'}</span>`)}
${count('Variants', row.variantCount, row.info)}${count('Calls', row.callCount, row.info)}${count('Samples', row.sampleCount, row.info)}
</tr>
`,
)}</tbody>
</table>`;
}
