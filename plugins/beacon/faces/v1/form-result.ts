/** The result of a query on the page, or its error, and the list of public datasets. */
import { assemblyNamed } from '../../../../core/genome.js';
import { type Html, html } from '../../../../core/plugin.js';
import type { Dataset } from '../../contract.js';
import { alert } from '../pages.js';
import { curlOf, firstOfParameter, givenOf, linkOf } from './form-fields.js';
import type { SentQuery } from './parameters.js';

/** One row: the response of a dataset, as the API returns it. */
interface ResponseRow {
  datasetId: string;
  exists: boolean;
  variantCount: number;
  callCount: number;
  sampleCount: number;
  info: { accessType: string; counts?: 'withheld' | undefined };
}

export type QueryOutcome =
  | {
      exists: boolean;
      responses: readonly ResponseRow[];
      /** What was seen of the allele in datasets that the caller may observe, if any. */
      observed?: ObservedHere | undefined;
    }
  | { /** What is wrong with the query, in one sentence. */ error: string };

/** A short result for the title of the page, which screen readers read first. */
export function headlineOfQuery(outcome: QueryOutcome): string {
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

interface ShownQuery {
  outcome: QueryOutcome;
  sent: SentQuery;
  /** The datasets that may be queried. */
  datasets: readonly Dataset[];
  /** The address of the server. */
  server: string;
}

export function outcomeSection({ outcome, sent, datasets, server }: ShownQuery): Html {
  return html`<section class="card" id="answer" aria-labelledby="answer-title">
<h2 id="answer-title">Result</h2>
${'error' in outcome ? alert('danger', outcome.error) : resultCard(outcome, sent, datasets)}
${givenOf(sent).length > 0 && requestCard(sent, server)}
</section>`;
}

function requestCard(sent: SentQuery, server: string): Html {
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

type QueryAnswer = Exclude<QueryOutcome, { error: string }>;

function resultCard({ exists, responses, observed }: QueryAnswer, sent: SentQuery, datasets: readonly Dataset[]): Html {
  const assembly = firstOfParameter(sent, 'assemblyId');
  const searched = datasets.some((dataset) => dataset.assembly === assemblyNamed(assembly));
  const include = firstOfParameter(sent, 'includeDatasetResponses');
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
${responses.length > 0 && responseTable(responses)}
${asked && responses.length === 0 && html`<p>There is no dataset to list for ${include}.</p>`}`;
}

const numbers = new Intl.NumberFormat('en');

/** On a narrow screen rows become blocks; hence the explicit roles, and cells that name their column. */
function responseTable(rows: readonly ResponseRow[]): Html {
  const cell = (label: string, content: Html | string) => html`<td role="cell" data-label="${label}">${content}</td>`;
  const count = (label: string, value: number, { counts }: ResponseRow['info']) =>
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

// The list of public datasets on the query page.

export function datasetSection(datasets: readonly Dataset[]): Html {
  return html`<section id="datasets" aria-labelledby="datasets-title">
<h2 id="datasets-title">Public datasets</h2>
<p class="soft">This page searches public datasets only. Registered and controlled datasets are queried at <code>/apiv1.0/query</code>, with an API token that has the scope <code>beacon:read</code>.</p>
${datasets.length === 0 && alert('warning', 'This beacon has no public dataset yet.')}
<ul class="cards">
${datasets.map(datasetCard)}</ul>
</section>`;
}

const datasetNumbers = new Intl.NumberFormat('en');

function datasetCard(dataset: Dataset): Html {
  const { id, name, description, externalUrl } = dataset;
  return html`<li class="card">
<h3>${name} <span class="soft">${id}</span></h3>
${description !== undefined && html`<p>${description}</p>`}
<dl class="facts">
${datasetFact('Access', dataset.access)}
${datasetFact('Assembly', dataset.assembly)}
${datasetFact('Version', Number.isInteger(dataset.version) ? dataset.version.toFixed(1) : String(dataset.version))}
${datasetFact('Variants', datasetNumbers.format(dataset.alleleCount))}
${datasetFact('Calls', datasetNumbers.format(dataset.callCount))}
${datasetFact('Samples', datasetNumbers.format(dataset.sampleCount))}
${datasetFact('Created', dayOfDataset(dataset.created))}
${datasetFact('Updated', dayOfDataset(dataset.updated))}
</dl>
${externalUrl !== undefined && html`<p><a href="${externalUrl}" rel="noreferrer">Website of the dataset</a></p>`}
</li>
`;
}

function datasetFact(label: string, value: Html | string): Html {
  return html`<div><dt>${label}</dt><dd>${value}</dd></div>`;
}

function dayOfDataset(date: Date): Html {
  const text = date.toISOString();
  return html`<time datetime="${text}">${text.slice(0, 10)}</time>`;
}
