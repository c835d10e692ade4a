/** The page at query_form (contract, section 4): a form for a query of the public datasets, and its result. */
import { html, page, style } from '../../../../../core/plugin.js';
import type { Dataset } from '../../../contract.js';
import { observationsPath } from '../../../pages/observation-link.js';
import { sheet } from '../../../pages/sheet.js';
import type { BeaconSettings } from '../../../settings.js';
import type { Sent } from '../parameters.js';
import { datasetSection } from './datasets.js';
import { type Example, exampleLinks } from './examples.js';
import { queryForm } from './form.js';
import { headline, type Outcome, outcomeSection } from './outcome.js';

export interface QueryPage {
  settings: BeaconSettings;
  /** The datasets that may be queried. */
  datasets: readonly Dataset[];
  sent: Sent;
  /** Omitted if there was no query. */
  outcome?: Outcome;
  /** Queries with a hit, to start from. */
  examples: readonly Example[];
  /** Address of the server, for commands. */
  server: string;
  /** The path of the public address, which precedes every link; empty if the server is at the root. */
  base: string;
  /** Path of the API documentation; undefined if it is off. */
  docs: string | undefined;
  nonce: string;
}

export function queryPage({
  settings,
  datasets,
  sent,
  outcome,
  examples,
  server,
  base,
  docs,
  nonce,
}: QueryPage): string {
  const { name, description, organisation } = settings;
  return page({
    title: outcome ? `${headline(outcome)} · ${name}` : name,
    schemes: 'light dark',
    head: style(nonce, sheet),
    body: html`<body>
<a class="skip" href="#form">Skip to the form</a>
<header>
<h1>${name}</h1>
<p class="soft">${description}</p>
</header>
<main>
${outcome && outcomeSection({ outcome, sent, datasets, server })}
${exampleLinks(examples)}
${queryForm({ beacon: name, datasets, sent, asked: outcome !== undefined })}
${datasetSection(datasets)}
</main>
<footer>
${organisation.name && html`<p class="soft">${organisation.name}</p>`}
<nav aria-label="The beacon"><ul class="links">
<li><a href="${base}/apiv1.0/">Beacon information</a></li>
<li><a href="${base}${observationsPath}">Local observations</a></li>
${docs !== undefined && html`<li><a href="${docs}">API documentation</a></li>\n`}<li><a href="${base}/">All services of this server</a></li>
</ul></nav>
</footer>
</body>`,
  });
}
