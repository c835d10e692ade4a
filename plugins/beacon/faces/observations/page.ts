/**
 * The page at /observations: a form for one allele or structural variant, then for each dataset how often it was seen, in which
 * cases, and its structural neighbours drawn to scale.
 */
import { type Html, html, page, raw, style } from '../../../../core/plugin.js';
import {
  type Contig,
  type CountedAllele,
  carriersFrom,
  type Dataset,
  isSimilar,
  keptBelow,
  medianFraction,
  type Observation,
  type ObservedCase,
  type ObservedQuestion,
  type StructuralQuestion,
} from '../../contract.js';
import {
  type DatasetDenominator,
  denominatorWords,
  depthLimits,
  frequencyOfAlleles,
  grouped,
  percent,
} from '../../counts/denominator.js';
import type { DatasetObservation } from '../../counts/observing.js';
import { writtenQuestion } from '../../domain/written-question.js';
import { alert, day, fact, sheet } from '../pages.js';
import { lowFractionOf, type PageOfCases, ruleOfQuestion, windowOfDataset } from './answers.js';
import { type ObservationInput, observationForm, textsOfField } from './form.js';
import type { ObservedDatasets } from './look-up.js';

interface ObservationPage {
  /** The name of the beacon. */
  beacon: string;
  /** The datasets that the caller may observe. */
  datasets: readonly Dataset[];
  sent: ObservationInput;
  /** Omitted if nothing was asked for. */
  outcome: ObservationOutcome | undefined;
  /** Which cases to show of each dataset. */
  cases: PageOfCases;
  caseUrl: string | undefined;
  /** Allele fractions from which on carriers on MT are counted, in percent. */
  levels: readonly number[];
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
  levels,
  base,
  nonce,
}: ObservationPage): string {
  return page({
    title: outcome ? `${headlineOfObservation(outcome)} · ${beacon}` : `Local observations · ${beacon}`,
    schemes: 'light dark',
    head: style(nonce, html`${sheet}${ownSheet}`),
    body: html`<body>
<a class="skip" href="#form">Skip to the form</a>
<header>
<h1>Local observations</h1>
<p class="soft">How often a variant was seen in the cases of this laboratory. ${beacon}</p>
</header>
<main>
${outcome && outcomeSections(outcome, { sent, page: cases, caseUrl, levels })}
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

// What was seen of a variant, dataset by dataset, or what is wrong with the request.

/** With the alleles around a structural variant, in the order of `found`. */
export interface ObservationsPage extends ObservedDatasets {
  neighbours: readonly (readonly CountedAllele[])[];
}

export type ObservationOutcome =
  | ObservationsPage
  | { /** What is wrong with the request, in one sentence. */ error: string };

/** A short result for the title of the page, which screen readers read first. */
function headlineOfObservation(outcome: ObservationOutcome): string {
  if ('error' in outcome) return 'Error in the request';
  return outcome.found.some(({ observation }) => observation.cases > 0) ? 'Seen before' : 'Not seen';
}

function outcomeSections(outcome: ObservationOutcome, options: CardOptions): Html {
  if ('error' in outcome) {
    return html`<section class="card" id="answer" aria-label="Result">${alert('danger', outcome.error)}</section>`;
  }
  const { assembly, question, found, neighbours } = outcome;
  return html`<section id="answer" aria-labelledby="answer-title">
<h2 id="answer-title">${nameOfQuestion(question)} <span class="soft">${assembly}</span></h2>
${found.length === 0 && alert('warning', `This token may not observe any dataset of ${assembly}. Nothing was searched.`)}
<div class="cards">
${found.map((one, i) => observationCard(one, question, neighbours[i] ?? [], options))}</div>
</section>`;
}

/** `1-880086-T-C`, or `DEL 1:7,889,972-7,890,026`. */
function nameOfQuestion(question: ObservedQuestion): string {
  const { chromosome, position, reference, alternate, type, end, mateChromosome, length } = writtenQuestion(question);
  if (type === undefined) return `${chromosome}-${position}-${shortenedBases(reference)}-${shortenedBases(alternate)}`;
  const place = `${type} ${chromosome}:${grouped(position)}`;
  if (mateChromosome !== undefined) return `${place} and ${mateChromosome}:${grouped(end ?? 0)}`;
  if (end !== undefined) return `${place}-${grouped(end)}`;
  return length === undefined ? place : `${place}, ${grouped(length)} bases`;
}

function shortenedBases(bases = ''): string {
  return bases.length > 24 ? `${bases.slice(0, 20)}… (${grouped(bases.length)} bases)` : bases;
}

type CardOptions = Omit<CasesOptions, 'contig'> & Pick<ObservationPage, 'levels'>;

function observationCard(
  { observation, dataset, denominator, withCases, shared }: DatasetObservation,
  question: ObservedQuestion,
  alleles: readonly CountedAllele[],
  options: CardOptions,
): Html {
  const { carriers, homozygotes, hemizygotes, alleleCount, of, notCalled, detail } = observation;
  return html`<section class="card">
<h3>${dataset.name} <span class="soft">${dataset.id}</span></h3>
${shared && html`<p class="hint">${sharedWords}</p>`}
${seenText(observation, question)}
<p class="denominator">${denominatorWords(denominator, carriers)}.</p>
<dl class="facts">
${fact('Carriers', `${grouped(carriers)} of ${grouped(of.samples)} samples`)}
${notCalled > 0 && fact('Not called', `${grouped(notCalled)} ${notCalled === 1 ? 'sample' : 'samples'}, which are not counted`)}
${fact('Homozygotes', grouped(homozygotes))}
${fact('Hemizygotes', grouped(hemizygotes))}
${fact('Allele count', grouped(alleleCount))}
${fractionFacts(observation, question, options.levels)}
${frequencyFact(denominator)}
${detail?.first && fact('First seen', day(detail.first))}
${detail?.last && fact('Last seen', day(detail.last))}
</dl>
<p class="hint">${rulesOf(dataset, question)}</p>
${denominator.covered + denominator.notCovered > 0 && html`<p class="hint">Coverage by depth, at ≥ ${denominator.threshold}x. ${depthLimits}</p>`}
${withCases && observation.cases > 0 && casesTable(observation, { ...options, contig: question.contig })}
${question.type === 'structural' && !shared && neighboursTable({ alleles, question, window: windowOfDataset(dataset) })}
</section>
`;
}

/** On MT how many carriers have which level of heteroplasmy; elsewhere how many have a low allele fraction. */
function fractionFacts(observation: Observation, question: ObservedQuestion, levels: readonly number[]): Html[] {
  const { fractions } = observation;
  const low = lowFractionOf(observation, question);
  if (low !== undefined) return [fact(`Allele fraction below ${keptBelow} %`, grouped(low))];
  if (!fractions || question.contig !== 'MT') return [];
  const { unknown, below } = fractions;
  const from = levels.map((percent) => `${grouped(carriersFrom(fractions, percent))} at ≥ ${percent} %`);
  const median = medianFraction(fractions);
  return [
    fact('Heteroplasmy', [...from, ...(unknown > 0 ? [`${grouped(unknown)} unknown`] : [])].join(', ')),
    ...(median === undefined ? [] : [fact('Median heteroplasmy', `${median} %`)]),
    ...(below > 0 ? [fact('Below the minimum', `${grouped(below)}, not counted`)] : []),
  ];
}

/** Beside the counts of a dataset of another tenant. */
const sharedWords = 'Shared by another department of this server: counts only, without its newest samples.';

function seenText({ cases, of, notCalled }: Observation, question: ObservedQuestion): Html {
  const kind = question.type === 'structural' ? 'structural variants' : 'small variants';
  if (of.cases === 0 && notCalled > 0 && cases === 0) {
    return alert('warning', 'Unknown: no sample of this dataset was called at this place.');
  }
  if (of.cases === 0) return alert('warning', `No case of this dataset was searched for ${kind}.`);
  const sentence = `Seen in ${grouped(cases)} of ${grouped(of.cases)} cases${cases === 0 ? '' : ` (${percent(cases / of.cases, 3)})`}`;
  return alert(cases === 0 ? 'secondary' : 'success', sentence);
}

function frequencyFact(denominator: DatasetDenominator): Html | undefined {
  const share = frequencyOfAlleles(denominator);
  const { alleles } = denominator;
  if (share === undefined || !alleles) return undefined;
  const of = `${grouped(alleles.alleleCount)} / ${grouped(alleles.alleleNumber)}`;
  return fact('Allele frequency', `${percent(share)} (${of})`);
}

function rulesOf(dataset: Dataset, question: ObservedQuestion): string {
  const { counting } = dataset;
  const quality =
    counting?.quality === undefined
      ? 'Genotypes of any quality are counted'
      : `Genotypes with a quality (GQ) of at least ${counting.quality} are counted`;
  const loaded = `${quality}${counting?.passOnly ? ', of records with FILTER PASS' : ''}.`;
  const least = question.contig === 'MT' ? counting?.minimumHeteroplasmy : undefined;
  const level = least === undefined ? '' : ` Calls with an allele fraction below ${least} % are not.`;
  return question.type === 'structural'
    ? `${ruleOfQuestion(question, windowOfDataset(dataset))} ${loaded}${level}`
    : loaded + level;
}

// The cases in which a variant was seen, for callers who may see them.

interface CasesOptions {
  contig: Contig;
  sent: ObservationInput;
  page: PageOfCases;
  caseUrl: string | undefined;
}

/** Homozygous cases first, then hemizygous ones, each group newest first. */
function casesTable({ dataset, detail }: Observation, { contig, sent, page, caseUrl }: CasesOptions): Html {
  const all = (detail?.carrying ?? []).toSorted((one, other) => rankOfCase(other) - rankOfCase(one));
  const { limit, offset } = page;
  const shown = all.slice(offset, offset + limit);
  return html`<table role="table">
<caption>Cases with a carrier: homozygous ones first, then hemizygous ones, the newest first. ${rangeText(offset, shown.length, all.length)}</caption>
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Case</th><th scope="col" role="columnheader">Zygosity</th><th scope="col" role="columnheader">Added</th></tr></thead>
<tbody role="rowgroup">
${shown.map((one) => caseRow(one, contig, caseUrl))}</tbody>
</table>
<p class="actions">${offset > 0 && html`<a href="${pageLink(sent, dataset, limit, Math.max(0, offset - limit))}">Previous</a> `}${offset + limit < all.length && html`<a href="${pageLink(sent, dataset, limit, offset + limit)}">Next</a>`}</p>`;
}

function rankOfCase({ homozygous, hemizygous }: ObservedCase): number {
  return homozygous ? 2 : Number(hemizygous);
}

function caseRow(one: ObservedCase, contig: Contig, caseUrl: string | undefined): Html {
  const name =
    caseUrl === undefined
      ? one.case
      : html`<a href="${caseUrl.replaceAll('{case}', () => encodeURIComponent(one.case))}" rel="noreferrer">${one.case}</a>`;
  const zygosity = [one.homozygous && 'homozygous', one.hemizygous && 'hemizygous'].filter(Boolean).join(', ');
  return html`<tr role="row">
<th scope="row" role="rowheader">${name}</th>
<td role="cell" data-label="Zygosity">${zygosity === '' ? singleCopyText(contig) : zygosity}${one.percent !== undefined && `, ${one.percent} %`}</td>
<td role="cell" data-label="Added">${one.added ? one.added.toISOString().slice(0, 10) : 'unknown'}</td>
</tr>
`;
}

function rangeText(offset: number, shown: number, all: number): string {
  if (shown === all) return '';
  if (shown === 0) return `There are ${grouped(all)}.`;
  return `Shown: ${grouped(offset + 1)} to ${grouped(offset + shown)} of ${grouped(all)}.`;
}

/** Mitochondria and the Y have no second copy that could differ. */
function singleCopyText(contig: Contig): string {
  return contig === 'MT' || contig === 'Y' ? 'carrier' : 'heterozygous';
}

/** The same request with another page of cases, of this dataset alone: each has pages of its own. */
function pageLink(sent: ObservationInput, dataset: string, limit: number, offset: number): string {
  const own = new Set(['dataset', 'limit', 'offset']);
  const search = new URLSearchParams(
    Object.keys(sent)
      .filter((name) => !own.has(name))
      .flatMap((name) => textsOfField(sent, name).map((text): [string, string] => [name, text])),
  );
  for (const [name, value] of Object.entries({ dataset, limit, offset })) search.append(name, String(value));
  return `?${search}`;
}

// The structural variants nearest to the one asked for, drawn to scale.

type NeighbourStretch = Pick<CountedAllele, 'start' | 'end'>;

interface NeighboursOptions {
  alleles: readonly CountedAllele[];
  question: StructuralQuestion;
  /** The largest window of the dataset. */
  window: number;
}

function neighboursTable({ alleles, question, window }: NeighboursOptions): Html | undefined {
  if (alleles.length === 0) return undefined;
  const scale = scaleOf([question, ...alleles]);
  const counted = (allele: CountedAllele) => isSimilar(allele, question, window);
  return html`<table role="table" class="neighbours">
<caption>The nearest variants of this type in the dataset, the first row being the one asked for. Overlap: shared bases, in percent of the longer of the two.</caption>
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Variant</th><th scope="col" role="columnheader">Overlap</th><th scope="col" role="columnheader">Copies</th><th scope="col" role="columnheader">Counted</th></tr></thead>
<tbody role="rowgroup">
<tr role="row" class="asked"><th scope="row" role="rowheader">${placeOfNeighbour(question)}${neighbourBar(question, scale, 'asked')}</th><td role="cell" data-label="Overlap"></td><td role="cell" data-label="Copies"></td><td role="cell" data-label="Counted"></td></tr>
${alleles.map(
  (allele) => html`<tr role="row">
<th scope="row" role="rowheader">${placeOfNeighbour(allele)}${neighbourBar(allele, scale, counted(allele) ? 'counted' : 'other')}</th>
<td role="cell" data-label="Overlap">${overlap(allele, question)} %</td>
<td role="cell" data-label="Copies">${grouped(allele.calls)}</td>
<td role="cell" data-label="Counted">${counted(allele) ? 'yes' : 'no'}</td>
</tr>
`,
)}</tbody>
</table>`;
}

/** One-based, the last base included. */
function placeOfNeighbour({ start, end }: NeighbourStretch): string {
  return `${grouped(start + 1)}–${grouped(end)}`;
}

/** Shared bases in percent of the longer one, rounded down: only what is the same is 100 %. */
function overlap(one: NeighbourStretch, other: NeighbourStretch): number {
  const shared = Math.min(one.end, other.end) - Math.max(one.start, other.start);
  const longer = Math.max(one.end - one.start, other.end - other.start);
  return longer <= 0 ? 0 : Math.floor((100 * Math.max(shared, 0)) / longer);
}

interface DrawingScale {
  first: number;
  bases: number;
}

function scaleOf(all: readonly NeighbourStretch[]): DrawingScale {
  const first = Math.min(...all.map(({ start }) => start));
  return { first, bases: Math.max(...all.map(({ end }) => end), first + 1) - first };
}

/** In percent of the row, so that it is to scale on every screen; at least so wide that it can be seen. */
function neighbourBar(
  { start, end }: NeighbourStretch,
  { first, bases }: DrawingScale,
  kind: 'asked' | 'counted' | 'other',
): Html {
  const percent = (value: number) => `${Math.round((10_000 * value) / bases) / 100}%`;
  const width = Math.max(end - start, bases / 200);
  return html`<svg class="bar" width="100%" height="10" aria-hidden="true"><rect class="${kind}" x="${percent(Math.min(start - first, bases - width))}" y="1" width="${percent(width)}" height="8" rx="1.5"/></svg>`;
}

// Style rules of the observation page alone.

const ownSheet = raw(`
.cards > .card > h3 { margin-top: 0; }
.cards > .card > .alert { font-size: 1.15rem; }
.cards > .card > .hint { margin-top: .75rem; }
.neighbours th:first-child { width: 60%; }
.neighbours thead th { text-align: left; }
.neighbours tbody th { font-weight: 400; font-variant-numeric: tabular-nums; }
.neighbours tbody .asked th { font-weight: 650; }
.bar { display: block; margin-top: .15rem; }
.bar .asked { fill: var(--ink); }
.bar .counted { fill: var(--accent); }
.bar .other { fill: var(--edge); }
@media (max-width: 40rem) { .neighbours tbody th:first-child { width: 100%; } .neighbours .asked td { display: none; } }
`);
