/** The structural variants nearest to the one asked for, drawn to scale. */
import { type Html, html } from '../../../../../core/plugin.js';
import { type CountedAllele, isSimilar, type StructuralQuestion } from '../../../contract.js';

type Stretch = Pick<CountedAllele, 'start' | 'end'>;

const numbers = new Intl.NumberFormat('en');

export interface NeighboursOptions {
  alleles: readonly CountedAllele[];
  question: StructuralQuestion;
  /** The largest window of the dataset. */
  window: number;
}

export function neighboursTable({ alleles, question, window }: NeighboursOptions): Html | undefined {
  if (alleles.length === 0) return undefined;
  const scale = scaleOf([question, ...alleles]);
  const counted = (allele: CountedAllele) => isSimilar(allele, question, window);
  return html`<table role="table" class="neighbours">
<caption>The nearest variants of this type in the dataset, the first row being the one asked for. Overlap: shared bases, in percent of the longer of the two.</caption>
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Variant</th><th scope="col" role="columnheader">Overlap</th><th scope="col" role="columnheader">Copies</th><th scope="col" role="columnheader">Counted</th></tr></thead>
<tbody role="rowgroup">
<tr role="row" class="asked"><th scope="row" role="rowheader">${placeOf(question)}${bar(question, scale, 'asked')}</th><td role="cell" data-label="Overlap"></td><td role="cell" data-label="Copies"></td><td role="cell" data-label="Counted"></td></tr>
${alleles.map(
  (allele) => html`<tr role="row">
<th scope="row" role="rowheader">${placeOf(allele)}${bar(allele, scale, counted(allele) ? 'counted' : 'other')}</th>
<td role="cell" data-label="Overlap">${overlap(allele, question)} %</td>
<td role="cell" data-label="Copies">${numbers.format(allele.calls)}</td>
<td role="cell" data-label="Counted">${counted(allele) ? 'yes' : 'no'}</td>
</tr>
`,
)}</tbody>
</table>`;
}

/** One-based, the last base included. */
function placeOf({ start, end }: Stretch): string {
  return `${numbers.format(start + 1)}–${numbers.format(end)}`;
}

/** Shared bases in percent of the longer one, rounded down: only what is the same is 100 %. */
function overlap(one: Stretch, other: Stretch): number {
  const shared = Math.min(one.end, other.end) - Math.max(one.start, other.start);
  const longer = Math.max(one.end - one.start, other.end - other.start);
  return longer <= 0 ? 0 : Math.floor((100 * Math.max(shared, 0)) / longer);
}

interface Scale {
  first: number;
  bases: number;
}

function scaleOf(all: readonly Stretch[]): Scale {
  const first = Math.min(...all.map(({ start }) => start));
  return { first, bases: Math.max(...all.map(({ end }) => end), first + 1) - first };
}

/** In percent of the row, so that it is to scale on every screen; at least so wide that it can be seen. */
function bar({ start, end }: Stretch, { first, bases }: Scale, kind: 'asked' | 'counted' | 'other'): Html {
  const percent = (value: number) => `${Math.round((10_000 * value) / bases) / 100}%`;
  const width = Math.max(end - start, bases / 200);
  return html`<svg class="bar" width="100%" height="10" aria-hidden="true"><rect class="${kind}" x="${percent(Math.min(start - first, bases - width))}" y="1" width="${percent(width)}" height="8" rx="1.5"/></svg>`;
}
