/** What was found: a table of datasets, where it lies, and the variants one by one. */
import { type Html, html } from '../../../../core/plugin.js';
import { lengthOfInsertion, writtenAlternate } from '../../domain/allele.js';
import { type Denominator, frequencyOf, lackingOf } from '../../domain/denominator.js';
import { alert } from '../../pages/parts.js';
import { picture } from './picture.js';
import type { Texts } from './texts/texts.js';
import type { AlleleRow, DatasetRow, Result } from './view.js';

export interface ResultOptions {
  texts: Texts;
  /** Address of the same search as JSON. */
  json: string | undefined;
}

export function resultSections(result: Result, { texts, json }: ResultOptions): Html {
  const { form, assembly, isOne, datasets, alleles, allAlleles, genes, warnings } = result;
  const hits = datasets.filter(({ exists }) => exists).length;
  return html`<section class="card" id="answer" aria-labelledby="answer-title">
<h2 id="answer-title">${texts.result} <span class="soft">${assembly}</span></h2>
<p class="hint">${texts.read(texts.readAs[form])}</p>
${headline(datasets.length, hits, assembly, texts)}
${warnings.map((warning) => alert('warning', warning))}
${datasets.length > 0 && datasetTable(datasets, isOne, texts)}
${genes?.map((gene, i) => picture({ gene, alleles: alleles.map(({ allele }) => allele), texts, id: `gene-${i + 1}` }))}
${genes?.length === 0 && html`<p class="hint">${texts.noGene}</p>`}
${json !== undefined && html`<p class="actions"><a href="${json}">${texts.asJson}</a></p>`}
</section>
${
  alleles.length > 0 &&
  html`<section aria-labelledby="variants-title">
<h2 id="variants-title">${texts.allelesTitle}</h2>
${alleleTable(alleles, allAlleles, texts)}
</section>`
}`;
}

function headline(datasets: number, hits: number, assembly: string, texts: Texts): Html {
  if (datasets === 0) return alert('warning', texts.nothingSearched(assembly));
  return hits > 0 ? alert('success', texts.found(hits)) : alert('secondary', texts.missed);
}

/** On a narrow screen rows become blocks; hence the explicit roles, and cells that name their column. */
function datasetTable(rows: readonly DatasetRow[], isOne: boolean, texts: Texts): Html {
  const { dataset, result, variants, samples, frequency } = texts.columns;
  return html`<table role="table">
<caption>${texts.datasetsCaption(isOne)}</caption>
<thead role="rowgroup"><tr role="row">${heading(dataset)}${heading(result)}${heading(variants, true)}${heading(samples, true)}${isOne && heading(frequency)}</tr></thead>
<tbody role="rowgroup">
${rows.map(
  (row) => html`<tr role="row">
<th scope="row" role="rowheader">${row.dataset.name} <span class="soft small">${row.dataset.id}</span></th>
${cell(result, html`<span>${row.exists ? texts.hit : texts.miss}</span>`)}
${cell(variants, told(row.variants, texts), true)}
${cell(samples, told(row.samples, texts), true)}
${isOne && cell(frequency, frequencyCell(row.denominator, texts))}
</tr>
`,
)}</tbody>
</table>`;
}

function alleleTable(rows: readonly AlleleRow[], all: number, texts: Texts): Html {
  const { place, change, type, dataset, samples, copies } = texts.columns;
  return html`<table role="table">
<caption>${texts.allelesCaption(rows.length, all)}</caption>
<thead role="rowgroup"><tr role="row">${heading(place)}${heading(change)}${heading(type)}${heading(dataset)}${heading(samples, true)}${heading(copies, true)}</tr></thead>
<tbody role="rowgroup">
${rows.map(
  ({ allele, dataset: { name, id } }) => html`<tr role="row">
<th scope="row" role="rowheader" class="place">${placeOf(allele, texts)}</th>
${cell(change, html`<span class="place">${changeOf(allele)}</span>`)}
${cell(type, html`<span>${allele.kind}</span>`)}
${cell(dataset, html`<span title="${id}">${name}</span>`)}
${cell(samples, html`${texts.number(allele.samples)}`, true)}
${cell(copies, html`${texts.number(allele.calls)}`, true)}
</tr>
`,
)}</tbody>
</table>`;
}

function heading(text: string, isCount = false): Html {
  return html`<th scope="col" role="columnheader"${isCount && html` class="count"`}>${text}</th>`;
}

function cell(label: string, value: Html, isCount = false): Html {
  return html`<td role="cell" data-label="${label}"${isCount && html` class="count"`}>${value}</td>`;
}

function told(value: number | undefined, texts: Texts): Html {
  return value === undefined ? html`<span class="soft">${texts.hidden}</span>` : html`${texts.number(value)}`;
}

function frequencyCell(denominator: Denominator | undefined, texts: Texts): Html {
  if (!denominator) return html`<span class="soft">${texts.hidden}</span>`;
  const { covered, total, threshold, alleles } = denominator;
  if (total === 0) return html`<span class="soft">${texts.notExpected}</span>`;
  const lacks = lackingOf(denominator);
  if (lacks) return html`<span class="soft">${texts.lacking[lacks]}</span>`;
  const share = frequencyOf(denominator);
  const others = alleles && alleles.carriersUnknown > 0 ? `; ${texts.notCounted(alleles.carriersUnknown)}` : '';
  return html`<span>${
    share !== undefined && alleles && texts.frequency(texts.percent(share), alleles.alleleCount, alleles.alleleNumber)
  } <span class="soft small">${texts.covered(covered, total, threshold)}${others}</span></span>`;
}

/** One-based, as in a VCF file; both ends of what is longer than a base. */
function placeOf({ contig, start, end, mate }: AlleleRow['allele'], texts: Texts): string {
  const first = `${contig}:${texts.number(start + 1)}`;
  if (mate !== undefined) return `${first} / ${mate}:${texts.number(end + 1)}`;
  return end - start > 1 ? `${first}–${texts.number(end)}` : first;
}

const longestShown = 20;

function changeOf(allele: AlleleRow['allele']): string {
  const { reference, alternate, structural } = allele;
  const shown = (bases: string) =>
    bases.length > longestShown ? `${bases.slice(0, longestShown)}…(${bases.length})` : bases;
  const inserted = lengthOfInsertion(allele);
  if (inserted) return `${shown(writtenAlternate(allele))} (${inserted})`;
  return structural ? shown(alternate) : `${shown(reference)}>${shown(alternate)}`;
}
