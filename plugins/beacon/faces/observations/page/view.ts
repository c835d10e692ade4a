/** The page at /observations: a form for one allele or structural variant, and what was seen of it. */
import { html, page, style } from '../../../../../core/plugin.js';
import type { Dataset } from '../../../contract.js';
import { sheet } from '../../../pages/sheet.js';
import type { PageOfCases } from '../answers.js';
import { observationForm, type Sent } from './form.js';
import { headline, type Outcome, outcomeSections } from './result.js';
import { ownSheet } from './sheet.js';

export interface ObservationPage {
  /** The name of the beacon. */
  beacon: string;
  /** The datasets that the caller may observe. */
  datasets: readonly Dataset[];
  sent: Sent;
  /** Omitted if nothing was asked for. */
  outcome: Outcome | undefined;
  /** Which cases to show of each dataset. */
  cases: PageOfCases;
  caseUrl: string | undefined;
  /** The path of the public address, which precedes every link; empty if the server is at the root. */
  base: string;
  nonce: string;
}

export function observationPage({
  beacon,
  datasets,
  sent,
  outcome,
  cases,
  caseUrl,
  base,
  nonce,
}: ObservationPage): string {
  return page({
    title: outcome ? `${headline(outcome)} · ${beacon}` : `Local observations · ${beacon}`,
    schemes: 'light dark',
    head: style(nonce, html`${sheet}${ownSheet}`),
    body: html`<body>
<a class="skip" href="#form">Skip to the form</a>
<header>
<h1>Local observations</h1>
<p class="soft">How often a variant was seen in the cases of this laboratory. ${beacon}</p>
</header>
<main>
${outcome && outcomeSections(outcome, { sent, page: cases, caseUrl })}
${observationForm(datasets, sent)}
</main>
<footer>
<nav aria-label="The beacon"><ul class="links">
<li><a href="${base}/apiv1.0/query_form">Query form</a></li>
<li><a href="${base}/">All services of this server</a></li>
</ul></nav>
</footer>
</body>`,
  });
}
