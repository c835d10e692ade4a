/** The list of public datasets on the query page. */
import { type Html, html } from '../../../../../core/plugin.js';
import type { Dataset } from '../../../contract.js';
import { alert } from '../../../pages/parts.js';

export function datasetSection(datasets: readonly Dataset[]): Html {
  return html`<section id="datasets" aria-labelledby="datasets-title">
<h2 id="datasets-title">Public datasets</h2>
<p class="soft">This page searches public datasets only. Registered and controlled datasets are queried at <code>/apiv1.0/query</code>, with an API token that has the scope <code>beacon:read</code>.</p>
${datasets.length === 0 && alert('warning', 'This beacon has no public dataset yet.')}
<ul class="cards">
${datasets.map(card)}</ul>
</section>`;
}

const numbers = new Intl.NumberFormat('en');

function card(dataset: Dataset): Html {
  const { id, name, description, externalUrl } = dataset;
  return html`<li class="card">
<h3>${name} <span class="soft">${id}</span></h3>
${description !== undefined && html`<p>${description}</p>`}
<dl class="facts">
${fact('Access', dataset.access)}
${fact('Assembly', dataset.assembly)}
${fact('Version', Number.isInteger(dataset.version) ? dataset.version.toFixed(1) : String(dataset.version))}
${fact('Variants', numbers.format(dataset.alleleCount))}
${fact('Calls', numbers.format(dataset.callCount))}
${fact('Samples', numbers.format(dataset.sampleCount))}
${fact('Created', day(dataset.created))}
${fact('Updated', day(dataset.updated))}
</dl>
${externalUrl !== undefined && html`<p><a href="${externalUrl}" rel="noreferrer">Website of the dataset</a></p>`}
</li>
`;
}

function fact(label: string, value: Html | string): Html {
  return html`<div><dt>${label}</dt><dd>${value}</dd></div>`;
}

function day(date: Date): Html {
  const text = date.toISOString();
  return html`<time datetime="${text}">${text.slice(0, 10)}</time>`;
}
