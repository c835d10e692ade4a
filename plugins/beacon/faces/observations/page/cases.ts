/** The cases in which a variant was seen, for callers who may see them. */
import { type Html, html } from '../../../../../core/plugin.js';
import type { Contig, Observation, ObservedCase } from '../../../contract.js';
import type { PageOfCases } from '../answers.js';
import { type Sent, textsOf } from './form.js';

const numbers = new Intl.NumberFormat('en');

export interface CasesOptions {
  contig: Contig;
  sent: Sent;
  page: PageOfCases;
  caseUrl: string | undefined;
}

/** Homozygous cases first, then hemizygous ones, each group newest first. */
export function casesTable({ dataset, detail }: Observation, { contig, sent, page, caseUrl }: CasesOptions): Html {
  const all = (detail?.carrying ?? []).toSorted((one, other) => rank(other) - rank(one));
  const { limit, offset } = page;
  const shown = all.slice(offset, offset + limit);
  return html`<table role="table">
<caption>Cases with a carrier: homozygous ones first, then hemizygous ones, the newest first. ${range(offset, shown.length, all.length)}</caption>
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Case</th><th scope="col" role="columnheader">Zygosity</th><th scope="col" role="columnheader">Added</th></tr></thead>
<tbody role="rowgroup">
${shown.map((one) => row(one, contig, caseUrl))}</tbody>
</table>
<p class="actions">${offset > 0 && html`<a href="${pageLink(sent, dataset, limit, Math.max(0, offset - limit))}">Previous</a> `}${offset + limit < all.length && html`<a href="${pageLink(sent, dataset, limit, offset + limit)}">Next</a>`}</p>`;
}

function rank({ homozygous, hemizygous }: ObservedCase): number {
  return homozygous ? 2 : Number(hemizygous);
}

function row(one: ObservedCase, contig: Contig, caseUrl: string | undefined): Html {
  const name =
    caseUrl === undefined
      ? one.case
      : html`<a href="${caseUrl.replaceAll('{case}', () => encodeURIComponent(one.case))}" rel="noreferrer">${one.case}</a>`;
  const zygosity = [one.homozygous && 'homozygous', one.hemizygous && 'hemizygous'].filter(Boolean).join(', ');
  return html`<tr role="row">
<th scope="row" role="rowheader">${name}</th>
<td role="cell" data-label="Zygosity">${zygosity === '' ? single(contig) : zygosity}</td>
<td role="cell" data-label="Added">${one.added ? one.added.toISOString().slice(0, 10) : 'unknown'}</td>
</tr>
`;
}

function range(offset: number, shown: number, all: number): string {
  if (shown === all) return '';
  if (shown === 0) return `There are ${numbers.format(all)}.`;
  return `Shown: ${numbers.format(offset + 1)} to ${numbers.format(offset + shown)} of ${numbers.format(all)}.`;
}

/** Mitochondria and the Y have no second copy that could differ. */
function single(contig: Contig): string {
  return contig === 'MT' || contig === 'Y' ? 'carrier' : 'heterozygous';
}

/** The same request with another page of cases, of this dataset alone: each has pages of its own. */
function pageLink(sent: Sent, dataset: string, limit: number, offset: number): string {
  const own = new Set(['dataset', 'limit', 'offset']);
  const search = new URLSearchParams(
    Object.keys(sent)
      .filter((name) => !own.has(name))
      .flatMap((name) => textsOf(sent, name).map((text): [string, string] => [name, text])),
  );
  for (const [name, value] of Object.entries({ dataset, limit, offset })) search.append(name, String(value));
  return `?${search}`;
}
