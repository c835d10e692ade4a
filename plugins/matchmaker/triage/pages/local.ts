/** What this server itself knows about the variants of a match, beside its row and on its page. */
import { type Html, html } from '../../../../core/plugin.js';
import type { LocalCounts, LocalCoverage, LocalFinding } from '../local/finding.js';
import type { Texts } from '../texts/texts.js';
import { variantWords } from './parts.js';

/** Findings beside a row; its page has all. */
const mostBeside = 2;

export function localBeside(findings: readonly LocalFinding[], texts: Texts): Html {
  const more = findings.length - mostBeside;
  return html`${findings
    .slice(0, mostBeside)
    .map(
      (one) =>
        html`<div class="small"><bdi>${one.gene} ${variantWords(one.variant)}</bdi>${[
          coverageLine(one, texts),
          ...countLines(one, texts),
        ].map((line) => line && html`<br>${line}`)}</div>`,
    )}${more > 0 && html`<span class="soft small">${texts.local.more(more)}</span>`}`;
}

export function localSection(findings: readonly LocalFinding[], texts: Texts): Html {
  const { title, columns, hint } = texts.local;
  if (findings.length === 0) return html``;
  return html`<section aria-labelledby="local"><h2 id="local">${title}</h2><p class="hint">${hint}</p><table>
<thead><tr><th scope="col">${columns.variant}<th scope="col">${columns.coverage}<th scope="col">${columns.counts}</tr></thead>
<tbody>${findings.map(
    (one) => html`
<tr><th scope="row"><bdi>${one.gene} ${variantWords(one.variant)}</bdi><td class="long" data-label="${columns.coverage}">${coverageLine(one, texts)}<td class="long" data-label="${columns.counts}">${countLines(one, texts).map((line, i) => html`${i > 0 && html`<br>`}${line}`)}</tr>`,
  )}
</tbody></table></section>`;
}

function coverageLine({ coverage, from }: LocalFinding, { local }: Texts): Html | undefined {
  if (coverage === undefined) return undefined;
  const words = coverageWords(coverage, local);
  return html`<span class="${coverage.state === 'covered' ? 'good' : 'warn'}">${words}</span> <span class="soft">${local.sampleOf[from]}</span>`;
}

function coverageWords(
  { state, threshold, reason, lifted: build }: LocalCoverage,
  { covered, notCovered, unknown, reasons, lifted }: Texts['local'],
) {
  if (state === 'unknown') return unknown(reason === undefined ? '' : reasons[reason]);
  const words = state === 'covered' ? covered(threshold) : notCovered(threshold);
  return build === undefined ? words : `${words}, ${lifted(build)}`;
}

function countLines({ counts = [] }: LocalFinding, { local }: Texts): Html[] {
  return counts.map((one) => html`${countWords(one, local)} <bdi class="soft">${one.dataset}</bdi>`);
}

function countWords(
  { carriers, homozygotes, samples, denominator, oneBased }: LocalCounts,
  words: Texts['local'],
): string {
  const { covered, notCovered, total } = denominator;
  const within = denominator.carriers - denominator.carriersBelowThreshold;
  const seen =
    covered + notCovered > 0
      ? words.among({ carriers, homozygotes, within, covered, total })
      : words.ofSamples({ carriers, homozygotes, samples });
  return oneBased ? `${seen}; ${words.oneBased}` : seen;
}
