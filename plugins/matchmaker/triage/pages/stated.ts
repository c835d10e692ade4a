/** What a patient states of its genes, as a table. */
import { type Html, html } from '../../../../core/plugin.js';
import { inheritanceWords, isOneBased, type StatedFeature, type StatedVariant } from '../../patient/stated.js';
import type { Resources } from '../../resources/resources.js';
import type { Texts } from '../texts/texts.js';

/** Nothing if no more than names of genes is stated. */
export function statedTable(
  stated: readonly StatedFeature[],
  { id, title }: { id: string; title: string },
  { ontology }: Pick<Resources, 'ontology'>,
  texts: Texts,
): Html {
  const columns = texts.stated;
  if (!stated.some(({ gene: _, ...more }) => Object.keys(more).length > 0)) return html``;
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2><table>
<thead><tr><th scope="col">${columns.gene}<th scope="col">${columns.variant}<th scope="col">${columns.zygosity}<th scope="col">${columns.inheritance}</tr></thead>
<tbody>${stated.map(
    (one) => html`
<tr><th scope="row" class="gene"><bdi>${one.gene}</bdi><td class="long" data-label="${columns.variant}">${one.variant && html`<bdi>${variantWords(one.variant)}</bdi>`}<td data-label="${columns.zygosity}">${one.zygosity !== undefined && texts.zygosity(one.zygosity)}<td data-label="${columns.inheritance}">${inheritanceWords(one, ontology, texts.origins)}</tr>`,
  )}
</tbody></table></section>`;
}

/** Bases of an allele that are printed. */
const mostBases = 20;

/** With a one-based position: `GRCh38 2:166245425 G>A`. */
export function variantWords(variant: StatedVariant): string {
  const { assembly, chromosome, start, end, reference, alternate } = variant;
  const place = `${assembly} ${chromosome}:${isOneBased(variant) ? start : start + 1}`;
  if (reference !== undefined && alternate !== undefined) return `${place} ${bases(reference)}>${bases(alternate)}`;
  return end === undefined || end <= start + 1 ? place : `${place}–${end}`;
}

function bases(allele: string): string {
  return allele.length <= mostBases ? allele : `${allele.slice(0, mostBases)}… (${allele.length})`;
}
